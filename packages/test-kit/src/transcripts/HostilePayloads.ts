/** Payloads that a decoder has to refuse, each with the fault that says why. */
import type { Json, JsonObject, TranscriptType } from "@earshot/core"
import * as fc from "fast-check"

export interface HostilePayload {
  readonly type: TranscriptType
  readonly payload: Json
  /** The path under which the fault has to be found. */
  readonly path: string
  /** What is wrong, for the reader of a failed test. */
  readonly wrong: string
}

/** The plainest row of each format and the names of its parts. */
interface Shape {
  readonly row: JsonObject
  readonly role: string
  readonly text: string
  readonly time: string
  /** Another time that may not lie before `time`, where the format has one. */
  readonly end: string | undefined
}

const shapes: Readonly<Record<Exclude<TranscriptType, "none-mono">, Shape>> = {
  service: {
    row: { role: "Main Agent", content: "Hello", start_time: 1, end_time: 2 },
    role: "role",
    text: "content",
    time: "start_time",
    end: "end_time"
  },
  service_legacy: {
    row: { role: "assistant", content: "Hello", start_time: 1, end_time: 2 },
    role: "role",
    text: "content",
    time: "start_time",
    end: "end_time"
  },
  provider_a: {
    row: { role: "bot", message: "Hello", time: 1, endTime: 2 },
    role: "role",
    text: "message",
    time: "time",
    end: "endTime"
  },
  provider_b: {
    row: { role: "agent", content: "Hello", words: [] },
    role: "role",
    text: "content",
    time: "words[0].start",
    end: undefined
  },
  provider_c: {
    row: { word: "Hello", start: 1, end: 2, speaker: 0 },
    role: "speaker",
    text: "word",
    time: "start",
    end: "end"
  },
  provider_d: {
    row: { role: "assistant", content: "Hello", start_time: 1, end_time: 2 },
    role: "role",
    text: "content",
    time: "start_time",
    end: "end_time"
  },
  provider_e: {
    row: { role: "assistant", content: "Hello", timestamp: 1 },
    role: "role",
    text: "content",
    time: "timestamp",
    end: undefined
  },
  provider_f: {
    row: { role: "agent", message: "Hello", time_in_call_secs: 1 },
    role: "role",
    text: "message",
    time: "time_in_call_secs",
    end: undefined
  }
}

/** A row changed at one key, or at a time within its first word. */
const changed = (row: JsonObject, key: string, value: Json): JsonObject =>
  key === "words[0].start" ? { ...row, words: [{ word: "Hello", start: value, end: 3 }] } : { ...row, [key]: value }

const without = (row: JsonObject, key: string): JsonObject =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== key))

/** With `__proto__` as a key like any other, which is what `JSON.parse` makes of it. */
const withProto = (row: JsonObject): JsonObject =>
  Object.fromEntries<Json>([["__proto__", { admin: true }], ...Object.entries(row)])

const LONE_SURROGATES = ["\ud83d", "\ude00 after", "before \udbff"]

/** A payload of the format with one thing wrong, at a random row among good ones. */
export const hostilePayloadOf = (type: Exclude<TranscriptType, "none-mono">): fc.Arbitrary<HostilePayload> => {
  const { end, role, row, text, time } = shapes[type]
  const inRow = (wrong: string, bad: fc.Arbitrary<Json>, key: string | undefined): fc.Arbitrary<HostilePayload> =>
    fc.record({ bad, before: fc.nat({ max: 3 }), after: fc.nat({ max: 3 }) }).map(({ after, bad, before }) => ({
      type,
      payload: [...Array.from({ length: before }, () => row), bad, ...Array.from({ length: after }, () => row)],
      path: key === undefined ? `[${before}]` : `[${before}].${key}`,
      wrong
    }))
  const at = (wrong: string, key: string, values: fc.Arbitrary<Json>) =>
    inRow(
      wrong,
      values.map((value) => changed(row, key, value)),
      key
    )
  const whole = (wrong: string, payload: fc.Arbitrary<Json>): fc.Arbitrary<HostilePayload> =>
    payload.map((value) => ({ type, payload: value, path: "non_field_errors", wrong }))

  return fc.oneof(
    at("NUL in a text", text, fc.constantFrom("\0", "a\0b")),
    at("a lone surrogate", text, fc.constantFrom(...LONE_SURROGATES)),
    at("a text that is none", text, fc.constantFrom<Json>(1, true, {})),
    inRow("no text", fc.constant(without(row, text)), text),
    at("an unknown role", role, fc.constantFrom<Json>("narrator", "Supervisor", "", "__proto__", "constructor")),
    at("a role that is no text", role, fc.constantFrom<Json>(-1, 0.5, false, null, [])),
    inRow("no role", fc.constant(without(row, role)), role),
    at("a negative time", time, fc.double({ max: -0.001, min: -1e6, noNaN: true })),
    at("a time that is no time", time, fc.constantFrom<Json>("soon", true, {}, [])),
    at("a time beyond any call", time, fc.constantFrom<Json>(1e7, 2 ** 53, 1e300)),
    ...(end === undefined ? [] : [at("an end before its start", end, fc.double({ min: 0, max: 0.999, noNaN: true }))]),
    inRow("a row that is none", fc.constantFrom<Json>(null, 1, "row", [], true), undefined),
    inRow("a __proto__ key", fc.constant(withProto(row)), undefined),
    inRow("an integer beyond 2^53 where nobody reads", fc.constant({ ...row, extra: { id: 2 ** 53 } }), undefined),
    inRow("NUL where nobody reads", fc.constant({ ...row, extra: ["\0"] }), undefined),
    inRow("a lone surrogate in a key", fc.constant({ ...row, "\ud83d": 1 }), undefined),
    whole("no list", fc.constantFrom<Json>(null, "transcript", 3, true))
  )
}
