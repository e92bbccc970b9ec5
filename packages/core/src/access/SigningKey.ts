import type * as DateTime from "effect/DateTime"
import type * as Redacted from "effect/Redacted"

/** A key that tokens are signed with (HS256), named by the `kid` in their headers. */
export interface SigningKey {
  readonly kid: string
  /** 32 random bytes in base64url. */
  readonly secret: Redacted.Redacted
  readonly createdAt: DateTime.Utc
}

/** A signing key as it is stored. */
export interface StoredSigningKey {
  readonly kid: string
  /** The secret, sealed for the key's `kid`. */
  readonly sealed: string
  readonly createdAt: DateTime.Utc
}
