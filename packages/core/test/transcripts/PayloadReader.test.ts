import { describe, expect, it } from "vitest"
import * as Reading from "../../src/transcripts/PayloadReader.js"

/** What a reader answers, and what it notes. */
const read = <A>(reader: (found: Reading.PayloadErrors) => A): readonly [A, Readonly<Record<string, unknown>>] => {
  const found = Reading.makePayloadErrors()
  const answer = reader(found)
  return [answer, found.fieldErrors()]
}

const proto: Reading.Row = JSON.parse('{"a": 1, "__proto__": 2}')
const required = "This field is required."
const notNull = "This field may not be null."

describe("the collector of field errors", () => {
  it("keeps each message once under its path, in order, and counts all", () => {
    const found = Reading.makePayloadErrors()
    expect(found.count()).toBe(0)
    for (const [path, sentence] of [
      ["b", "one"],
      ["a", "two"],
      ["b", "three"],
      ["b", "one"]
    ] as const) {
      found.add(path, sentence)
    }
    expect(Object.entries(found.fieldErrors())).toEqual([
      ["b", ["one", "three"]],
      ["a", ["two"]]
    ])
    expect(found.count()).toBe(4)
  })

  it("reports at most 1,000 paths, each with all its messages", () => {
    const found = Reading.makePayloadErrors()
    for (let at = 0; at < 1000; at++) found.add(`[${at}]`, "wrong")
    expect(Object.keys(found.fieldErrors())).toHaveLength(1000)
    expect(found.fieldErrors()).not.toHaveProperty("non_field_errors")
    found.add("[1000]", "wrong")
    found.add("[3]", "more")
    expect(found.fieldErrors()["[1000]"]).toBeUndefined()
    expect(found.fieldErrors()["[3]"]).toEqual(["wrong", "more"])
    expect(found.fieldErrors().non_field_errors).toEqual(["Only the first 1000 errors are listed."])
  })
})

describe("reading a row", () => {
  const readRow = (
    value: unknown,
    path: string,
    reader: (row: Reading.Row, found: Reading.PayloadErrors) => void = () => undefined
  ) => read((found) => Reading.readRow(found, value, path, (row) => reader(row, found)))[1]

  it("reports a value that is not an object under its path", () => {
    expect(readRow({}, "[0]")).toEqual({})
    expect(readRow(null, "[0]")).toEqual({ "[0]": [notNull] })
    for (const value of [[], 5, "row", undefined]) {
      expect(readRow(value, "[0]")).toEqual({ "[0]": ["Expected an object."] })
    }
    expect(readRow(5, "")).toEqual({ non_field_errors: ["Expected an object."] })
  })

  it("checks unknown keys too", () => {
    expect(readRow({ any: [1, { deep: "text" }], none: undefined }, "[0]")).toEqual({})
    expect(readRow(proto, "[0]")).toEqual({ "[0]": ['The key "__proto__" is not allowed.'] })
    expect(readRow({ "a\0": 1 }, "[0]")).toEqual({ "[0]": ["Null characters are not allowed."] })
    expect(Object.keys(readRow({ a: { b: ["\0"] } }, "[0]"))).toEqual(["[0]"])
    expect(Object.keys(readRow({ a: 2 ** 53 }, "[0]"))).toEqual(["[0]"])
    expect(readRow({ ok: 1, "b\0": undefined }, "")).toEqual({ non_field_errors: ["Null characters are not allowed."] })
  })

  it("skips the check of unknown keys when a known key has an error", () => {
    expect(readRow({ a: "\0" }, "[0]", (row, found) => void Reading.textOf(found, row, "a", "[0]"))).toEqual({
      "[0].a": ["Null characters are not allowed."]
    })
  })
})

describe("reading an envelope", () => {
  const envelope = (value: unknown, path = "call") => read((found) => Reading.envelope(found, value, path))

  it("requires an object and checks only its own keys", () => {
    const hostile = { a: "\0" }
    expect(envelope(hostile)).toEqual([hostile, {}])
    expect(envelope(proto)).toEqual([proto, { call: ['The key "__proto__" is not allowed.'] }])
    expect(envelope(undefined)).toEqual([undefined, { call: [required] }])
    expect(envelope(null)).toEqual([undefined, { call: [notNull] }])
    expect(envelope([])).toEqual([undefined, { call: ["Expected an object."] }])
    expect(envelope(undefined, "")).toEqual([undefined, { non_field_errors: [required] }])
  })
})

