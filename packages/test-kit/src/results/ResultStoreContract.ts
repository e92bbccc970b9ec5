import {
  AgentStore,
  type Claim,
  type Evaluated,
  executeJobs,
  type RunState,
  JobStore,
  type Metric,
  MetricStore,
  type NewResult,
  OrganizationStore,
  PhoneNumberStore,
  planDeletion,
  ProjectStore,
  ResultId,
  ResultStore,
  RunId,
  type RunStatus,
  RunWorkStore,
  scoreJob
} from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { everyPage } from "../catalog/Pages.js"
import { permit } from "../catalog/Permits.js"
import { at } from "../storage/Moments.js"

const nothing = { activeSessions: 0, pendingDemand: 0, slotsInUse: 0, phoneNumbersHeld: [] }

const over = (to: RunStatus, success: boolean | null = null) => ({
  to,
  success,
  durationSeconds: null,
  error: null,
  transcript: null
})

/** An organization with an agent and two phone numbers, and operations on it. */
const newOrganization = Effect.gen(function* () {
  const store = yield* ResultStore
  const { id } = yield* (yield* OrganizationStore).insert({ name: "Contract" }, at(0))
  const toCatalog = permit(id, "agents.create")
  const project = yield* (yield* ProjectStore).insert(toCatalog, { name: "P", description: "" }, at(0))
  const agent = yield* (yield* AgentStore).insert(
    toCatalog,
    {
      projectId: project.id,
      name: "A",
      description: "",
      assistantId: null,
      provider: null,
      supportedChannels: ["voice"],
      chatEndpoint: null
    },
    at(0)
  )
  const phoneNumbers = yield* PhoneNumberStore
  const [one, two] = yield* Effect.all([
    phoneNumbers.insert(toCatalog, { projectId: project.id, number: "+15550100", name: "" }, at(0)),
    phoneNumbers.insert(toCatalog, { projectId: project.id, number: "+15550101", name: "" }, at(0))
  ])
  const plain: NewResult = {
    projectId: project.id,
    agentId: agent.id,
    name: "R",
    channel: "voice",
    concurrencyLimit: null,
    providerData: null,
    phoneNumberId: null,
    scenarios: [
      { key: "a", name: "A", frequency: 2, script: { says: "a" } },
      { key: "b", name: "B", frequency: 1, script: { says: "b" } }
    ]
  }
  const toRead = permit(id, "results.list")
  const toWrite = permit(id, "suites.run")
  const toDelete = permit(id, "results.bulkDelete")
  const insert = (what: Partial<NewResult> = {}) =>
    Effect.zipRight(store.lockCapacity(toWrite), store.insert(toWrite, { ...plain, ...what }, at(1)))
  /** The ids of a result's runs, oldest first. */
  const runsOf = (resultId: ResultId) =>
    Effect.map(store.listRuns(toRead, { resultId, status: null }, { cursor: { at: "start" }, limit: 200 }), (runs) =>
      runs.map((run) => run.id).toReversed()
    )
  const startable = (limit: number) => store.startable(toWrite, "voice", limit)
  const start = (runs: ReadonlyArray<RunId>, until = 60_000) =>
    store.start(toWrite, runs, { token: "lease", until }, at(2))
  const bounded = (type: "result" | "project", to: number) => permit(id, "results.list", [{ type, id: to }])
  return {
    agent,
    bounded,
    insert,
    numbers: [one.id, two.id] as const,
    organization: id,
    project,
    runsOf,
    start,
    startable,
    store,
    toDelete,
    toRead,
    toWrite
  }
})

type Stores = ResultStore | PhoneNumberStore | AgentStore | ProjectStore | OrganizationStore

