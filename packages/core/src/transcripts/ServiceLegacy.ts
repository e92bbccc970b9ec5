import { Messages } from "../kernel/FieldErrors.js"
import type { Decoder } from "./Decoder.js"
import { assemble, noWords } from "./TranscriptBuilder.js"
import { MAX_TURNS } from "./Limits.js"
import { checkOrder, makePayloadErrors, listOf, readRow, type Row, secondsOf, textOf } from "./PayloadReader.js"
import type { Speaker, Turn } from "./Transcript.js"

const SPEAKERS: ReadonlyMap<string, Speaker> = new Map([
  ["main_agent", "main_agent"],
  ["assistant", "main_agent"],
  ["agent", "main_agent"],
  ["testing_agent", "testing_agent"],
  ["user", "testing_agent"]
])

/** The speaker of a role in any case; `Main Agent` and `main_agent` are one. */
const speakerOf = (role: unknown): Speaker | undefined =>
  typeof role === "string"
    ? SPEAKERS.get(
        role
          .trim()
          .toLowerCase()
          .replace(/[\s-]+/g, "_")
      )
    : undefined

const given = (row: Row, key: string): boolean => row[key] !== undefined && row[key] !== null

/**
 * `service_legacy`: a list of `{role, content, start_time, end_time}` as `service` has it, with the roles
 * `testing_agent`, `main_agent`, `user` (the testing agent's side), `assistant` and `agent` (the main agent's) in any
 * case and with spaces for underscores, and `text` where there is no `content`. Blank texts are turns.
 */
export const decode: Decoder = (input) => {
  const found = makePayloadErrors()
  const turns: Array<Turn> = []
  listOf(found, input, "", MAX_TURNS).forEach((value, index) => {
    const path = `[${index}]`
    readRow(found, value, path, (row) => {
      const speaker = speakerOf(row.role)
      if (speaker === undefined) {
        found.add(
          `${path}.role`,
          row.role === undefined ? Messages.required : row.role === null ? Messages.notNull : Messages.notAChoice(row.role)
        )
      }
      const content = textOf(found, row, !given(row, "content") && given(row, "text") ? "text" : "content", path)
      const startTime = secondsOf(found, row, "start_time", path)
      const endTime = secondsOf(found, row, "end_time", path)
      checkOrder(found, startTime, endTime, `${path}.end_time`)
      if (speaker !== undefined && content !== undefined) {
        turns.push({ speaker, content, startTime, endTime, words: noWords })
      }
    })
  })
  return assemble(found, turns, [])
}
