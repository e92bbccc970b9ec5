import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"

/**
 * Encrypts secrets that have to be read back, such as a code host's private key, so that the database alone discloses none
 * of them.
 */
export interface Sealing {
  /**
   * A sealed secret, as it may be stored.
   *
   * @param purpose what the secret is for and whose, such as `code-connection/7`. It is authenticated with the secret,
   *   which cannot be opened under another purpose: so a row copied to another organization is useless there.
   */
  readonly seal: (purpose: string, secret: Redacted.Redacted) => string
  /** The secret, or none if it was sealed for another purpose or with an unknown key, or was tampered with. */
  readonly open: (purpose: string, sealed: string) => Option.Option<Redacted.Redacted>
  /** Whether it was sealed with the current key; if not, the key it was sealed with is still needed. */
  readonly isCurrent: (sealed: string) => boolean
}

export const NO_SECRET_BOX =
  "No secret key is configured, so secrets cannot be stored. Set EARSHOT_SECRET_KEYS on the server."

/** A secret cannot be sealed, since no key is configured, or cannot be opened, since none of those configured sealed it. */
export class SecretKeyMissing extends Data.TaggedError("SecretKeyMissing")<{
  readonly why: "none-configured" | "unknown-key"
}> {
  override get message(): string {
    return this.why === "none-configured"
      ? NO_SECRET_BOX
      : "The signing key of tokens was sealed with a key that this engine does not have. Configure the key of the engine that created it (EARSHOT_SECRET_KEYS), or replace the signing key with `earshot secrets rotate-signing-key --discard-old`."
  }
}

/** What seals secrets, if the operator configured a key. Without one, input that needs sealing is rejected. */
export class SecretBox extends Context.Tag("@earshot/core/access/SecretBox")<SecretBox, Option.Option<Sealing>>() {}

export const layerNone: Layer.Layer<SecretBox> = Layer.succeed(SecretBox, Option.none())
