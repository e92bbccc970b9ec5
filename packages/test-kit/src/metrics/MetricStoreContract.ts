import {
  type AgentId,
  CallId,
  EvaluationStore,
  type EvaluationValue,
  MetricId,
  MetricStore,
  predefinedMetrics,
  type StorageError,
  type StoredEvaluation
} from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { everyPage } from "../catalog/Pages.js"
import { permit } from "../catalog/Permits.js"
import { AGENTS, blankCall } from "../filters/FilterableCalls.js"
import { type CallFixtureStores, storeCalls } from "../filters/StoredCalls.js"
import { at } from "../storage/Moments.js"

/** An organization with two agents and some calls, and its permits. */
const room = (calls: number) =>
  Effect.gen(function* () {
    const stored = yield* storeCalls({
      agents: AGENTS.slice(0, 2),
      metrics: [],
      calls: Array.from({ length: calls }, (_, i) => blankCall(i + 1))
    })
    const { organizationId: id, projectId } = stored
    const [agent, other] = [stored.agent(1), stored.agent(2)]
    const store = yield* MetricStore
    const toWrite = permit(id, "metrics.create")
    return {
      id,
      projectId,
      agent,
      other,
      calls: stored.calls.map((call) => CallId.make(call.id)),
      store,
      insert: (slug: string | null = null, agentId: AgentId = agent) =>
        store.insert(
          toWrite,
          { projectId, agentId, name: "Politeness 😀 %_'", slug, type: "llm_judge", evalType: "numeric" },
          at(1)
        ),
      toRead: permit(id, "metrics.list"),
      toWrite,
      toRecord: permit(id, "calls.ingest"),
      toDelete: permit(id, "metrics.delete")
    }
  })

