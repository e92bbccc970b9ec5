import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type Answer, type Ask, LanguageModel, type ModelUnavailable } from "../language/LanguageModel.js"
import type { Json } from "../kernel/Json.js"
import type { MetricId, OrganizationId } from "../kernel/Ids.js"
import { afterRun, type CodeHistory, suspendedUntil, TIMEOUTS } from "./CodeSuspension.js"
import { codeInput, type PreviousResult, type EvaluatedSubject } from "./EvaluatedSubject.js"
import { type Evaluated, type Judgment, type Outcome, outcomes } from "./Evaluation.js"
import { evaluationOrder } from "./EvaluationOrder.js"
import { contextOf, formulaOutcome, immediateOutcomes, NO_MODEL, triggeredFormulas } from "./ImmediateOutcomes.js"
import { settingsOf } from "./Settings.js"
import {
  decisionOf,
  isWithinPromptLimit,
  MAX_PROMPT_CHARACTERS,
  questionOf,
  triggerQuestionOf,
  valueError,
  type Verdict
} from "./LlmJudge.js"
import type { Metric } from "./Metric.js"
import { dependenciesOf } from "./MetricRules.js"
import { type CodeInput, Sandbox } from "./Sandbox.js"

/** A metric that could not be evaluated because the language model is unavailable. */
export interface Postponed {
  readonly metric: Metric
  readonly error: ModelUnavailable
}

export interface EvaluationRequest<E> {
  /** Whose metrics these are. Custom code of different organizations takes turns. */
  readonly organizationId: OrganizationId
  readonly subject: EvaluatedSubject
  /** The call as an external language model may see it. Default: unchanged. */
  readonly forModel?: Effect.Effect<EvaluatedSubject, E>
  readonly metrics: ReadonlyArray<Metric>
  /** Earlier results of other metrics, by slug and id. */
  readonly previousResults: ReadonlyMap<string, PreviousResult>
  /** Whether postponed metrics will not be retried; code metrics then run without their results. */
  readonly isLastAttempt?: boolean
  /** Receives outcomes in batches as they come, so that they are stored even if the rest fails. */
  readonly emit: (evaluated: ReadonlyArray<Evaluated>) => Effect.Effect<void, E>
}

/** Evaluates the metrics of a call, real or simulated; independent of storage. */
export class Scorer extends Context.Tag("@earshot/core/metrics/Scorer")<
  Scorer,
  {
    /**
     * The outcomes of the metrics that need neither a language model nor a sandbox, and the metrics that remain to be
     * evaluated by `evaluate`.
     */
    readonly immediate: (
      subject: EvaluatedSubject,
      metrics: ReadonlyArray<Metric>
    ) => Effect.Effect<{ readonly evaluated: ReadonlyArray<Evaluated>; readonly remaining: ReadonlyArray<Metric> }>
    /** Returns the metrics to retry when the language model is available. */
    readonly evaluate: <E>(request: EvaluationRequest<E>) => Effect.Effect<ReadonlyArray<Postponed>, E>
  }
>() {}

/** Concurrent questions to the language model about one call. */
const JUDGE_CONCURRENCY = 4

const NO_AUDIO = "This metric needs audio analysis, which is not available."
const NO_SPEECH = "Nobody speaks in the transcript."
const TOO_LONG = `The call exceeds the ${MAX_PROMPT_CHARACTERS}-character limit for model-based metrics.`
const MAX_EXPLANATION = 2000

/** Metrics whose timeouts are remembered. */
const MAX_HISTORIES = 10_000

const storable = (text: string): string => text.replaceAll("\0", "").slice(0, MAX_EXPLANATION).toWellFormed()

/** Whether code may read the results of other metrics: it declares dependencies, or contains the word. */
const readsResults = (metric: Metric): boolean =>
  dependenciesOf(metric.configuration).length > 0 || /\bresults\b/.test(metric.customCode)

const judgmentOf = (
  answer: Answer<Verdict>,
  decided?: { readonly turn: number; readonly quote: string }
): Judgment => ({
  model: storable(answer.model),
  prompt_hash: answer.promptHash,
  seed: answer.seed,
  turn: decided?.turn ?? null,
  quote: decided === undefined ? null : storable(decided.quote)
})

