import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** What SIGINT and SIGTERM mean for the command that runs. The first interrupts it, the second ends the process at once. */
export class Signals extends Context.Tag("@earshot/cli-adapter/Signals")<
  Signals,
  {
    /** Makes a signal the normal end of the command, with exit code 0 instead of 128 plus the signal's number. */
    readonly endWell: Effect.Effect<void>
    /** Ignores a second signal: a worker gets the signal of the terminal and that of its primary process. */
    readonly once: Effect.Effect<void>
  }
>() {}
