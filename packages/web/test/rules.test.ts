import { decodeMulaw, startOf } from "../src/rules/callSound.js"
import { EarshotError } from "@earshot/client"
import { describe, expect, it } from "vitest"
import { agentBodyOf, agentFormOf, NEW_AGENT, repeatedHeader } from "../src/rules/agentDraft.js"
import * as Actions from "../src/rules/actions.js"
import * as Charts from "../src/rules/charts.js"
import { fieldsWithIds, fileOf, readFile } from "../src/rules/dashboardFile.js"
import { expiryAfter, frameOf, shareAddress, sharedWith } from "../src/rules/share.js"
import { bodyOf, newForm } from "../src/rules/evaluatorDraft.js"
import { fieldMessages, isPlaced } from "../src/rules/fieldErrors.js"
import * as Facets from "../src/rules/facets.js"
import * as Filter from "../src/rules/filter.js"
import * as Format from "../src/rules/format.js"
import * as Turns from "../src/rules/turns.js"
import * as SuiteText from "../src/rules/suiteText.js"
import * as Views from "../src/rules/views.js"

const failed: Filter.Leaf = { field: "success", op: "eq", value: false }
const recent: Filter.Leaf = { field: "timestamp", op: "gte", value: "today-7d" }
const either: Filter.Group = { operator: "or", conditions: [failed, recent] }

describe("filters", () => {
  it("are read from JSON as they are", () => {
    for (const filter of [failed, either, { operator: "not", conditions: [either] }] as const) {
      expect(Filter.readFilter(JSON.parse(JSON.stringify(filter)))).toEqual(filter)
    }
    for (const empty of [null, {}]) expect(Filter.readFilter(empty)).toBe(null)
  })

  it("are not read from anything else", () => {
    let deep: unknown = failed
    for (let depth = 0; depth < 1_000; depth++) deep = { operator: "and", conditions: [deep] }
    for (const value of [
      1,
      "x",
      [],
      { field: "success" },
      { field: 1, op: "eq", value: 1 },
      { field: "x", op: "like", value: 1 },
      { field: "x", op: "eq" },
      { operator: "xor", conditions: [] },
      { operator: "and", conditions: [1] },
      { operator: "and" },
      deep
    ]) {
      expect(Filter.readFilter(value), JSON.stringify(value).slice(0, 80)).toBe(undefined)
    }
  })

  it("are joined with `and`, flattened, and without empty ones", () => {
    const and: Filter.Group = { operator: "and", conditions: [failed, recent] }
    expect(Filter.both(failed, null, recent)).toEqual(and)
    expect(Filter.both(and, either)).toEqual({ operator: "and", conditions: [failed, recent, either] })
    expect(Filter.both(null, { operator: "and", conditions: [] }, failed)).toEqual(failed)
    expect(Filter.both()).toBe(null)
    expect(Filter.fromConditions(Filter.topConditions(and))).toEqual(and)
    expect(Filter.fromConditions(Filter.topConditions(either))).toEqual(either)
  })

  it("keep the type of a value that is typed", () => {
    expect(Filter.readValue("7", "duration", "gte")).toBe(7)
    expect(Filter.readValue("7", "topic", "eq")).toBe("7")
    expect(Filter.readValue("a, b", "topic", "in")).toEqual(["a", "b"])
    expect(Filter.readValue("1, 2", "id", "in")).toEqual([1, 2])
    expect(Filter.readValue("false", "success", "eq")).toBe(false)
    expect(Filter.readValue("true", "metadata.vip", "eq")).toBe(true)
    expect(Filter.readValue("today-7d", "timestamp", "gte")).toBe("today-7d")
    expect(Filter.readValue('"2"', "metadata.seats", "eq")).toBe("2")
    expect(Filter.readValue('["a, b", "c"]', "topic", "in")).toEqual(["a, b", "c"])
    expect(Filter.readValue("a,", "topic", "in")).toEqual(["a"])
    expect(Filter.typedValue(["a", "b"], "topic")).toBe("a, b")
  })

  it.each<readonly [string, unknown]>([
    ["metadata.seats", "2"],
    ["metadata.seats", 2],
    ["metadata.vip", "true"],
    ["metadata.vip", true],
    ["metadata.note", '"quoted"'],
    ["topic", "a, b"],
    ["topic", "2"],
    ["topic", " "],
    ["id", 7]
  ])("show a value of %s so that it is read as the same: %j", (field, value) => {
    expect(Filter.readValue(Filter.typedValue(value, field), field, "eq")).toEqual(value)
    const list = [value, "other"]
    expect(Filter.readValue(Filter.typedValue(list, field), field, "in")).toEqual(list)
  })

  it("get and lose the value of a facet", () => {
    const condition = Facets.conditionOf("metadata.region", "eu")
    const added = Facets.toggled(failed, condition)
    expect(added).toEqual({ operator: "and", conditions: [failed, condition] })
    expect(Facets.hasCondition(added, condition)).toBe(true)
    expect(Facets.toggled(added, condition)).toEqual(failed)
    expect(Facets.toggled(condition, condition)).toBe(null)
    expect(Facets.conditionOf("topic", null)).toEqual({ field: "topic", op: "isnull", value: true })
    // A value of another type is another value.
    expect(
      Facets.hasCondition(Facets.conditionOf("metadata.seats", 2), Facets.conditionOf("metadata.seats", "2"))
    ).toBe(false)
  })

  it("offer the operators that apply to a field", () => {
    expect(Filter.operatorsOf("success")).toEqual(["eq", "neq", "in", "isnull"])
    expect(Filter.operatorsOf("timestamp")).not.toContain("contains")
    expect(Filter.operatorsOf("topic")).toEqual([...Filter.OPERATORS])
  })

  it("are described in words", () => {
    expect(Filter.describe(failed)).toBe("success is false")
    expect(Filter.describe({ operator: "not", conditions: [either] })).toBe(
      "not ((success is false or time at least today-7d))"
    )
    expect(Filter.describe({ field: "topic", op: "isnull", value: false })).toBe("topic is present")
  })
})

