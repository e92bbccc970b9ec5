/** Properties of calls as CSV, with a reader of RFC 4180 as their oracle. Source: docs/http.md, Exports. */
import { CallId, type CallRecord, type csvHeader, type csvLine } from "@earshot/core"
import * as fc from "fast-check"
import { expectEqual, expectEvery, type Property, property } from "../Property.js"
import { delivery, type MergeDeliveries } from "./RedeliveryProperties.js"

interface Rules {
  readonly header: typeof csvHeader
  readonly line: typeof csvLine
  readonly first: MergeDeliveries["first"]
}

/** The lines of a file, each a list of its cells. */
const readCsv = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const lines: Array<Array<string>> = []
  let cells: Array<string> = []
  let cell = ""
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (isQuoted) {
      if (character !== '"') cell += character
      else if (text.charAt(at + 1) === '"') {
        cell += '"'
        at++
      } else isQuoted = false
    } else if (character === '"' && cell === "") isQuoted = true
    else if (character === ",") {
      cells.push(cell)
      cell = ""
    } else if (character === "\r" && text.charAt(at + 1) === "\n") {
      at++
      lines.push([...cells, cell])
      cells = []
      cell = ""
    } else cell += character
  }
  return cell === "" && cells.length === 0 ? lines : [...lines, [...cells, cell]]
}

/** Texts with everything that CSV separates and quotes by, and beginnings of formulas. */
const text = fc
  .array(fc.constantFrom("=", "+1", "-", "@x", "\t", "\r", "\n", "\r\n", '"', ",", "'", "a", "é", " "), {
    maxLength: 6
  })
  .map((parts) => parts.join(""))

/** A text as its cell has it: an apostrophe keeps a spreadsheet from computing it. */
const shown = (of: string): string => (/^[=+\-@\t\r]/.test(of) ? `'${of}` : of)

const TEXTS = ["feedback", "topic", "dropoff_point", "agent_name"] as const

const record = (first: Rules["first"]) =>
  fc
    .record({ delivered: delivery, feedback: text, topic: text, dropoffPoint: text, agentName: text })
    .map(({ delivered, ...texts }): CallRecord => ({ ...first(delivered, CallId.make(1)), ...texts }))

const textsOf = (call: CallRecord): Readonly<Record<(typeof TEXTS)[number], string>> => ({
  feedback: call.feedback ?? "",
  topic: call.topic ?? "",
  dropoff_point: call.dropoffPoint ?? "",
  agent_name: call.agentName
})

export const csvProperties = ({ first, header, line }: Rules): ReadonlyArray<Property> => [
  property(
    "a reader of CSV finds a line for each call with the columns that were asked for, in their order, and their texts",
    [
      fc.array(record(first), { maxLength: 4 }),
      fc.shuffledSubarray([...TEXTS], { minLength: 1 }),
      fc.uniqueArray(text, { maxLength: 3 })
    ],
    (calls, columns, metrics) => {
      const form = { columns, metrics }
      const lines = readCsv(header(form) + calls.map((call) => line(call, form)).join(""))
      expectEqual("the number of lines", lines.length, calls.length + 1)
      expectEqual("the header", lines[0], [...columns, ...metrics].map(shown))
      for (const [at, call] of calls.entries()) {
        const texts = textsOf(call)
        expectEqual(`line ${at + 1}`, lines[at + 1], [
          ...columns.map((column) => shown(texts[column])),
          ...metrics.map(() => "")
        ])
      }
    }
  ),
  property("no cell of a text begins as a formula does", [record(first), text], (call, metric) => {
    const form = { columns: [...TEXTS], metrics: [metric] }
    for (const cells of readCsv(header(form) + line(call, form)))
      expectEvery("cells", cells, (cell) => !/^[=+\-@\t\r]/.test(cell))
  })
]
