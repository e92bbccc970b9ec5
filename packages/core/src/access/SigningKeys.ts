import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { make as makeCache } from "../kernel/TtlCache.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { SecretSource } from "./SecretSource.js"
import type { SigningKey } from "./SigningKey.js"
import { SigningKeyStore } from "./SigningKeyStore.js"
import { LONGEST_LIFETIME_SECONDS } from "./Token.js"

/** The keys that this database's tokens are signed with, for the operator; no adapter exposes them. */
export class SigningKeys extends Context.Tag("@earshot/core/access/SigningKeys")<
  SigningKeys,
  {
    /** The key to sign with: the newest, made when there is none. */
    readonly current: Effect.Effect<SigningKey, StorageError>
    /** The key that a token names. */
    readonly find: (kid: string) => Effect.Effect<Option.Option<SigningKey>, StorageError>
    /**
     * Signs new tokens with a new key. Tokens signed with older keys stay valid until they expire, unless `discardOld`, for
     * a key that was leaked: then every token issued before is invalid, in other processes within `CacheTtl`.
     */
    readonly rotate: (options?: { readonly discardOld?: boolean }) => Effect.Effect<void, StorageError>
  }
>() {}

/** The keys that no valid token can be signed with: those replaced longer ago than the longest lifetime of a token. */
const outlived = (newestFirst: ReadonlyArray<SigningKey>, now: DateTime.Utc): ReadonlyArray<SigningKey> =>
  newestFirst.filter((_, position) => {
    const successor = newestFirst[position - 1]
    return (
      successor !== undefined && successor.createdAt.epochMillis + LONGEST_LIFETIME_SECONDS * 1000 < now.epochMillis
    )
  })

export const layer = Layer.effect(
  SigningKeys,
  Effect.gen(function* () {
    const store = yield* SigningKeyStore
    const work = yield* UnitOfWork
    const source = yield* SecretSource
    const known = yield* makeCache<SigningKey>(100)

    const make = Effect.gen(function* () {
      const key: SigningKey = {
        kid: Encoding.encodeBase64Url(source.bytes(12)),
        secret: Redacted.make(Encoding.encodeBase64Url(source.bytes(32))),
        createdAt: yield* DateTime.now
      }
      yield* store.insert(key)
      return key
    })

    return SigningKeys.of({
      // Two processes may both make the first key: each verifies with either, and the newer one signs from then on.
      current: Effect.flatMap(store.list, ([newest]) => (newest === undefined ? make : Effect.succeed(newest))),
      find: (kid) =>
        Effect.gen(function* () {
          const cached = known.get(kid, yield* Clock.currentTimeMillis)
          if (cached !== undefined) return Option.some(cached)
          // A key that is not known yet may be another process's newest, so storage is asked every time.
          const all = yield* known.load(store.list, (keys) => keys.map((key) => [key.kid, key] as const))
          return Option.fromNullable(all.find((key) => key.kid === kid))
        }),
      rotate: (options = {}) =>
        work
          .atomically(
            Effect.gen(function* () {
              const old = yield* store.list
              const newest = yield* make
              const discarded = options.discardOld === true ? old : outlived([newest, ...old], yield* DateTime.now)
              yield* store.remove(discarded.map((key) => key.kid))
            })
          )
          .pipe(Effect.zipRight(known.invalidate(() => true)))
    })
  })
)
