import type { WriteStream } from "node:tty"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { OutputClosed } from "./Errors.js"
import { terminalColumns, wantsColor } from "./Terminal.js"

/** The output of a command: results on stdout, everything else on stderr. */
export class Screen extends Context.Tag("@earshot/cli-adapter/Screen")<
  Screen,
  {
    /** Prints lines of results. Waits for a slow reader; fails if stdout is closed. */
    readonly print: (text: string) => Effect.Effect<void, OutputClosed>
    /** Prints lines on stderr. */
    readonly note: (text: string) => Effect.Effect<void>
    /** Overwrites the current line of stderr; only if `progress` is true. */
    readonly redraw: (text: string) => Effect.Effect<void>
    /** Columns of the terminal; 100 if there is none. */
    readonly columns: number
    /** Whether stdout takes colors: a terminal, and no NO_COLOR. */
    readonly color: boolean
    /** Whether stderr is a terminal. */
    readonly progress: boolean
    /** Whether stdin and stdout are terminals. */
    readonly interactive: boolean
  }
>() {}

const write = (stream: WriteStream, text: string): Effect.Effect<void, OutputClosed> =>
  Effect.async((resume) => {
    stream.write(text, (error) => resume(error === undefined || error === null ? Effect.void : new OutputClosed()))
  })

const withBreak = (text: string): string => (text.endsWith("\n") ? text : `${text}\n`)

export const layer: Layer.Layer<Screen> = Layer.sync(Screen, () => ({
  print: (text) => write(process.stdout, withBreak(text)),
  note: (text) => Effect.ignore(write(process.stderr, withBreak(text))),
  redraw: (text) => Effect.ignore(write(process.stderr, `\r\u001b[2K${text}`)),
  columns: terminalColumns(),
  color: wantsColor(),
  progress: process.stderr.isTTY && process.env.TERM !== "dumb",
  interactive: process.stdin.isTTY && process.stdout.isTTY
}))
