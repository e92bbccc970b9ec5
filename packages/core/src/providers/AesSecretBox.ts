/**
 * Secrets sealed with AES-256-GCM (NIST SP 800-38D). A sealed secret reads `aes256gcm.KEY.NONCE.TAG.TEXT`, the last three
 * in base64url; KEY names the key by its own hash, so that several can be in use while one is replaced.
 */
import * as Data from "effect/Data"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { createCipheriv, createDecipheriv, hash, randomBytes } from "node:crypto"
import { type Sealing, SecretBox } from "../access/SecretBox.js"

const ALGORITHM = "aes-256-gcm"
const KEY_BYTES = 32
/** 96 random bits: one key may seal 2^32 secrets before two nonces are likely to meet. */
const NONCE_BYTES = 12
const TAG_BYTES = 16
const SCHEME = "aes256gcm"

/** A configured key is invalid. The reason names its position and nothing of its text. */
export class InvalidKey extends Data.TaggedError("InvalidKey")<{ readonly reason: string }> {
  override get message(): string {
    return this.reason
  }
}

interface Key {
  readonly id: string
  readonly bytes: Buffer
}

/** A key's id: the first bits of its hash, which reveal nothing of 256 random bits. */
const idOf = (bytes: Buffer): string => hash("sha256", bytes, "hex").slice(0, 12)

const parseKey = (text: string, position: number): Either.Either<Key, InvalidKey> => {
  const bytes = /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, "base64") : Buffer.alloc(0)
  return bytes.length === KEY_BYTES
    ? Either.right({ id: idOf(bytes), bytes })
    : Either.left(
        new InvalidKey({
          reason: `Key ${position + 1} is not 32 bytes in base64: \`openssl rand -base64 32\` makes one.`
        })
      )
}

/**
 * Parses keys as the environment holds them: 32 bytes each in base64, separated by commas. The first one seals; all of
 * them open.
 */
export const parse = (keys: Redacted.Redacted): Either.Either<Sealing, InvalidKey> =>
  Either.gen(function* () {
    const [first = "", ...others] = Redacted.value(keys).split(",")
    const current = yield* parseKey(first.trim(), 0)
    const older = yield* Either.all(others.map((text, position) => parseKey(text.trim(), position + 1)))
    return makeSealing(current, older)
  })

const makeSealing = (current: Key, older: ReadonlyArray<Key>): Sealing => {
  const keys = [current, ...older]
  return {
    seal: (purpose, secret) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, current.bytes, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(Buffer.from(purpose))
      const text = Buffer.concat([cipher.update(Redacted.value(secret), "utf8"), cipher.final()])
      return [SCHEME, current.id, ...[nonce, cipher.getAuthTag(), text].map((part) => part.toString("base64url"))].join(
        "."
      )
    },
    open: (purpose, sealed) => {
      const [scheme, id, nonce = "", tag = "", text = "", ...rest] = sealed.split(".")
      const key = keys.find((one) => one.id === id)
      if (scheme !== SCHEME || key === undefined || rest.length > 0) return Option.none()
      return Option.liftThrowable(() => {
        const decipher = createDecipheriv(ALGORITHM, key.bytes, Buffer.from(nonce, "base64url"), {
          authTagLength: TAG_BYTES
        })
        decipher.setAAD(Buffer.from(purpose)).setAuthTag(Buffer.from(tag, "base64url"))
        return Redacted.make(
          Buffer.concat([decipher.update(Buffer.from(text, "base64url")), decipher.final()]).toString("utf8")
        )
      })()
    },
    isCurrent: (sealed) => sealed.startsWith(`${SCHEME}.${current.id}.`)
  }
}

/** A secret box with these keys. */
export const layer = (sealing: Sealing): Layer.Layer<SecretBox> => Layer.succeed(SecretBox, Option.some(sealing))
