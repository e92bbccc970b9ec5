/** The data of widgets. */
import { type Fixture, PATHS } from "../Fixture.js"
import { bodyOf, expectNear, expectEqual, expectTrue } from "../Expect.js"
import { checksOf } from "../Check.js"
import { at, listAt } from "../../Documents.js"
import { BAR, leaf, evaluated, pointsOf } from "./DashboardSupport.js"

const CALLS = 20

/** Twenty calls of one day that last 1 to 20 seconds, half of those that are judged successful. */
const twentyCalls = async (fixture: Fixture) => {
  const agent = await fixture.quietAgent("Charted")
  for (let seconds = 1; seconds <= CALLS; seconds++) {
    const made = await fixture.ingest({
      agent,
      call_id: String(seconds),
      timestamp: `2026-03-10T${String(seconds).padStart(2, "0")}:00:00Z`,
      call_ended_reason: seconds <= 15 ? "hangup" : "transfer",
      transcript_json: [{ role: "Main Agent", content: "Hello", start_time: 0, end_time: seconds }]
    })
    if (seconds <= 8) bodyOf(await fixture.patch(`${PATHS.calls}${String(made.id)}/`, { success: seconds <= 2 }), 200)
  }
  return fixture.dashboard({ filters: leaf("agent.id", "eq", agent) })
}

/** Of 1, 2, ... 20. Percentiles interpolate between ranks (docs/decisions/0030-exact-percentiles.md). */
const aggregates = { count: 20, sum: 210, avg: 10.5, min: 1, max: 20, p50: 10.5, p95: 19.05, p99: 19.81 } as const

