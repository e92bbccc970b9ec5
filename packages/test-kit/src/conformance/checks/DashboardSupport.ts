/** What the checks of dashboards and widgets share. */
import { type Fixture, PATHS } from "../Fixture.js"
import { type InvalidFilter, invalidFilter, invalidFilters } from "../../filters/InvalidFilters.js"
import * as fc from "fast-check"
import { bodyOf, Skipped } from "../Expect.js"
import { at, listAt } from "../../Documents.js"
import { setTimeout as sleep } from "node:timers/promises"

export const BAR = { chart_type: "bar", field: "duration", aggregation_function: "avg", time_period: "day" } as const

/** A widget of a dashboard of its own. */
export const widget = async (fixture: Fixture, fields: Readonly<Record<string, unknown>> = BAR) => {
  const dashboard = await fixture.dashboard()
  const made = await fixture.make(PATHS.widgets, { dashboard, ...fields })
  return { dashboard, made, path: `${PATHS.widgets}${String(made.id)}/` }
}

/** What no server reads as a document that a filter could stand in: told of the message as a whole. */
const NO_DOCUMENT = ["__proto__ as a key", "nested 2,000 deep"]

/** Wrong filters, each in its plainest form and some within others, with the path from the filter's root. */
export const notFilters: ReadonlyArray<InvalidFilter> = [
  ...invalidFilters,
  ...fc.sample(invalidFilter, { seed: 8, numRuns: 60 })
].filter(({ wrong }) => !NO_DOCUMENT.includes(wrong))

const DAY = 86_400_000

/** A call to be found: its length in seconds, how many milliseconds ago it was, its fields, and what a person said of it. */
export type Found = readonly [seconds: number, ago: number, fields: object, review: object]

/** Finds an agent's calls by a filter: their names in order. */
export const finder =
  (fixture: Fixture, agent: number, names: ReadonlyMap<unknown, string>) =>
  async (filter: unknown): Promise<string> => {
    const query = `agent_id=${agent}&limit=200&filters_v2=${encodeURIComponent(JSON.stringify(filter))}`
    const page = bodyOf(await fixture.get(`${PATHS.calls}?${query}`), 200)
    return listAt(page, "results")
      .map((one) => names.get(at(one, "id")) ?? "?")
      .sort()
      .join("")
  }

/** Calls of an agent of their own, by name: what finds them by filters. */
export const findable = async (fixture: Fixture, calls: Readonly<Record<string, Found>>) => {
  const agent = await fixture.quietAgent("Filtered")
  const now = Date.now()
  const names = new Map<unknown, string>()
  for (const [name, [seconds, ago, fields, review]] of Object.entries(calls)) {
    const made = await fixture.ingest({
      agent,
      call_id: name,
      timestamp: new Date(now - ago).toISOString(),
      transcript_json: [{ role: "Main Agent", content: "Hello", start_time: 0, end_time: seconds }],
      ...fields
    })
    names.set(made.id, name)
    if (Object.keys(review).length > 0) bodyOf(await fixture.patch(`${PATHS.calls}${String(made.id)}/`, review), 200)
  }
  return { agent, matching: finder(fixture, agent, names) }
}

export const HOUR = 3_600_000

export const fourCalls = (fixture: Fixture) =>
  findable(fixture, {
    a: [10, HOUR, { call_ended_reason: "hangup", metadata: { region: "eu", price: 5 } }, { success: true }],
    b: [20, HOUR, { call_ended_reason: "transfer", metadata: { region: "us", price: 7.5 } }, { success: false }],
    c: [30, HOUR, {}, {}],
    d: [40, 10 * DAY, { call_ended_reason: "Hangup late", metadata: { region: "eu", price: 0 } }, { success: true }]
  })

export type Filter = Readonly<Record<string, unknown>>

export const leaf = (field: string, op: string, value: unknown): Filter => ({ field, op, value })

export const group = (operator: string, ...conditions: ReadonlyArray<Filter>): Filter => ({ operator, conditions })

/** Seconds in which a server has evaluated a handful of calls. */
const PATIENCE_SECONDS = 20

/** Asks until it holds; where it does not in time, the server evaluates nothing for now. */
export const evaluated = async (holds: () => Promise<boolean>): Promise<void> => {
  const until = Date.now() + PATIENCE_SECONDS * 1000
  while (!(await holds())) {
    if (Date.now() > until) throw new Skipped(`the server evaluated no metric in ${PATIENCE_SECONDS} seconds`)
    await sleep(100)
  }
}

/** Of a chart with one series: when each point begins, and its value. */
export const pointsOf = (shown: unknown, series = 0): ReadonlyArray<readonly [begins: string, value: unknown]> =>
  listAt(shown, "series", series, "points").map((point) => [
    new Date(String(at(point, "timestamp"))).toISOString().slice(0, 16),
    at(point, "value")
  ])
