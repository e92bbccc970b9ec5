import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { makeLookupBatch, SUSPECTS } from "../kernel/LookupBatch.js"
import { make as makeCache } from "../kernel/TtlCache.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import type { IsSuspect } from "./RateLimiter.js"
import { SecretSource } from "./SecretSource.js"
import type { SealedSource } from "./Resealing.js"
import { SecretBox, SecretKeyMissing, type Sealing } from "./SecretBox.js"
import type { SigningKey, StoredSigningKey } from "./SigningKey.js"
import { SigningKeyStore } from "./SigningKeyStore.js"
import { LONGEST_LIFETIME_SECONDS } from "./Token.js"

/** The keys that this database's tokens are signed with, for the operator; no adapter exposes them. */
export class SigningKeys extends Context.Tag("@earshot/core/access/SigningKeys")<
  SigningKeys,
  {
    /** The key to sign with: the newest, made when there is none. */
    readonly current: Effect.Effect<SigningKey, SecretKeyMissing | StorageError>
    /** The key that a token names; none if no configured key opens it. */
    readonly find: (kid: string, isSuspect: IsSuspect) => Effect.Effect<Option.Option<SigningKey>, StorageError>
    /**
     * Signs new tokens with a new key. Tokens signed with older keys stay valid until they expire, unless `discardOld`, for
     * a key that was leaked: then every token issued before is invalid, in other processes within `CacheTtl`.
     */
    readonly rotate: (options?: {
      readonly discardOld?: boolean
    }) => Effect.Effect<void, SecretKeyMissing | StorageError>
    /** The stored keys, to be sealed anew. */
    readonly sealed: SealedSource
  }
>() {}

const purposeOf = (kid: string): string => `signing-key/${kid}`

const open = (sealing: Option.Option<Sealing>, { createdAt, kid, sealed }: StoredSigningKey) =>
  sealing.pipe(
    Option.flatMap((one) => one.open(purposeOf(kid), sealed)),
    Option.map((secret): SigningKey => ({ kid, secret, createdAt }))
  )

/** The keys that no valid token can be signed with: those replaced longer ago than the longest lifetime of a token. */
const outlived = (newestFirst: ReadonlyArray<StoredSigningKey>, now: DateTime.Utc): ReadonlyArray<StoredSigningKey> =>
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
    const box = yield* SecretBox
    const known = yield* makeCache<SigningKey>(100)

    const make = Effect.gen(function* () {
      if (Option.isNone(box)) return yield* new SecretKeyMissing({ why: "none-configured" })
      const key: SigningKey = {
        kid: Encoding.encodeBase64Url(source.bytes(12)),
        secret: Redacted.make(Encoding.encodeBase64Url(source.bytes(32))),
        createdAt: yield* DateTime.now
      }
      const stored = { kid: key.kid, sealed: box.value.seal(purposeOf(key.kid), key.secret), createdAt: key.createdAt }
      yield* store.insert(stored)
      return { key, stored }
    })

    /**
     * A process without the key that sealed the newest one does not make another: processes with different keys would
     * make one for every token.
     */
    const openNewest = (newest: StoredSigningKey) =>
      Option.match(open(box, newest), {
        onNone: () => new SecretKeyMissing({ why: Option.isNone(box) ? "none-configured" : "unknown-key" }),
        onSome: (key) => Effect.succeed(key)
      })

    /** What the last load opened, by the name and the sealed text: a flood of unknown names loads ten times a second. */
    let opened: ReadonlyMap<string, Option.Option<SigningKey>> = new Map()

    const openAll = (stored: ReadonlyArray<StoredSigningKey>): ReadonlyMap<string, SigningKey> => {
      opened = new Map(
        stored.map((one) => {
          const name = `${one.kid} ${one.sealed}`
          return [name, opened.get(name) ?? open(box, one)]
        })
      )
      return new Map([...opened.values()].flatMap((key) => Option.toArray(key)).map((key) => [key.kid, key] as const))
    }

    const loadAll = known.load(Effect.map(store.list, openAll), (keys) => keys)
    const batch = { ...SUSPECTS, maxKeys: 10_000, find: () => loadAll }
    const findForSuspect = makeLookupBatch(batch)
    /** Others that arrive in the same millisecond share one: a burst of wrong tokens comes before its sender is a suspect. */
    const findWithOthers = makeLookupBatch({ ...batch, window: 0 })

    return SigningKeys.of({
      // Two processes may both make the first key: each verifies with either, and the newer one signs from then on.
      current: Effect.flatMap(store.list, ([newest]) =>
        newest === undefined ? Effect.map(make, ({ key }) => key) : openNewest(newest)
      ),
      // It stands before requests of anybody, so it is no generator.
      find: (kid, isSuspect) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const cached = known.get(kid, now)
          if (cached !== undefined) return Effect.succeedSome(cached)
          // A key that is not known yet may be another process's newest, so storage is asked every time.
          return (isSuspect(now) ? findForSuspect : findWithOthers)(kid)
        }),
      rotate: (options = {}) =>
        work
          .atomically(
            Effect.gen(function* () {
              const old = yield* store.list
              const newest = yield* make
              const discarded =
                options.discardOld === true ? old : outlived([newest.stored, ...old], yield* DateTime.now)
              yield* store.remove(discarded.map((key) => key.kid))
            })
          )
          .pipe(Effect.zipRight(known.invalidate(() => true))),
      sealed: {
        kind: "signing key",
        // There are a few: all at once.
        list: (after) =>
          after !== undefined
            ? Effect.succeed([])
            : Effect.map(store.list, (keys) =>
                keys.map((key) => ({
                  id: key.kid,
                  secrets: [{ purpose: purposeOf(key.kid), sealed: key.sealed }],
                  replace: ([sealed = key.sealed]) => store.reseal(key, sealed)
                }))
              )
      }
    })
  })
)
