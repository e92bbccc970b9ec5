import * as Schema from "effect/Schema"
import { RunStatus } from "./RunLifecycle.js"

/** A run that has ended cannot be canceled. */
export class RunIsOver extends Schema.TaggedError<RunIsOver>("@earshot/core/results/RunIsOver")("RunIsOver", {
  status: RunStatus
}) {
  override get message(): string {
    return `Only an open run can be canceled; this run is ${this.status}.`
  }
}
