import { SensitiveField, sensitiveFields } from "@earshot/redaction"
import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { AgentId, IntegrationId, MetricId, OrganizationId, ProjectId, UserId } from "../kernel/Ids.js"
import { platformNames, platforms } from "./Platform.js"

/**
 * How a platform delivers its webhooks to an address of its own, with signatures instead of an API key. Its secrets are
 * never returned again.
 */
export class Integration extends Schema.Class<Integration>("@earshot/core/platforms/Integration")({
  id: IntegrationId,
  organizationId: Fields.named("organization", OrganizationId),
  platform: Schema.Literal(...platforms),
  name: Schema.String,
  /** What identifies it in the path of its address. */
  publicId: Fields.named("public_id", Schema.String),
  projectId: Fields.named("project", ProjectId),
  /** The agent of all its calls; null finds an agent of the project by the platform's id of it. */
  agentId: Fields.named("agent", Schema.NullOr(AgentId)),
  redactFields: Fields.named("redact_fields", Schema.Array(SensitiveField)),
  metricIds: Fields.named("metric_ids", Schema.Array(MetricId)),
  /** Until when the secret before the last rotation is valid; null if there is none. */
  previousSecretUntil: Fields.named("previous_secret_until", Schema.NullOr(Schema.DateTimeUtc)),
  createdBy: Fields.named("created_by", Schema.NullOr(UserId)),
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  updatedAt: Fields.named("updated_at", Schema.DateTimeUtc)
}) {}

export const encodeIntegration = Schema.encodeSync(Integration)

const MAX_NAME = 255
const MAX_SECRET = 1_000
const MIN_SECRET = 8

const secret = Fields.optional(Fields.nullable(Fields.text({ max: MAX_SECRET })))
const redactFields = Fields.list(Fields.choice(sensitiveFields), { max: 100 })
const metricIds = Fields.ids(MetricId, { max: 100 })

/** Why a text cannot be a secret; undefined if it can. */
export const secretError = (text: string): string | undefined =>
  text.trim() !== text || text.length < MIN_SECRET
    ? `Ensure this field has at least ${MIN_SECRET} characters and does not begin or end with a space.`
    : undefined

/** What creates an integration. Either an agent or a project is required, and metrics need an agent. */
export const IntegrationDraft = Fields.object({
  platform: Fields.choice(platformNames),
  agent: Fields.optional(Fields.nullable(Fields.id(AgentId))),
  project: Fields.optional(Fields.nullable(Fields.id(ProjectId))),
  name: Fields.withDefault(Fields.text({ max: MAX_NAME }), ""),
  /** The platform's signing secret. Default: a new one, where the platform lets its user choose it. */
  secret,
  redact_fields: Fields.withDefault(redactFields, []),
  metric_ids: Fields.withDefault(metricIds, [])
})

export const IntegrationPatch = Fields.object({
  name: Fields.optional(Fields.text({ max: MAX_NAME })),
  redact_fields: Fields.optional(redactFields),
  metric_ids: Fields.optional(metricIds)
})

/** The longest time for which two secrets are valid: 30 days. */
const MAX_OVERLAP_SECONDS = 2_592_000
const DEFAULT_OVERLAP_SECONDS = 86_400

export const SecretRotation = Fields.object({
  secret,
  /** For how long the replaced secret stays valid. */
  previous_valid_seconds: Fields.withDefault(
    Fields.integer({ min: 0, max: MAX_OVERLAP_SECONDS }),
    DEFAULT_OVERLAP_SECONDS
  )
})

/** An integration with a secret that was just made; null if the caller gave the secret. */
export interface IssuedIntegration {
  readonly integration: Integration
  readonly secret: string | null
}

export const IssuedIntegrationWire = Schema.Struct({
  ...Integration.fields,
  secret: Schema.NullOr(Schema.String)
}).annotations({ identifier: "IssuedIntegration" })

export const encodeIssuedIntegration = ({ integration, secret: issued }: IssuedIntegration) => ({
  ...encodeIntegration(integration),
  secret: issued
})

/** Before the public id in the path of an integration's address. */
export const HOOKS_PATH = "/observability/v1/hooks"
