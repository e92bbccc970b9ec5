import {
  type Ask,
  AnswerUnusable,
  CallEvaluations,
  type CallRecord,
  Calls,
  Credits,
  JobRunner,
  LanguageModel,
  Ledger,
  Metrics,
  ModelUnavailable,
  type StoredEvaluation,
  type Verdict
} from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"

export const turns = [
  { role: "Main Agent", content: "Hello, how can I help you today?", start_time: 0, end_time: 2 },
  { role: "Testing Agent", content: "I need a table for two.", start_time: 3, end_time: 5 },
  { role: "Main Agent", content: "For which evening would that be?", start_time: 5.5, end_time: 7.5 },
  { role: "Testing Agent", content: "Friday.", start_time: 8, end_time: 9 },
  { role: "Main Agent", content: "Booked for Friday evening.", start_time: 10, end_time: 12 }
]

/** An organization with its agent, and shortcuts to evaluate its calls. */
export const fixture = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 2, 31))
  const made = yield* TestEngine.fixture
  const as = TestEngine.as(made.actor)
  const calls = yield* Calls
  const metrics = yield* Metrics
  const evaluations = yield* CallEvaluations
  const runner = yield* JobRunner
  const ledger = yield* Ledger
  let number = 0
  return {
    ...made,
    as,
    calls,
    metrics,
    evaluations,
    runner,
    ingest: (more: object = {}) =>
      Effect.map(
        as(calls.ingest({ call_id: `call ${number++}`, agent: made.agent.id, transcript_json: turns, ...more })),
        ({ call }) => call
      ),
    /** The evaluations of a call by slug, or by metric id without one. */
    evaluationsOf: (call: CallRecord) =>
      Effect.map(
        as(evaluations.evaluations(call.id)),
        (all) => new Map<string, StoredEvaluation>(all.map((one) => [one.slug ?? String(one.metricId), one]))
      ),
    charged: Effect.map(as(ledger.list({})), ({ results }) =>
      Credits.format(Credits.sum(results.map(({ amount }) => amount)))
    ),
    slug: (slug: string) =>
      Effect.map(as(metrics.list({ agent_id: made.agent.id, limit: 200 })), ({ results }) => {
        const found = results.find((metric) => metric.slug === slug)
        if (found === undefined) throw new Error(`No metric ${slug}`)
        return found
      })
  }
})

/** No log output: these tests cause errors on purpose. */
export const quiet = Logger.remove(Logger.defaultLogger)

type Answer = Partial<Verdict> | ModelUnavailable | AnswerUnusable

/** A language model that answers as a test says. */
export const scriptedModel = () => {
  const script: {
    /** The answer to a metric's question, by the question and how often it was asked. */
    answer: (question: string, times: number) => Answer
    /** Runs before each answer. */
    meanwhile: Effect.Effect<unknown>
  } = { meanwhile: Effect.void, answer: () => ({}) }
  const prompts: Array<string> = []
  const ask: Ask = (question) =>
    Effect.gen(function* () {
      prompts.push(question.prompt)
      const name = /## Question\n(.*)/.exec(question.prompt)?.[1] ?? ""
      const times = prompts.filter((prompt) => prompt.includes(`## Question\n${name}\n`)).length
      yield* script.meanwhile
      const answer = script.answer(name, times)
      if (answer instanceof ModelUnavailable || answer instanceof AnswerUnusable) return yield* answer
      const verdict = {
        reasoning: "Because.",
        verdict: "decided",
        value: true,
        turn: 5,
        quote: "booked for FRIDAY",
        ...answer
      }
      const value = yield* Schema.decodeUnknown(question.schema)(verdict).pipe(
        Effect.mapError(() => new AnswerUnusable({ reason: "Of another form." }))
      )
      return { value, model: "fake-1", promptHash: "h".repeat(64), seed: 7 }
    })

  /** A call of an agent that is evaluated by one custom metric only. */
  const withMetric = (input: object, answer: typeof script.answer) =>
    Effect.gen(function* () {
      const made = yield* fixture
      prompts.length = 0
      script.answer = answer
      script.meanwhile = Effect.void
      const metric = yield* made.as(
        made.metrics.create({
          agent: made.agent.id,
          name: "own",
          type: "llm_judge",
          eval_type: "binary",
          prompt: "Is it so?",
          ...input
        })
      )
      const call = yield* made.ingest({
        metric_ids: String(metric.id),
        metadata: { expected_outcome: "A table is booked." }
      })
      return {
        ...made,
        call,
        metric,
        outcome: Effect.map(made.evaluationsOf(call), (all) => all.get("own"))
      }
    })

  const languageModel = Layer.succeed(LanguageModel, { ask: Option.some(ask) })
  return { script, prompts, withMetric, languageModel }
}
