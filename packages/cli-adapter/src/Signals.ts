import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** What SIGINT and SIGTERM mean for the command that runs. The first interrupts it, the second ends the process at once. */
export class Signals extends Context.Tag("@earshot/cli-adapter/Signals")<
  Signals,
  {
    /** From now on a signal is how this command is meant to end: exit 0. Otherwise it ends with 128 and the signal's number. */
    readonly endWell: Effect.Effect<void>
    /** From now on a second signal means nothing: the process that leads this one tells it what its terminal has told it. */
    readonly once: Effect.Effect<void>
  }
>() {}
