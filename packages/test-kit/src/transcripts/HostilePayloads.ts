/** Arbitraries of payloads that a decoder has to reject, with the path of the expected error. */
import type { Json, JsonObject, TranscriptType } from "@earshot/core"
import * as fc from "fast-check"

export interface HostilePayload {
  readonly type: TranscriptType
  readonly payload: Json
  /** The path of the expected error. */
  readonly path: string
  /** What is invalid, for the failure message. */
  readonly wrong: string
}

/** A minimal row of a format, and the keys of its parts. */
interface Shape {
  readonly row: JsonObject
  readonly role: string
  readonly text: string
  readonly time: string
  /** The key of an end that must not be before `time`, if the format has one. */
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

/** A row with one key, or the start of its first word, replaced. */
const changed = (row: JsonObject, key: string, value: Json): JsonObject =>
  key === "words[0].start" ? { ...row, words: [{ word: "Hello", start: value, end: 3 }] } : { ...row, [key]: value }

const without = (row: JsonObject, key: string): JsonObject =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== key))

/** With `__proto__` as an own key, as `JSON.parse` creates it. */
const withProto = (row: JsonObject): JsonObject =>
  Object.fromEntries<Json>([["__proto__", { admin: true }], ...Object.entries(row)])

const LONE_SURROGATES = ["\ud83d", "\ude00 after", "before \udbff"]

/** A payload of the format with one invalid row among valid ones. */
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
    at("a text of another type", text, fc.constantFrom<Json>(1, true, {})),
    inRow("no text", fc.constant(without(row, text)), text),
    // The providers' formats skip rows of an unknown role, unless there are no others.
    ...(type === "service" || type === "service_legacy" || type === "provider_c"
      ? [at("an unknown role", role, fc.constantFrom<Json>("narrator", "Supervisor", "", "__proto__", "constructor"))]
      : [
          fc.constantFrom("narrator", "Supervisor", "", "__proto__", "constructor").map((name) => ({
            type,
            payload: [changed(row, role, name)],
            path: `[0].${role}`,
            wrong: "only unknown roles"
          }))
        ]),
    at("a role that is not a text", role, fc.constantFrom<Json>(-1, 0.5, false, null, [])),
    inRow("no role", fc.constant(without(row, role)), role),
    at("a negative time", time, fc.double({ max: -0.001, min: -1e6, noNaN: true })),
    at("a time that is not a number", time, fc.constantFrom<Json>("soon", true, {}, [])),
    at("a time beyond the limit", time, fc.constantFrom<Json>(1e7, 2 ** 53, 1e300)),
    ...(end === undefined ? [] : [at("an end before its start", end, fc.double({ min: 0, max: 0.999, noNaN: true }))]),
    inRow("a row that is not an object", fc.constantFrom<Json>(null, 1, "row", [], true), undefined),
    inRow("a __proto__ key", fc.constant(withProto(row)), undefined),
    inRow("an integer beyond 2^53 in an unknown key", fc.constant({ ...row, extra: { id: 2 ** 53 } }), undefined),
    inRow("NUL in an unknown key", fc.constant({ ...row, extra: ["\0"] }), undefined),
    inRow("a lone surrogate in a key", fc.constant({ ...row, "\ud83d": 1 }), undefined),
    whole("not a list", fc.constantFrom<Json>(null, "transcript", 3, true))
  )
}
