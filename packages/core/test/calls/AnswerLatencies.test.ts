import { Dashboards, untrusted, Widgets } from "@earshot/core"
import { SqliteStorage } from "@earshot/core/sqlite"
import { StorageKit, TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { fixture, quiet } from "./evaluations.js"

/** A conversation in which the agent answers after so many milliseconds. */
const answering = (latencies: ReadonlyArray<number>) =>
  latencies.flatMap((milliseconds, position) => {
    const start = 10 * position
    return [
      { role: "Testing Agent", content: "And now?", start_time: start, end_time: start + 1 },
      { role: "Main Agent", content: "Soon.", start_time: start + 1 + milliseconds / 1000, end_time: start + 9 }
    ]
  })

const rounded = (value: number | null) => (value === null ? null : Math.round(value * 1000) / 1000)

/** A file, whose charts are read in reader processes. */
const inFile = TestEngine.engine().pipe(
  Layer.provideMerge(
    Layer.unwrapScoped(
      Effect.map(StorageKit.emptyDatabase("sqlite"), (address) =>
        SqliteStorage.layer({ filename: address.slice("sqlite:".length) })
      )
    )
  )
)

for (const [database, engine] of [
  ["sqlite", TestEngine.layer("sqlite")],
  ["sqlite with readers", inFile],
  ["postgres", TestEngine.layer("postgres")]
] as const) {
  layer(Layer.merge(engine, quiet))(`latencies of answers on ${database}`, (it) => {
    const measured = Effect.gen(function* () {
      const made = yield* fixture
      const dashboard = yield* made.as(
        Effect.flatMap(Dashboards, (all) => all.create({ name: "Latency", project: made.project.id }))
      )
      const widgets = yield* Widgets
      return {
        ...made,
        /** The percentiles over answers and over calls. */
        shown: (filters: object | null = null) =>
          Effect.map(
            made.as(widgets.preview(untrusted({ dashboard: dashboard.id, chart_type: "stat", filters }))),
            (data) => (data.chartType === "stat" ? [rounded(data.p95Latency), rounded(data.p95CallLatency)] : [])
          )
      }
    })

    it.effect("are all counted, also those beyond the moments that an evaluation keeps", () =>
      Effect.gen(function* () {
        const { ingest, runner, shown } = yield* measured
        expect(yield* shown()).toEqual([null, null])
        // The last 20 of 200 are slow.
        yield* ingest({ transcript_json: answering(Array.from({ length: 200 }, (_, i) => (i < 180 ? 500 : 3000))) })
        yield* ingest({ transcript_json: answering([100, 100]) })
        // Without an answer there is nothing to count.
        yield* ingest({ transcript_json: answering([]) })
        yield* runner.drain
        // Means of 750 and 100.
        expect(yield* shown()).toEqual([3000, 717.5])
      })
    )

    it.effect("are those that the platform states where a format has no ends of turns", () =>
      Effect.gen(function* () {
        const { ingest, runner, shown } = yield* measured
        yield* ingest({
          transcript_type: "provider_a",
          transcript_json: {
            message: {
              type: "end-of-call-report",
              artifact: {
                messages: [
                  { role: "user", message: "Hi", secondsFromStart: 1 },
                  { role: "bot", message: "Hello.", secondsFromStart: 4 },
                  { role: "user", message: "Bye", secondsFromStart: 6 },
                  { role: "bot", message: "Bye.", secondsFromStart: 9 }
                ],
                performanceMetrics: { turnLatencies: [{ turnLatency: 800 }, { turnLatency: 1600.4 }] }
              }
            }
          }
        })
        yield* runner.drain
        expect(yield* shown()).toEqual([1560, 1200.2])
      })
    )

    it.effect("do not depend on the statistic that the metric of calls shows", () =>
      Effect.gen(function* () {
        const { as, ingest, metrics, runner, shown, slug } = yield* measured
        const { id } = yield* slug("latency_ms")
        yield* as(metrics.update(id, untrusted({ configuration: { statistic: "p50" } })))
        yield* ingest({ transcript_json: answering([100, 200, 900]) })
        yield* runner.drain
        expect(yield* shown()).toEqual([830, 200])
      })
    )

    it.effect("follow the call when it is delivered again, moves in time and is deleted", () =>
      Effect.gen(function* () {
        const { as, calls, ingest, runner, shown } = yield* measured
        const sent = { call_id: "again", call_ended_reason: "hangup" }
        const { id } = yield* ingest({ ...sent, transcript_json: answering([5000, 7000]) })
        yield* ingest({ call_id: "other", transcript_json: answering([1000]) })
        yield* runner.drain
        const before = { field: "timestamp", op: "lt", value: "2020-03-01T00:00:00Z" }
        const ended = { field: "call_ended_reason", op: "eq", value: "hangup" }
        expect([yield* shown(), yield* shown(ended), yield* shown(before)]).toEqual([
          [6800, 5750],
          [6900, 6000],
          [null, null]
        ])
        yield* ingest({ ...sent, timestamp: "2020-02-29T10:00:00Z", transcript_json: answering([400]) })
        yield* runner.drain
        expect([yield* shown(), yield* shown(ended), yield* shown(before)]).toEqual([
          [970, 970],
          [400, 400],
          [400, 400]
        ])
        yield* as(calls.delete(id))
        expect([yield* shown(), yield* shown(before)]).toEqual([
          [1000, 1000],
          [null, null]
        ])
        const sql = yield* SqlClient
        expect(yield* sql`SELECT call_id FROM answer_latencies WHERE call_id = ${id}`).toEqual([])
      })
    )

    it.effect("are those of the project alone, and of its calls of any length and time", () =>
      Effect.gen(function* () {
        const { ingest, runner, shown } = yield* measured
        const stranger = yield* measured
        // One answer after more than a minute, one that begins before the user has ended.
        yield* ingest({
          transcript_json: [
            { role: "Testing Agent", content: "Hello?", start_time: 0, end_time: 1 },
            { role: "Main Agent", content: "Hello.", start_time: 70, end_time: 71 },
            { role: "Testing Agent", content: "Are you there?", start_time: 72, end_time: 73 },
            { role: "Main Agent", content: "Yes.", start_time: 72.9, end_time: 74 }
          ]
        })
        yield* runner.drain
        // Of -100 and 69,000.
        expect(yield* shown()).toEqual([65_545, 34_450])
        expect(yield* stranger.shown()).toEqual([null, null])
      })
    )
  })
}
