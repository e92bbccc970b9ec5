import { OrganizationId, OrganizationStore } from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { at } from "../storage/Moments.js"
import { everyPage } from "./Pages.js"

/** Registers the contract tests of `OrganizationStore`; the database may be empty or in use. */
export const organizationStoreContract = <E>(subject: string, stores: Layer.Layer<OrganizationStore, E>): void => {
  layer(stores)(`organizations kept by ${subject}`, (it) => {
    it.effect("are found as inserted, and listed newest first, once each", () =>
      Effect.gen(function* () {
        const store = yield* OrganizationStore
        // Names need not be unique.
        const names = ["Ours 😀 %_'", "Ours 😀 %_'", "\\ \u202E"]
        const made = yield* Effect.forEach(names, (name, i) => store.insert({ name }, at(i)))
        expect(made.map(({ createdAt, name }) => [name, createdAt])).toEqual(names.map((name, i) => [name, at(i)]))
        for (const one of made) expect(yield* store.find(one.id)).toEqual(Option.some(one))
        expect(yield* store.find(OrganizationId.make(1_000_000_007))).toEqual(Option.none())
        const pages = yield* everyPage(store.list, { limit: 2 })
        const own = new Set(made.map(({ id }) => id))
        expect(pages.flatMap(({ results }) => results).filter(({ id }) => own.has(id))).toEqual([...made].reverse())
      })
    )
  })
}
