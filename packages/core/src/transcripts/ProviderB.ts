import { isPlainObject } from "../kernel/Json.js"
import type { Decoder } from "./Decoder.js"
import { makeTranscriptBuilder, relativeTime } from "./TranscriptBuilder.js"
import { MAX_TURNS, MAX_WORDS } from "./Limits.js"
import {
  choiceOf,
  envelope,
  type PayloadErrors,
  jsonTextOf,
  listOf,
  optionalFlagOf,
  optionalListOf,
  optionalTextOf,
  readRow,
  type Row,
  secondsOf,
  wordTimesOf,
  textOf,
  joinPath,
  wordOf
} from "./PayloadReader.js"
import type { Speaker, Word } from "./Transcript.js"

type Kind = Speaker | "tool_call_invocation" | "tool_call_result" | "not_speech"

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ["agent", "main_agent"],
  ["user", "testing_agent"],
  // Somebody the agent hands the call to and talks with: for the agent, one more person on the line.
  ["transfer_target", "testing_agent"],
  ["tool_call_invocation", "tool_call_invocation"],
  ["tool_call_result", "tool_call_result"],
  ["node_transition", "not_speech"],
  ["dtmf", "not_speech"],
  ["sms", "not_speech"],
  // Context put in by the developer while the call ran; nobody said it.
  ["injected", "not_speech"]
])

/**
 * `provider_b`: a list of `{role, content, words: [{word, start, end}]}`, or the event `{event, call}` around it, where
 * `call.transcript_with_tool_calls` is read before `call.transcript_object`; the call alone will do.
 *
 * A turn lasts from its first word to its last; without words its times are unknown. The speakers are `agent`, `user`
 * and `transfer_target`. `tool_call_invocation` and `tool_call_result` become tool calls (`time_sec` is their time);
 * `node_transition`, `dtmf`, `sms` and `injected` rows are passed over.
 * Source: the provider's public webhook.
 */
export const decode: Decoder = (input) => {
  const notes = makeTranscriptBuilder()
  const { errors: found } = notes
  const { path: root, rows } = locate(found, input)
  listOf(found, rows, root, MAX_TURNS).forEach((value, index) => {
    const path = `${root}[${index}]`
    readRow(found, value, path, (row) => {
      const kind = choiceOf(found, row, "role", path, KINDS)
      if (kind === "not_speech") return
      if (kind === "tool_call_invocation") {
        const id = optionalTextOf(found, row, "tool_call_id", path)
        const name = textOf(found, row, "name", path)
        const args = jsonTextOf(found, row, "arguments", path)
        const at = relativeTime(secondsOf(found, row, "time_sec", path), joinPath(path, "time_sec"))
        notes.addToolCall({ id, name, arguments: args, at })
      } else if (kind === "tool_call_result") {
        const id = optionalTextOf(found, row, "tool_call_id", path)
        const result = jsonTextOf(found, row, "content", path)
        const succeeded = optionalFlagOf(found, row, "successful", path)
        const at = relativeTime(secondsOf(found, row, "time_sec", path), joinPath(path, "time_sec"))
        notes.addToolResult({ id, name: undefined, result, succeeded, at })
      } else {
        const content = textOf(found, row, "content", path)
        const words = wordsOf(found, row, path)
        const { endTime, startTime } = wordTimesOf(words)
        const place = joinPath(path, "words")
        notes.addTurn({
          speaker: kind,
          content,
          start: relativeTime(startTime, place),
          end: relativeTime(endTime, place),
          words
        })
      }
    })
  })
  return notes.finish()
}

const locate = (found: PayloadErrors, input: unknown): { readonly rows: unknown; readonly path: string } => {
  if (!isPlainObject(input)) return { rows: input, path: "" }
  envelope(found, input, "")
  const wrapped = isPlainObject(input.call)
  const call = isPlainObject(input.call) ? input.call : input
  const path = wrapped ? "call" : ""
  envelope(found, call, path)
  const key = Array.isArray(call.transcript_with_tool_calls) ? "transcript_with_tool_calls" : "transcript_object"
  return { rows: call[key], path: joinPath(path, key) }
}

const wordsOf = (found: PayloadErrors, row: Row, path: string): ReadonlyArray<Word> => {
  const words: Array<Word> = []
  optionalListOf(found, row, "words", path, MAX_WORDS).forEach((value, index) => {
    const place = `${path}.words[${index}]`
    const given = envelope(found, value, place)
    const word = given === undefined ? undefined : wordOf(found, given, place, ["word"])
    if (word !== undefined) words.push(word)
  })
  return words
}
