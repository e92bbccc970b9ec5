import { Filters, WidgetId, Widgets, Dashboards, untrusted } from "@earshot/core"
import { FilterKit, TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { fixture, quiet, turns } from "./evaluations.js"

for (const database of TestEngine.databases) {
  layer(Layer.merge(TestEngine.layer(database), quiet))(`evaluated calls on ${database}`, (it) => {
    it.effect("appear in widgets and filters", () =>
      Effect.gen(function* () {
        const { as, calls, ingest, project, runner, slug } = yield* fixture
        const quick = yield* ingest({ timestamp: "2026-03-30T10:00:00Z" })
        const slow = turns.map((turn) => ({ ...turn, start_time: turn.start_time * 3, end_time: turn.end_time * 3 }))
        yield* ingest({ transcript_json: slow, timestamp: "2026-03-30T11:00:00Z" })
        yield* runner.drain
        const latency = yield* slug("latency_ms")
        const dashboard = yield* as(Effect.flatMap(Dashboards, (all) => all.create({ name: "d", project: project.id })))
        const data = yield* as(
          Effect.gen(function* () {
            const widgets = yield* Widgets
            const widget = yield* widgets.create({
              dashboard: dashboard.id,
              chart_type: "bar",
              field: "metric_evaluations.value",
              metric: latency.id,
              aggregation_function: "avg",
              time_period: "day"
            })
            return yield* widgets.data(WidgetId.make(widget.id))
          })
        )
        expect(data).toMatchObject({ series: [{ points: [{ value: 1500 }] }] })
        const filters_v2 = {
          operator: "same_row",
          conditions: [
            { field: "metric_evaluations.metric.name", op: "eq", value: "Latency" },
            { field: "metric_evaluations.value", op: "lte", value: 1000 }
          ]
        }
        expect((yield* as(calls.list({ filters_v2 }))).results.map(({ id }) => id)).toEqual([quick.id])
      })
    )

    it.effect("match filters as in memory", () =>
      Effect.gen(function* () {
        const { agent, as, calls, ingest, metrics, runner } = yield* fixture
        const code = (name: string, eval_type: string, custom_code: string, more: object = {}) =>
          as(metrics.create(untrusted({ agent: agent.id, name, type: "custom_code", eval_type, custom_code, ...more })))
        const mood = yield* code("mood", "enum", "return call.duration_s > 20 ? 'dull' : 'fine'", {
          enum_values: ["fine", "dull"]
        })
        const quick = yield* code("quick", "binary", "return call.duration_s > 30 ? null : call.duration_s < 20")
        for (const factor of [1, 2, 4]) {
          yield* ingest({
            transcript_json: turns.map((turn) => ({
              ...turn,
              start_time: turn.start_time * factor,
              end_time: turn.end_time * factor
            }))
          })
        }
        yield* ingest()
        yield* runner.drain
        yield* ingest()
        const all = (yield* as(calls.list({}))).results
        expect(all.map(({ metrics }) => metrics.length)).toEqual([0, 43, 43, 43, 43])
        const leaf = (field: string, op: string, value: unknown) => ({
          field: `metric_evaluations.${field}`,
          op,
          value
        })
        const both = (operator: string, ...conditions: ReadonlyArray<unknown>) => ({ operator, conditions })
        const filters: ReadonlyArray<readonly [filter: unknown, found: number]> = [
          [both("same_row", leaf("metric.id", "eq", mood.id), leaf("value", "eq", "dull")), 2],
          [both("same_row", leaf("metric.name", "eq", "mood"), leaf("value", "in", ["fine", "dull"])), 4],
          [both("same_row", leaf("metric.id", "eq", quick.id), leaf("value", "eq", true)), 2],
          [both("same_row", leaf("metric.id", "eq", quick.id), leaf("value", "eq", false)), 1],
          [both("same_row", leaf("metric.id", "eq", quick.id), leaf("value", "isnull", true)), 1],
          [both("same_row", leaf("metric.name", "eq", "Latency"), leaf("value", "gt", 1000)), 2],
          [both("and", leaf("metric.name", "eq", "Latency"), leaf("value", "eq", "dull")), 2],
          [both("same_row", leaf("metric.name", "eq", "Latency"), leaf("value", "eq", "dull")), 0],
          [both("not", both("same_row", leaf("metric.id", "eq", mood.id), leaf("value", "eq", "dull"))), 3],
          [leaf("value", "eq", 750), 2]
        ]
        const now = yield* DateTime.now
        for (const [filters_v2, count] of filters) {
          const stored = (yield* as(calls.list({ filters_v2 }))).results.map(({ id }) => id)
          const filter = Either.getOrThrow(Filters.parse(filters_v2))
          const inMemory = all.filter((call) =>
            FilterKit.matches(
              filter,
              {
                ...call,
                metadata: null,
                dynamicVariables: null,
                traceId: call.traceId === "" ? null : call.traceId,
                duration: call.durationSeconds,
                evaluations: call.metrics.map(({ id, name, value }) => ({ metricId: id, metricName: name, value }))
              },
              now
            )
          )
          expect([filters_v2, stored]).toEqual([filters_v2, inMemory.map(({ id }) => id)])
          expect([filters_v2, stored.length]).toEqual([filters_v2, count])
        }
      })
    )

    it.effect("appear in every kind of widget", () =>
      Effect.gen(function* () {
        const { agent, as, ingest, metrics, project, runner } = yield* fixture
        const code = (name: string, eval_type: string, custom_code: string, more: object = {}) =>
          as(metrics.create(untrusted({ agent: agent.id, name, type: "custom_code", eval_type, custom_code, ...more })))
        const mood = yield* code("mood", "enum", "return call.metadata.mood", { enum_values: ["fine", "dull"] })
        const score = yield* code("score", "numeric", "return call.metadata.score")
        for (const metadata of [
          { mood: "fine", score: 1 },
          { mood: "dull", score: 2 },
          { mood: "fine", score: 6 },
          { mood: "fine", score: null }
        ]) {
          yield* ingest({ metadata, timestamp: "2026-03-30T10:00:00Z" })
        }
        yield* runner.drain
        const dashboard = yield* as(Effect.flatMap(Dashboards, (all) => all.create({ name: "d", project: project.id })))
        const data = (widget: object) =>
          as(
            Effect.flatMap(Widgets, (widgets) =>
              widgets.preview(untrusted({ dashboard: dashboard.id, field: "metric_evaluations.value", ...widget }))
            )
          )
        const by = { type: "field", field: "metric_evaluations.value" }
        expect(yield* data({ chart_type: "pie", metric: mood.id, group_by: by })).toMatchObject({
          total: 4,
          series: [
            { label: "fine", total: 3 },
            { label: "dull", total: 1 }
          ]
        })
        for (const [aggregation_function, value] of [
          ["sum", 9],
          ["max", 6],
          ["p50", 2],
          ["count", 3]
        ] as const) {
          const bar = { chart_type: "bar", metric: score.id, aggregation_function, time_period: "day" }
          expect(yield* data(bar)).toMatchObject({ series: [{ points: [{ value }] }] })
        }
      })
    )
  })
}
