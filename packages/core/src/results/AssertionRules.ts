/** Checks assertions against the conversation of a run. Pure. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { compile } from "../filters/Regex.js"
import { isPlainObject, type JsonObject } from "../kernel/Json.js"
import { formulaContext, minOverlap, missingTimes, NO_SPEECH } from "../metrics/FormulaContext.js"
import { roleNames, type ToolCall, type Turn } from "../transcripts/Transcript.js"
import { type AssertedSpeaker, Assertion } from "./Assertion.js"
import type { Criterion } from "./RunDetail.js"

/** What assertions are checked against. */
export interface Conversation {
  readonly turns: ReadonlyArray<Turn>
  readonly toolCalls: ReadonlyArray<ToolCall>
  /** How it ended; null where that is unknown. */
  readonly endedReason: string | null
}

/** Why an assertion is not true; undefined where it is. */
type Failure = string | undefined

/** The longest quotation in a name or a reason. */
const MAX_QUOTED = 200

const quote = (text: string): string =>
  JSON.stringify(text.length > MAX_QUOTED ? `${Array.from(text.slice(0, MAX_QUOTED)).join("")}...` : text)

const subjectOf = (speaker: AssertedSpeaker): string => (speaker === "any" ? "Either speaker" : roleNames[speaker])

/** The assertion in words, which is the name of its criterion. */
export const describeAssertion = (assertion: Assertion): string => {
  switch (assertion.type) {
    case "contains":
      return `${subjectOf(assertion.speaker)} says ${quote(assertion.text)}`
    case "not_contains":
      return `${assertion.speaker === "any" ? "Neither speaker says" : `${roleNames[assertion.speaker]} does not say`} ${quote(assertion.text)}`
    case "regex":
      return `${subjectOf(assertion.speaker)} says a match of ${quote(assertion.pattern)}`
    case "tool_called":
      return `Calls ${quote(assertion.tool)}${assertion.arguments === null ? "" : ` with ${quote(JSON.stringify(assertion.arguments))}`}`
    case "tool_order":
      return `Calls in this order: ${assertion.tools.map(quote).join(", ")}`
    case "max_latency":
      return `Answers within ${assertion.milliseconds} ms`
    case "turns":
      return assertion.max === null
        ? `Has at least ${assertion.min ?? 0} turns`
        : `Has ${assertion.min === null ? "at most" : `${assertion.min} to`} ${assertion.max} turns`
    case "ended_by":
      return `${roleNames[assertion.speaker]} hangs up`
  }
}

const storedAssertions = Schema.decodeUnknownEither(Schema.Array(Assertion))

/** The criteria of the assertions in a stored scenario; none of them is met by a run without a transcript. */
export const checkAssertions = (script: JsonObject, of: Conversation): ReadonlyArray<Criterion> =>
  Either.getOrElse(storedAssertions(script.assertions ?? []), () => []).map((assertion, position) =>
    checkAssertion(assertion, position, of)
  )

/**
 * The criterion of an assertion at a position of its scenario's list. An assertion that cannot be checked, such as a latency
 * without times, is not met: a criterion that nothing has shown must not count as one that holds.
 */
export const checkAssertion = (assertion: Assertion, position: number, of: Conversation): Criterion => {
  const failure = failureOf(assertion, of)
  return {
    criterion: `assertion:${position}`,
    name: describeAssertion(assertion),
    passed: failure === undefined,
    reason: failure ?? null
  }
}

const failureOf = (assertion: Assertion, of: Conversation): Failure => {
  if (of.turns.length === 0) return NO_SPEECH
  switch (assertion.type) {
    case "contains":
      return matchingTurn(assertion.speaker, of, containing(assertion)) === undefined ? "No turn has it." : undefined
    case "not_contains": {
      const turn = matchingTurn(assertion.speaker, of, containing(assertion))
      return turn === undefined ? undefined : `${roleNames[turn.speaker]}: ${quote(turn.content)}`
    }
    case "regex":
      return Either.match(compile(assertion.pattern), {
        onLeft: (error) => error,
        onRight: (matches) =>
          matchingTurn(assertion.speaker, of, matches) === undefined ? "No turn matches." : undefined
      })
    case "tool_called":
      return toolFailure(assertion.tool, assertion.arguments, of.toolCalls)
    case "tool_order":
      return orderFailure(assertion.tools, of.toolCalls)
    case "max_latency":
      return latencyFailure(assertion.milliseconds, of)
    case "turns":
      return turnsFailure(assertion, of.turns.filter(isSpoken).length)
    case "ended_by":
      return of.endedReason === `${assertion.speaker}_ended_call`
        ? undefined
        : `The conversation ended with ${of.endedReason === null ? "no known reason" : quote(of.endedReason)}.`
  }
}

