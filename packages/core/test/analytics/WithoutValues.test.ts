import { Calls, Dashboards, type Permission, Widgets, untrusted } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"

for (const database of TestEngine.databases) {
  layer(TestEngine.layer(database))(`data of widgets on ${database}`, (it) => {
    it.effect("has counts and no value of a call for a caller that may not read calls", () =>
      Effect.gen(function* () {
        const { actor, agent, project } = yield* TestEngine.fixture
        const calls = yield* Calls
        const widgets = yield* Widgets
        const as = TestEngine.as(actor)
        const seconds = [12, 12, 30]
        yield* Effect.forEach(seconds, (end_time, n) =>
          as(
            calls.ingest({
              call_id: `call-${n}`,
              agent: agent.id,
              timestamp: "2026-01-05T10:00:00Z",
              customer_number: `+1555000${end_time}`,
              transcript_json: [{ role: "Main Agent", content: "Hello", start_time: 0, end_time }]
            })
          )
        )
        const { id: dashboard } = yield* as(
          Effect.flatMap(Dashboards, (all) => all.create({ name: "D", project: project.id }))
        )
        const holding = (...permissions: ReadonlyArray<Permission>) =>
          TestEngine.as({ ...actor, permissions: new Set(permissions) })
        const both = (chart: object) =>
          Effect.gen(function* () {
            const draft = { dashboard, ...chart }
            const { id } = yield* as(widgets.create(untrusted(draft)))
            const shown = yield* widgets.data(id).pipe(holding("dashboards:read", "calls:read"))
            const hidden = yield* widgets.data(id).pipe(holding("dashboards:read"))
            expect(yield* widgets.preview(untrusted(draft)).pipe(holding("dashboards:write"))).toEqual(hidden)
            expect(yield* widgets.preview(untrusted(draft)).pipe(holding("dashboards:write", "calls:read"))).toEqual(
              shown
            )
            return { shown, hidden }
          })

        const pie = yield* both({ chart_type: "pie", field: "customer_number" })
        expect(pie.shown).toMatchObject({ series: [{ points: [{ key: "+155500012", value: 2 }, { value: 1 }] }] })
        expect(pie.hidden).toMatchObject({
          total: 3,
          series: [
            {
              points: [
                { kind: "value", key: null, label: "(hidden)", value: 2 },
                { kind: "value", key: null, label: "(hidden)", value: 1 }
              ]
            }
          ]
        })
        const all = yield* Effect.flatMap(Dashboards, (dashboards) => dashboards.data(dashboard)).pipe(
          holding("dashboards:read")
        )
        expect(all.widgets.map(({ data }) => data)).toEqual([pie.hidden])
        const bar = { chart_type: "bar", field: "duration", time_period: "day" }
        const group_by = { type: "field", field: "customer_number" }
        const longest = yield* both({ ...bar, aggregation_function: "max", group_by })
        expect(longest.shown).toMatchObject({ series: [{ key: "+155500012", points: [{ value: 12, count: 2 }] }, {}] })
        expect(longest.hidden).toMatchObject({
          series: [{ key: null, label: "(hidden)", points: [{ value: null, count: 2 }] }, { points: [{ count: 1 }] }]
        })
        const counted = yield* both({ ...bar, aggregation_function: "count" })
        expect(counted.hidden).toEqual(counted.shown)
        const line = yield* both({ chart_type: "line", field: "duration" })
        expect(JSON.stringify(line.hidden)).not.toMatch(/"value":\d/)
        const stat = yield* both({ chart_type: "stat" })
        expect(stat.shown).toMatchObject({ totalCalls: 3, avgDuration: 18 })
        expect(stat.hidden).toEqual({
          chartType: "stat",
          totalCalls: 3,
          successRate: null,
          avgDuration: null,
          p95Latency: null,
          p95CallLatency: null
        })
      })
    )
  })
}