export const layer = Layer.effect(
  Scorer,
  Effect.gen(function* () {
    const sandbox = yield* Sandbox
    const model = yield* LanguageModel
    /** Of metrics whose code exceeded its time limit lately; this process's own. */
    const histories = new Map<MetricId, CodeHistory>()

    /** The outcome of a metric whose trigger does not apply to this call; none if it is to be evaluated. */
    const triggered = (
      ask: Option.Option<Ask>,
      metric: Metric,
      subject: EvaluatedSubject
    ): Effect.Effect<Option.Option<Outcome>, ModelUnavailable> =>
      metric.evaluationTrigger !== "custom"
        ? Effect.succeedNone
        : Option.match(ask, {
            onNone: () =>
              Effect.succeedSome(outcomes.withoutValue("skipped", `${NO_MODEL} The trigger prompt needs one.`)),
            onSome: (asks) => {
              const question = triggerQuestionOf(metric, subject)
              return isWithinPromptLimit(question)
                ? asks(question).pipe(
                    Effect.map(({ value }) =>
                      value.verdict === "decided" && value.value === true
                        ? Option.none()
                        : Option.some(
                            outcomes.withoutValue("skipped", "The trigger condition is not met.", {
                              explanation: storable(value.reasoning)
                            })
                          )
                    ),
                    // Nothing was evaluated, so nothing is charged.
                    Effect.catchTag("AnswerUnusable", ({ reason }) =>
                      Effect.succeedSome(
                        outcomes.withoutValue("skipped", `The trigger prompt could not be answered. ${reason}`)
                      )
                    )
                  )
                : Effect.succeedSome(outcomes.withoutValue("skipped", TOO_LONG))
            }
          })

    /** Asks one question, and once more if the answer is invalid. */
    const judge = (
      ask: Ask,
      metric: Metric,
      subject: EvaluatedSubject,
      again?: string
    ): Effect.Effect<Outcome, ModelUnavailable> =>
      ask(questionOf(metric, subject, again)).pipe(
        Effect.flatMap((answer) => {
          const { reasoning, verdict } = answer.value
          const explanation = storable(reasoning)
          if (verdict !== "decided") {
            return Effect.succeed(
              verdict === "not_applicable" && metric.evaluationTrigger === "automatic"
                ? outcomes.withoutValue("skipped", "The question does not apply to this call.", {
                    explanation,
                    judgment: judgmentOf(answer)
                  })
                : outcomes.withoutValue("could_not_judge", "The language model could not tell.", {
                    explanation,
                    judgment: judgmentOf(answer)
                  })
            )
          }
          return Either.match(decisionOf(metric, subject, answer.value), {
            onRight: (decision) => {
              const turn = subject.transcript.turns[decision.turn - 1]
              return Effect.succeed(
                outcomes.scored(decision.value, {
                  explanation,
                  judgment: judgmentOf(answer, decision),
                  moments:
                    turn?.startTime === undefined
                      ? []
                      : [
                          {
                            at_second: turn.startTime,
                            duration_ms: Math.max(
                              0,
                              Math.round(((turn.endTime ?? turn.startTime) - turn.startTime) * 1000)
                            )
                          }
                        ]
                })
              )
            },
            onLeft: (wrong) =>
              again === undefined
                ? judge(ask, metric, subject, wrong)
                : Effect.succeed(
                    outcomes.withoutValue("could_not_judge", wrong, { explanation, judgment: judgmentOf(answer) })
                  )
          })
        }),
        Effect.catchTag("AnswerUnusable", ({ reason }) =>
          again === undefined
            ? judge(ask, metric, subject, reason)
            : Effect.succeed(outcomes.withoutValue("could_not_judge", reason))
        )
      )

    const judgedOutcome = (metric: Metric, subject: EvaluatedSubject): Effect.Effect<Outcome, ModelUnavailable> =>
      Effect.gen(function* () {
        if (Option.isNone(model.ask)) return outcomes.withoutValue("skipped", NO_MODEL)
        if (metric.audioEnabled) return outcomes.withoutValue("skipped", NO_AUDIO)
        const { turns } = subject.transcript
        if (turns.every((turn) => turn.content.trim() === "")) return outcomes.withoutValue("not_applicable", NO_SPEECH)
        if (!isWithinPromptLimit(questionOf(metric, subject))) return outcomes.withoutValue("skipped", TOO_LONG)
        const untriggered = yield* triggered(model.ask, metric, subject)
        return Option.isSome(untriggered) ? untriggered.value : yield* judge(model.ask.value, metric, subject)
      })

    /** What code returned: `{value, explanation}`, or the value alone. */
    const outcomeOf = (metric: Metric, returned: Json): Outcome => {
      const fields = settingsOf(returned)
      const value: Json = fields === null ? returned : (fields.value ?? null)
      const explained: Json = fields?.explanation ?? null
      const explanation = typeof explained === "string" ? storable(explained) : null
      if (value === null) {
        return outcomes.withoutValue("not_applicable", explanation ?? "The code returned no value.", { explanation })
      }
      const error = valueError(metric, value)
      return error !== undefined || typeof value === "object"
        ? outcomes.withoutValue("failed", `The code returned an invalid value. ${error ?? ""}`.trim(), { explanation })
        : outcomes.scored(value, { explanation })
    }

    /** Runs code unless it is suspended, and records how it did. */
    const runUnlessSuspended = (metric: Metric, input: CodeInput): Effect.Effect<Outcome> =>
      Effect.gen(function* () {
        const { customCode: source, functionName, id } = metric
        const until = suspendedUntil(histories.get(id), source, yield* Clock.currentTimeMillis)
        if (until !== undefined) {
          return outcomes.withoutValue(
            "failed",
            `The code is suspended until ${new Date(until).toISOString()}: ${TIMEOUTS} runs in a row took too long.`
          )
        }
        const result = yield* Effect.either(sandbox.run({ source, functionName }, input))
        const isTimeout = Either.isLeft(result) && result.left.kind === "timeout"
        const history = afterRun(histories.get(id), { source, isTimeout }, yield* Clock.currentTimeMillis)
        histories.delete(id)
        if (history !== undefined) histories.set(id, history)
        const [oldest] = histories.keys()
        if (histories.size > MAX_HISTORIES && oldest !== undefined) histories.delete(oldest)
        return Either.match(result, {
          onRight: (returned) => outcomeOf(metric, returned),
          onLeft: ({ kind, reason }) =>
            outcomes.withoutValue("failed", storable(`The code failed (${kind}). ${reason}`))
        })
      })

    const runCode = (
      organizationId: OrganizationId,
      metric: Metric,
      subject: EvaluatedSubject,
      masked: EvaluatedSubject,
      results: ReadonlyMap<string, PreviousResult>
    ): Effect.Effect<Outcome, ModelUnavailable> =>
      Effect.flatMap(triggered(model.ask, metric, masked), (untriggered) =>
        Option.isSome(untriggered)
          ? Effect.succeed(untriggered.value)
          : metric.customCode.trim() === ""
            ? Effect.succeed(outcomes.withoutValue("failed", "No built-in function has this name."))
            : runUnlessSuspended(metric, {
                call: codeInput(subject, results),
                clock: subject.startedAt,
                owner: String(organizationId)
              })
      )

    return Scorer.of({
      immediate: (subject, metrics) =>
        Effect.suspend(() => {
          const order = evaluationOrder(metrics)
          const hasModel = Option.isSome(model.ask)
          return Effect.map(immediateOutcomes(subject, contextOf(subject), order, hasModel), (evaluated) => ({
            evaluated,
            remaining: [...triggeredFormulas(order), ...(hasModel ? order.judged : []), ...order.code]
          }))
        }),
      evaluate: <E>({
        emit,
        forModel,
        isLastAttempt = false,
        metrics,
        organizationId,
        previousResults,
        subject
      }: EvaluationRequest<E>) =>
        Effect.gen(function* () {
          // Without a model nothing is sent out, so nothing needs masking.
          const masked = Option.isNone(model.ask) || forModel === undefined ? subject : yield* forModel
          const order = evaluationOrder(metrics)
          const results = new Map(previousResults)
          const postponed: Array<Postponed> = []
          const addResult = ({ metric, outcome }: Evaluated) => {
            const result = { value: outcome.value, status: outcome.status, explanation: outcome.detail.explanation }
            results.set(String(metric.id), result)
            if (metric.slug !== null) results.set(metric.slug, result)
          }
          const emitAll = (evaluated: ReadonlyArray<Evaluated>) => {
            for (const one of evaluated) addResult(one)
            return evaluated.length === 0 ? Effect.void : emit(evaluated)
          }
          /** Evaluates or postpones a metric; for code, a metric that is not retried counts as failed. */
          const evaluateOrPostpone = (metric: Metric, outcome: Effect.Effect<Outcome, ModelUnavailable>) =>
            Effect.matchEffect(outcome, {
              onSuccess: (done) => emitAll([{ metric, outcome: done }]),
              onFailure: (error) =>
                Effect.sync(() => {
                  postponed.push({ metric, error })
                  if (isLastAttempt || !error.retry)
                    addResult({ metric, outcome: outcomes.withoutValue("failed", error.reason) })
                })
            })

          const context = contextOf(subject)
          // Everything that needs no model or sandbox is emitted together.
          yield* emitAll(yield* immediateOutcomes(subject, context, order, Option.isSome(model.ask)))
          for (const metric of triggeredFormulas(order)) {
            yield* evaluateOrPostpone(
              metric,
              Effect.map(triggered(model.ask, metric, masked), (untriggered) =>
                Option.getOrElse(untriggered, () => formulaOutcome(context, metric))
              )
            )
          }
          if (Option.isSome(model.ask)) {
            yield* Effect.forEach(order.judged, (metric) => evaluateOrPostpone(metric, judgedOutcome(metric, masked)), {
              concurrency: JUDGE_CONCURRENCY,
              discard: true
            })
          }
          for (const metric of order.code) {
            // Code that reads results waits for postponed metrics.
            const waiting = isLastAttempt ? undefined : postponed.find(({ error }) => error.retry)
            yield* evaluateOrPostpone(
              metric,
              waiting !== undefined && readsResults(metric)
                ? Effect.fail(waiting.error)
                : runCode(organizationId, metric, subject, masked, results)
            )
          }
          return postponed
        })
    })
  })
)
