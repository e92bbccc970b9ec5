import {
  type Claim,
  type Evaluated,
  evaluateResult,
  executeJobs,
  JobStore,
  type Metric,
  MetricStore,
  PendingBlobStore,
  planDeletion,
  RecordingStore,
  ResultStore,
  RunId,
  type RunRecording,
  RunWorkStore,
  scoreJob,
  type VoiceBehavior
} from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as fc from "fast-check"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { at } from "../storage/Moments.js"
import { newOrganization, type Stores } from "./ResultStoreFixture.js"

const noOutcome = { endedReason: null, moments: [], criteria: [], voiceBehavior: null }

const behavior: VoiceBehavior = {
  ...{ voice: "Ä 😀", pace: 1, interrupts: null, backchannels: null, line: null, seed: 7 },
  silences: { seconds: 0.5, probability: 0.25 }
}

const scored = (metric: Metric, value: number | boolean | string): Evaluated => ({
  metric,
  outcome: { status: "scored", value, detail: { reason: "Heard.", explanation: null, moments: [] } }
})

/** A step on one of three runs. Sums of the largest values would overflow. */
const runStep = fc.record({
  step: fc.constantFrom("start", "start", "end", "complete", "requeue", "score", "score", "score", "delete"),
  run: fc.nat({ max: 2 }),
  metric: fc.nat({ max: 1 }),
  value: fc.constantFrom(0.1, 0.2, -3, 1e308, 1.5, true, false, "slow")
})

