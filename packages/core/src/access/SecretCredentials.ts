import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ValidationFailed } from "../kernel/FieldErrors.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { makeLookupBatch, SUSPECTS } from "../kernel/LookupBatch.js"
import { make as makeCache } from "../kernel/TtlCache.js"
import type { NotFound } from "./AccessErrors.js"
import type { Actor } from "./Actor.js"
import { isInForce } from "./Grant.js"
import { orNotFound } from "./OrNotFound.js"
import type { Permit } from "./Permit.js"
import {
  hashSecret,
  looksLikeSecret,
  MAX_SECRET_LENGTH,
  mintSecret,
  sameHash,
  SECRET_BYTES,
  type SecretPrefix
} from "./Secret.js"
import type { HashedCredential, IssuedCredential, NewSecretCredential, SecretCredential } from "./SecretCredential.js"
import type { SecretCredentialStore } from "./SecretCredentialStore.js"
import type { IsSuspect } from "./RateLimiter.js"
import { SecretSource } from "./SecretSource.js"

/** A credential that is in force, with the caller that it stands for. */
export interface IdentifiedCredential<Credential> extends HashedCredential<Credential> {
  readonly actor: Actor
}

type Known<Credential> = IdentifiedCredential<Credential>

/** Hashes whose credentials are cached. */
const CACHE_SIZE = 10_000

/** Unknown hashes that are cached: fewer, since a flood of random keys fills it with hashes that nobody sends again. */
const UNKNOWN_CACHE_SIZE = 1_000

/**
 * Issues, lists, revokes and authenticates one kind of credentials that are opaque secrets. A secret is looked up by its
 * hash, whose credential is cached for a few seconds, while expiry is checked each time. That a hash is unknown is cached as
 * well: a secret is random, so nobody sends it before it is issued.
 */
export const makeSecretCredentials = <Credential extends SecretCredential, New extends NewSecretCredential>(of: {
  readonly prefix: SecretPrefix
  /** The name in `NotFound`. */
  readonly resource: string
  readonly store: SecretCredentialStore<Credential, New>
  readonly toActor: (credential: Credential) => Actor
}) =>
  Effect.gen(function* () {
    const work = yield* UnitOfWork
    const source = yield* SecretSource
    const known = yield* makeCache<Known<Credential>>(CACHE_SIZE)

    const unknown = yield* makeCache<true>(UNKNOWN_CACHE_SIZE)

    const withActor = (found: HashedCredential<Credential>): Known<Credential> => ({
      ...found,
      actor: of.toActor(found.credential)
    })

    /** The credentials with these hashes; they are cached, and so are hashes without one. */
    const findAll = (hashes: ReadonlyArray<string>) =>
      known
        .load(
          Effect.map(
            of.store.findByHashes(hashes),
            (found) => new Map(found.map((one) => [one.secretHash, withActor(one)]))
          ),
          (found) => found
        )
        .pipe(
          Effect.tap((found) =>
            unknown.load(Effect.void, () =>
              hashes.filter((hash) => !found.has(hash)).map((hash) => [hash, true] as const)
            )
          )
        )

    /** Suspects share statements and wait for them, so that their guesses cost little; a right key is found all the same. */
    const findForSuspect = makeLookupBatch({ ...SUSPECTS, find: findAll })
    /** Others that arrive in the same millisecond share one: a burst of wrong keys comes before its sender is a suspect. */
    const find = makeLookupBatch({ ...SUSPECTS, window: 0, find: findAll })

    /**
     * What a secret stands for, if its credential is in force.
     */
    const identifyAs =
      <A>(answer: (found: Known<Credential>) => A) =>
      (secret: string, isSuspect: IsSuspect): Effect.Effect<Option.Option<A>, StorageError> =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          if (secret.length > MAX_SECRET_LENGTH) return Effect.succeedNone
          const hash = hashSecret(secret)
          const check = (found: Known<Credential>): Option.Option<A> =>
            sameHash(found.secretHash, hash) && isInForce(found.credential, now)
              ? Option.some(answer(found))
              : Option.none()
          const cached = known.get(hash, now)
          if (cached !== undefined) return Effect.succeed(check(cached))
          return looksLikeSecret(of.prefix, secret) && unknown.get(hash, now) === undefined
            ? Effect.map(isSuspect(now) ? findForSuspect(hash) : find(hash), Option.flatMap(check))
            : Effect.succeedNone
        })

    return {
      /** Makes a secret, and stores what `make` says of its hash and hint. */
      issue: (
        permit: Permit<"keys:manage">,
        make: (minted: Pick<NewSecretCredential, "hint" | "secretHash">) => New
      ): Effect.Effect<IssuedCredential<Credential>, StorageError> =>
        Effect.suspend(() => {
          const { hint, secret, secretHash } = mintSecret(of.prefix, source.bytes(SECRET_BYTES))
          return Effect.map(of.store.insert(permit, make({ hint, secretHash })), (credential) => ({
            credential,
            secret
          }))
        }),
      list: (
        permit: Permit<"keys:manage">,
        query: unknown
      ): Effect.Effect<Pages.Page<Credential>, ValidationFailed | StorageError> =>
        Pages.paginate(Pages.PageQuery, query, (page) => of.store.list(permit, page)),
      revoke: (permit: Permit<"keys:manage">, id: Credential["id"]): Effect.Effect<void, NotFound | StorageError> =>
        work
          .atomically(
            Effect.gen(function* () {
              yield* orNotFound(of.resource)(of.store.find(permit, id))
              yield* of.store.revoke(permit, id, yield* DateTime.now)
            })
          )
          .pipe(Effect.zipRight(known.invalidate(({ credential }) => credential.id === id))),
      /** The credential of a secret and the caller that it stands for, if it is in force. */
      identify: identifyAs((found): IdentifiedCredential<Credential> => found),
      /** The credential and its caller by the hash of the secret, if it is in force. */
      identifyHash: (hash: string): Effect.Effect<Option.Option<IdentifiedCredential<Credential>>, StorageError> =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const cached = known.get(hash, now)
          return Effect.map(
            cached === undefined ? find(hash) : Effect.succeedSome(cached),
            Option.filter(({ credential }) => isInForce(credential, now))
          )
        }),
      /** As `identify`, of which it answers the caller. */
      authenticate: identifyAs(({ actor }) => actor)
    }
  })
