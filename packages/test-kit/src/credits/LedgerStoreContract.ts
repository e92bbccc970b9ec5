import {
  AgentId,
  CallId,
  type Charge,
  Credits,
  type LedgerFilter,
  LedgerStore,
  OrganizationStore,
  ProjectId,
  ProjectStore,
  UnitOfWork
} from "@earshot/core"
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
      everyPage((page) => store.list(toRead, {}, page), { limit: 2 }),
      (pages) => pages.flatMap(({ results }) => results)
    ),
    /** What a filter lists, and its totals. */
    matching: (filter: LedgerFilter) =>
      Effect.all({
        listed: Effect.map(
          everyPage((page) => store.list(toRead, filter, page), { limit: 2 }),
          (pages) => pages.flatMap(({ results }) => results.map(({ amount }) => amount))
        ),
        totals: store.totals(toRead, filter)
      }),
    enterAt: (millis: number, charges: ReadonlyArray<Charge>) =>
      work.atomically(store.insert(permit(id, "calls.ingest"), charges, at(millis)))
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

    it.effect("are listed and summed up by reason, agent, call and time", () =>
      Effect.gen(function* () {
        const { enterAt, matching, project } = yield* newOrganization
        const agentId = AgentId.make(41)
        const callId = CallId.make(42)
        // Two sums beyond the digits of a single price.
        yield* enterAt(1, [charge(project, "first", 9_999_999_999n)])
        yield* enterAt(2, [{ ...charge(project, "second", 9_999_999_998n), agentId }])
        yield* enterAt(3, [{ ...charge(project, "third", 5n), reason: "redaction", agentId, callId }])
        const evaluations = { reason: "metric_evaluation", entries: 2, amount: 19_999_999_997n } as const
        const second = { reason: "metric_evaluation", entries: 1, amount: 9_999_999_998n } as const
        const redaction = { reason: "redaction", entries: 1, amount: 5n } as const
        expect(yield* matching({})).toEqual({
          listed: [5n, 9_999_999_998n, 9_999_999_999n],
          totals: [evaluations, redaction]
        })
        expect(yield* matching({ reason: "metric_evaluation" })).toMatchObject({ totals: [evaluations] })
        expect(yield* matching({ agent: agentId })).toMatchObject({ totals: [second, redaction] })
        expect(yield* matching({ call: callId })).toEqual({ listed: [5n], totals: [redaction] })
        expect(yield* matching({ since: at(2), until: at(3) })).toEqual({
          listed: [9_999_999_998n],
          totals: [second]
        })
        expect(yield* matching({ project: ProjectId.make(project + 1) })).toEqual({ listed: [], totals: [] })
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
