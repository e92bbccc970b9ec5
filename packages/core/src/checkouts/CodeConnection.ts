import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { CodeConnectionId, OrganizationId, UserId } from "../kernel/Ids.js"
import { JsonObject } from "../kernel/Json.js"

/** `inactive` until it is activated, and again when another one is; `revoked` is for good. */
export const ConnectionState = Schema.Literal("inactive", "active", "revoked")
export type ConnectionState = typeof ConnectionState.Type

/** An organization's connection to a code host; at most one per organization is active. Its secret is never returned. */
export class CodeConnection extends Schema.Class<CodeConnection>("@earshot/core/checkouts/CodeConnection")({
  id: CodeConnectionId,
  organizationId: Fields.named("organization", OrganizationId),
  /** The kind of code host: `github`, `gitlab`, `local`, or one of the embedding program's. */
  host: Schema.String,
  name: Schema.String,
  /** The settings of this kind of host, without secrets. */
  settings: JsonObject,
  state: ConnectionState,
  createdBy: Fields.named("created_by", Schema.NullOr(UserId)),
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  /** When it was last tested against the host, and the error; null where there was none. */
  testedAt: Fields.named("tested_at", Schema.NullOr(Schema.DateTimeUtc)),
  testError: Fields.named("test_error", Schema.NullOr(Schema.String)),
  activatedAt: Fields.named("activated_at", Schema.NullOr(Schema.DateTimeUtc)),
  revokedAt: Fields.named("revoked_at", Schema.NullOr(Schema.DateTimeUtc))
}) {}

/** A connection as it travels, without its secret. */
export const encodeCodeConnection = Schema.encodeSync(CodeConnection)

/** A private key of 8192 bits takes 6,500 characters. */
const MAX_SECRET = 20_000

/** What creates a connection: `{host, name?, settings?, secret?}`. The kind of host defines settings and secret. */
export const CodeConnectionDraft = Fields.object({
  host: Fields.text({ max: 50, blank: false }),
  name: Fields.withDefault(Fields.text({ max: 255 }), ""),
  settings: Fields.withDefault(JsonObject, {}),
  secret: Fields.optional(Fields.nullable(Fields.text({ max: MAX_SECRET })))
})
export type CodeConnectionDraft = typeof CodeConnectionDraft.Type