describe("reading a list", () => {
  const list = (value: unknown, path = "rows") => read((found) => Reading.listOf(found, value, path, 2))

  it("limits the number of items, including holes", () => {
    expect(list([1, "a"])).toStrictEqual([[1, "a"], {}])
    // eslint-disable-next-line no-sparse-arrays -- what is tested
    expect(list([, 1])).toStrictEqual([[undefined, 1], {}])
    expect(list([1, 2, 3])).toEqual([[], { rows: ["Ensure this field has no more than 2 elements."] }])
    expect(list([1, 2, 3], "")).toEqual([[], { non_field_errors: ["Ensure this field has no more than 2 elements."] }])
  })

  it("requires the list unless it is optional", () => {
    expect(list(undefined)).toEqual([[], { rows: [required] }])
    expect(list(null)).toEqual([[], { rows: [notNull] }])
    expect(list({ length: 1 })).toEqual([[], { rows: ["Expected a list of items."] }])
    expect(list("ab", "")).toEqual([[], { non_field_errors: ["Expected a list of items."] }])
    const optional = (row: Reading.Row) => read((found) => Reading.optionalListOf(found, row, "rows", "[0]", 2))
    expect(optional({})).toEqual([[], {}])
    expect(optional({ rows: null })).toEqual([[], {}])
    expect(optional({ rows: [1] })).toEqual([[1], {}])
    expect(optional({ rows: 5 })).toEqual([[], { "[0].rows": ["Expected a list of items."] }])
  })
})

