import type { DecodeContext, Json, JsonObject, ToolCall, TranscriptType, Turn } from "@earshot/core"
import * as fc from "fast-check"
import type { Conversation, ToolUse, Utterance } from "./Conversations.js"

export interface Payload {
  readonly type: TranscriptType
  readonly payload: Json
  readonly context: DecodeContext
  readonly turns: ReadonlyArray<Turn>
  readonly toolCalls: ReadonlyArray<ToolCall>
}

/** Rows of speech with the rows of tool calls between them. */
export const weave = (
  { toolUses, utterances }: Conversation,
  rowsOf: (utterance: Utterance, index: number) => ReadonlyArray<JsonObject>,
  used: (use: ToolUse, index: number) => ReadonlyArray<JsonObject>
): ReadonlyArray<JsonObject> => {
  const usedAfter = (position: number) =>
    toolUses.flatMap((use, index) => (use.after === position ? used(use, index) : []))
  return [
    ...usedAfter(-1),
    ...utterances.flatMap((utterance, index) => [...rowsOf(utterance, index), ...usedAfter(index)])
  ]
}

/** An optional field: omitted, null, or the value. */
export type Given = "absent" | "null" | "known"

export const given = fc.constantFrom<Given>("known", "known", "known", "null", "absent")

export const field = (how: Given, key: string, value: Json): JsonObject =>
  how === "known" ? { [key]: value } : how === "null" ? { [key]: null } : {}

export const whenKnown = (how: Given, time: number): number | undefined => (how === "known" ? time : undefined)

export const seconds = (milliseconds: number): number => milliseconds / 1_000

/** Plausible starts of a call, in milliseconds since 1970. */
export const callStarts = fc.integer({ min: 1_500_000_000_000, max: 1_900_000_000_000 })

/** A choice for each item, repeated if there are more items than choices. */
export const choices = <A>(of: fc.Arbitrary<A>, otherwise: A): fc.Arbitrary<(index: number) => A> =>
  fc.array(of, { minLength: 1, maxLength: 12 }).map((all) => (index) => all[index % all.length] ?? otherwise)

export const earliest = (times: ReadonlyArray<number>): number =>
  times.reduce((a, b) => Math.min(a, b), Number.MAX_VALUE)
