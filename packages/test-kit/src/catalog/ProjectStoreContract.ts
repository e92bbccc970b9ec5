import { OrganizationStore, Project, type ProjectId, ProjectStore } from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { at } from "../storage/Moments.js"
import * as Arbitraries from "./CatalogArbitraries.js"
import { everyPage } from "./Pages.js"
import { permit } from "./Permits.js"

const newOrganization = Effect.gen(function* () {
  const organizations = yield* OrganizationStore
  const { id } = yield* organizations.insert({ name: "Contract" }, at(0))
  return {
    id,
    toCreate: permit(id, "projects.create"),
    toRead: permit(id, "projects.read"),
    toDelete: permit(id, "projects.delete")
  }
})

/** Registers the contract tests of `ProjectStore`; the database may be empty or in use. */
export const projectStoreContract = <E>(
  subject: string,
  stores: Layer.Layer<ProjectStore | OrganizationStore, E>
): void => {
  layer(stores)(`projects kept by ${subject}`, (it) => {
    it.effect.prop(
      "are found as inserted and as last saved",
      [Arbitraries.projectDraft, Arbitraries.projectPatch, fc.integer({ min: 0, max: 4e12 })],
      ([draft, patch, millis]) =>
        Effect.gen(function* () {
          const store = yield* ProjectStore
          const { id: organizationId, toCreate, toRead } = yield* newOrganization
          const other = yield* store.insert(toCreate, draft, at(millis))
          const made = yield* store.insert(toCreate, draft, at(millis))
          expect(made).toEqual(
            new Project({ ...draft, id: made.id, organizationId, createdAt: at(millis), updatedAt: at(millis) })
          )
          expect(yield* store.find(toRead, made.id)).toEqual(Option.some(made))
          expect(yield* store.findForUpdate(toRead, made.id)).toEqual(Option.some(made))
          const changed = new Project({ ...made, ...patch, updatedAt: at(millis + 1) })
          yield* store.save(toCreate, changed)
          expect(yield* store.find(toRead, made.id)).toEqual(Option.some(changed))
          expect(yield* store.find(toRead, other.id)).toEqual(Option.some(other))
        }),
      { fastCheck: { numRuns: 30 } }
    )

    it.effect("are not found once deleted, while the others stay", () =>
      Effect.gen(function* () {
        const store = yield* ProjectStore
        const { toCreate, toDelete, toRead } = yield* newOrganization
        const one = yield* store.insert(toCreate, { name: "One", description: "" }, at(1))
        const two = yield* store.insert(toCreate, { name: "Two", description: "" }, at(2))
        yield* store.remove(toDelete, one.id, at(3))
        yield* store.remove(toDelete, one.id, at(4))
        expect(yield* store.find(toRead, one.id)).toEqual(Option.none())
        expect(yield* store.findForUpdate(toRead, one.id)).toEqual(Option.none())
        const pages = yield* everyPage((page) => store.list(toRead, page), { limit: 10 })
        expect(pages.flatMap((page) => page.results)).toEqual([two])
      })
    )

    it.effect("do not exist for another organization to read, change or delete", () =>
      Effect.gen(function* () {
        const store = yield* ProjectStore
        const mine = yield* newOrganization
        const theirs = yield* newOrganization
        const project = yield* store.insert(mine.toCreate, { name: "Mine", description: "" }, at(1))
        expect(yield* store.find(theirs.toRead, project.id)).toEqual(Option.none())
        expect(yield* store.findForUpdate(theirs.toRead, project.id)).toEqual(Option.none())
        expect(yield* everyPage((page) => store.list(theirs.toRead, page), { limit: 10 })).toMatchObject([
          { results: [] }
        ])
        yield* store.save(theirs.toCreate, new Project({ ...project, name: "Theirs" }))
        yield* store.remove(theirs.toDelete, project.id, at(2))
        expect(yield* store.find(mine.toRead, project.id)).toEqual(Option.some(project))
      })
    )

    it.effect.prop(
      "are listed once each, newest first, forwards and backwards, despite concurrent inserts",
      [fc.integer({ min: 0, max: 12 }), fc.integer({ min: 1, max: 5 })],
      ([count, limit]) =>
        Effect.gen(function* () {
          const store = yield* ProjectStore
          const { toCreate, toRead } = yield* newOrganization
          const insert = store.insert(toCreate, { name: "Row", description: "" }, at(1))
          const before = yield* Effect.replicateEffect(insert, count)
          const ids: ReadonlyArray<ProjectId> = before.map(({ id }) => id).toReversed()
          const list = (page: Parameters<typeof store.list>[1]) => store.list(toRead, page)
          const pages = yield* everyPage(list, { limit, between: insert })
          expect(pages.flatMap(({ results }) => results.map(({ id }) => id))).toEqual(ids)
          expect(pages.every(({ results }) => results.length <= limit)).toBe(true)

          const last = pages.at(-1)
          const from = last?.previous ?? null
          if (last !== undefined && from !== null) {
            const back = yield* everyPage(list, { limit, towards: "previous", from })
            const seen = [...back.toReversed().flatMap(({ results }) => results), ...last.results].map(({ id }) => id)
            expect(seen.slice(-count)).toEqual(ids)
            expect(seen).toEqual([...seen].sort((a, b) => b - a))
            expect(seen.length).toBe(count + pages.length - 1)
          }
        }),
      { fastCheck: { numRuns: 20 } }
    )

    it.effect("are listed within the scope only, on full pages", () =>
      Effect.gen(function* () {
        const store = yield* ProjectStore
        const { id, toCreate } = yield* newOrganization
        const all = yield* Effect.replicateEffect(store.insert(toCreate, { name: "Row", description: "" }, at(1)), 6)
        const reached = all.filter((_, position) => position % 2 === 0)
        const bounds = reached.map((project) => ({ type: "project" as const, id: project.id }))
        const toRead = permit(id, "projects.list", [...bounds, { type: "agent", id: all[1]?.id ?? 1 }])
        const pages = yield* everyPage((page) => store.list(toRead, page), { limit: 2 })
        expect(pages.map(({ results }) => results)).toEqual([[reached[2], reached[1]], [reached[0]]])
        const nothing = permit(id, "projects.list", [])
        expect(yield* everyPage((page) => store.list(nothing, page), { limit: 2 })).toMatchObject([{ results: [] }])
      })
    )
  })
}
