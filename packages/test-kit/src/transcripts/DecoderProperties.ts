/** Properties of transcript decoders. */
import { type DecodeContext, type RawTranscript, TranscriptFormat, TranscriptLimits } from "@earshot/core"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { expectEqual, type Property, property, expectOrdered, expectEvery, expectIncludes } from "../Property.js"
import { hostilePayloadOf } from "./HostilePayloads.js"
import { payloadOf } from "./Payloads.js"

type Errors = Readonly<Record<string, ReadonlyArray<string>>>

/** Decodes a payload of the format with this token. */
export type Decode = (type: string, payload: unknown, context?: DecodeContext) => Either.Either<RawTranscript, Errors>

type Format = TranscriptFormat.TranscriptType

const formats = TranscriptFormat.transcriptTypes.filter(
  (type): type is Exclude<Format, "none-mono"> => type !== "none-mono"
)

interface Times {
  readonly startTime: number | undefined
  readonly endTime: number | undefined
}

const isOrdered = ({ endTime, startTime }: Times): boolean =>
  [startTime, endTime].every(
    (time) => time === undefined || (time >= 0 && time <= TranscriptLimits.MAX_CALL_SECONDS)
  ) &&
  (startTime === undefined || endTime === undefined || startTime <= endTime)

const isText = (text: string): boolean => text.isWellFormed() && !text.includes("\0")

const expectValid = ({ toolCalls, turns }: RawTranscript): void => {
  expectEvery("turns with their times in order", turns, isOrdered)
  expectEvery("turns of text", turns, ({ content }) => isText(content))
  expectEvery(
    "words with their times in order",
    turns.flatMap(({ words }) => words),
    isOrdered
  )
  expectEvery("tool calls with their times in order", toolCalls, isOrdered)
}

/** A value with one of its nested parts replaced: the one at index `at` modulo their number. */
const replaced = (root: unknown, at: number, put: unknown): unknown => {
  let parts = 0
  const count = (value: unknown): void => {
    parts++
    if (typeof value === "object" && value !== null) Object.values(value).forEach(count)
  }
  count(root)
  let left = at % parts
  const replace = (value: unknown): unknown => {
    if (left-- === 0) return put
    if (Array.isArray(value)) return value.map(replace)
    return typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replace(inner)]))
      : value
  }
  return replace(root)
}

/** A payload with up to three of its parts replaced, which is valid enough to get deep into a decoder. */
export const damagedPayloadOf = (type: Format): fc.Arbitrary<unknown> =>
  fc
    .tuple(
      payloadOf(type),
      fc.array(fc.tuple(fc.nat(), fc.oneof(fc.jsonValue(), fc.double(), fc.anything())), { minLength: 1, maxLength: 3 })
    )
    .map(([{ payload }, edits]) => edits.reduce<unknown>((value, [at, put]) => replaced(value, at, put), payload))

export const decoderProperties = (decode: Decode): ReadonlyArray<Property> => [
  ...TranscriptFormat.transcriptTypes.flatMap((type) => [
    property(
      `${type}: every payload is decoded to its turns and tool calls, with times in seconds`,
      [payloadOf(type)],
      ({ context, payload, toolCalls, turns }) => {
        const decoded = decode(type, payload, context)
        if (decoded._tag === "Left") throw new Error(JSON.stringify(decoded.left))
        expectEqual("the turns", decoded.right.turns, turns)
        expectEqual("the tool calls", decoded.right.toolCalls, toolCalls)
        // JSON does not distinguish an undefined time from a missing one.
        expectEqual(
          "[decoded.right.turns, decoded.right.toolCalls]",
          [decoded.right.turns, decoded.right.toolCalls],
          [turns, toolCalls]
        )
        expectValid(decoded.right)
      }
    ),
    property(
      `${type}: any input is decoded to a valid transcript, or to errors with messages`,
      [
        fc.oneof(
          damagedPayloadOf(type),
          fc.anything({ withNullPrototype: true, withSparseArray: true }),
          fc.jsonValue()
        )
      ],
      (input) => {
        const decoded = decode(type, input)
        if (decoded._tag === "Right") {
          expectValid(decoded.right)
        } else {
          expectOrdered("Object.keys(decoded.left).length", Object.keys(decoded.left).length, ">", 0)
          expectEvery("Object.values(decoded.left)", Object.values(decoded.left), (messages) => messages.length > 0)
        }
      },
      500
    )
  ]),
  ...formats.map((type) =>
    property(
      `${type}: an invalid part of a payload is an error under its path`,
      [hostilePayloadOf(type)],
      ({ path, payload }) => {
        const decoded = decode(type, payload)
        expectIncludes("the errors", Object.keys(Either.isLeft(decoded) ? decoded.left : {}), path)
      }
    )
  )
]
