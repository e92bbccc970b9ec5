/** What is published of a run while it is played. */
import * as Schema from "effect/Schema"
import type { Turn } from "../transcripts/Transcript.js"

/** Something that happens in a run in progress. */
export const LiveEvent = Schema.Union(
  /** Somebody has said something; the times are seconds from the start, null where they are unknown. */
  Schema.Struct({
    type: Schema.Literal("turn"),
    speaker: Schema.Literal("testing_agent", "main_agent"),
    content: Schema.String,
    start_time: Schema.NullOr(Schema.Number),
    end_time: Schema.NullOr(Schema.Number)
  }),
  /** 100 milliseconds of a call from a position: mu-law of 8 kHz in base64, what the agent hears and what it says. */
  Schema.Struct({
    type: Schema.Literal("audio"),
    at_ms: Schema.Number,
    caller: Schema.String,
    agent: Schema.String
  }),
  /** The last event: the run is no longer played. */
  Schema.Struct({ type: Schema.Literal("end") })
)
export type LiveEvent = typeof LiveEvent.Type

/** The run cannot be listened to. */
export class RunNotLive extends Schema.TaggedError<RunNotLive>("@earshot/core/simulation/RunNotLive")("RunNotLive", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

/** Gets what happens in a run. Both functions return at once. */
export interface RunObserver {
  readonly turn: (turn: Turn) => void
  /** A frame of 20 milliseconds by its number: the caller's, null for silence, and the agent's. */
  readonly audio: (frame: number, caller: Uint8Array | null, agent: Uint8Array) => void
}
