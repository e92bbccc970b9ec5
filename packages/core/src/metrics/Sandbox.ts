import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Json } from "../kernel/Json.js"

/** Custom code failed. */
export class CodeFailed extends Schema.TaggedError<CodeFailed>("@earshot/core/metrics/CodeFailed")("CodeFailed", {
  kind: Schema.Literal("syntax", "threw", "timeout", "memory", "result", "crashed"),
  /** The error message for the author of the code. */
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

/** Custom code and its entry point. */
export interface Code {
  /** The body of a function of one argument, `call`; it may instead define a function, which is then called. */
  readonly source: string
  /** The function that the code defines. Default: `evaluate`. */
  readonly functionName: string
}

/** The input of custom code. */
export interface CodeInput {
  readonly call: Json
  /** The fixed time of the code's clock, epoch milliseconds. */
  readonly clock: number
  /**
   * For whom it runs: runs of different owners take turns, and those of one owner leave room for others. Default: an owner
   * of its own for all that state none.
   */
  readonly owner?: string
}

/**
 * Runs untrusted JavaScript with nothing but its input, within limits of time and memory. Runs share no state.
 */
export class Sandbox extends Context.Tag("@earshot/core/metrics/Sandbox")<
  Sandbox,
  {
    /** Checks the syntax of the code without running it. */
    readonly check: (code: Code) => Effect.Effect<void, CodeFailed>
    /** What the code returns. */
    readonly run: (code: Code, input: CodeInput) => Effect.Effect<Json, CodeFailed>
  }
>() {}