const recordingOf = (name: string): RunRecording => ({
  blobKey: `9/00/run-recording-${name}`,
  contentType: "audio/wav",
  sizeBytes: 3_000_000_000,
  sha256: "0".repeat(64),
  durationSeconds: 1.5,
  channels: 2
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
  stores: Layer.Layer<Stores | RunWorkStore | MetricStore | JobStore | RecordingStore | PendingBlobStore, E>
): void => {
  layer(stores)(`the work of runs, kept by ${subject}`, (it) => {
    it.effect("returns a run with its scenario, its agent and its transcript", () =>
      Effect.gen(function* () {
        const store = yield* ResultStore
        const { agent, id, project, result, runs, toRead, toWrite, work } = yield* played
        expect(yield* work.runsOf(toRead, result)).toEqual(runs)
        expect(Option.getOrThrow(yield* work.find(toRead, id))).toMatchObject({
          run: { id, status: "running", scenarioKey: "a" },
          agent: { id: agent.id, projectId: project.id },
          script: { says: "a" },
          transcript: null
        })
        expect(yield* work.outcome(toRead, id)).toEqual(noOutcome)
        const moments = [{ kind: "silence", at_second: 0.5, seconds: 2, condition: 1 }] as const
        yield* work.saveOutcome(toWrite, id, { reason: "first", moments: [], voiceBehavior: null, recording: null })
        yield* work.saveOutcome(toWrite, id, { reason: "Ä 😀", moments, voiceBehavior: behavior, recording: null })
        expect(yield* work.outcome(toRead, id)).toEqual({
          ...{ endedReason: "Ä 😀", moments, criteria: [] },
          voiceBehavior: behavior
        })
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
        expect(yield* work.outcome(toRead, id)).toEqual({
          ...{ endedReason: "Ä 😀", moments, criteria: [criterion] },
          voiceBehavior: behavior
        })
        expect(Option.getOrThrow(yield* store.findDetail(toRead, id)).voiceBehavior).toEqual(behavior)
        expect(Option.getOrThrow(yield* work.find(toRead, id)).run).toMatchObject({
          ...{ status: "completed", success: false, error: "Not met", duration: 1, endedAt: at(4) }
        })
      })
    )

    it.effect("keeps one recording per run, the last one saved, until the run is deleted", () =>
      Effect.gen(function* () {
        const store = yield* ResultStore
        const recordings = yield* RecordingStore
        const { id, result, toDelete, toRead, toWrite, work } = yield* played
        const shown = Effect.map(store.findDetail(toRead, id), (found) => Option.getOrThrow(found).recording)
        const save = (recording: RunRecording | null) =>
          work.saveOutcome(toWrite, id, { reason: null, moments: [], voiceBehavior: null, recording })
        expect(yield* shown).toBeNull()
        yield* save(recordingOf("one"))
        yield* save({ ...recordingOf("two"), durationSeconds: null, channels: null })
        expect(yield* shown).toEqual({
          content_type: "audio/wav",
          size_bytes: 3_000_000_000,
          duration_s: null,
          channels: null
        })
        yield* save(recordingOf("three"))
        expect(yield* shown).toMatchObject({ duration_s: 1.5, channels: 2 })
        const { blobKey, contentType, sha256, sizeBytes } = recordingOf("three")
        expect(yield* recordings.findOfRun(toRead, id)).toEqual(
          Option.some({ blobKey, contentType, sha256, sizeBytes })
        )
        const theirs = yield* newOrganization
        expect(yield* recordings.findOfRun(theirs.toRead, id)).toEqual(Option.none())
        const pending = yield* PendingBlobStore
        const keysOf = (names: ReadonlyArray<string>) => names.map((name) => recordingOf(name).blobKey)
        const names = ["one", "two", "three"]
        const due = Effect.map(pending.due(0, 1000), (all) =>
          names.filter((name) => all.some(({ key }) => key === recordingOf(name).blobKey))
        )
        expect(yield* due).toEqual(["one", "two"])
        expect(yield* pending.inUse(keysOf(names), 1)).toEqual(keysOf(["three"]))
        expect(yield* pending.referred("run", id - 1, 1)).toEqual([{ id, key: blobKey }])
        yield* store.apply(toDelete, planDeletion(yield* store.lockRunsForDeletion(toDelete, result, [id])), at(5))
        expect(yield* recordings.findOfRun(toRead, id)).toEqual(Option.none())
        expect(yield* due).toEqual(names)
        yield* pending.remove(keysOf(names))
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

    it.effect("shows what remains of a result's runs, in whatever order they are started, scored and deleted", () =>
      Effect.forEach(
        fc.sample(fc.array(runStep, { minLength: 5, maxLength: 15 }), { numRuns: 8, seed: 20_261_122 }),
        (steps) =>
          Effect.gen(function* () {
            const store = yield* ResultStore
            const { agent, insert, runsOf, start, toDelete, toRead, toWrite } = yield* newOrganization
            const work = yield* RunWorkStore
            const metrics = yield* (yield* MetricStore).ofAgent(toRead, agent.id)
            const result = yield* insert()
            const other = yield* insert()
            const runs = yield* runsOf(result)
            for (const { metric, run, step, value } of steps) {
              const found = yield* store.findRunForUpdate(toWrite, runs[run] ?? RunId.make(1))
              const of = metrics[metric]
              if (Option.isNone(found) || of === undefined) continue
              const { id, status } = found.value
              if (step === "start" && status === "queued") yield* start([id])
              if (step === "requeue" && status === "running") yield* store.requeue(toWrite, [id], at(3))
              if (step === "end" && status === "running") {
                const end = { to: "evaluating", success: true, durationSeconds: 1, error: null } as const
                yield* store.end(toWrite, [id], "running", { ...end, transcript: null }, at(4))
              }
              if (step === "complete" && status === "evaluating") {
                yield* work.complete(
                  toWrite,
                  id,
                  { to: "completed", success: run > 0, error: null, criteria: [] },
                  at(5)
                )
              }
              if (step === "score") yield* work.saveScores(toWrite, id, [scored(of, value)], at(6))
              if (step === "delete") {
                const plan = planDeletion(yield* store.lockRunsForDeletion(toDelete, result, [id]))
                yield* store.apply(toDelete, plan, at(7))
              }
            }
            const { rows: left } = yield* store.details(toRead, result, { cursor: { at: "after", id: 0 }, limit: 10 })
            const shown = Option.getOrThrow(yield* store.find(toRead, result))
            expect(shown).toMatchObject(
              evaluateResult(left.map(({ status, success }) => ({ status, success, runs: 1 })))
            )
            const values = (metric: number) =>
              left.flatMap((run) => run.metrics.flatMap(({ metric: id, value }) => (id === metric ? [value] : [])))
            expect(shown.metrics.map(({ id, runs: of }) => [id, of])).toEqual(
              metrics.flatMap(({ id }) => {
                const known = values(id).filter((value) => value !== null).length
                return known === 0 ? [] : [[id, known]]
              })
            )
            for (const { average, id } of shown.metrics) {
              const numbers = values(id).flatMap((value) =>
                value === null || typeof value === "string" || Number(value) > 1e100 ? [] : [Number(value)]
              )
              if (numbers.length === 0) expect(average).toBeNull()
              else expect(average).toBeCloseTo(numbers.reduce((sum, one) => sum + one, 0) / numbers.length, 9)
            }
            expect(Option.getOrThrow(yield* store.find(toRead, other))).toMatchObject({ totalRuns: 3, metrics: [] })
          }),
        { discard: true }
      )
    )

    it.effect("hides runs of other organizations, outside of a permit's scope, and deleted ones", () =>
      Effect.gen(function* () {
        const store = yield* ResultStore
        const { agent, bounded, id, insert, result, runs, toDelete, toRead, toWrite, work } = yield* played
        const theirs = yield* newOrganization
        const other = yield* insert()
        const [metric] = yield* (yield* MetricStore).ofAgent(toRead, agent.id)
        if (metric === undefined) return yield* Effect.dieMessage("There are no metrics")
        yield* work.saveOutcome(theirs.toWrite, id, {
          reason: "theirs",
          moments: [],
          voiceBehavior: null,
          recording: recordingOf("theirs")
        })
        yield* work.saveScores(theirs.toWrite, id, [scored(metric, 1)], at(1))
        yield* work.complete(theirs.toWrite, id, { to: "completed", success: true, error: null, criteria: [] }, at(1))
        expect(yield* work.outcome(toRead, id)).toEqual(noOutcome)
        expect(yield* work.scores(toRead, id)).toEqual([])
        expect(Option.getOrThrow(yield* work.find(toRead, id)).run.status).toBe("running")
        yield* work.saveOutcome(toWrite, id, { reason: "mine", moments: [], voiceBehavior: null, recording: null })
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
        const store = yield* ResultStore
        const { id, organization, result, runs, toDelete, toRead, toWrite, work } = yield* played
        const jobs = yield* JobStore
        const theirs = yield* newOrganization
        yield* jobs.enqueueAll(executeJobs(organization, result, runs, null), 0)
        yield* jobs.enqueue(scoreJob(organization, id), 0)
        const stranded = Effect.map(work.stranded(toRead), (found) => found.map((one) => [one.id, one.status]))
        expect(yield* stranded).toEqual([])
        const claimed = (yield* Effect.forEach(["execute_run", "score_run"], (kind) =>
          jobs.claim(
            "contract",
            { kind, quotas: [{ organizationId: organization, limit: 1000 }] },
            { now: 1, until: 1000 }
          )
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
