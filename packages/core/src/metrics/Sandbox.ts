import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Json } from "../kernel/Json.js"

/** Custom code came to nothing. */
export class CodeFailed extends Schema.TaggedError<CodeFailed>("@earshot/core/metrics/CodeFailed")("CodeFailed", {
  kind: Schema.Literal("syntax", "threw", "timeout", "memory", "result", "crashed"),
  /** A sentence for whoever wrote the code. */
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

/** Custom code and what it is called by. */
export interface Code {
  /** The body of a function of one argument, `call`; it may instead define a function and leave calling it to us. */
  readonly source: string
  /** The function that the code defines, `evaluate` where it is empty. */
  readonly functionName: string
}

/** What custom code runs with. */
export interface CodeInput {
  readonly call: Json
  /** The instant that the code's clock stands still at, epoch milliseconds. */
  readonly clock: number
}

/**
 * Where JavaScript of strangers runs: with what it is given and nothing else, for a limited time, in limited memory. One
 * run leaves no trace for the next.
 */
export class Sandbox extends Context.Tag("@earshot/core/metrics/Sandbox")<
  Sandbox,
  {
    /** Fails with what is wrong with the code's syntax; runs nothing of it. */
    readonly check: (code: Code) => Effect.Effect<void, CodeFailed>
    /** What the code returns. */
    readonly run: (code: Code, input: CodeInput) => Effect.Effect<Json, CodeFailed>
  }
>() {}
