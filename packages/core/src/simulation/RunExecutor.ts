import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Agent, Channel, OpenChatEndpoint } from "../catalog/Agent.js"
import type { RunId } from "../kernel/Ids.js"
import type { RunMoment } from "../results/RunDetail.js"
import type { RawTranscript } from "../transcripts/Transcript.js"
import type { Scenario } from "./RunScript.js"

/** A run that is to be played. */
export interface RunToPlay {
  readonly run: RunId
  readonly channel: Channel
  readonly agent: Agent
  /** The agent's chat endpoint with its headers opened; null where it has none. */
  readonly chatEndpoint: OpenChatEndpoint | null
  readonly scenario: Scenario
}

/** How a conversation went; what was said is there also where it came to a bad end. */
export interface PlayedRun {
  readonly outcome:
    { readonly is: "ended"; readonly reason: string } | { readonly is: "failed" | "timeout"; readonly reason: string }
  readonly transcript: RawTranscript
  readonly moments: ReadonlyArray<RunMoment>
  readonly durationSeconds: number
}

/**
 * Plays runs inside the engine. A run is played as a durable job: its process may be killed and the run begun again by
 * another, and it is interrupted when the run is deleted or cancelled meanwhile.
 */
export class RunExecutor extends Context.Tag("@earshot/core/simulation/RunExecutor")<
  RunExecutor,
  {
    /** Whose runs are played here; those of other channels wait for outside workers. */
    readonly channels: ReadonlyArray<Channel>
    readonly play: (run: RunToPlay) => Effect.Effect<PlayedRun>
  }
>() {}

/** Nothing is played inside the engine: all runs are for outside workers. */
export const layerNone = Layer.succeed(RunExecutor, {
  channels: [],
  play: () => Effect.dieMessage("There is no executor")
})
