/** What API keys and shareable links have in common: a credential that is an opaque secret, stored as its hash. */
import type * as DateTime from "effect/DateTime"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { OrganizationId, UserId } from "../kernel/Ids.js"

/** The first fields of a credential. */
export const identityFields = {
  organizationId: Fields.named("organization", OrganizationId),
  name: Schema.String,
  /** The secret's prefix and last four characters. */
  hint: Schema.String
}

/** The last fields of a credential. */
export const lifetimeFields = {
  createdBy: Fields.named("created_by", Schema.NullOr(UserId)),
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  /** The first instant at which the credential is invalid. */
  expiresAt: Fields.named("expires_at", Schema.NullOr(Schema.DateTimeUtc)),
  revokedAt: Fields.named("revoked_at", Schema.NullOr(Schema.DateTimeUtc))
}

export interface SecretCredential {
  readonly id: number
  readonly organizationId: OrganizationId
  readonly expiresAt: DateTime.Utc | null
  readonly revokedAt: DateTime.Utc | null
}

/** What is stored of a new credential, beside what it may do. */
export interface NewSecretCredential {
  readonly name: string
  readonly hint: string
  readonly secretHash: string
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc | null
}

/** A credential that was just created: the only time that its secret can be shown. */
export interface IssuedCredential<Credential> {
  readonly credential: Credential
  readonly secret: Redacted.Redacted
}

/** A credential with the hash that storage found it by. */
export interface HashedCredential<Credential> {
  readonly credential: Credential
  readonly secretHash: string
}
