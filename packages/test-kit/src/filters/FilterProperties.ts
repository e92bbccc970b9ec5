/** Properties of every implementation of the filter language. */
import { Filters } from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as fc from "fast-check"
import {
  type Property,
  property,
  expectEqual,
  expectEvery,
  expectUnequal,
  expectOrdered,
  expectPresent
} from "../Property.js"
import { condition, evaluationLeaf, filter, leaf, relativeTime, rowCondition } from "./FilterArbitraries.js"
import { filterableCall } from "./FilterableCalls.js"
import { NOW, text } from "./Vocabulary.js"
import type { FilterableCall } from "./FilterableCall.js"

export type Matches = (filter: Filters.Filter, call: FilterableCall, now: DateTime.Utc) => boolean
export type Merge = (first: Filters.Filter, second: Filters.Filter) => Filters.Filter
export type Resolve = (text: string, now: DateTime.Utc, edge: "start" | "end") => DateTime.Utc | undefined

const isEvaluationLeaf = ({ field }: Filters.Leaf): boolean => field.startsWith("metric_evaluations.")

const orders = { gt: "gt", gte: "gte", lt: "lt", lte: "lte" } as const

/** The semantics of filters, for all field values. */
export const meaningProperties = (matches: Matches): ReadonlyArray<Property> => {
  const call = filterableCall()
  const callLeaf = leaf.filter((leaf) => !isEvaluationLeaf(leaf))
  const asks = (leaf: Filters.Leaf, one: FilterableCall) => matches(leaf, one, NOW)
  /** A leaf on a call's own field whose type takes operators of equality or order. */
  const withOps = (...ops: ReadonlyArray<Filters.LeafOperator>) => callLeaf.filter(({ op }) => ops.includes(op))
  return [
    property("the empty filter matches every call", [call], (call) => {
      expectEqual("whether the empty filter matches", matches(null, call, NOW), true)
    }),
    property(
      "and requires all conditions, or requires any, not negates",
      [fc.array(condition, { minLength: 1, maxLength: 3 }), call],
      (conditions, call) => {
        const each = conditions.map((one) => matches(one, call, NOW))
        expectEqual(
          'matches({ operator: "and", conditions }, call, NOW)',
          matches({ operator: "and", conditions }, call, NOW),
          each.every(Boolean)
        )
        expectEqual(
          'matches({ operator: "or", conditions }, call, NOW)',
          matches({ operator: "or", conditions }, call, NOW),
          each.some(Boolean)
        )
        expectEvery(
          "conditions",
          conditions,
          (one, i) => matches({ operator: "not", conditions: [one] }, call, NOW) !== each[i]
        )
      }
    ),
    property("neq is the negation of eq", [withOps("eq", "neq"), call], (leaf, call) => {
      expectUnequal(
        'asks({ ...leaf, op: "eq" }, call)',
        asks({ ...leaf, op: "eq" }, call),
        asks({ ...leaf, op: "neq" }, call)
      )
    }),
    property("isnull true is the negation of isnull false", [callLeaf, call], ({ field }, call) => {
      expectUnequal(
        'asks({ field, op: "isnull", value: true }, call)',
        asks({ field, op: "isnull", value: true }, call),
        asks({ field, op: "isnull", value: false }, call)
      )
    }),
    property("a missing value matches isnull and neq only", [callLeaf, call], (leaf, call) => {
      if (leaf.op === "isnull" || !asks({ field: leaf.field, op: "isnull", value: true }, call)) return
      expectEqual("asks(leaf, call)", asks(leaf, call), leaf.op === "neq")
    }),
    property("in is eq with any of its values", [withOps("in"), call], (leaf, call) => {
      const values = typeof leaf.value === "object" ? leaf.value : []
      const isAny = values.some((value) => asks({ ...leaf, op: "eq", value }, call))
      expectEqual("asks(leaf, call)", asks(leaf, call), isAny)
    }),
    property(
      "gte is gt or eq, lte is lt or eq, and at most one of lt, eq, gt holds",
      [withOps("gt", "gte", "lt", "lte"), call],
      (leaf, call) => {
        const is = (op: Filters.LeafOperator) => asks({ ...leaf, op }, call)
        expectEqual("is(orders.gte)", is(orders.gte), is(orders.gt) || is("eq"))
        expectEqual("is(orders.lte)", is(orders.lte), is(orders.lt) || is("eq"))
        expectOrdered(
          '[is(orders.lt), is("eq"), is(orders.gt)].filter(Boolean).length',
          [is(orders.lt), is("eq"), is(orders.gt)].filter(Boolean).length,
          "<=",
          1
        )
      }
    ),
    property("startswith, endswith and eq imply contains", [withOps("startswith", "endswith"), call], (leaf, call) => {
      const contains = asks({ ...leaf, op: "contains" }, call)
      const isStatus = leaf.field === "status"
      if (asks(leaf, call)) {
        expectEqual("contains", contains, true)
      }
      if (!(isStatus || !asks({ ...leaf, op: "eq" }, call))) {
        expectEqual("contains", contains, true)
      }
    }),
    property(
      "startswith and endswith match the beginning and the end of a text, and nothing in between",
      [text.filter((part) => !/^$|^\ue002|\ue001$/u.test(part)), call],
      (part, call) => {
        const asked = (op: Filters.LeafOperator, topic: string) =>
          asks({ field: "topic", op, value: part }, { ...call, topic })
        // Markers that no part begins or ends with.
        const [before, after] = [`${part}\ue001`, `\ue002${part}`]
        expectEqual('asked("startswith", before)', asked("startswith", before), true)
        expectEqual('asked("endswith", before)', asked("endswith", before), false)
        expectEqual('asked("endswith", after)', asked("endswith", after), true)
        expectEqual('asked("startswith", after)', asked("startswith", after), false)
        expectEqual('asked("contains", `\\ue002${part}\\ue001`)', asked("contains", `\ue002${part}\ue001`), true)
      }
    ),
    property("an empty trace_id is missing, other empty texts are values", [call], (call) => {
      const empty = { ...call, traceId: "", topic: "" }
      expectEqual(
        'asks({ field: "trace_id", op: "isnull", value: true }, empty)',
        asks({ field: "trace_id", op: "isnull", value: true }, empty),
        true
      )
      expectEqual(
        'asks({ field: "trace_id", op: "eq", value: "" }, empty)',
        asks({ field: "trace_id", op: "eq", value: "" }, empty),
        false
      )
      expectEqual(
        'asks({ field: "topic", op: "eq", value: "" }, empty)',
        asks({ field: "topic", op: "eq", value: "" }, empty),
        true
      )
    }),
    property("an evaluation leaf matches if it matches one evaluation", [evaluationLeaf, call], (leaf, call) => {
      expectEqual(
        "asks(leaf, call)",
        asks(leaf, call),
        call.evaluations.some((one) => asks(leaf, { ...call, evaluations: [one] }))
      )
    }),
    property(
      "same_row matches if one evaluation matches all of its conditions",
      [fc.array(rowCondition, { minLength: 1, maxLength: 3 }), call],
      (conditions, call) => {
        expectEqual(
          'matches({ operator: "same_row", conditions }, call, NOW)',
          matches({ operator: "same_row", conditions }, call, NOW),
          call.evaluations.some((one) => matches({ operator: "and", conditions }, { ...call, evaluations: [one] }, NOW))
        )
      }
    )
  ]
}