describe("reading a value", () => {
  const at = (path: string) => ({
    text: (row: Reading.Row) => read((found) => Reading.textOf(found, row, "k", path)),
    optionalText: (row: Reading.Row) => read((found) => Reading.optionalTextOf(found, row, "k", path)),
    json: (row: Reading.Row) => read((found) => Reading.jsonTextOf(found, row, "k", path)),
    flag: (row: Reading.Row) => read((found) => Reading.optionalFlagOf(found, row, "k", path)),
    choice: (row: Reading.Row) => read((found) => Reading.choiceOf(found, row, "k", path, new Map([["bot", 7]]))),
    seconds: (row: Reading.Row) => read((found) => Reading.secondsOf(found, row, "k", path))
  })
  const inRow = at("[0]")
  const nul = "Null characters are not allowed."

  it("accepts a required text, blank or not", () => {
    expect(inRow.text({ k: "" })).toEqual(["", {}])
    expect(inRow.text({})).toEqual([undefined, { "[0].k": [required] }])
    expect(inRow.text({ k: null })).toEqual([undefined, { "[0].k": [notNull] }])
    expect(inRow.text({ k: 5 })).toEqual([undefined, { "[0].k": ["Not a valid string."] }])
    expect(inRow.text({ k: "\0" })).toEqual([undefined, { "[0].k": [nul] }])
    expect(at("").text({})).toEqual([undefined, { k: [required] }])
  })

  it("accepts an omitted optional text", () => {
    expect(inRow.optionalText({ k: "a" })).toEqual(["a", {}])
    expect(inRow.optionalText({})).toEqual([undefined, {}])
    expect(inRow.optionalText({ k: null })).toEqual([undefined, {}])
    expect(inRow.optionalText({ k: false })).toEqual([undefined, { "[0].k": ["Not a valid string."] }])
  })

  it("accepts a text, or other JSON as JSON text", () => {
    expect(inRow.json({ k: '{"a":1}' })).toEqual(['{"a":1}', {}])
    expect(inRow.json({ k: { a: [1, true] } })).toEqual(['{"a":[1,true]}', {}])
    expect(inRow.json({ k: 0 })).toEqual(["0", {}])
    expect(inRow.json({})).toEqual([undefined, {}])
    expect(inRow.json({ k: null })).toEqual([undefined, {}])
    expect(inRow.json({ k: "\0" })).toEqual([undefined, { "[0].k": [nul] }])
    expect(inRow.json({ k: ["\0"] })[0]).toBeUndefined()
    expect(Object.keys(inRow.json({ k: ["\0"] })[1])).toEqual(["[0].k"])
  })

  it("accepts a boolean or none", () => {
    expect([{ k: true }, { k: false }, { k: null }, {}].map(inRow.flag)).toEqual([
      [true, {}],
      [false, {}],
      [undefined, {}],
      [undefined, {}]
    ])
    expect(inRow.flag({ k: "true" })).toEqual([undefined, { "[0].k": ["Must be a valid boolean."] }])
  })

  it("accepts only known words", () => {
    expect(inRow.choice({ k: "bot" })).toEqual([7, {}])
    expect(inRow.choice({})).toEqual([undefined, { "[0].k": [required] }])
    expect(inRow.choice({ k: null })).toEqual([undefined, { "[0].k": [notNull] }])
    expect(inRow.choice({ k: "Bot" })).toEqual([
      undefined,
      { "[0].k": [expect.stringContaining('"Bot" is not a valid choice. Choose from ')] }
    ])
    expect(inRow.choice({ k: ["bot"] })).toEqual([
      undefined,
      { "[0].k": [expect.stringContaining('"[...]" is not a valid choice. Choose from ')] }
    ])
  })

  it("accepts seconds from 0 to a week", () => {
    expect(inRow.seconds({ k: 604_800 })).toEqual([604_800, {}])
    expect(inRow.seconds({ k: -0 })).toStrictEqual([0, {}])
    expect(inRow.seconds({})).toEqual([undefined, {}])
    expect(inRow.seconds({ k: null })).toEqual([undefined, {}])
    const wrong = (k: unknown) => inRow.seconds({ k })
    expect(wrong(-0.001)).toEqual([undefined, { "[0].k": ["Ensure this value is greater than or equal to 0."] }])
    expect(wrong(604_800.001)).toEqual([undefined, { "[0].k": ["Ensure this value is less than or equal to 604800."] }])
    for (const k of ["1", true, [], Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(wrong(k)).toEqual([undefined, { "[0].k": ["A valid number is required."] }])
    }
  })
})

describe("reading times", () => {
  it("rejects an end before its start only if both are known", () => {
    const order = (start: number | undefined, end: number | undefined) =>
      read((found) => Reading.checkOrder(found, start, end, "[0].end"))[1]
    expect(order(2, 1.999)).toEqual({ "[0].end": ["Ensure the end is not before the start."] })
    for (const [start, end] of [
      [2, 2],
      [1, 2],
      [undefined, 1],
      [1, undefined],
      [undefined, undefined]
    ] as const) {
      expect(order(start, end)).toEqual({})
    }
  })

  it("reads a word with its times and the text of the first present key", () => {
    const word = (row: Reading.Row, ...spelling: ReadonlyArray<string>) =>
      read((found) => Reading.wordOf(found, row, "[0]", spelling))
    const keys = ["punctuated_word", "word"]
    expect(word({ word: "hi", punctuated_word: "Hi!", start: 1, end: 2 }, ...keys)).toEqual([
      { text: "Hi!", startTime: 1, endTime: 2 },
      {}
    ])
    expect(word({ word: "hi", punctuated_word: null }, ...keys)[0]).toEqual({
      text: "hi",
      startTime: undefined,
      endTime: undefined
    })
    expect(word({ start: 2, end: 1 }, "punctuated_word")).toEqual([
      undefined,
      { "[0].word": [required], "[0].end": ["Ensure the end is not before the start."] }
    ])
  })

  it("combines words from the start of the first to the end of the last, if known", () => {
    const span = (...words: ReadonlyArray<readonly [number | undefined, number | undefined]>) => {
      const { endTime, startTime } = Reading.wordTimesOf(
        words.map(([start, end]) => ({ text: "a", startTime: start, endTime: end }))
      )
      return [startTime, endTime]
    }
    expect(span()).toEqual([undefined, undefined])
    expect(span([1, 2], [3, 4])).toEqual([1, 4])
    // Words overlap and come out of order.
    expect(span([2, 9], [1, 3], [4, 5])).toEqual([1, 9])
    expect(span([1, 2], [undefined, undefined], [3, 4])).toEqual([1, 4])
    expect(span([undefined, 2], [3, 4])).toEqual([undefined, 4])
    expect(span([1, 2], [3, undefined])).toEqual([1, undefined])
    expect(span([5, undefined], [6, 4])).toEqual([5, undefined])
    expect(span([5, 5])).toEqual([5, 5])
  })
})
