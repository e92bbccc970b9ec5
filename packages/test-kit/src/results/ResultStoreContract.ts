import { type Pages, planDeletion, ResultId, RunId, type RunState, ResultStore } from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { everyPage } from "../catalog/Pages.js"
import { at } from "../storage/Moments.js"
import { newOrganization, noCapacityUsed, ended, type Stores } from "./ResultStoreFixture.js"

/** The position before the oldest run. */
const fromOldest: Pages.Cursor = { at: "after", id: 0 }

/** The contract of `ResultStore`, on an empty or a used database. */
export const resultStoreContract = <E>(subject: string, stores: Layer.Layer<Stores, E>): void => {
  layer(stores)(`results kept by ${subject}`, (it) => {
    it.effect("returns results as they were inserted, with their runs queued and counted", () =>
      Effect.gen(function* () {
        const store = yield* ResultStore
        const { agent, insert, numbers, runsOf, toRead } = yield* newOrganization
        const id = yield* insert({ name: "Ä 😀", concurrencyLimit: 3, phoneNumberId: numbers[0] })
        expect(Option.getOrThrow(yield* store.find(toRead, id))).toMatchObject({
          id,
          name: "Ä 😀",
          agentId: agent.id,
          agentName: "A",
          channel: "voice",
          status: "queued",
          totalRuns: 3,
          concurrencyLimit: 3,
          successRate: null,
          metrics: [],
          createdAt: at(1)
        })
        const runs = yield* runsOf(id)
        const first = Option.getOrThrow(yield* store.findRun(toRead, runs[0] ?? RunId.make(1)))
        expect(first).toMatchObject({ resultId: id, scenarioKey: "a", scenarioName: "A", phoneNumber: "+15550100" })
        expect(first).toMatchObject({ status: "queued", attempts: 0, startedAt: null, endedAt: null })
        expect(yield* store.capacity(toRead)).toEqual({
          ...noCapacityUsed,
          pendingDemand: 3,
          phoneNumbersHeld: [numbers[0]]
        })
      })
    )

    it.effect("hides results from other organizations and outside of a permit's scope", () =>
      Effect.gen(function* () {
        const mine = yield* newOrganization
        const theirs = yield* newOrganization
        const store = yield* ResultStore
        const id = yield* mine.insert()
        const other = yield* mine.insert()
        const [run] = yield* mine.runsOf(id)
        if (run === undefined) return yield* Effect.dieMessage("There is no run")
        yield* theirs.insert()
        expect(yield* store.find(theirs.toRead, id)).toEqual(Option.none())
        expect(yield* store.findRun(theirs.toRead, run)).toEqual(Option.none())
        expect(yield* store.findRunForUpdate(theirs.toRead, run)).toEqual(Option.none())
        expect(yield* store.openRuns(theirs.toRead, id)).toEqual([])
        expect(yield* store.scores(theirs.toRead, id)).toEqual(Option.none())
        expect((yield* store.details(theirs.toRead, id, { cursor: fromOldest, limit: 10 })).rows).toEqual([])
        expect(yield* store.runsOf(theirs.toRead, id, [run])).toEqual(new Set())
        expect((yield* store.lockResultsForDeletion(theirs.toDelete, [id])).results).toEqual([])
        expect((yield* store.lockRunsForDeletion(theirs.toDelete, id, [run])).runs).toEqual([])
        expect(yield* theirs.startable(100)).not.toContain(run)
        const bounded = mine.bounded("result", id)
        expect(Option.isSome(yield* store.find(bounded, id))).toBe(true)
        expect(yield* store.find(bounded, other)).toEqual(Option.none())
        expect(Option.isSome(yield* store.find(mine.bounded("project", mine.project.id), other))).toBe(true)
        const page = { cursor: { at: "start" as const }, limit: 50 }
        expect(
          (yield* store.list(bounded, { projectId: null, agentId: null }, page)).rows.map((result) => result.id)
        ).toEqual([id])
        expect((yield* store.listRuns(bounded, { resultId: other, status: null }, page)).rows).toEqual([])
      })
    )

    it.effect("lists each result once, newest first, by page, project and agent", () =>
      Effect.gen(function* () {
        const store = yield* ResultStore
        const { agent, insert, project, toRead } = yield* newOrganization
        const made = yield* Effect.forEach([1, 2, 3, 4, 5], () => insert())
        for (const of of [
          { projectId: project.id, agentId: null },
          { projectId: null, agentId: agent.id }
        ]) {
          const pages = yield* everyPage((page) => store.list(toRead, of, page), { limit: 2 })
          expect(pages.flatMap(({ results }) => results.map(({ id }) => id))).toEqual(made.toReversed())
        }
        const runs = yield* everyPage((page) => store.listRuns(toRead, { resultId: null, status: "queued" }, page), {
          limit: 4
        })
        expect(runs.flatMap(({ results }) => results)).toHaveLength(15)
      })
    )

    it.effect("finds startable runs oldest first, within their concurrency limits and channel", () =>
      Effect.gen(function* () {
        const store = yield* ResultStore
        const { insert, runsOf, start, startable, toWrite } = yield* newOrganization
        const [narrow, wide, text] = [
          yield* insert({ concurrencyLimit: 1 }),
          yield* insert(),
          yield* insert({ channel: "text" })
        ]
        const [a, b, c] = yield* runsOf(narrow)
        const [d, e, f] = yield* runsOf(wide)
        expect(yield* startable(1)).toEqual([a])
        expect(yield* startable(3)).toEqual([a, d, e])
        expect(yield* startable(100)).toEqual([a, d, e, f])
        expect(yield* store.startable(toWrite, "text", 100)).toEqual(yield* runsOf(text))
        if (a === undefined || b === undefined || d === undefined) return yield* Effect.dieMessage("There are no runs")
        yield* start([a, d])
        expect(yield* startable(100)).toEqual([e, f])
        yield* store.end(toWrite, [a], "running", ended("failed"), at(3))
        expect(yield* startable(100)).toEqual([b, e, f])
        yield* store.requeue(toWrite, [d], at(3))
        expect(yield* startable(100)).toEqual([b, d, e, f])
        yield* start([b])
        yield* store.end(toWrite, [b], "running", ended("completed"), at(3))
        expect(yield* startable(100)).toEqual([c, d, e, f])
      })
    )

    it.effect("starts runs under a lease and returns their scripts", () =>
      Effect.gen(function* () {
        const store = yield* ResultStore
        const { insert, numbers, runsOf, start, toRead, toWrite } = yield* newOrganization
        const id = yield* insert({ phoneNumberId: numbers[0], providerData: { room: "x" } })
        const [first, , third] = yield* runsOf(id)
        if (first === undefined || third === undefined) return yield* Effect.dieMessage("There are no runs")
        const claimed = yield* start([first, third], 5_000)
        expect(
          claimed.map(({ lease, leaseExpiresAt, providerData, run, script }) => [
            run.id,
            run.status,
            run.attempts,
            run.startedAt,
            lease,
            leaseExpiresAt,
            script,
            providerData
          ])
        ).toEqual([
          [first, "running", 1, at(2), "lease", 5_000, { says: "a" }, { room: "x" }],
          [third, "running", 1, at(2), "lease", 5_000, { says: "b" }, { room: "x" }]
        ])
        expect(yield* store.capacity(toRead)).toEqual({
          activeSessions: 2,
          pendingDemand: 1,
          slotsInUse: 2,
          phoneNumbersHeld: [numbers[0]]
        })
        const held: RunState = {
          id: first,
          resultId: id,
          status: "running",
          attempts: 1,
          lease: "lease",
          leaseUntil: 5_000
        }
        expect(yield* store.findRunForUpdate(toRead, first)).toEqual(Option.some(held))
        yield* store.extendLease(toWrite, first, 9_000)
        expect(yield* store.findRunForUpdate(toRead, first)).toEqual(Option.some({ ...held, leaseUntil: 9_000 }))
        expect((yield* store.openRuns(toRead, id)).map(({ status }) => status)).toEqual([
          "running",
          "queued",
          "running"
        ])
      })
    )

    it.effect("finds runs with expired leases in every organization until they are requeued", () =>
      Effect.gen(function* () {
        const store = yield* ResultStore
        const { insert, organization, runsOf, start, toRead, toWrite } = yield* newOrganization
        const id = yield* insert()
        const [first, second] = yield* runsOf(id)
        if (first === undefined || second === undefined) return yield* Effect.dieMessage("There are no runs")
        yield* start([first], 5_000)
        yield* start([second], 6_000)
        expect(yield* store.runsWithExpiredLease(toRead, at(4_999))).toEqual([])
        expect((yield* store.runsWithExpiredLease(toRead, at(5_000))).map((run) => run.id)).toEqual([first])
        expect(yield* store.organizationsWithExpiredLeases(at(5_000))).toContain(organization)
        yield* store.requeue(toWrite, [first], at(5_000))
        expect(yield* store.organizationsWithExpiredLeases(at(5_000))).not.toContain(organization)
        expect(Option.getOrThrow(yield* store.findRunForUpdate(toRead, first))).toMatchObject({
          status: "queued",
          attempts: 1,
          lease: null,
          leaseUntil: null
        })
        expect(yield* store.capacity(toRead)).toEqual({
          ...noCapacityUsed,
          activeSessions: 1,
          pendingDemand: 2,
          slotsInUse: 1
        })
      })
    )

    it.effect("ends runs, and releases a number with the last run that needs it", () =>
      Effect.gen(function* () {
        const store = yield* ResultStore
        const { insert, numbers, runsOf, start, toRead, toWrite } = yield* newOrganization
        const id = yield* insert({ phoneNumberId: numbers[0] })
        const runs = yield* runsOf(id)
        const [first, second, third] = runs
        if (first === undefined || second === undefined || third === undefined) {
          return yield* Effect.dieMessage("There are no runs")
        }
        yield* start(runs)
        yield* store.end(toWrite, [first], "running", { ...ended("completed", true), durationSeconds: 12.5 }, at(3))
        yield* store.end(toWrite, [second], "running", { ...ended("failed", false), error: "No answer" }, at(4))
        expect(Option.getOrThrow(yield* store.findRun(toRead, first))).toMatchObject({
          status: "completed",
          success: true,
          duration: 12.5,
          endedAt: at(3)
        })
        expect(Option.getOrThrow(yield* store.find(toRead, id))).toMatchObject({
          status: "running",
          successRate: 0.5,
          updatedAt: at(4)
        })
        expect((yield* store.capacity(toRead)).phoneNumbersHeld).toEqual([numbers[0]])
        yield* store.end(toWrite, [third], "running", ended("timeout"), at(5))
        expect(yield* store.capacity(toRead)).toEqual(noCapacityUsed)
        const scores = Option.getOrThrow(yield* store.scores(toRead, id))
        const byStatus = scores.scenarios.map((scenario) => ({
          ...scenario,
          counts: scenario.counts.toSorted((a, b) => (a.status < b.status ? -1 : 1))
        }))
        expect(byStatus).toEqual([
          {
            key: "a",
            name: "A",
            counts: [
              { status: "completed", success: true, runs: 1 },
              { status: "failed", success: false, runs: 1 }
            ],
            metrics: []
          },
          { key: "b", name: "B", counts: [{ status: "timeout", success: null, runs: 1 }], metrics: [] }
        ])
        const details = (yield* store.details(toRead, id, { cursor: fromOldest, limit: 2 })).rows
        expect(details.map((run) => run.id)).toEqual([first, second])
        expect(
          (yield* store.details(toRead, id, { cursor: { at: "after", id: second }, limit: 2 })).rows.map(
            (run) => run.id
          )
        ).toEqual([third])
      })
    )

    it.effect("returns the snapshot of a deletion, and applies its plan", () =>
      Effect.gen(function* () {
        const store = yield* ResultStore
        const { insert, numbers, runsOf, start, toDelete, toRead } = yield* newOrganization
        const [one, two] = numbers
        const deleted = yield* insert({ phoneNumberId: one })
        const also = yield* insert({ phoneNumberId: two })
        const stays = yield* insert({ phoneNumberId: two })
        const runs = yield* runsOf(deleted)
        yield* start(runs.slice(0, 1))
        const ids = [also, ResultId.make(999_999_999), deleted]
        const snapshot = yield* store.lockResultsForDeletion(toDelete, ids)
        expect(snapshot.results).toEqual([deleted, also])
        expect([...snapshot.stillReferenced]).toEqual([two])
        expect(snapshot.capacity).toEqual({ activeSessions: 1, pendingDemand: 8 })
        const plan = planDeletion(snapshot)
        expect(plan).toMatchObject({
          releasedNumbers: [one],
          freedSlots: 1,
          decrements: { activeSessions: 1, pendingDemand: 5 }
        })
        yield* store.apply(toDelete, plan, at(7))
        expect(yield* store.capacity(toRead)).toEqual({ ...noCapacityUsed, pendingDemand: 3, phoneNumbersHeld: [two] })
        expect(yield* store.find(toRead, deleted)).toEqual(Option.none())
        expect(yield* runsOf(deleted)).toEqual([])
        // Still known as the result's, so that deleting them again is no error.
        expect(yield* store.runsOf(toRead, deleted, runs)).toEqual(new Set(runs))
        const again = yield* store.lockResultsForDeletion(toDelete, ids)
        expect([again.results, again.runsToDelete]).toEqual([[], []])
        expect(Option.isSome(yield* store.find(toRead, stays))).toBe(true)
      })
    )

    it.effect("deletes single runs and re-evaluates their result", () =>
      Effect.gen(function* () {
        const store = yield* ResultStore
        const { insert, numbers, runsOf, start, toDelete, toRead } = yield* newOrganization
        const id = yield* insert({ phoneNumberId: numbers[0] })
        const [first, second, third] = yield* runsOf(id)
        const other = yield* runsOf(yield* insert())
        if (first === undefined || second === undefined || third === undefined || other[0] === undefined) {
          return yield* Effect.dieMessage("There are no runs")
        }
        yield* start([first])
        const snapshot = yield* store.lockRunsForDeletion(toDelete, id, [first, second, other[0]])
        expect(snapshot.runs).toEqual([first, second])
        yield* store.apply(toDelete, planDeletion(snapshot), at(7))
        expect(Option.getOrThrow(yield* store.find(toRead, id))).toMatchObject({ totalRuns: 1, updatedAt: at(7) })
        expect(yield* store.capacity(toRead)).toEqual({
          ...noCapacityUsed,
          pendingDemand: 4,
          phoneNumbersHeld: [numbers[0]]
        })
        yield* store.apply(
          toDelete,
          planDeletion(yield* store.lockRunsForDeletion(toDelete, id, [first, third])),
          at(8)
        )
        expect(Option.getOrThrow(yield* store.find(toRead, id))).toMatchObject({ totalRuns: 0, status: "empty" })
        expect(yield* store.capacity(toRead)).toEqual({ ...noCapacityUsed, pendingDemand: 3 })
      })
    )
  })
}