const hasNestedAnd = (filter: Filters.Filter): boolean =>
  filter !== null &&
  Filters.isGroup(filter) &&
  filter.operator === "and" &&
  filter.conditions.some((inner) => Filters.isGroup(inner) && inner.operator === "and")

/** Properties of `effective_filters`. */
export const mergeProperties = (merge: Merge, matches: Matches): ReadonlyArray<Property> => {
  const call = filterableCall()
  return [
    property("the merged filter matches if and only if both do", [filter, filter, call], (a, b, call) => {
      expectEqual(
        "matches(merge(a, b), call, NOW)",
        matches(merge(a, b), call, NOW),
        matches(a, call, NOW) && matches(b, call, NOW)
      )
    }),
    property("the empty filter is neutral", [filter], (a) => {
      expectEqual("merge(a, null)", merge(a, null), merge(null, a))
    }),
    property("merging with the empty filter leaves a flat filter unchanged", [filter], (a) => {
      if (a !== null && Filters.isGroup(a) && a.operator === "and") {
        expectEqual("merge(merge(a, null), null)", merge(merge(a, null), null), merge(a, null))
      } else {
        expectEqual("merge(a, null)", merge(a, null), a)
      }
    }),
    property("merging is associative", [filter, filter, filter], (a, b, c) => {
      expectEqual("merge(merge(a, b), c)", merge(merge(a, b), c), merge(a, merge(b, c)))
    }),
    property("merging a filter twice changes nothing", [filter, filter], (a, b) => {
      expectEqual("merge(merge(a, b), b)", merge(merge(a, b), b), merge(a, b))
      expectEqual("merge(a, merge(a, b))", merge(a, merge(a, b)), merge(a, b))
    }),
    property("a merged filter has no and directly inside an and", [filter, filter], (a, b) => {
      const merged = merge(a, b)
      expectEqual("the merged filter", hasNestedAnd(merged) ? merged : "flat", "flat")
    }),
    property("a merged filter has no condition twice", [filter, filter], (a, b) => {
      const all = Filters.conjuncts(merge(a, b)).map((one) => JSON.stringify(one))
      expectEqual("new Set(all).size", new Set(all).size, all.length)
    }),
    property("a merged filter is a valid query", [filter, filter], (a, b) => {
      const text = JSON.stringify(Filters.encode(merge(a, b)))
      expectEqual("Filters.parseText(text)._tag", Filters.parseText(text)._tag, "Right")
    })
  ]
}