/** Registers the contract tests of `MetricStore`; the database may be empty or in use. */
export const metricStoreContract = <E>(subject: string, stores: Layer.Layer<CallFixtureStores, E>): void => {
  layer(stores)(`metrics kept by ${subject}`, (it) => {
    it.effect("are found as inserted and as last saved", () =>
      Effect.gen(function* () {
        const { agent, id, insert, projectId, store, toRead, toWrite } = yield* room(0)
        const made = yield* insert("politeness")
        expect(made).toMatchObject({
          organizationId: id,
          projectId,
          agentId: agent,
          name: "Politeness 😀 %_'",
          slug: "politeness",
          predefinedCode: null,
          description: "",
          createdAt: at(1),
          updatedAt: at(1)
        })
        expect(yield* store.find(toRead, made.id)).toEqual(Option.some(made))
        expect(yield* store.findForUpdate(toRead, made.id)).toEqual(Option.some(made))
        const changed = {
          ...made,
          description: "\\ \u202E",
          enumValues: ["a", { "a.b": null }],
          configuration: { depends_on: [1.5, "😀"] },
          displayOrder: 2_147_483_647,
          knowledgeBaseFiles: [{ name: "f" }],
          audioEnabled: true,
          simulationEnabled: false,
          updatedAt: at(2)
        }
        yield* store.save(toWrite, changed)
        expect(yield* store.find(toRead, made.id)).toEqual(Option.some(changed))
      })
    )

    it.effect("are the predefined ones for every new agent, followed by its own, in display order", () =>
      Effect.gen(function* () {
        const { agent, id, insert, other, store, toRead, toWrite } = yield* room(0)
        const codes = (all: ReadonlyArray<{ readonly predefinedCode: string | null }>) =>
          all.flatMap(({ predefinedCode }) => predefinedCode ?? []).sort()
        const offered = predefinedMetrics(id)
          .map(({ code }) => code)
          .sort()
        expect(codes(yield* store.ofAgent(toRead, other))).toEqual(offered)
        const [first, second] = [yield* insert("one"), yield* insert("two")]
        yield* store.save(toWrite, { ...first, displayOrder: 2_000_000 })
        yield* store.save(toWrite, { ...second, displayOrder: 1_000_000 })
        const all = yield* store.ofAgent(toRead, agent)
        expect(codes(all)).toEqual(offered)
        expect(all.slice(-2).map(({ id }) => id)).toEqual([second.id, first.id])
      })
    )

    it.effect("are found by many ids at once, and by slug in their project", () =>
      Effect.gen(function* () {
        const { insert, other, projectId, store, toRead } = yield* room(0)
        const [one, same, none] = [yield* insert("one"), yield* insert("one", other), yield* insert()]
        const ids = (all: ReadonlyArray<{ readonly id: MetricId }>) => all.map(({ id }) => id).sort((a, b) => a - b)
        expect(ids(yield* store.findAll(toRead, [none.id, NOBODY, one.id, one.id]))).toEqual([one.id, none.id])
        expect(yield* store.findAll(toRead, [])).toEqual([])
        expect([...(yield* store.withSlug(toRead, projectId, "one"))].sort((a, b) => a - b)).toEqual([one.id, same.id])
        for (const slug of ["", "on", "ONE", "%", "two"]) {
          expect(yield* store.withSlug(toRead, projectId, slug)).toEqual([])
        }
      })
    )

    it.effect("are listed newest first, for one agent or a project, within the scope", () =>
      Effect.gen(function* () {
        const { agent, id, insert, other, projectId, store, toRead } = yield* room(0)
        const [one, elsewhere, two] = [yield* insert("one"), yield* insert("two", other), yield* insert("three")]
        const own = new Set([one.id, elsewhere.id, two.id])
        const listed = (
          permitted: typeof toRead,
          agentId: AgentId | undefined,
          ofProject: typeof projectId | undefined
        ) =>
          Effect.map(
            everyPage((page) => store.list(permitted, { agentId, projectId: ofProject }, page), { limit: 50 }),
            (pages) =>
              pages.flatMap(({ results }) => results.map((found) => found.id)).filter((found) => own.has(found))
          )
        expect(yield* listed(toRead, undefined, projectId)).toEqual([two.id, elsewhere.id, one.id])
        expect(yield* listed(toRead, agent, undefined)).toEqual([two.id, one.id])
        const bound = permit(id, "metrics.list", [{ type: "agent", id: other }])
        expect(yield* listed(bound, undefined, undefined)).toEqual([elsewhere.id])
        expect(yield* listed(permit(id, "metrics.list", []), undefined, undefined)).toEqual([])
      })
    )

    it.effect("are not found once deleted, and release their slug", () =>
      Effect.gen(function* () {
        const { agent, insert, projectId, store, toDelete, toRead, toWrite } = yield* room(0)
        const gone = yield* insert("one")
        yield* store.remove(toDelete, gone.id, at(2))
        yield* store.save(toWrite, { ...gone, name: "Back" })
        expect(yield* store.find(toRead, gone.id)).toEqual(Option.none())
        expect(yield* store.findAll(toRead, [gone.id])).toEqual([])
        expect(yield* store.withSlug(toRead, projectId, "one")).toEqual([])
        expect((yield* store.ofAgent(toRead, agent)).map(({ id }) => id)).not.toContain(gone.id)
        expect((yield* insert("one")).id).not.toBe(gone.id)
      })
    )

    it.effect("do not exist for another organization to read, change or delete", () =>
      Effect.gen(function* () {
        const [mine, theirs] = [yield* room(0), yield* room(0)]
        const { agent, projectId, store } = mine
        const metric = yield* mine.insert("one")
        expect(yield* store.find(theirs.toRead, metric.id)).toEqual(Option.none())
        expect(yield* store.findForUpdate(theirs.toRead, metric.id)).toEqual(Option.none())
        expect(yield* store.findAll(theirs.toRead, [metric.id])).toEqual([])
        expect(yield* store.ofAgent(theirs.toRead, agent)).toEqual([])
        expect(yield* store.withSlug(theirs.toRead, projectId, "one")).toEqual([])
        yield* store.save(theirs.toWrite, { ...metric, name: "Theirs" })
        yield* store.remove(theirs.toDelete, metric.id, at(2))
        expect(yield* store.find(mine.toRead, metric.id)).toEqual(Option.some(metric))
      })
    )
  })
}