describe("formats", () => {
  it("write times in UTC", () => {
    const now = new Date("2026-11-22T20:00:00Z")
    expect(Format.shortTime("2026-11-02T04:07:31Z", now)).toBe("2 Nov 04:07")
    expect(Format.shortTime("2025-01-31T23:59:00+01:00", now)).toBe("31 Jan 2025 22:59")
    expect(Format.shortTime("soon", now)).toBe("soon")
    expect(Format.fullTime("2026-11-02T04:07:31.500Z")).toBe("2026-11-02 04:07:31 UTC")
  })

  it("write durations and shares", () => {
    expect([0, 5, 65, 3665, -1].map(Format.clock)).toEqual(["0:00", "0:05", "1:05", "1:01:05", "0:00"])
    expect(Format.percent(0.7014)).toBe("70.1 %")
    expect(Format.seconds(0.84)).toBe("0.8 s")
    expect([null, true, 2.345, "yes"].map(Format.metricValue)).toEqual(["–", "Yes", "2.35", "yes"])
    const scores = [
      { better: "higher", value: true },
      { better: "lower", value: true },
      { better: "lower", value: false },
      { better: null, value: false },
      { better: "lower", value: 2.345 },
      { better: "higher", value: null }
    ] as const
    expect(scores.map(Format.score)).toEqual(["Passed", "Failed", "Passed", "No", "2.35", "–"])
  })
})