/** The contract of `ResultStore`, on an empty or a used database. */
export const resultStoreContract = <E>(subject: string, stores: Layer.Layer<Stores, E>): void => {
  layer(stores)(`results kept by ${subject}`, (it) => {
    it.effect("returns results as they were inserted, with their runs queued and counted", () =>
      Effect.gen(function* () {
        const { agent, insert, numbers, runsOf, store, toRead } = yield* newOrganization
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
        expect(yield* store.capacity(toRead)).toEqual({ ...nothing, pendingDemand: 3, phoneNumbersHeld: [numbers[0]] })
      })
    )

    it.effect("hides results from other organizations and outside of a permit's scope", () =>
      Effect.gen(function* () {
        const mine = yield* newOrganization
        const theirs = yield* newOrganization
        const { store } = mine
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
        expect(yield* store.details(theirs.toRead, id, null, 10)).toEqual([])
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
          (yield* store.list(bounded, { projectId: null, agentId: null }, page)).map((result) => result.id)
        ).toEqual([id])
        expect(yield* store.listRuns(bounded, { resultId: other, status: null }, page)).toEqual([])
      })
    )

    it.effect("lists each result once, newest first, by page, project and agent", () =>
      Effect.gen(function* () {
        const { agent, insert, project, store, toRead } = yield* newOrganization
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
        const { insert, runsOf, start, startable, store, toWrite } = yield* newOrganization
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
        yield* store.end(toWrite, [a], "running", over("failed"), at(3))
        expect(yield* startable(100)).toEqual([b, e, f])
        yield* store.requeue(toWrite, [d], at(3))
        expect(yield* startable(100)).toEqual([b, d, e, f])
        yield* start([b])
        yield* store.end(toWrite, [b], "running", over("completed"), at(3))
        expect(yield* startable(100)).toEqual([c, d, e, f])
      })
    )

    it.effect("starts runs under a lease and returns their scripts", () =>
      Effect.gen(function* () {
        const { insert, numbers, runsOf, start, store, toRead, toWrite } = yield* newOrganization
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
        const { insert, organization, runsOf, start, store, toRead, toWrite } = yield* newOrganization
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
          ...nothing,
          activeSessions: 1,
          pendingDemand: 2,
          slotsInUse: 1
        })
      })
    )

    it.effect("ends runs, and releases a number with the last run that needs it", () =>
      Effect.gen(function* () {
        const { insert, numbers, runsOf, start, store, toRead, toWrite } = yield* newOrganization
        const id = yield* insert({ phoneNumberId: numbers[0] })
        const runs = yield* runsOf(id)
        const [first, second, third] = runs
        if (first === undefined || second === undefined || third === undefined) {
          return yield* Effect.dieMessage("There are no runs")
        }
        yield* start(runs)
        yield* store.end(toWrite, [first], "running", { ...over("completed", true), durationSeconds: 12.5 }, at(3))
        yield* store.end(toWrite, [second], "running", { ...over("failed", false), error: "No answer" }, at(4))
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
        yield* store.end(toWrite, [third], "running", over("timeout"), at(5))
        expect(yield* store.capacity(toRead)).toEqual(nothing)
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
        const details = yield* store.details(toRead, id, null, 2)
        expect(details.map((run) => run.id)).toEqual([first, second])
        expect((yield* store.details(toRead, id, second, 2)).map((run) => run.id)).toEqual([third])
      })
    )

    it.effect("returns the snapshot of a deletion, and applies its plan", () =>
      Effect.gen(function* () {
        const { insert, numbers, runsOf, start, store, toDelete, toRead } = yield* newOrganization
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
        expect(yield* store.capacity(toRead)).toEqual({ ...nothing, pendingDemand: 3, phoneNumbersHeld: [two] })
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
        const { insert, numbers, runsOf, start, store, toDelete, toRead } = yield* newOrganization
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
        expect(yield* store.capacity(toRead)).toEqual({ ...nothing, pendingDemand: 4, phoneNumbersHeld: [numbers[0]] })
        yield* store.apply(
          toDelete,
          planDeletion(yield* store.lockRunsForDeletion(toDelete, id, [first, third])),
          at(8)
        )
        expect(Option.getOrThrow(yield* store.find(toRead, id))).toMatchObject({ totalRuns: 0, status: "empty" })
        expect(yield* store.capacity(toRead)).toEqual({ ...nothing, pendingDemand: 3 })
      })
    )
  })
}

const noOutcome = { endedReason: null, moments: [], criteria: [] }

const scored = (metric: Metric, value: number | boolean | string): Evaluated => ({
  metric,
  outcome: { status: "scored", value, detail: { reason: "Heard.", explanation: null, moments: [] } }
})

