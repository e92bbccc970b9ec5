/** What charts show, through a door. */
import * as fc from "fast-check"
import { at, listAt } from "../Documents.js"
import { type AsyncLaw, asyncLaw, expectSame } from "../Law.js"
import { aggregateOf } from "./CallModel.js"
import { type CallWorld, DASHBOARDS, near, OBSERVE, WIDGETS } from "./CallWalks.js"

/** Calls of one day, by their lengths in seconds. */
const lengths = fc.array(fc.constantFrom(0.5, 1, 2, 7, 10, 30, 59.5, 90), { minLength: 1, maxLength: 6 })

/** What charts show of calls. Each try asks for a world of its own. */
export const chartDataLaws = (world: () => Promise<CallWorld>): ReadonlyArray<AsyncLaw> =>
  ["count", "sum", "avg", "min", "max", "p50", "p95", "p99"].map((aggregate) =>
    asyncLaw(
      `a bar shows the ${aggregate} of a day's calls`,
      [lengths],
      async (seconds) => {
        const { agent, door, project } = await world()
        for (const [at, end_time] of seconds.entries()) {
          const transcript_json = [{ role: "Main Agent", content: "Hello", start_time: 0, end_time }]
          const timestamp = "2026-03-10T12:00:00Z"
          await door("POST", OBSERVE, { call_id: String(at), agent, timestamp, transcript_json })
        }
        const dashboard = Number(at((await door("POST", DASHBOARDS, { name: "Day", project })).body, "id"))
        const chart = { chart_type: "bar", field: "duration", aggregation_function: aggregate, time_period: "day" }
        const widget = Number(at((await door("POST", WIDGETS, { dashboard, ...chart })).body, "id"))
        const { body } = await door("GET", `${WIDGETS}${widget}/data/`)
        const shown = listAt(body, "series").flatMap((series) =>
          listAt(series, "points").map((point) => [near(at(point, "value")), at(point, "count")])
        )
        expectSame(`the ${aggregate} of ${seconds.join(", ")}`, shown, [
          [near(aggregateOf(aggregate, seconds)), seconds.length]
        ])
        return true
      },
      8
    )
  )
