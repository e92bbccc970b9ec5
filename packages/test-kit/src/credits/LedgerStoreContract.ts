import { type Charge, Credits, LedgerStore, OrganizationStore, ProjectStore, UnitOfWork } from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { everyPage } from "../catalog/Pages.js"
import { permit } from "../catalog/Permits.js"
import { at } from "../storage/Moments.js"

const newOrganization = Effect.gen(function* () {
  const { id } = yield* (yield* OrganizationStore).insert({ name: "Contract" }, at(0))
  const draft = { name: "P", description: "" }
  const project = yield* (yield* ProjectStore).insert(permit(id, "projects.create"), draft, at(0))
  const store = yield* LedgerStore
  const work = yield* UnitOfWork
  const toRead = permit(id, "credits.list")
  return {
    id,
    project: project.id,
    enter: (charges: ReadonlyArray<Charge>) =>
      work.atomically(store.insert(permit(id, "calls.ingest"), charges, at(5))),
    entries: Effect.map(
      everyPage((page) => store.list(toRead, page), { limit: 2 }),
      (pages) => pages.flatMap(({ results }) => results)
    )
  }
})

/** Registers the contract tests of `LedgerStore`; the database may be empty or in use. */
export const ledgerStoreContract = <E>(
  subject: string,
  stores: Layer.Layer<LedgerStore | OrganizationStore | ProjectStore | UnitOfWork, E>
): void => {
  layer(stores)(`charges kept by ${subject}`, (it) => {
    // Keys are unique in the whole database: the engine builds them from the id of what is charged for.
    const charge = (projectId: Charge["projectId"], key: string, micros: bigint): Charge => ({
      reason: "metric_evaluation",
      key: `${projectId}:${key}`,
      projectId,
      agentId: null,
      callId: null,
      amount: Credits.fromMicros(micros)
    })

    it.effect("are listed newest first with exact amounts", () =>
      Effect.gen(function* () {
        const { enter, entries, id, project } = yield* newOrganization
        const amounts = [1n, 400_000n, 9_999_999_999n]
        for (const [n, amount] of amounts.entries()) yield* enter([charge(project, `amount ${n}`, amount)])
        expect(yield* entries).toMatchObject(
          amounts.toReversed().map((amount) => ({ organizationId: id, projectId: project, amount, createdAt: at(5) }))
        )
      })
    )

    it.effect("are stored once per key, and only for their organization", () =>
      Effect.gen(function* () {
        const [mine, theirs] = [yield* newOrganization, yield* newOrganization]
        yield* mine.enter([charge(mine.project, "once", 3n), charge(mine.project, "beside", 4n)])
        yield* mine.enter([charge(mine.project, "once", 5n), charge(mine.project, "later", 6n)])
        yield* mine.enter([charge(mine.project, "twice", 7n), charge(mine.project, "twice", 8n)])
        const amounts = (yield* mine.entries).map(({ amount }) => amount).toSorted((a, b) => Number(a - b))
        expect(amounts).toEqual([3n, 4n, 6n, 7n])
        expect(yield* theirs.entries).toEqual([])
        yield* theirs.enter([charge(theirs.project, "theirs", 9n)])
        expect((yield* theirs.entries).map(({ amount }) => amount)).toEqual([9n])
      })
    )

    it.effect("are stored once when inserted concurrently", () =>
      Effect.gen(function* () {
        const { enter, entries, project } = yield* newOrganization
        const all = Array.from({ length: 5 }, () => enter([charge(project, "at once", 3n)]))
        yield* Effect.all(all, { concurrency: "unbounded" })
        expect((yield* entries).map(({ amount }) => amount)).toEqual([3n])
      })
    )
  })
}