export const widgetData = checksOf("widget-data", {
  aggregates: [
    "a bar shows count, sum, avg, min, max and exact percentiles of its field, a stat the four figures, a pie its slices",
    async (fixture) => {
      const dashboard = await twentyCalls(fixture)
      const show = async (fields: Readonly<Record<string, unknown>>) => {
        const preview = await fixture.post(`${PATHS.widgets}preview_data/`, { dashboard, ...fields })
        const id = await fixture.makeId(PATHS.widgets, { dashboard, ...fields })
        const shown = bodyOf(await fixture.get(`${PATHS.widgets}${id}/data/`), 200)
        expectEqual("what is previewed", bodyOf(preview, 200), shown)
        return shown
      }
      for (const [name, expected] of Object.entries(aggregates)) {
        const shown = await show({ ...BAR, aggregation_function: name })
        const points = listAt(shown, "series", 0, "points")
        expectTrue(`${name} has ${points.length} points; expected the one day`, points.length === 1)
        expectNear(name, at(points[0], "value"), expected)
        expectEqual("the day", new Date(String(at(points[0], "timestamp"))).toISOString(), "2026-03-10T00:00:00.000Z")
      }
      const stat = await show({ chart_type: "stat" })
      expectEqual("total_calls", stat.total_calls, CALLS)
      expectNear("success_rate", stat.success_rate, 0.25)
      expectNear("avg_duration", stat.avg_duration, 10.5)
      for (const name of ["p95_latency", "p95_call_latency"]) expectTrue(`there is no ${name}`, name in stat)
      const pie = await show({ chart_type: "pie", field: "call_ended_reason" })
      expectEqual(
        "the slices",
        listAt(pie, "series", 0, "points").map((slice) => [at(slice, "key"), at(slice, "value")]),
        [
          ["hangup", 15],
          ["transfer", 5]
        ]
      )
    }
  ],
  latency: [
    "p95_latency is the 95th percentile of all answers' latencies, p95_call_latency of the calls' latency_ms",
    async (fixture) => {
      const agent = await fixture.quietAgent("Timed")
      const of = { project: await fixture.project(), filters: leaf("agent.id", "eq", agent) }
      const stat = { dashboard: await fixture.dashboard(of), chart_type: "stat" }
      const show = async () => bodyOf(await fixture.post(`${PATHS.widgets}preview_data/`, stat), 200)
      const none = await show()
      expectEqual("p95_latency of no calls", none.p95_latency, null)
      expectEqual("p95_call_latency of no calls", none.p95_call_latency, null)
      const paths: Array<string> = []
      for (let tenths = 1; tenths <= CALLS; tenths++) {
        const { id } = await fixture.ingest({
          agent,
          call_id: String(tenths),
          transcript_json: [
            { role: "Testing Agent", content: "Hello?", start_time: 0, end_time: 1 },
            { role: "Main Agent", content: "Hello", start_time: 1 + tenths / 10, end_time: 4 },
            { role: "Testing Agent", content: "Thank you.", start_time: 5, end_time: 6 },
            { role: "Main Agent", content: "Goodbye", start_time: 6, end_time: 7 }
          ]
        })
        paths.push(`${PATHS.calls}${String(id)}/`)
      }
      for (const path of paths)
        await evaluated(async () => listAt(bodyOf(await fixture.get(path), 200), "metrics").length > 0)
      const { p95_call_latency, p95_latency } = await show()
      // Of 20 times 0, and 100, 200, ... 2000: position 37.05.
      expectNear("p95_latency", p95_latency, 1805)
      // Of 50, 100, ... 1000: position 18.05.
      expectNear("p95_call_latency", p95_call_latency, 952.5)
    }
  ],
  periods: [
    "bars by hour, day, week (from Monday) and month start in UTC; a line shows its field's mean",
    async (fixture) => {
      const agent = await fixture.quietAgent("Charted by time")
      const call = async (call_id: string, timestamp: string, seconds: number, success: boolean) => {
        const made = await fixture.ingest({
          agent,
          call_id,
          timestamp,
          call_ended_reason: success ? "hangup" : "transfer",
          transcript_json: [{ role: "Main Agent", content: "Hello", start_time: 0, end_time: seconds }]
        })
        bodyOf(await fixture.patch(`${PATHS.calls}${String(made.id)}/`, { success }), 200)
      }
      // A Sunday and a Monday, then a Tuesday and a Wednesday of two months and one week.
      await call("a", "2026-03-01T23:59:59.999Z", 5, true)
      await call("b", "2026-03-02T00:00:00Z", 7, true)
      await call("c", "2026-03-02T00:45:00Z", 9, false)
      await call("d", "2026-03-31T10:00:00Z", 11, true)
      await call("e", "2026-04-01T02:00:00+02:00", 13, true)
      const dashboard = await fixture.dashboard({ filters: leaf("agent.id", "eq", agent) })
      const show = async (fields: object) =>
        bodyOf(await fixture.post(`${PATHS.widgets}preview_data/`, { dashboard, ...fields }), 200)
      const bar = { chart_type: "bar", field: "duration", aggregation_function: "sum" }
      const early = { filters: leaf("timestamp", "lt", "2026-03-03") }
      const known = (points: ReturnType<typeof pointsOf>) => points.filter(([, value]) => value !== null)

      const hours = await show({ ...bar, ...early, time_period: "hour" })
      expectEqual("the hours", pointsOf(hours), [
        ["2026-03-01T23:00", 5],
        ["2026-03-02T00:00", 16]
      ])
      const days = await show({ ...bar, time_period: "day" })
      expectEqual("the number of days", pointsOf(days).length, 32)
      expectEqual("the days", known(pointsOf(days)), [
        ["2026-03-01T00:00", 5],
        ["2026-03-02T00:00", 16],
        ["2026-03-31T00:00", 11],
        ["2026-04-01T00:00", 13]
      ])
      const weeks = await show({ ...bar, time_period: "week" })
      expectEqual("the weeks", pointsOf(weeks), [
        ["2026-02-23T00:00", 5],
        ["2026-03-02T00:00", 16],
        ["2026-03-09T00:00", null],
        ["2026-03-16T00:00", null],
        ["2026-03-23T00:00", null],
        ["2026-03-30T00:00", 24]
      ])
      const counted = await show({ ...bar, aggregation_function: "count", time_period: "week" })
      expectEqual(
        "the calls of the weeks",
        pointsOf(counted).map(([, count]) => count),
        [1, 2, 0, 0, 0, 2]
      )
      const months = await show({ ...bar, time_period: "month" })
      expectEqual("the months", pointsOf(months), [
        ["2026-03-01T00:00", 32],
        ["2026-04-01T00:00", 13]
      ])
      const line = await show({ chart_type: "line", field: "duration", ...early })
      expectEqual("the line's hours", pointsOf(line), [
        ["2026-03-01T23:00", 5],
        ["2026-03-02T00:00", 8]
      ])
      const share = await show({ chart_type: "line", field: "success", ...early })
      expectEqual(
        "the line of success",
        pointsOf(share).map(([, value]) => value),
        [1, 0.5]
      )
      const halves = { type: "bucket", interval: 1_800_000 }
      const buckets = await show({ ...bar, ...early, time_period: "hour", group_by: halves })
      expectEqual("the half hours", pointsOf(buckets), [
        ["2026-03-01T23:30", 5],
        ["2026-03-02T00:00", 7],
        ["2026-03-02T00:30", 9]
      ])
      const reasons = { type: "field", field: "call_ended_reason" }
      const grouped = await show({ ...bar, time_period: "month", group_by: reasons })
      expectEqual(
        "the series",
        listAt(grouped, "series").map((series, position) => [at(series, "key"), pointsOf(grouped, position)]),
        [
          [
            "hangup",
            [
              ["2026-03-01T00:00", 23],
              ["2026-04-01T00:00", 13]
            ]
          ],
          [
            "transfer",
            [
              ["2026-03-01T00:00", 9],
              ["2026-04-01T00:00", null]
            ]
          ]
        ]
      )
    }
  ]
})
