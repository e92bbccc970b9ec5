import { type DecodeContext, FieldErrors, type RawTranscript, TranscriptFormat } from "@earshot/core"
import * as Either from "effect/Either"

export const decode = (type: string, input: unknown, context?: DecodeContext): RawTranscript =>
  Either.getOrThrowWith(
    TranscriptFormat.builtIn.decode(type, input, context),
    (errors) => new Error(JSON.stringify(errors))
  )

export const errorsOf = (type: string, input: unknown): FieldErrors.FieldErrors =>
  Either.match(TranscriptFormat.builtIn.decode(type, input), {
    onLeft: (errors) => errors,
    onRight: () => FieldErrors.noFieldErrors
  })

/** Speaker, text, start and end of each turn. */
export const turnsOf = (transcript: RawTranscript) =>
  transcript.turns.map(({ content, endTime, speaker, startTime }) => [speaker, content, startTime, endTime])

/** Id, name, arguments, result and success of each tool call. */
export const toolCallsOf = (transcript: RawTranscript) =>
  transcript.toolCalls.map((call) => [call.id, call.name, call.arguments, call.result, call.succeeded])

/** `JSON.parse` with an unknown result; the only way to make an object with a `__proto__` key. */
export const parseJson = (text: string): unknown => JSON.parse(text)

export const notAnObject = ["Expected an object."]
export const required = ["This field is required."]
export const notANumber = ["A valid number is required."]
export const notAString = ["Not a valid string."]
export const protoNotAllowed = ['The key "__proto__" is not allowed.']