describe("charts", () => {
  const charted: Charts.Charted = {
    effective: failed,
    field: "duration",
    dataType: "numeric",
    metric: null,
    groupBy: null
  }
  const all: Charts.GroupOf = { kind: "all", key: null }
  const valueOf = (key: string | number | boolean): Charts.GroupOf => ({ kind: "value", key })
  const period = { start: "2026-03-01T00:00:00Z", end: "2026-04-01T00:00:00Z" }

  it("open the calls of a period and group that have a value", () => {
    const groupBy = { type: "field", field: "metadata.region" } as const
    expect(Charts.callsBehind({ ...charted, groupBy }, { group: valueOf("eu"), period })).toEqual({
      operator: "and",
      conditions: [
        failed,
        { field: "timestamp", op: "gte", value: period.start },
        { field: "timestamp", op: "lt", value: period.end },
        { field: "metadata.region", op: "eq", value: "eu" },
        { field: "duration", op: "isnull", value: false }
      ]
    })
    expect(Charts.callsBehind({ ...charted, effective: null, field: "id" }, { group: all })).toBe(null)
    const none = Charts.callsBehind(
      { ...charted, effective: null, field: "id", groupBy },
      { group: { kind: "none", key: null } }
    )
    expect(none).toEqual({ field: "metadata.region", op: "isnull", value: true })
  })

  it("open nothing where no filter says which calls", () => {
    const other: Charts.GroupOf = { kind: "other", key: null }
    expect(Charts.callsBehind(charted, { group: all, slice: other })).toBe(undefined)
    expect(Charts.callsBehind({ ...charted, groupBy: { type: "field", field: "topic" } }, { group: other })).toBe(
      undefined
    )
    // The value is hidden from those who may not read calls.
    expect(Charts.callsBehind(charted, { group: all, slice: { kind: "value", key: null } })).toBe(undefined)
    const ofMetric = { ...charted, groupBy: { type: "field", field: "metric_evaluations.metric.name" } as const }
    expect(Charts.callsBehind(ofMetric, { group: { kind: "none", key: null } })).toBe(undefined)
  })

  it("open the calls of a slice, of the interval of a group, and of a line of a text", () => {
    const pie = { ...charted, effective: null, field: "topic", dataType: "string" as const }
    expect(Charts.callsBehind(pie, { group: all, slice: valueOf("Billing") })).toEqual({
      field: "topic",
      op: "eq",
      value: "Billing"
    })
    const groupBy = { type: "bucket", interval: 60_000 } as const
    expect(
      Charts.callsBehind({ ...pie, groupBy }, { group: valueOf("2026-03-01T00:00:00.000Z"), slice: valueOf("Billing") })
    ).toEqual({
      operator: "and",
      conditions: [
        { field: "timestamp", op: "gte", value: "2026-03-01T00:00:00.000Z" },
        { field: "timestamp", op: "lt", value: "2026-03-01T00:01:00.000Z" },
        { field: "topic", op: "eq", value: "Billing" }
      ]
    })
    expect(Charts.callsBehind(pie, { group: valueOf("Billing") })).toEqual({
      field: "topic",
      op: "eq",
      value: "Billing"
    })
  })

  it("open the calls of values of one metric, of the type that the chart counts", () => {
    const metric = { ...charted, effective: null, field: "metric_evaluations.value", metric: 7 }
    expect(Charts.callsBehind({ ...metric, dataType: "boolean" }, { group: all })).toEqual({
      operator: "same_row",
      conditions: [
        { field: "metric_evaluations.metric.id", op: "eq", value: 7 },
        { field: "metric_evaluations.value", op: "in", value: [true, false] }
      ]
    })
    expect(Charts.callsBehind(metric, { group: all })).toEqual({
      operator: "same_row",
      conditions: [
        { field: "metric_evaluations.metric.id", op: "eq", value: 7 },
        {
          operator: "or",
          conditions: [
            { field: "metric_evaluations.value", op: "gte", value: 0 },
            { field: "metric_evaluations.value", op: "lt", value: 0 }
          ]
        }
      ]
    })
    expect(Charts.callsBehind(metric, { group: all, slice: valueOf(3) })).toEqual({
      operator: "same_row",
      conditions: [
        { field: "metric_evaluations.metric.id", op: "eq", value: 7 },
        { field: "metric_evaluations.value", op: "eq", value: 3 }
      ]
    })
  })

  it("stack bars so that each part is as high as its value, and know which part a click is on", () => {
    const values = [
      [3, null],
      [2, null],
      [null, null]
    ]
    const drawn = Charts.stacked(values)
    expect(drawn).toEqual([
      [5, null],
      [2, null],
      [null, null]
    ])
    const at = drawn.map(([first]) => first)
    expect([1, 2, 2.5, 5, 5.1].map((y) => Charts.pickedSeries(at, y, true))).toEqual([1, 1, 0, 0, undefined])
    expect(Charts.pickedSeries([10, null, 4], 6, false)).toBe(2)
    expect(Charts.pickedSeries([null], 6, false)).toBe(undefined)
    // Of parts that reach as high, the one that is drawn last.
    expect(Charts.pickedSeries([4, 4], 3, true)).toBe(1)
  })

  it("keep moved and resized widgets on the grid", () => {
    const place = { x: 6, y: 0, w: 6, h: 3 }
    expect(Charts.moved(place, 5, -1)).toEqual(place)
    expect(Charts.moved(place, -9, 2)).toEqual({ ...place, x: 0, y: 2 })
    expect(Charts.resized(place, 9, 99)).toEqual({ ...place, h: 12 })
    expect(Charts.resized(place, -9, -9)).toEqual({ ...place, w: 2, h: 1 })
    expect(Charts.withPlace({ owner: "a", layout: 1 }, place)).toEqual({ owner: "a", layout: place })
    expect(Charts.withPlace([1], place)).toEqual({ layout: place })
  })

  it("move others out of the way of a widget that is put somewhere, and overlap nowhere", () => {
    const places = new Map([
      [1, { x: 0, y: 0, w: 6, h: 3 }],
      [2, { x: 6, y: 0, w: 6, h: 3 }],
      [3, { x: 0, y: 3, w: 12, h: 1 }]
    ])
    const arranged = Charts.arranged(places, 2, { x: 3, y: 0, w: 6, h: 3 })
    expect(Object.fromEntries(arranged)).toEqual({
      1: { x: 0, y: 3, w: 6, h: 3 },
      2: { x: 3, y: 0, w: 6, h: 3 },
      3: { x: 0, y: 6, w: 12, h: 1 }
    })
    // Stored as they are, they are the places of the next time.
    const widgets = [...arranged].map(([id, layout]) => ({ id, chart_type: "bar", metadata: { layout } }))
    expect(Charts.placesOf(widgets)).toEqual(arranged)
  })

  it("end periods by the calendar in UTC, or after their interval", () => {
    const start = "2026-12-31T23:00:00Z"
    expect(Charts.periodEnd(start, "hour", null)).toBe("2027-01-01T00:00:00.000Z")
    expect(Charts.periodEnd("2026-12-01T00:00:00Z", "month", null)).toBe("2027-01-01T00:00:00.000Z")
    expect(Charts.periodEnd(start, null, 90_000)).toBe("2026-12-31T23:01:30.000Z")
  })

  it("align series on one list of times, with gaps", () => {
    const point = (timestamp: string, value: number | null) => ({ timestamp, value })
    const { times, values } = Charts.aligned([
      { points: [point("2026-01-02T00:00:00Z", 2)] },
      { points: [point("2026-01-01T00:00:00Z", 1), point("2026-01-02T00:00:00Z", null)] }
    ])
    expect(times).toHaveLength(2)
    expect(values).toEqual([
      [null, 2],
      [1, null]
    ])
  })

  it("place widgets on the grid without overlap, whatever their metadata says", () => {
    const metadata: ReadonlyArray<unknown> = [
      null,
      { layout: { x: 0, y: 0, w: 6, h: 3 } },
      { layout: { x: 2, y: 1, w: 6, h: 3 } },
      { layout: { x: 11, y: 0, w: 6, h: 1 } },
      { layout: { x: -1, y: 0, w: 99, h: "1" } },
      { layout: null },
      [],
      7
    ]
    const widgets = metadata.map((one, id) => ({ id, chart_type: id === 0 ? "stat" : "bar", metadata: one }))
    const places = [...Charts.placesOf(widgets).values()]
    expect(places).toHaveLength(widgets.length)
    const cells = places.flatMap(({ h, w, x, y }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`)
    )
    expect(new Set(cells).size).toBe(cells.length)
    for (const { w, x } of places) expect(x + w).toBeLessThanOrEqual(12)
  })
})

describe("turns", () => {
  const turn = (role: string, start_time: number | null, end_time: number | null) => ({
    role,
    content: "",
    start_time,
    end_time
  })
  const turns = [
    turn("Main Agent", 0, 2),
    turn("Testing Agent", 3, 5),
    turn("Main Agent", 4.5, 6),
    turn("Main Agent", 7, null)
  ]

  it("have a gap to the turn of the other speaker, which is negative if they overlap", () => {
    expect(turns.map((_, index) => Turns.gapBefore(turns, index))).toEqual([null, 1, -0.5, null])
  })

  it("have each tool call before the first turn that begins after it", () => {
    const tool = (start_time: number | null) => ({ start_time })
    const order = (tools: ReadonlyArray<{ start_time: number | null }>) =>
      Turns.rowsOf(turns, tools).map(({ index, kind }) => `${kind} ${index}`)
    expect(order([])).toEqual(turns.map((_, index) => `turn ${index}`))
    expect(order([tool(null), tool(3.5), tool(2), tool(2), tool(99), tool(3)])).toEqual([
      "turn 0",
      "tool 2",
      "tool 3",
      "turn 1",
      "tool 5",
      "tool 1",
      "turn 2",
      "turn 3",
      "tool 4",
      "tool 0"
    ])
    expect(Turns.rowsOf([turn("Main Agent", null, null)], [tool(0), tool(null)])).toHaveLength(3)
  })

  it("have the stages that were measured, in the order of an answer", () => {
    const stages = Turns.stagesByTurn([
      {
        turn: 3,
        stages: { end_to_end: { seconds: 0.85, source: "e2e" }, speech_to_text: { seconds: 0, source: "asr" } }
      }
    ])
    expect([...stages]).toEqual([
      [
        2,
        [
          { name: "Speech to text", seconds: 0, source: "asr" },
          { name: "End to end", seconds: 0.85, source: "e2e" }
        ]
      ]
    ])
    expect(Format.milliseconds(0.85)).toBe("850 ms")
  })

  it("are found by time", () => {
    expect([-1, 0, 2.5, 4.6, 99].map((second) => Turns.turnAt(turns, second))).toEqual([-1, 0, 0, 2, 3])
    expect(Turns.lastEnd(turns)).toBe(7)
    expect(Turns.lastEnd([turn("Main Agent", null, null)])).toBe(0)
  })

  it("mark placeholders of redacted values", () => {
    expect(Turns.redactedParts("It's [PERSON_NAME], [not one]")).toEqual([
      { text: "It's ", isRedacted: false },
      { text: "[PERSON_NAME]", isRedacted: true },
      { text: ", [not one]", isRedacted: false }
    ])
  })
})

describe("the places of errors in a suite", () => {
  const spec = { version: "1", suite: { name: "Smoke" }, scenarios: [{ key: "a" }, { key: "b", frequency: 0 }] }
  const errors = { "scenarios[1].frequency": ["Too small."], "scenarios[0].name": ["Required."], agent: ["Unknown."] }

  it("are those of the values in JSON, and of what surrounds a value that is missing", () => {
    const text = JSON.stringify(spec, null, 2).replaceAll("\n", "\r\n")
    const found = SuiteText.placeErrors(text, errors)
    expect(found.map(({ path, place }) => [path, place?.line, place?.column])).toEqual([
      ["agent", 1, 1],
      ["scenarios[0].name", 7, 5],
      ["scenarios[1].frequency", 12, 20]
    ])
    expect(text[found[2]?.place?.offset ?? 0]).toBe("0")
  })

  it("are found in YAML", () => {
    const text = 'version: "1"\nsuite: {name: Smoke}\nscenarios:\n  - key: a\n  - key: b\n    frequency: 0\n'
    expect(SuiteText.placeErrors(text, errors).map(({ place }) => [place?.line, place?.column])).toEqual([
      [1, 1],
      [4, 5],
      [6, 16]
    ])
  })

  it("are the stated ones where the syntax is invalid, and none in CSV", () => {
    const broken = SuiteText.placeErrors('{\n  "suite": ,\n}', {
      spec: ["This is not valid JSON (line 2, column 12)."]
    })
    expect(broken[0]?.place).toEqual({ offset: 13, line: 2, column: 12 })
    expect(SuiteText.placeErrors("key,name\na,A\n", { "scenarios[0].type": ["Required."] })[0]).toMatchObject({
      path: "scenarios[0].type",
      message: "Required."
    })
  })

  it("are within the text, wherever the text breaks off", () => {
    const texts = [JSON.stringify(spec, null, 1), 'a: &x [1, "b\n', "? - *y\n- {", "<<: *z\nkey: !!binary |\n  x"]
    for (const whole of texts) {
      for (let end = 0; end <= whole.length; end++) {
        const text = whole.slice(0, end)
        for (const { place } of SuiteText.placeErrors(text, { ...errors, "": ["Wrong."], "[0]..x[": ["Wrong."] })) {
          expect(place?.offset ?? 0).toBeLessThanOrEqual(text.length)
          expect(place?.line ?? 1).toBeGreaterThanOrEqual(1)
          expect(place?.column ?? 1).toBeGreaterThanOrEqual(1)
        }
      }
    }
  })
})

describe("conditional actions", () => {
  const item = (condition: string | number): Actions.Item => ({
    condition,
    action: `after ${condition}`,
    type: "standard",
    fixed_message: false
  })
  const actions: Actions.Actions = { role: "A caller", items: [item("FIRST_MESSAGE"), item("asks"), item(1), item(2)] }

  it("are written with ids from 0 in their order, and read back", () => {
    expect(Actions.toWire(actions).conditions.map(({ id }) => id)).toEqual([0, 1, 2, 3])
    expect(Actions.ofWire(Actions.toWire(actions))).toEqual(actions)
  })

  it("keep references to items that move, and blank those to an item that is removed", () => {
    const conditions = (of: Actions.Actions) => of.items.map(({ condition }) => condition)
    expect(conditions(Actions.raised(actions, 2))).toEqual(["FIRST_MESSAGE", 2, "asks", 1])
    expect(Actions.raised(Actions.raised(actions, 2), 2)).toEqual(actions)
    expect(conditions(Actions.removed(actions, 2))).toEqual(["FIRST_MESSAGE", "asks", ""])
    expect(conditions(Actions.removed(actions, 1))).toEqual(["FIRST_MESSAGE", "", 1])
  })

  it("keep the item that begins the conversation at its place", () => {
    for (const same of [
      Actions.removed(actions, 0),
      Actions.raised(actions, 0),
      Actions.raised(actions, 1),
      Actions.raised(actions, 4)
    ]) {
      expect(same).toEqual(actions)
    }
    expect(Actions.added(actions).items).toHaveLength(5)
    expect(Actions.changed(actions, 1, { action: "Hello" }).items[1]).toEqual({ ...item("asks"), action: "Hello" })
  })
})

describe("the form of an evaluator", () => {
  it("sends instructions or conditional actions by its type, and lists and numbers as they are typed", () => {
    const form = { ...newForm(7, "smoke"), name: "One", instructions: "Ask.", tags: " a, ,b ", max_duration: "90" }
    const body = bodyOf(form)
    expect(body).toMatchObject({
      agent: 7,
      folder_path: "smoke",
      instructions: "Ask.",
      tags: ["a", "b"],
      max_duration: 90
    })
    expect(body).not.toHaveProperty("conditional_actions")
    const conditional = bodyOf({ ...form, scenario_type: "conditional_actions", max_duration: " " })
    expect(conditional).toMatchObject({ max_duration: null, conditional_actions: { conditions: [{ id: 0 }] } })
    expect(conditional).not.toHaveProperty("instructions")
  })
})

describe("errors of fields", () => {
  const error = new EarshotError(new Response(null, { status: 400 }), {
    name: ["May not be blank."],
    information: ["Too large."],
    "information.room": ["A."],
    "information_more[0]": ["B."]
  })

  it("are those of a field and of what is in it", () => {
    expect(fieldMessages(error, "name")).toBe("May not be blank.")
    expect(fieldMessages(error, "information")).toBe("Too large. room: A.")
    expect(fieldMessages(error, "agent")).toBe(undefined)
    expect(fieldMessages(new Error("none"), "name")).toBe(undefined)
  })

  it("are placed if every one is", () => {
    expect(isPlaced(error, ["name", "information"])).toBe(false)
    expect(isPlaced(error, ["name", "information", "information_more"])).toBe(true)
    expect(isPlaced(error, ["name", "information"], /^information_more\[\d+\]$/)).toBe(true)
    expect(isPlaced(new Error("none"), ["name"])).toBe(false)
  })
})

describe("views", () => {
  const view = { name: "East", filter: failed, agent: 3, columns: ["call"] }

  it("are read from what was stored, without what is none", () => {
    const stored: unknown = JSON.parse(
      JSON.stringify([view, { name: " ", columns: [] }, { name: "x", columns: [1] }, { ...view, filter: 1 }, null, 7])
    )
    expect(Views.readViews(stored)).toEqual([view])
    expect(Views.readViews([{ name: "All", columns: [], filter: null, agent: "3" }])).toEqual([
      { name: "All", columns: [] }
    ])
    expect(Views.readViews({ 0: view })).toBe(undefined)
  })

  it("take the place of one with the same name, and are limited", () => {
    const other = { ...view, name: "West" }
    expect(Views.withView([view, other], { ...view, columns: [] })).toEqual([other, { ...view, columns: [] }])
    expect(Views.withoutView([view, other], "East")).toEqual([other])
    const many = Array.from({ length: Views.MAX_VIEWS }, (_, index) => ({ ...view, name: String(index) }))
    expect(Views.withView(many, view)).toEqual([...many.slice(1), view])
    expect(Views.readViews([...many, view])).toEqual(many)
  })
})

describe("agents", () => {
  const stored = {
    id: 7,
    organization: 1,
    project: 2,
    name: "Support",
    agent_name: "Support",
    description: "Be brief.",
    assistant_id: null,
    provider: null,
    supported_channels: ["voice" as const],
    chat_endpoint: { url: "https://agent.example/chat", kind: "webhook" as const, headers: { "X-Key": "********" } },
    voice_endpoint: {
      url: "wss://agent.example/media",
      protocol: "twilio" as const,
      headers: {},
      auth_token: "********"
    },
    created_at: "2026-03-01T00:00:00Z",
    updated_at: "2026-03-01T00:00:00Z"
  }

  it("are sent as they were read, if nothing was changed", () => {
    const { chat_endpoint, description, name, supported_channels, voice_endpoint } = stored
    expect(agentBodyOf(agentFormOf(stored))).toEqual({
      name,
      description,
      supported_channels,
      chat_endpoint,
      voice_endpoint,
      assistant_id: "",
      provider: ""
    })
  })

  it("have no endpoint without an address, and no header without a name", () => {
    const form = { ...NEW_AGENT, voice_token: "secret", chat_headers: [{ name: "X-Key", value: "1" }] }
    expect(agentBodyOf(form)).toMatchObject({ chat_endpoint: null, voice_endpoint: null })
    const headers = [
      { name: " ", value: "1" },
      { name: " X-Key ", value: "2" },
      { name: "__proto__", value: "3" }
    ]
    const { chat_endpoint } = agentBodyOf({ ...NEW_AGENT, chat_url: " https://agent.example ", chat_headers: headers })
    expect(chat_endpoint?.url).toBe("https://agent.example")
    expect(Object.entries(chat_endpoint?.headers ?? {})).toEqual([
      ["X-Key", "2"],
      ["__proto__", "3"]
    ])
  })

  it("say which header is there twice", () => {
    const named = (...names: ReadonlyArray<string>) => names.map((name) => ({ name, value: "" }))
    expect(repeatedHeader(named("X-Key", "", "Accept", ""))).toBe(undefined)
    expect(repeatedHeader(named("X-Key", "Accept", "x-key "))).toBe("x-key")
  })
})

describe("files of dashboards", () => {
  const widget = {
    name: "Latency",
    chart_type: "line",
    field: "metric_evaluations.value",
    metric_name: "Latency",
    data_type: "numeric",
    aggregation_function: null,
    time_period: null,
    group_by: null,
    filters: null,
    metadata: { layout: { x: 0, y: 0, w: 6, h: 3 } }
  }

  it("are read as they were written, without what is not part of them", () => {
    const dashboard = { name: "Support", filters: recent, widgets: [{ ...widget, id: 1, dashboard: 2, metric: 3 }] }
    expect(readFile(fileOf(dashboard))).toEqual({ dashboard: { name: "Support", filters: recent, widgets: [widget] } })
  })

  it("say what is wrong with them", () => {
    const errorOf = (value: unknown) => {
      const read = readFile(typeof value === "string" ? value : JSON.stringify(value))
      return "error" in read ? read.error : undefined
    }
    expect(errorOf("{")).toBe("This is not JSON.")
    expect(errorOf([])).toBe("This is not a dashboard: it has no list of widgets.")
    expect(errorOf({ widgets: [], filters: 7 })).toBe("The filters of the dashboard are not a filter.")
    expect(errorOf({ widgets: [widget, 7] })).toBe("Widget 2 is not an object.")
    expect(errorOf({ widgets: [{}] })).toBe("Widget 1 has no chart_type.")
    expect(errorOf({ widgets: Array.from({ length: 101 }, () => widget) })).toBe("A dashboard has at most 100 widgets.")
    expect(errorOf({ widgets: [] })).toBe(undefined)
  })

  it("name the fields of their filters that hold ids", () => {
    const filters: Filter.Group = {
      operator: "not",
      conditions: [
        { operator: "same_row", conditions: [{ field: "metric_evaluations.metric.id", op: "eq", value: 1 }] }
      ]
    }
    expect(fieldsWithIds({ name: "", filters: recent, widgets: [{ ...widget, filters }] })).toEqual([
      "metric_evaluations.metric.id"
    ])
  })
})

describe("addresses of shared pages", () => {
  it("have the link in their fragment, from which it is read", () => {
    const address = shareAddress("https://earshot.example", 7, "earlink_abc")
    expect(address).toBe("https://earshot.example/app/share/7#link=earlink_abc")
    expect(sharedWith(new URL(address).hash)).toEqual({ link: "earlink_abc" })
    expect(sharedWith("#token=a.b.c")).toEqual({ token: "a.b.c" })
    for (const hash of ["", "#", "#link=", "#other=1"]) expect(sharedWith(hash)).toBe(undefined)
    expect(frameOf(address)).toContain('referrerpolicy="no-referrer"')
    expect(expiryAfter(1, 0)).toBe("1970-01-02T00:00:00.000Z")
    expect(expiryAfter(null, 0)).toBe(null)
  })
})

describe("the sound of a call", () => {
  it("is decoded from mu-law", () => {
    // ITU-T G.711: full scale, silence of both signs, and the smallest steps.
    const codes = Uint8Array.from([0x80, 0x00, 0xff, 0x7f, 0xfe, 0x7e])
    const samples = decodeMulaw(Buffer.from(codes).toString("base64"))
    expect([...samples].map((sample) => Math.round(sample * 32_768))).toEqual([32_124, -32_124, 0, 0, 8, -8])
  })

  it("plays without a gap, and anew after one", () => {
    expect(startOf(10, 10.2)).toBe(10.2)
    expect(startOf(10, 9)).toBeGreaterThan(10)
  })
})
