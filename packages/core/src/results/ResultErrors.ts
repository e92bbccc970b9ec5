import * as Schema from "effect/Schema"
import { RunStatus } from "./RunLifecycle.js"

/** Only a run that is not over can be cancelled. */
export class RunIsOver extends Schema.TaggedError<RunIsOver>("@earshot/core/results/RunIsOver")("RunIsOver", {
  status: RunStatus
}) {
  override get message(): string {
    return `Only a run that is not over can be cancelled; this one is ${this.status}.`
  }
}