const isSpoken = ({ content }: Turn): boolean => content.trim() !== ""

const matchingTurn = (
  speaker: AssertedSpeaker,
  { turns }: Conversation,
  matches: (text: string) => boolean
): Turn | undefined => turns.find((turn) => (speaker === "any" || turn.speaker === speaker) && matches(turn.content))

const containing = ({
  case_sensitive: isCaseSensitive,
  text
}: {
  readonly case_sensitive: boolean
  readonly text: string
}) => {
  const normalize = (one: string): string =>
    isCaseSensitive ? one.normalize("NFC") : one.normalize("NFC").toLowerCase()
  const searched = normalize(text)
  return (content: string): boolean => normalize(content).includes(searched)
}

const toolFailure = (tool: string, expected: JsonObject | null, calls: ReadonlyArray<ToolCall>): Failure => {
  const called = calls.filter(({ name }) => name === tool)
  if (called.length === 0) return calls.length === 0 ? "No tool was called." : `Called: ${namesOf(calls)}.`
  if (expected === null || called.some((call) => includes(argumentsOf(call), expected))) return undefined
  return `Called with ${called.map((call) => quote(call.arguments)).join(", ")}.`.slice(0, 1_000)
}

const namesOf = (calls: ReadonlyArray<ToolCall>): string =>
  calls
    .slice(0, 20)
    .map(({ name }) => quote(name))
    .join(", ")

/** The arguments as JSON, or as the text that was sent where that is no JSON. */
const argumentsOf = (call: ToolCall): unknown =>
  Either.getOrElse(
    Either.try((): unknown => JSON.parse(call.arguments)),
    () => call.arguments
  )

/** Whether every part of `expected` is in `actual`: keys of objects may be missing in `expected`, items of lists may not. */
const includes = (actual: unknown, expected: unknown): boolean => {
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((item: unknown, index) => includes(actual[index], item))
    )
  }
  if (isPlainObject(expected)) {
    return (
      isPlainObject(actual) &&
      Object.entries(expected).every(([key, value]) => Object.hasOwn(actual, key) && includes(actual[key], value))
    )
  }
  return actual === expected
}

const orderFailure = (tools: ReadonlyArray<string>, calls: ReadonlyArray<ToolCall>): Failure => {
  let next = 0
  for (const { name } of calls) if (next < tools.length && name === tools[next]) next++
  const missing = tools[next]
  if (missing === undefined) return undefined
  const before = tools[next - 1]
  return `${quote(missing)} was not called${before === undefined ? "" : ` after ${quote(before)}`}. Called: ${
    calls.length === 0 ? "none" : namesOf(calls)
  }.`
}

const latencyFailure = (milliseconds: number, { toolCalls, turns }: Conversation): Failure => {
  const { latencies, speech } = formulaContext({ turns, toolCalls, durationSeconds: null })
  const { isUnknown, moments } = latencies(minOverlap(null))
  const slowest = Math.max(...moments.map(({ duration_ms: length }) => length))
  if (slowest > milliseconds) return `The slowest answer took ${slowest} ms.`
  if (speech.turnsWithoutStart > 0 || isUnknown) return `Latencies are unknown: ${missingTimes(speech)}`
  return moments.length > 0 ? undefined : "The agent never answers after the caller has spoken."
}

const turnsFailure = (
  { max, min }: { readonly max: number | null; readonly min: number | null },
  count: number
): Failure =>
  (min !== null && count < min) || (max !== null && count > max) ? `The conversation has ${count} turns.` : undefined
