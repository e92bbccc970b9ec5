/** Assertions of a scenario: what has to be true of each of its runs, checked without a model. Source: docs/suites.md. */
import * as Schema from "effect/Schema"
import { JsonObject } from "../kernel/Json.js"
import { Speaker } from "../transcripts/Transcript.js"

/** Whose turns an assertion about text reads. */
export const AssertedSpeaker = Schema.Literal(...Speaker.literals, "any")
export type AssertedSpeaker = typeof AssertedSpeaker.Type

const ofText = { speaker: AssertedSpeaker, text: Schema.String, case_sensitive: Schema.Boolean }

/** An assertion with its defaults filled in, as it is stored with a scenario. */
export const Assertion = Schema.Union(
  /** A turn contains the text. */
  Schema.Struct({ type: Schema.Literal("contains"), ...ofText }),
  /** No turn contains the text. */
  Schema.Struct({ type: Schema.Literal("not_contains"), ...ofText }),
  /** A turn has a match of the RE2 pattern. */
  Schema.Struct({ type: Schema.Literal("regex"), speaker: AssertedSpeaker, pattern: Schema.String }),
  /** The agent calls the tool, with at least these arguments where they are given. */
  Schema.Struct({ type: Schema.Literal("tool_called"), tool: Schema.String, arguments: Schema.NullOr(JsonObject) }),
  /** The agent calls the tools in this order; other calls may come between. */
  Schema.Struct({ type: Schema.Literal("tool_order"), tools: Schema.Array(Schema.String) }),
  /** Every answer of the agent starts within so many milliseconds. */
  Schema.Struct({ type: Schema.Literal("max_latency"), milliseconds: Schema.Number }),
  /** The number of turns of both speakers, which is inclusive; null for no bound. */
  Schema.Struct({ type: Schema.Literal("turns"), min: Schema.NullOr(Schema.Int), max: Schema.NullOr(Schema.Int) }),
  /** Who hangs up. */
  Schema.Struct({ type: Schema.Literal("ended_by"), speaker: Speaker })
)
export type Assertion = typeof Assertion.Type

export const assertionTypes = [
  "contains",
  "not_contains",
  "regex",
  "tool_called",
  "tool_order",
  "max_latency",
  "turns",
  "ended_by"
] as const satisfies ReadonlyArray<Assertion["type"]>