const DAY = 86_400_000
const EQUALS = [
  ["60s", "1m"],
  ["60m", "1h"],
  ["24h", "1d"],
  ["7d", "1w"],
  ["12M", "1y"]
] as const

/** Properties of relative times, in UTC. */
export const relativeTimeProperties = (resolve: Resolve): ReadonlyArray<Property> => {
  const now = fc
    .date({ min: new Date("1970-01-01T00:00:00.000Z"), max: new Date("2100-12-31T23:59:59.999Z"), noInvalidDate: true })
    .map((date) => DateTime.unsafeMake(date))
  const edge = fc.constantFrom("start" as const, "end" as const)
  const step = fc
    .tuple(
      fc.constantFrom("+", "-"),
      fc.integer({ min: 0, max: 500 }),
      fc.constantFrom("s", "m", "h", "d", "w", "M", "y")
    )
    .map((parts) => parts.join(""))
  const millis = (text: string, now: DateTime.Utc, edge: "start" | "end") => {
    const at = resolve(text, now, edge)
    return at === undefined ? Number.NaN : DateTime.toEpochMillis(at)
  }
  return [
    property("now is now", [now, edge], (now, edge) => {
      expectEqual('millis("now", now, edge)', millis("now", now, edge), DateTime.toEpochMillis(now))
    }),
    property("today is the day that contains now", [now], (now) => {
      const start = millis("today", now, "start")
      const at = DateTime.toEpochMillis(now)
      expectEqual("start % DAY", start % DAY, 0)
      expectOrdered("start", start, "<=", at)
      expectOrdered("at", at, "<", start + DAY)
      expectEqual('millis("today", now, "end")', millis("today", now, "end"), start + DAY - 1)
    }),
    property("every relative time resolves to an instant", [relativeTime, now, edge], (text, now, edge) => {
      const at = millis(text, now, edge)
      expectEqual("the instant in whole milliseconds", at, Number.isFinite(at) ? Math.trunc(at) : 0)
    }),
    property(
      "steps are applied one after the other",
      [fc.array(step, { maxLength: 4 }), step, now],
      (steps, last, now) => {
        const before = resolve(`now${steps.join("")}`, now, "start")
        expectPresent("before", before)
        expectEqual(
          'millis(`now${steps.join("")}${last}`, now, "start")',
          millis(`now${steps.join("")}${last}`, now, "start"),
          millis(`now${last}`, before, "start")
        )
      }
    ),
    property(
      "units are consistent with each other",
      [fc.constantFrom(...EQUALS), fc.constantFrom("+", "-"), now, edge],
      ([many, one], sign, now, edge) => {
        expectEqual(
          "millis(`today${sign}${many}`, now, edge)",
          millis(`today${sign}${many}`, now, edge),
          millis(`today${sign}${one}`, now, edge)
        )
      }
    ),
    property(
      "months keep the day of the month, or take the last one",
      [fc.integer({ min: -500, max: 500 }), now],
      (count, now) => {
        const from = new Date(DateTime.toEpochMillis(now))
        const to = new Date(millis(`now${count < 0 ? "" : "+"}${count}M`, now, "start"))
        const months = (date: Date) => date.getUTCFullYear() * 12 + date.getUTCMonth()
        const isLast = new Date(to.getTime() + DAY).getUTCDate() === 1
        expectEqual("months(to) - months(from)", months(to) - months(from), count)
        if (!(to.getUTCDate() === from.getUTCDate())) {
          expectEqual("isLast", isLast, true)
          expectOrdered("to.getUTCDate()", to.getUTCDate(), "<", from.getUTCDate())
        }
        expectEqual("(to.getTime() - from.getTime()) % DAY", (to.getTime() - from.getTime()) % DAY, 0)
      }
    )
  ]
}
