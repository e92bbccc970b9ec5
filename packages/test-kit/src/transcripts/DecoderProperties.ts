/** What any decoder of transcripts has to keep to. */
import { type DecodeContext, type RawTranscript, TranscriptFormat, TranscriptLimits } from "@earshot/core"
import type * as Either from "effect/Either"
import * as fc from "fast-check"
import { expectEqual, type Property, property } from "../Property.js"
import { hostilePayloadOf } from "./HostilePayloads.js"
import { payloadOf } from "./Payloads.js"

type Faults = Readonly<Record<string, ReadonlyArray<string>>>

/** Reads one payload of the format that a token names. */
export type Decode = (type: string, payload: unknown, context?: DecodeContext) => Either.Either<RawTranscript, Faults>

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

const isSound = ({ toolCalls, turns }: RawTranscript): boolean =>
  turns.every((turn) => isOrdered(turn) && isText(turn.content) && turn.words.every(isOrdered)) &&
  toolCalls.every(isOrdered)

/** A value with the `at`th of its parts, counted modulo their number, replaced. */
const replaced = (root: unknown, at: number, put: unknown): unknown => {
  let parts = 0
  const count = (value: unknown): void => {
    parts++
    if (typeof value === "object" && value !== null) Object.values(value).forEach(count)
  }
  count(root)
  let left = at % parts
  const walk = (value: unknown): unknown => {
    if (left-- === 0) return put
    if (Array.isArray(value)) return value.map(walk)
    return typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]))
      : value
  }
  return walk(root)
}

/** A payload of a format with up to three of its parts replaced: near enough to get deep into a decoder. */
export const damagedPayloadOf = (type: Format): fc.Arbitrary<unknown> =>
  fc
    .tuple(
      payloadOf(type),
      fc.array(fc.tuple(fc.nat(), fc.oneof(fc.jsonValue(), fc.double(), fc.anything())), { minLength: 1, maxLength: 3 })
    )
    .map(([{ payload }, edits]) => edits.reduce<unknown>((value, [at, put]) => replaced(value, at, put), payload))

/** For each of the interface's formats that carry a transcript. */
export const decoderProperties = (decode: Decode): ReadonlyArray<Property> =>
  formats.flatMap((type) => [
    property(
      `${type}: every payload is decoded to its turns and tool calls, with times in seconds`,
      [payloadOf(type)],
      ({ context, payload, toolCalls, turns }) => {
        const decoded = decode(type, payload, context)
        if (decoded._tag === "Left") throw new Error(JSON.stringify(decoded.left))
        expectEqual("the turns", decoded.right.turns, turns)
        expectEqual("the tool calls", decoded.right.toolCalls, toolCalls)
        return isSound(decoded.right)
      },
      60
    ),
    property(
      `${type}: what is wrong in a payload is a fault under its path`,
      [hostilePayloadOf(type)],
      ({ path, payload }) => {
        const decoded = decode(type, payload)
        return decoded._tag === "Left" && Object.hasOwn(decoded.left, path)
      },
      60
    ),
    property(
      `${type}: anything gives a sound transcript, or faults that say something`,
      [fc.oneof(damagedPayloadOf(type), fc.anything(), fc.jsonValue())],
      (input) => {
        const decoded = decode(type, input)
        return decoded._tag === "Right"
          ? isSound(decoded.right)
          : Object.keys(decoded.left).length > 0 && Object.values(decoded.left).every((said) => said.length > 0)
      },
      60
    )
  ])
