import { Messages } from "../kernel/FieldErrors.js"
import type { Decoder } from "./Decoder.js"
import { assemble } from "./TranscriptBuilder.js"
import { makePayloadErrors, readRows, type Row, textOf } from "./PayloadReader.js"
import { timedTurn } from "./Service.js"
import type { Speaker, Turn } from "./Transcript.js"

const SPEAKERS: ReadonlyMap<string, Speaker> = new Map([
  ["main_agent", "main_agent"],
  ["assistant", "main_agent"],
  ["agent", "main_agent"],
  ["testing_agent", "testing_agent"],
  ["user", "testing_agent"]
])

/** The speaker of a role, ignoring case; `Main Agent` and `main_agent` are the same. */
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
 * case and with spaces for underscores, and `text` as an alternative to `content`. Blank texts are turns.
 */
export const decode: Decoder = (input) => {
  const errors = makePayloadErrors()
  const turns: Array<Turn> = []
  readRows(errors, input, "", (row, path) => {
    const speaker = speakerOf(row.role)
    if (speaker === undefined) {
      errors.add(
        `${path}.role`,
        row.role === undefined
          ? Messages.required
          : row.role === null
            ? Messages.notNull
            : Messages.notAChoice(row.role, [...SPEAKERS.keys()])
      )
    }
    const content = textOf(errors, row, !given(row, "content") && given(row, "text") ? "text" : "content", path)
    const turn = timedTurn(errors, row, path, speaker, content)
    if (turn !== undefined) turns.push(turn)
  })
  return assemble(errors, turns, [])
}
