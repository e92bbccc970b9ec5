import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Agent, Channel, OpenChatEndpoint, OpenVoiceEndpoint } from "../catalog/Agent.js"
import type { VoiceBehavior } from "../catalog/VoiceBehavior.js"
import type { RunId } from "../kernel/Ids.js"
import type { Played } from "../results/PlayedChannels.js"
import type { RunMoment } from "../results/RunDetail.js"
import type { RawTranscript } from "../transcripts/Transcript.js"
import type { RunObserver } from "./LiveRun.js"
import type { Scenario } from "./RunScript.js"

/** A run to play. */
export interface RunToPlay {
  readonly run: RunId
  readonly channel: Channel
  readonly agent: Agent
  /** The agent's chat endpoint with its headers opened; null where it has none. */
  readonly chatEndpoint: OpenChatEndpoint | null
  /** The agent's voice endpoint with its secrets opened; null where it has none. */
  readonly voiceEndpoint: OpenVoiceEndpoint | null
  readonly scenario: Scenario
  /** Gets what happens while the run is played. Default: nobody. */
  readonly observer?: RunObserver
}

/** The outcome of a conversation; the transcript is there even if it failed. */
export interface PlayedRun {
  readonly outcome:
    { readonly is: "ended"; readonly reason: string } | { readonly is: "failed" | "timeout"; readonly reason: string }
  readonly transcript: RawTranscript
  readonly moments: ReadonlyArray<RunMoment>
  /** How the caller behaved, with the seed that repeats it; null where its personality states nothing of the channel. */
  readonly voiceBehavior: VoiceBehavior | null
  readonly durationSeconds: number
  /** Stereo WAV, the testing agent left and the agent right; null on channels without sound, and where no call took place. */
  readonly recording: Uint8Array | null
}

/**
 * Plays runs inside the engine. A run of a shared channel may come without a fitting endpoint, if it was changed later. A run is played as a durable job: if its process is killed, another one starts the run
 * again. It is interrupted when the run is deleted or canceled.
 */
export class RunExecutor extends Context.Tag("@earshot/core/simulation/RunExecutor")<
  RunExecutor,
  Played & {
    readonly play: (run: RunToPlay) => Effect.Effect<PlayedRun>
    /** Whether this process has the means to begin another run now; others may begin it meanwhile. Default: always. */
    readonly hasCapacity?: Effect.Effect<boolean>
  }
>() {}

/** Plays each channel by the first executor that has it. */
export const firstOf = (executors: ReadonlyArray<RunExecutor["Type"]>): RunExecutor["Type"] => {
  const sharing = executors.flatMap(({ shared }) => shared ?? [])
  return {
    channels: [...new Set(executors.flatMap(({ channels }) => channels))],
    shared: {
      channels: [...new Set(sharing.flatMap(({ channels }) => channels))],
      isPlayed: (channel, agent) =>
        sharing.some(({ channels, isPlayed }) => channels.includes(channel) && isPlayed(channel, agent))
    },
    play: (run) =>
      (
        executors.find(({ channels }) => channels.includes(run.channel)) ??
        executors.find(({ shared }) => shared?.channels.includes(run.channel))
      )?.play(run) ?? Effect.dieMessage(`No executor executes runs of the channel ${run.channel}`),
    hasCapacity: Effect.every(executors, ({ hasCapacity = Effect.succeed(true) }) => hasCapacity)
  }
}

/** Plays nothing: all runs are for external workers. */
export const layerNone = Layer.succeed(RunExecutor, {
  channels: [],
  play: () => Effect.dieMessage("There is no executor")
})
