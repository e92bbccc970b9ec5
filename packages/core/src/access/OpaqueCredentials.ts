import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { make as makeMemory } from "../kernel/ShortMemory.js"
import type { StorageFault } from "../kernel/Storage.js"
import type { Actor } from "./Actor.js"
import { isInForce } from "./Grant.js"
import { hashSecret, looksLikeSecret, sameHash, type SecretPrefix } from "./Secret.js"

/** A credential with the hash that storage found it by. */
export interface Hashed<A> {
  readonly credential: A
  readonly secretHash: string
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
  Effect.map(makeMemory<Hashed<A> & { readonly actor: Actor }>(10_000), (known) => {
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
        Effect.gen(function* () {
          if (!looksLikeSecret(options.prefix, secret)) return Option.none()
          const hash = hashSecret(secret)
          const remembered = yield* known.recall(hash)
          const found = remembered === undefined ? yield* lookUp(hash) : Option.some(remembered)
          const now = yield* DateTime.now
          return found.pipe(
            Option.filter(({ credential, secretHash }) => sameHash(secretHash, hash) && isInForce(credential, now)),
            Option.map(({ actor }) => actor)
          )
        }),
      /** Forgets a credential that this process has just revoked. */
      forget: (id: number): Effect.Effect<void> => known.forget(({ credential }) => credential.id === id)
    }
  })
