import * as Clock from "effect/Clock"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { make as makeMemory } from "../kernel/ShortMemory.js"
import type { StorageFault } from "../kernel/Storage.js"
import type { Actor } from "./Actor.js"
import { isInForce } from "./Grant.js"
import { hashSecret, looksLikeSecret, MAX_SECRET_LENGTH, sameHash, type SecretPrefix } from "./Secret.js"

/** A credential with the hash that storage found it by. */
export interface Hashed<A> {
  readonly credential: A
  readonly secretHash: string
}

interface Known<A> extends Hashed<A> {
  readonly actor: Actor
}

/** A credential that is known by an opaque secret. */
interface Opaque {
  readonly id: number
  readonly expiresAt: DateTime.Utc | null
  readonly revokedAt: DateTime.Utc | null
}

/**
 * How opaque secrets are told to be whose: by their hash, whose owner is remembered for a few seconds, while expiry is
 * looked at each time.
 */
export const makeOpaqueCredentials = <A extends Opaque>(options: {
  readonly prefix: SecretPrefix
  readonly findByHash: (secretHash: string) => Effect.Effect<Option.Option<Hashed<A>>, StorageFault>
  readonly toActor: (credential: A) => Actor
}) =>
  Effect.map(makeMemory<Known<A>>(10_000), (known) => {
    const lookUp = (hash: string) =>
      known.learn(
        Effect.map(
          options.findByHash(hash),
          Option.map((found) => ({ ...found, actor: options.toActor(found.credential) }))
        ),
        Option.match({ onNone: () => [], onSome: (found) => [[hash, found] as const] })
      )
    return {
      /** The caller that a secret stands for, if its credential is in force. */
      authenticate: (secret: string): Effect.Effect<Option.Option<Actor>, StorageFault> =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          if (secret.length > MAX_SECRET_LENGTH) return Effect.succeedNone
          const hash = hashSecret(secret)
          const judge = ({ actor, credential, secretHash }: Known<A>) =>
            sameHash(secretHash, hash) && isInForce(credential, now) ? Option.some(actor) : Option.none()
          const remembered = known.recall(hash, now)
          if (remembered !== undefined) return Effect.succeed(judge(remembered))
          return looksLikeSecret(options.prefix, secret)
            ? Effect.map(lookUp(hash), Option.flatMap(judge))
            : Effect.succeedNone
        }),
      /** Forgets a credential that this process has just revoked. */
      forget: (id: number): Effect.Effect<void> => known.forget(({ credential }) => credential.id === id)
    }
  })
