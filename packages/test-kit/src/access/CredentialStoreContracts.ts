import {
  ApiKeyStore,
  type NewApiKey,
  type NewShareableLink,
  OrganizationStore,
  RevokedTokenStore,
  ShareableLinkStore,
  SigningKeyStore
} from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { randomUUID } from "node:crypto"
import { everyPage } from "../catalog/Pages.js"
import { permit } from "../catalog/Permits.js"
import { at } from "../storage/Moments.js"

const newOrganization = Effect.gen(function* () {
  const { id } = yield* (yield* OrganizationStore).insert({ name: "Contract" }, at(0))
  return {
    id,
    keys: permit(id, "access.createApiKey"),
    links: permit(id, "access.createLink"),
    tokens: permit(id, "access.revokeToken")
  }
})

const aKey = (): NewApiKey => ({
  name: "Key",
  hint: "ear_...abcd",
  secretHash: randomUUID(),
  scopes: ["calls:read", "dashboards:write"],
  createdAt: at(5),
  expiresAt: at(9)
})

const aLink = (): NewShareableLink => ({
  name: "Link",
  hint: "ear_...abcd",
  secretHash: randomUUID(),
  permissions: ["dashboards:read", "calls:read"],
  bounds: [
    { type: "project", id: 1 },
    { type: "agent", id: 2 }
  ],
  createdAt: at(5),
  expiresAt: null
})

/** What every `ApiKeyStore` has to do. */
export const apiKeyStoreContract = <E>(
  subject: string,
  stores: Layer.Layer<ApiKeyStore | OrganizationStore, E>
): void => {
  layer(stores)(`API keys in ${subject}`, (it) => {
    it.effect("are found by id and by the hash of the secret, as they were inserted", () =>
      Effect.gen(function* () {
        const store = yield* ApiKeyStore
        const { id: organizationId, keys } = yield* newOrganization
        const draft = aKey()
        const { secretHash, ...shown } = draft
        const made = yield* store.insert(keys, draft)
        expect(made).toMatchObject({ ...shown, organizationId, revokedAt: null })
        expect(JSON.stringify(made)).not.toContain(secretHash)
        expect(yield* store.find(keys, made.id)).toEqual(Option.some(made))
        expect(yield* store.findByHashes([secretHash])).toEqual([{ credential: made, secretHash }])
        for (const hash of ["", "%", secretHash.slice(1), secretHash.toUpperCase(), `${secretHash} `]) {
          expect(yield* store.findByHashes([hash])).toEqual([])
        }
        const other = aKey()
        const second = yield* store.insert(keys, other)
        const found = yield* store.findByHashes([secretHash, "", other.secretHash, secretHash.slice(1)])
        expect(found).toHaveLength(2)
        expect(found).toContainEqual({ credential: made, secretHash })
        expect(found).toContainEqual({ credential: second, secretHash: other.secretHash })
      })
    )

    it.effect("keep the first instant of revocation, and stay in lists", () =>
      Effect.gen(function* () {
        const store = yield* ApiKeyStore
        const { keys } = yield* newOrganization
        const draft = aKey()
        const [{ id }, other] = [yield* store.insert(keys, draft), yield* store.insert(keys, aKey())]
        yield* store.revoke(keys, id, at(7))
        yield* store.revoke(keys, id, at(8))
        expect(Option.getOrThrow(yield* store.find(keys, id)).revokedAt).toEqual(at(7))
        expect((yield* store.findByHashes([draft.secretHash]))[0]?.credential.revokedAt).toEqual(at(7))
        const pages = yield* everyPage((page) => store.list(keys, page), { limit: 1 })
        expect(pages.flatMap(({ results }) => results.map((one) => [one.id, one.revokedAt]))).toEqual([
          [other.id, null],
          [id, at(7)]
        ])
      })
    )

    it.effect("do not exist for another organization", () =>
      Effect.gen(function* () {
        const store = yield* ApiKeyStore
        const [mine, theirs] = [yield* newOrganization, yield* newOrganization]
        const { id } = yield* store.insert(mine.keys, aKey())
        yield* store.revoke(theirs.keys, id, at(7))
        expect(yield* store.find(theirs.keys, id)).toEqual(Option.none())
        expect(yield* everyPage((page) => store.list(theirs.keys, page), { limit: 5 })).toMatchObject([{ results: [] }])
        expect(Option.getOrThrow(yield* store.find(mine.keys, id)).revokedAt).toBeNull()
      })
    )
  })
}

