import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"

/**
 * Seals secrets that have to be had again, such as a code host's private key, so that the database alone gives none of
 * them away.
 */
export interface Sealing {
  /**
   * A sealed secret, as it may be stored.
   *
   * @param purpose what the secret is for and whose, such as `code-connection/7`. It is sealed in: under another purpose
   *   it cannot be opened, so that a row copied to another organisation is of no use there.
   */
  readonly seal: (purpose: string, secret: Redacted.Redacted) => string
  /** The secret, or none where it was sealed for another purpose, with a key that is not here, or was tampered with. */
  readonly open: (purpose: string, sealed: string) => Option.Option<Redacted.Redacted>
  /** Whether it was sealed with the key that seals now; if not, the key it was sealed with is still needed. */
  readonly isCurrent: (sealed: string) => boolean
}

/** What seals secrets, where the operator gave a key. Without one, nothing that needs sealing is taken. */
export class SecretBox extends Context.Tag("@earshot/core/access/SecretBox")<SecretBox, Option.Option<Sealing>>() {}

export const layerNone: Layer.Layer<SecretBox> = Layer.succeed(SecretBox, Option.none())
