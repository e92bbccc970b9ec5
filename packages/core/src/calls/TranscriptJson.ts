/** The JSON forms of tool calls and of the stages of turns. */
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { timingStages } from "../transcripts/TurnTiming.js"

export const ToolCallJson = Schema.Struct({
  id: Schema.NullOr(Schema.String).annotations({ description: "The platform's id of the tool call." }),
  name: Schema.String.annotations({ description: "Name of the tool." }),
  arguments: Schema.String.annotations({ description: "Arguments as text, in most formats JSON." }),
  result: Schema.NullOr(Schema.String).annotations({ description: "What the tool returned, as text." }),
  succeeded: Schema.NullOr(Schema.Boolean).annotations({ description: "Whether it succeeded; null if unknown." }),
  start_time: Schema.NullOr(Schema.Number).annotations({ description: "When it was called, in seconds of the call." }),
  end_time: Schema.NullOr(Schema.Number).annotations({ description: "When it returned, in seconds of the call." })
}).annotations({ identifier: "CallToolCall" })

const StageJson = Schema.Struct({
  seconds: Schema.Number.annotations({ description: "How long the stage took, in seconds." }),
  source: Schema.String.annotations({ description: "The platform's name of the value." })
}).annotations({ identifier: "StageTiming" })

/** The stages of a turn that were measured. */
export const StageTimingsJson = Schema.Struct(
  Record.fromEntries(timingStages.map((stage) => [stage, Schema.optionalWith(StageJson, { exact: true })]))
)

export const TimingJson = Schema.Struct({
  turn: Schema.Int.annotations({ description: "Position of the turn in the transcript, from 1." }),
  stages: StageTimingsJson.annotations({ description: "The stages that were measured, by name." })
}).annotations({ identifier: "TurnTiming" })
