import type { WriteStream } from "node:tty"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { OutputClosed } from "./Faults.js"

/** Where a command writes: results to stdout, everything about them to stderr. */
export class Screen extends Context.Tag("@earshot/cli-adapter/Screen")<
  Screen,
  {
    /** A line, or several, of results. It waits for a slow reader, and fails when there is none any more. */
    readonly print: (text: string) => Effect.Effect<void, OutputClosed>
    /** A line, or several, beside the results. */
    readonly note: (text: string) => Effect.Effect<void>
    /** Writes over the current line of stderr; call it only where `progress` is true. */
    readonly redraw: (text: string) => Effect.Effect<void>
    /** Columns of the terminal; 100 where there is none. */
    readonly columns: number
    /** Whether stdout takes colours: a terminal, and no NO_COLOR. */
    readonly colour: boolean
    /** Whether a person watches stderr. */
    readonly progress: boolean
    /** Whether a person could type something. */
    readonly interactive: boolean
  }
>() {}

const wantsColour = (): boolean => {
  const { FORCE_COLOR, NO_COLOR, TERM } = process.env
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false
  return FORCE_COLOR !== undefined && FORCE_COLOR !== "0" ? true : process.stdout.isTTY && TERM !== "dumb"
}

const write = (stream: WriteStream, text: string): Effect.Effect<void, OutputClosed> =>
  Effect.async((resume) => {
    stream.write(text, (error) => resume(error === undefined || error === null ? Effect.void : new OutputClosed()))
  })

const withBreak = (text: string): string => (text.endsWith("\n") ? text : `${text}\n`)

export const layer: Layer.Layer<Screen> = Layer.sync(Screen, () => ({
  print: (text) => write(process.stdout, withBreak(text)),
  note: (text) => Effect.ignore(write(process.stderr, withBreak(text))),
  redraw: (text) => Effect.ignore(write(process.stderr, `\r\u001b[2K${text}`)),
  columns: process.stdout.isTTY ? Math.max(20, process.stdout.columns) : 100,
  colour: wantsColour(),
  progress: process.stderr.isTTY && process.env.TERM !== "dumb",
  interactive: process.stdin.isTTY && process.stdout.isTTY
}))
