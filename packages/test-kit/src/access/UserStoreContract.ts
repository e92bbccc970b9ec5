import { OrganizationStore, UserStore } from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { everyPage } from "../catalog/Pages.js"
import { permit } from "../catalog/Permits.js"
import { at } from "../storage/Moments.js"

const newOrganization = Effect.gen(function* () {
  const { id } = yield* (yield* OrganizationStore).insert({ name: "Contract" }, at(0))
  return { id, users: permit(id, "users.create") }
})

/** What every `UserStore` has to do. */
export const userStoreContract = <E>(subject: string, stores: Layer.Layer<UserStore | OrganizationStore, E>): void => {
  layer(stores)(`users in ${subject}`, (it) => {
    it.effect("are found as they were inserted, listed newest first, by their own organization", () =>
      Effect.gen(function* () {
        const store = yield* UserStore
        const [mine, theirs] = [yield* newOrganization, yield* newOrganization]
        const draft = { email: "ann+1@example.com", name: "Änn 😀 %_'" }
        const ann = yield* store.insert(mine.users, draft, at(5))
        expect(ann).toMatchObject({ ...draft, organizationId: mine.id, createdAt: at(5) })
        expect(yield* store.find(mine.users, ann.id)).toEqual(Option.some(ann))
        expect(yield* store.find(theirs.users, ann.id)).toEqual(Option.none())
        const bob = yield* store.insert(mine.users, { email: "bob@example.com", name: "" }, at(6))
        const listed = (of: typeof mine) =>
          Effect.map(
            everyPage((page) => store.list(of.users, page), { limit: 1 }),
            (pages) => pages.flatMap(({ results }) => results)
          )
        expect(yield* listed(mine)).toEqual([bob, ann])
        expect(yield* listed(theirs)).toEqual([])
      })
    )

    it.effect("have email addresses that are unique within the organization", () =>
      Effect.gen(function* () {
        const store = yield* UserStore
        const [mine, theirs] = [yield* newOrganization, yield* newOrganization]
        const draft = { email: "ann@example.com", name: "Ann" }
        const ann = yield* store.insert(mine.users, draft, at(5))
        const taken = yield* Effect.flip(store.insert(mine.users, { ...draft, name: "Other" }, at(6)))
        expect(taken).toMatchObject({ _tag: "EmailTaken", email: draft.email })
        expect(yield* store.find(mine.users, ann.id)).toEqual(Option.some(ann))
        expect((yield* store.insert(theirs.users, draft, at(6))).organizationId).toBe(theirs.id)
      })
    )
  })
}
