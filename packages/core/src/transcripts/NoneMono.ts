import * as Either from "effect/Either"
import { fieldError, NON_FIELD } from "../kernel/FieldErrors.js"
import { isPlainObject } from "../kernel/Json.js"
import type { Decoder } from "./Decoder.js"

/**
 * `none-mono`: mono audio with no transcript, so nothing, null or an empty value decodes to a transcript with no turns;
 * whoever ingests the call has it transcribed. A payload with something in it is a fault, since it would be dropped.
 * Source: interface, E10.
 */
export const decode: Decoder = (input) =>
  isEmpty(input)
    ? Either.right({ _tag: "RawTranscript", turns: [], toolCalls: [] })
    : Either.left(fieldError(NON_FIELD, 'Leave this out for the transcript type "none-mono": it is made from the audio.'))

const isEmpty = (input: unknown): boolean =>
  input === undefined ||
  input === null ||
  input === "" ||
  (Array.isArray(input) && input.length === 0) ||
  (isPlainObject(input) && Object.keys(input).length === 0)