/** An organization with a result whose first run is running. */
const played = Effect.gen(function* () {
  const fixture = yield* newOrganization
  const work = yield* RunWorkStore
  const result = yield* fixture.insert()
  const runs = yield* fixture.runsOf(result)
  const [id = RunId.make(1)] = runs
  yield* fixture.start([id])
  return { ...fixture, work, result, runs, id }
})

/** The contract of `RunWorkStore`, on an empty or a used database. */
export const runWorkStoreContract = <E>(
  subject: string,
  stores: Layer.Layer<Stores | RunWorkStore | MetricStore | JobStore, E>
): void => {
  layer(stores)(`what runs play and come to, kept by ${subject}`, (it) => {
    it.effect("returns a run with its scenario, its agent and its transcript", () =>
      Effect.gen(function* () {
        const { agent, id, project, result, runs, store, toRead, toWrite, work } = yield* played
        expect(yield* work.runsOf(toRead, result)).toEqual(runs)
        expect(Option.getOrThrow(yield* work.find(toRead, id))).toMatchObject({
          run: { id, status: "running", scenarioKey: "a" },
          agent: { id: agent.id, projectId: project.id },
          script: { says: "a" },
          transcript: null
        })
        expect(yield* work.outcome(toRead, id)).toEqual(noOutcome)
        const moments = [{ kind: "silence", at_second: 0.5, seconds: 2, condition: 1 }] as const
        yield* work.saveOutcome(toWrite, id, { reason: "first", moments: [] })
        yield* work.saveOutcome(toWrite, id, { reason: "Ä 😀", moments })
        expect(yield* work.outcome(toRead, id)).toEqual({ endedReason: "Ä 😀", moments, criteria: [] })
        const turn = { speaker: "main_agent", content: "Hi 😀", startTime: 0, endTime: 1, words: [] } as const
        const turns = { _tag: "RedactedTranscript", turns: [turn], toolCalls: [] } as const
        const end = { to: "evaluating", success: true, durationSeconds: 1, error: null } as const
        yield* store.end(toWrite, [id], "running", { ...end, transcript: { type: "service", turns } }, at(3))
        expect(Option.getOrThrow(yield* work.find(toRead, id)).transcript).toMatchObject({ turns: [turn] })
        const criterion = { criterion: "reported", name: "Reported", passed: false, reason: "No." }
        yield* work.complete(
          toWrite,
          id,
          { to: "completed", success: false, error: "Not met", criteria: [criterion] },
          at(4)
        )
        expect(yield* work.outcome(toRead, id)).toEqual({ endedReason: "Ä 😀", moments, criteria: [criterion] })
        expect(Option.getOrThrow(yield* work.find(toRead, id)).run).toMatchObject({
          ...{ status: "completed", success: false, error: "Not met", duration: 1, endedAt: at(4) }
        })
      })
    )

    it.effect("keeps one score per metric, the last one saved", () =>
      Effect.gen(function* () {
        const { agent, id, toRead, toWrite, work } = yield* played
        const [one, two] = yield* (yield* MetricStore).ofAgent(toRead, agent.id)
        if (one === undefined || two === undefined) return yield* Effect.dieMessage("There are no metrics")
        expect(yield* work.scores(toRead, id)).toEqual([])
        yield* work.saveScores(toWrite, id, [], at(1))
        yield* work.saveScores(toWrite, id, [scored(one, 1.5), scored(one, 2.5), scored(two, "Ä")], at(1))
        yield* work.saveScores(toWrite, id, [scored(two, true)], at(2))
        const scores = yield* work.scores(toRead, id)
        expect(new Map(scores.map(({ metricId, value }) => [metricId, value]))).toEqual(
          new Map<number, number | boolean>([
            [one.id, 2.5],
            [two.id, true]
          ])
        )
        expect(scores[0]).toMatchObject({ status: "scored", detail: { reason: "Heard." } })
      })
    )

    it.effect("hides runs of other organizations, outside of a permit's scope, and deleted ones", () =>
      Effect.gen(function* () {
        const { agent, bounded, id, insert, result, runs, store, toDelete, toRead, toWrite, work } = yield* played
        const theirs = yield* newOrganization
        const other = yield* insert()
        const [metric] = yield* (yield* MetricStore).ofAgent(toRead, agent.id)
        if (metric === undefined) return yield* Effect.dieMessage("There are no metrics")
        yield* work.saveOutcome(theirs.toWrite, id, { reason: "theirs", moments: [] })
        yield* work.saveScores(theirs.toWrite, id, [scored(metric, 1)], at(1))
        yield* work.complete(theirs.toWrite, id, { to: "completed", success: true, error: null, criteria: [] }, at(1))
        expect(yield* work.outcome(toRead, id)).toEqual(noOutcome)
        expect(yield* work.scores(toRead, id)).toEqual([])
        expect(Option.getOrThrow(yield* work.find(toRead, id)).run.status).toBe("running")
        yield* work.saveOutcome(toWrite, id, { reason: "mine", moments: [] })
        yield* work.saveScores(toWrite, id, [scored(metric, 1)], at(1))
        const isThere = (reader: typeof toRead) =>
          Effect.gen(function* () {
            const seen = [
              (yield* work.runsOf(reader, result)).length === runs.length,
              Option.isSome(yield* work.find(reader, id)),
              (yield* work.outcome(reader, id)).endedReason === "mine",
              (yield* work.scores(reader, id)).length === 1
            ]
            expect(new Set(seen).size).toBe(1)
            return seen[0]
          })
        expect(yield* isThere(toRead)).toBe(true)
        expect(yield* isThere(theirs.toRead)).toBe(false)
        expect(yield* isThere(bounded("result", result))).toBe(true)
        expect(yield* isThere(bounded("result", other))).toBe(false)
        const gone = { results: [result], runs: [], releasedNumbers: [], freedSlots: 1 }
        yield* store.apply(toDelete, { ...gone, decrements: { activeSessions: 1, pendingDemand: 2 } }, at(5))
        expect(yield* isThere(toRead)).toBe(false)
      })
    )

    it.effect("reports a run as stranded if and only if its job is dead", () =>
      Effect.gen(function* () {
        const { id, organization, result, runs, store, toDelete, toRead, toWrite, work } = yield* played
        const jobs = yield* JobStore
        const theirs = yield* newOrganization
        yield* jobs.enqueueAll(executeJobs(organization, result, runs, null), 0)
        yield* jobs.enqueue(scoreJob(organization, id), 0)
        const stranded = Effect.map(work.stranded(toRead), (found) => found.map((one) => [one.id, one.status]))
        expect(yield* stranded).toEqual([])
        const claimed = (yield* Effect.forEach(["execute_run", "score_run"], (kind) =>
          jobs.claim("contract", { kind, limit: 1000 }, { now: 1, until: 1000 })
        )).flat()
        const own = claimed.filter(({ organizationId }) => organizationId === organization)
        const dies = (claim: Claim) => jobs.fail(claim, { reason: `Because ${claim.kind}`, retryAt: null }, 2)
        yield* Effect.forEach(own, dies)
        const [, second, third] = runs
        // The first is running: its lease has to expire first.
        expect(yield* stranded).toEqual([
          [second, "queued"],
          [third, "queued"]
        ])
        expect((yield* work.stranded(toRead))[0]?.reason).toBe("Because execute_run")
        expect(yield* work.organizationsWithStranded).toContain(organization)
        expect(yield* work.organizationsWithStranded).not.toContain(theirs.organization)
        expect(yield* work.stranded(theirs.toRead)).toEqual([])
        const end = { to: "evaluating", success: null, durationSeconds: 1, error: null, transcript: null } as const
        yield* store.end(toWrite, [id], "running", end, at(3))
        expect(yield* stranded).toContainEqual([id, "evaluating"])
        const gone = { results: [result], runs: [], releasedNumbers: [], freedSlots: 0 }
        yield* store.apply(toDelete, { ...gone, decrements: { activeSessions: 0, pendingDemand: 2 } }, at(5))
        expect(yield* stranded).toEqual([])
        expect(yield* work.organizationsWithStranded).not.toContain(organization)
      })
    )
  })
}