/** What every `ShareableLinkStore` has to do. */
export const shareableLinkStoreContract = <E>(
  subject: string,
  stores: Layer.Layer<ShareableLinkStore | OrganizationStore, E>
): void => {
  layer(stores)(`shareable links in ${subject}`, (it) => {
    it.effect("are found with their permissions and bounds, and revoked once, by their own organization", () =>
      Effect.gen(function* () {
        const store = yield* ShareableLinkStore
        const [mine, theirs] = [yield* newOrganization, yield* newOrganization]
        const draft = aLink()
        const { secretHash, ...shown } = draft
        const made = yield* store.insert(mine.links, draft)
        expect(made).toMatchObject({ ...shown, organizationId: mine.id, revokedAt: null })
        expect(yield* store.find(mine.links, made.id)).toEqual(Option.some(made))
        expect(yield* store.findByHashes([secretHash])).toEqual([{ credential: made, secretHash }])
        expect(yield* store.findByHashes([`${secretHash} `])).toEqual([])
        expect(yield* store.find(theirs.links, made.id)).toEqual(Option.none())
        yield* store.revoke(theirs.links, made.id, at(6))
        yield* store.revoke(mine.links, made.id, at(7))
        yield* store.revoke(mine.links, made.id, at(8))
        expect((yield* store.findByHashes([secretHash]))[0]?.credential.revokedAt).toEqual(at(7))
        const pages = yield* everyPage((page) => store.list(mine.links, page), { limit: 5 })
        expect(pages.flatMap(({ results }) => results.map(({ id }) => id))).toEqual([made.id])
      })
    )
  })
}

/** What every `RevokedTokenStore` has to do. */
export const revokedTokenStoreContract = <E>(
  subject: string,
  stores: Layer.Layer<RevokedTokenStore | OrganizationStore, E>
): void => {
  layer(stores)(`revoked tokens in ${subject}`, (it) => {
    it.effect("are found until they expire, in their own organization, however often they are revoked", () =>
      Effect.gen(function* () {
        const store = yield* RevokedTokenStore
        const [mine, theirs] = [yield* newOrganization, yield* newOrganization]
        const jti = randomUUID()
        expect(yield* store.has(mine.id, jti)).toBe(false)
        yield* store.insert(mine.tokens, jti, at(1_000), at(1))
        yield* store.insert(mine.tokens, jti, at(1_000), at(2))
        expect(yield* store.has(mine.id, jti)).toBe(true)
        expect(yield* store.has(mine.id, randomUUID())).toBe(false)
        expect(yield* store.has(theirs.id, jti)).toBe(false)
        // Another one, revoked while the first has not run out, takes it away from nobody.
        yield* store.insert(mine.tokens, randomUUID(), at(2_000), at(999))
        expect(yield* store.has(mine.id, jti)).toBe(true)
      })
    )
  })
}

/** What every `SigningKeyStore` has to do. */
export const signingKeyStoreContract = <E>(subject: string, stores: Layer.Layer<SigningKeyStore, E>): void => {
  layer(stores)(`signing keys in ${subject}`, (it) => {
    it.effect("are listed newest first with their secrets, until they are removed", () =>
      Effect.gen(function* () {
        const store = yield* SigningKeyStore
        const [old, young] = [5, 6].map((millis) => ({
          kid: `key-${randomUUID()}`,
          sealed: randomUUID(),
          createdAt: at(millis)
        }))
        if (old === undefined || young === undefined) return
        yield* store.insert(old)
        yield* store.insert(young)
        const own = Effect.map(store.list, (all) => all.filter(({ kid }) => kid === old.kid || kid === young.kid))
        const fieldsOf = (keys: Effect.Effect.Success<typeof own>) =>
          keys.map(({ createdAt, kid, sealed }) => [kid, sealed, createdAt.epochMillis])
        expect(fieldsOf(yield* own)).toEqual(fieldsOf([young, old]))
        yield* store.reseal(old, "anew")
        yield* store.reseal(old, "too late")
        yield* store.reseal({ ...young, sealed: "never stored" }, "not this one")
        expect(fieldsOf(yield* own)).toEqual(fieldsOf([young, { ...old, sealed: "anew" }]))
        yield* store.remove([old.kid, randomUUID()])
        expect(fieldsOf(yield* own)).toEqual(fieldsOf([young]))
        yield* store.remove([young.kid])
        expect(yield* own).toEqual([])
      })
    )
  })
}
