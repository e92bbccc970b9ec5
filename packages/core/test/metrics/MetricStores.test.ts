import {
  authorize,
  type EvaluationValue,
  EvaluationStore,
  hostActor,
  MetricStore,
  type OrganizationId,
  type CallId,
  type MetricId,
  Metrics
} from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { engine, insertCalls, NOW, world } from "../dashboards/fixtures.js"

const toWrite = (organization: OrganizationId) => Either.getOrThrow(authorize(hostActor(organization), "agents.create"))
const toDelete = (organization: OrganizationId) =>
  Either.getOrThrow(authorize(hostActor(organization), "metrics.delete"))
const toRecord = (organization: OrganizationId) => Either.getOrThrow(authorize(hostActor(organization), "calls.ingest"))

const insertMetric = (owner: Effect.Effect.Success<typeof world>, slug: string | null = null) =>
  Effect.flatMap(MetricStore, (store) =>
    store.insert(
      toWrite(owner.organization.id),
      {
        projectId: owner.project.id,
        agentId: owner.agent.id,
        name: "Politeness",
        slug,
        type: "llm_judge",
        evalType: "continuous_qualitative"
      },
      NOW
    )
  )

const kept = (metric: MetricId) =>
  Effect.map(
    Effect.flatMap(
      SqlClient,
      (sql) => sql<{ call_id: CallId; value_kind: string; value_number: number | null; value_text: string | null }>`
        SELECT call_id, value_kind, value_number, value_text FROM metric_evaluations
        WHERE metric_id = ${metric} ORDER BY call_id`
    ),
    (rows) => rows.map((row) => [row.call_id, row.value_kind, row.value_number, row.value_text])
  )

for (const database of TestEngine.databases) {
  layer(engine(database))(`metrics on ${database}`, (it) => {
    it.effect("are found as they were put in, by id and by slug, and not by others", () =>
      Effect.gen(function* () {
        const mine = yield* world
        const theirs = yield* world
        const metric = yield* insertMetric(mine, "politeness")
        const metrics = yield* Metrics
        const store = yield* MetricStore
        const [permit, other] = [toWrite(mine.organization.id), toWrite(theirs.organization.id)]
        expect(metric).toMatchObject({ agentId: mine.agent.id, slug: "politeness", createdAt: NOW })
        expect(yield* metrics.find(permit, metric.id)).toEqual(metric)
        expect(yield* metrics.withSlug(permit, mine.project.id, "politeness")).toEqual([metric.id])
        expect(yield* metrics.withSlug(permit, mine.project.id, "rudeness")).toEqual([])
        expect(yield* metrics.withSlug(other, mine.project.id, "politeness")).toEqual([])
        expect(yield* store.find(other, metric.id)).toEqual(Option.none())
        expect(yield* Effect.flip(metrics.find(other, metric.id))).toMatchObject({ _tag: "NotFound" })
      })
    )

    it.effect("keep one evaluation a call, the latest, of whatever type it is", () =>
      Effect.gen(function* () {
        const owner = yield* world
        const metric = yield* insertMetric(owner)
        const store = yield* EvaluationStore
        const permit = toRecord(owner.organization.id)
        const values: ReadonlyArray<EvaluationValue> = [4.5, true, "resolved", null, Number.NaN, ""]
        const calls = yield* insertCalls(
          owner,
          values.map(() => ({ timestamp: "2026-03-30T10:00:00Z" }))
        )
        const evaluations = values.map((value, i) => ({ callId: calls[i]!, metricId: metric.id, value }))
        yield* store.record(permit, [], NOW)
        yield* store.record(permit, [{ ...evaluations[0]!, value: false }, ...evaluations], NOW)
        expect(yield* kept(metric.id)).toEqual([
          [calls[0], "number", 4.5, null],
          [calls[1], "boolean", 1, null],
          [calls[2], "text", null, "resolved"],
          [calls[3], "null", null, null],
          [calls[4], "null", null, null],
          [calls[5], "text", null, ""]
        ])
        yield* store.record(permit, [{ ...evaluations[2]!, value: 2 }], NOW)
        expect((yield* kept(metric.id))[2]).toEqual([calls[2], "number", 2, null])
      })
    )

    it.effect("keep nothing of calls or metrics that are another organisation's, or deleted", () =>
      Effect.gen(function* () {
        const mine = yield* world
        const theirs = yield* world
        const [myMetric, theirMetric] = [yield* insertMetric(mine), yield* insertMetric(theirs)]
        const [myCall] = yield* insertCalls(mine, [{ timestamp: "2026-03-30T10:00:00Z" }])
        const [theirCall] = yield* insertCalls(theirs, [{ timestamp: "2026-03-30T10:00:00Z" }])
        const store = yield* EvaluationStore
        const gone = yield* insertMetric(mine)
        yield* (yield* MetricStore).remove(toDelete(mine.organization.id), gone.id, NOW)
        const answered = yield* store.record(
          toRecord(mine.organization.id),
          [
            { callId: theirCall!, metricId: myMetric.id, value: 1 },
            { callId: myCall!, metricId: theirMetric.id, value: 1 },
            { callId: myCall!, metricId: gone.id, value: 1 },
            { callId: myCall!, metricId: myMetric.id, value: 1 }
          ],
          NOW
        )
        expect(answered).toEqual([{ callId: myCall!, metricId: myMetric.id, value: 1 }])
        expect(yield* kept(gone.id)).toEqual([])
        expect(yield* kept(myMetric.id)).toEqual([[myCall, "number", 1, null]])
        expect(yield* kept(theirMetric.id)).toEqual([])
      })
    )

    it.effect("take more evaluations than one statement holds", () =>
      Effect.gen(function* () {
        const owner = yield* world
        const facts = Array.from({ length: 40 }, () => ({ timestamp: "2026-03-30T10:00:00Z" }))
        const calls = yield* insertCalls(owner, facts)
        const metrics = yield* Effect.replicateEffect(insertMetric(owner), 30)
        const store = yield* EvaluationStore
        const many = metrics.flatMap(({ id }) => calls.map((callId, value) => ({ callId, metricId: id, value })))
        yield* store.record(toRecord(owner.organization.id), many, NOW)
        for (const { id } of metrics) {
          expect(yield* kept(id)).toEqual(calls.map((call, value) => [call, "number", value, null]))
        }
      })
    )
  })
}