/** Registers the contract tests of `EvaluationStore`; the database may be empty or in use. */
export const evaluationStoreContract = <E>(subject: string, stores: Layer.Layer<CallFixtureStores, E>): void => {
  const evaluationsOf = (own: Effect.Effect.Success<ReturnType<typeof room>>, call: CallId | undefined) =>
    Effect.gen(function* () {
      const store = yield* EvaluationStore
      return call === undefined ? [] : yield* store.ofCall(own.toRead, call)
    })
  const values = (all: ReadonlyArray<StoredEvaluation>) => all.map(({ metricId, value }) => [metricId, value])

  layer(stores)(`evaluations kept by ${subject}`, (it) => {
    it.effect("are one per call and metric, the latest, for every value type", () =>
      Effect.gen(function* () {
        const kept: ReadonlyArray<EvaluationValue> = [4.5, true, false, "resolved", "", null, Number.NaN]
        const own = yield* room(kept.length)
        const { calls, insert, toRecord } = own
        const { id: metricId } = yield* insert("politeness")
        const store = yield* EvaluationStore
        const all = kept.flatMap((value, i) => {
          const callId = calls[i]
          return callId === undefined ? [] : [{ callId, metricId, value }]
        })
        expect(yield* store.record(toRecord, [], at(2))).toEqual([])
        yield* store.record(toRecord, [...all.map((one) => ({ ...one, value: "earlier" })), ...all], at(2))
        for (const { callId, value } of all) {
          // NaN is not a value.
          expect(values(yield* evaluationsOf(own, callId))).toEqual([[metricId, Number.isNaN(value) ? null : value]])
        }
        yield* store.record(
          toRecord,
          all.map((one) => ({ ...one, value: 2 })),
          at(3)
        )
        for (const { callId } of all) expect(values(yield* evaluationsOf(own, callId))).toEqual([[metricId, 2]])
      })
    )

    it.effect("are read with their metric and detail, in the order of the metrics", () =>
      Effect.gen(function* () {
        const own = yield* room(1)
        const { insert, store: metrics, toRecord, toWrite } = own
        const [callId] = own.calls
        if (callId === undefined) return
        const [first, second] = [yield* insert("first"), yield* insert("second")]
        yield* metrics.save(toWrite, { ...first, displayOrder: 9 })
        yield* metrics.save(toWrite, { ...second, displayOrder: 8 })
        const store = yield* EvaluationStore
        const detail = {
          reason: "No such turn 😀",
          explanation: "a 'b' \\ %",
          moments: [{ at_second: 1.5, duration_ms: 20 }],
          statistics: { p95: 1.25 },
          judgment: { model: "m", prompt_hash: "0".repeat(64), seed: 7, turn: 1, quote: null }
        }
        const evaluations = [
          { callId, metricId: first.id, value: null, status: "could_not_judge", detail } as const,
          { callId, metricId: second.id, value: 3 }
        ]
        expect(yield* store.record(toRecord, evaluations, at(2))).toEqual(evaluations)
        expect(yield* evaluationsOf(own, callId)).toEqual([
          {
            metricId: second.id,
            metricName: second.name,
            slug: "second",
            type: "llm_judge",
            better: null,
            status: "scored",
            value: 3,
            detail: { reason: null, explanation: null, moments: [] }
          },
          {
            metricId: first.id,
            metricName: first.name,
            slug: "first",
            type: "llm_judge",
            better: null,
            status: "could_not_judge",
            value: null,
            detail
          }
        ])
      })
    )

    it.effect("are not stored for calls or metrics that are deleted, unknown or of another organization", () =>
      Effect.gen(function* () {
        const [mine, theirs] = [yield* room(1), yield* room(1)]
        const store = yield* EvaluationStore
        const [own, foreign, gone] = [yield* mine.insert(), yield* theirs.insert(), yield* mine.insert()]
        const [[myCall], [theirCall]] = [mine.calls, theirs.calls]
        if (myCall === undefined || theirCall === undefined) return
        yield* store.record(mine.toRecord, [{ callId: myCall, metricId: gone.id, value: 5 }], at(2))
        yield* mine.store.remove(mine.toDelete, gone.id, at(2))
        const kept = { callId: myCall, metricId: own.id, value: 1 }
        const answered = yield* store.record(
          mine.toRecord,
          [
            { ...kept, callId: theirCall },
            { ...kept, metricId: foreign.id },
            { ...kept, metricId: gone.id },
            { ...kept, callId: CallId.make(NOBODY) },
            kept
          ],
          at(2)
        )
        expect(answered).toEqual([kept])
        expect(values(yield* evaluationsOf(mine, myCall))).toEqual([[own.id, 1]])
        expect(yield* evaluationsOf(theirs, theirCall)).toEqual([])
        expect(yield* store.ofCall(theirs.toRead, myCall)).toEqual([])
      })
    )

    it.effect("are stored in batches of any size", () =>
      Effect.gen(function* () {
        const own = yield* room(40)
        const metrics = yield* Effect.replicateEffect(own.insert(), 30)
        const many = metrics.flatMap(({ id }) => own.calls.map((callId, value) => ({ callId, metricId: id, value })))
        const recorded: Effect.Effect<ReadonlyArray<unknown>, StorageError, EvaluationStore> = Effect.flatMap(
          EvaluationStore,
          (store) => store.record(own.toRecord, many, at(2))
        )
        expect(yield* recorded).toHaveLength(many.length)
        for (const [value, call] of own.calls.entries()) {
          expect(values(yield* evaluationsOf(own, call))).toEqual(metrics.map(({ id }) => [id, value]))
        }
      })
    )
  })
}

/** Ids count up from 1, and no test creates that many. */
const NOBODY = MetricId.make(1_000_000_007)
