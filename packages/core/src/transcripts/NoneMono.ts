import * as Either from "effect/Either"
import { fieldError, NON_FIELD } from "../kernel/FieldErrors.js"
import { isPlainObject } from "../kernel/Json.js"
import type { Decoder } from "./Decoder.js"

/**
 * `none-mono`: mono audio without a transcript, which the ingest transcribes. Nothing, null or an empty value decodes to a
 * transcript without turns; any other payload is an error, because it would be ignored. Source: interface, E10.
 */
export const decode: Decoder = (input) =>
  isEmpty(input)
    ? Either.right({ _tag: "RawTranscript", turns: [], toolCalls: [] })
    : Either.left(
        fieldError(NON_FIELD, 'Omit this for the transcript type "none-mono": the transcript is made from the audio.')
      )

const isEmpty = (input: unknown): boolean =>
  input === undefined ||
  input === null ||
  input === "" ||
  (Array.isArray(input) && input.length === 0) ||
  (isPlainObject(input) && Object.keys(input).length === 0)
