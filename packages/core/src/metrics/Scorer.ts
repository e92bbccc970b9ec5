import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type Answer, type Ask, LanguageModel, type ModelUnavailable } from "../language/LanguageModel.js"
import type { Json } from "../kernel/Json.js"
import { codeInput, type PreviousResult, type EvaluatedSubject } from "./EvaluatedSubject.js"
import { type Judgement, type Outcome, outcomes } from "./Evaluation.js"
import { formulaOf, evaluationOrder } from "./EvaluationOrder.js"
import { formulaContext } from "./FormulaContext.js"
import { measure } from "./Formulas.js"
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
import { type CodeFailed, Sandbox } from "./Sandbox.js"

/** A metric and what evaluating it came to. */
export interface Evaluated {
  readonly metric: Metric
  readonly outcome: Outcome
}

/** A metric that could not be evaluated now, for want of the language model. */
export interface Postponed {
  readonly metric: Metric
  readonly error: ModelUnavailable
}

export interface EvaluationRequest<E> {
  readonly subject: EvaluatedSubject
  /** The call as a language model may see it, which may be somebody else's; as it is unless told. */
  readonly forModel?: () => EvaluatedSubject
  readonly metrics: ReadonlyArray<Metric>
  /** What metrics that are not among these said before, by slug and id. */
  readonly previousResults: ReadonlyMap<string, PreviousResult>
  /** Whether nothing that is postponed will be asked again; code then makes do without what was. */
  readonly isLastAttempt?: boolean
  /** Told of outcomes as they come, some at a time: what is told is kept even if the rest comes to nothing. */
  readonly emit: (evaluated: ReadonlyArray<Evaluated>) => Effect.Effect<void, E>
}

/** Evaluates metrics. It knows neither storage nor tenants: simulated calls are evaluated by it as well as real ones. */
export class Scorer extends Context.Tag("@earshot/core/metrics/Scorer")<
  Scorer,
  {
    /** Answers the metrics that are to be asked again when the language model can be. */
    readonly evaluate: <E>(request: EvaluationRequest<E>) => Effect.Effect<ReadonlyArray<Postponed>, E>
  }
>() {}

/** Questions about one call that are put to the language model at a time. */
const JUDGES = 4

const NO_MODEL = "No language model is configured."
const NO_AUDIO = "This metric needs audio analysis, which is not available."
const NOBODY = "Nobody speaks in the transcript."
const TOO_LONG = `There is more of this call than the ${MAX_PROMPT_CHARACTERS} characters that a language model is asked about.`
const MAX_EXPLANATION = 2000

const keepable = (text: string): string => text.replaceAll("\0", "").slice(0, MAX_EXPLANATION).toWellFormed()

/** Whether code may look at what other metrics said: it says so, or at least has the word. */
const readsResults = (metric: Metric): boolean =>
  dependenciesOf(metric.configuration).length > 0 || /\bresults\b/.test(metric.customCode)

const judgementOf = (
  answer: Answer<Verdict>,
  decided?: { readonly turn: number; readonly quote: string }
): Judgement => ({
  model: keepable(answer.model),
  prompt_hash: answer.promptHash,
  seed: answer.seed,
  turn: decided?.turn ?? null,
  quote: decided === undefined ? null : keepable(decided.quote)
})

export const layer = Layer.effect(
  Scorer,
  Effect.gen(function* () {
    const sandbox = yield* Sandbox
    const model = yield* LanguageModel

    /** Whether a metric that has an occasion has it in this call. */
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
                            outcomes.withoutValue("skipped", "The trigger prompt was not answered with yes.", {
                              explanation: keepable(value.reasoning)
                            })
                          )
                    ),
                    // Nothing was evaluated, so that nothing is charged either.
                    Effect.catchTag("AnswerUnusable", ({ reason }) =>
                      Effect.succeedSome(
                        outcomes.withoutValue("skipped", `The trigger prompt was not answered. ${reason}`)
                      )
                    )
                  )
                : Effect.succeedSome(outcomes.withoutValue("skipped", TOO_LONG))
            }
          })

    /** One question, asked once more where the answer cannot be kept. */
    const judge = (
      ask: Ask,
      metric: Metric,
      subject: EvaluatedSubject,
      again?: string
    ): Effect.Effect<Outcome, ModelUnavailable> =>
      ask(questionOf(metric, subject, again)).pipe(
        Effect.flatMap((answer) => {
          const { reasoning, verdict } = answer.value
          const explanation = keepable(reasoning)
          if (verdict !== "decided") {
            return Effect.succeed(
              verdict === "not_applicable" && metric.evaluationTrigger === "automatic"
                ? outcomes.withoutValue("skipped", "The question does not arise in this call.", {
                    explanation,
                    judgement: judgementOf(answer)
                  })
                : outcomes.withoutValue("could_not_judge", "The judge could not tell.", {
                    explanation,
                    judgement: judgementOf(answer)
                  })
            )
          }
          return Either.match(decisionOf(metric, subject, answer.value), {
            onRight: (decision) => {
              const turn = subject.transcript.turns[decision.turn - 1]
              return Effect.succeed(
                outcomes.scored(decision.value, {
                  explanation,
                  judgement: judgementOf(answer, decision),
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
                    outcomes.withoutValue("could_not_judge", wrong, { explanation, judgement: judgementOf(answer) })
                  )
          })
        }),
        Effect.catchTag("AnswerUnusable", ({ reason }) =>
          again === undefined
            ? judge(ask, metric, subject, reason)
            : Effect.succeed(outcomes.withoutValue("could_not_judge", reason))
        )
      )

    const judged = (metric: Metric, subject: EvaluatedSubject): Effect.Effect<Outcome, ModelUnavailable> =>
      Effect.gen(function* () {
        if (Option.isNone(model.ask)) return outcomes.withoutValue("skipped", NO_MODEL)
        if (metric.audioEnabled) return outcomes.withoutValue("skipped", NO_AUDIO)
        const { turns } = subject.transcript
        if (turns.every((turn) => turn.content.trim() === "")) return outcomes.withoutValue("not_applicable", NOBODY)
        if (!isWithinPromptLimit(questionOf(metric, subject))) return outcomes.withoutValue("skipped", TOO_LONG)
        const untriggered = yield* triggered(model.ask, metric, subject)
        return Option.isSome(untriggered) ? untriggered.value : yield* judge(model.ask.value, metric, subject)
      })

    /** What code returned: `{value, explanation}`, or the value alone. */
    const outcomeOf = (metric: Metric, returned: Json): Outcome => {
      const fields = settingsOf(returned)
      const value: Json = fields === null ? returned : (fields.value ?? null)
      const told: Json = fields?.explanation ?? null
      const explanation = typeof told === "string" ? keepable(told) : null
      if (value === null) {
        return outcomes.withoutValue("not_applicable", explanation ?? "The code came to no value.", { explanation })
      }
      const wrong = valueError(metric, value)
      return wrong !== undefined || typeof value === "object"
        ? outcomes.withoutValue("failed", `The code's answer cannot be kept. ${wrong ?? ""}`.trim(), { explanation })
        : outcomes.scored(value, { explanation })
    }

    const ran = (
      metric: Metric,
      subject: EvaluatedSubject,
      outside: EvaluatedSubject,
      results: ReadonlyMap<string, PreviousResult>
    ): Effect.Effect<Outcome, ModelUnavailable> =>
      Effect.flatMap(triggered(model.ask, metric, outside), (untriggered) =>
        Option.isSome(untriggered)
          ? Effect.succeed(untriggered.value)
          : metric.customCode.trim() === ""
            ? Effect.succeed(outcomes.withoutValue("failed", "There is no built-in function of this metric's name."))
            : sandbox
                .run(
                  { source: metric.customCode, functionName: metric.functionName },
                  { call: codeInput(subject, results), clock: subject.startedAt }
                )
                .pipe(
                  Effect.map((returned) => outcomeOf(metric, returned)),
                  Effect.catchTag("CodeFailed", (failed: CodeFailed) =>
                    Effect.succeed(
                      outcomes.withoutValue("failed", keepable(`The code failed (${failed.kind}). ${failed.reason}`))
                    )
                  )
                )
      )

    return Scorer.of({
      evaluate: <E>({
        previousResults: earlier,
        emit,
        isLastAttempt: last = false,
        metrics,
        forModel: seen,
        subject
      }: EvaluationRequest<E>) =>
        Effect.gen(function* () {
          // Nobody outside is asked where there is no model.
          const outside = Option.isNone(model.ask) ? subject : (seen?.() ?? subject)
          const order = evaluationOrder(metrics)
          const results = new Map(earlier)
          const postponed: Array<Postponed> = []
          const remember = ({ metric, outcome }: Evaluated) => {
            const result = { value: outcome.value, status: outcome.status, explanation: outcome.detail.explanation }
            results.set(String(metric.id), result)
            if (metric.slug !== null) results.set(metric.slug, result)
          }
          const tell = (evaluated: ReadonlyArray<Evaluated>) => {
            for (const one of evaluated) remember(one)
            return evaluated.length === 0 ? Effect.void : emit(evaluated)
          }
          /** One metric that may have to wait for the model; code sees of one that waits no longer that it failed. */
          const attempted = (metric: Metric, outcome: Effect.Effect<Outcome, ModelUnavailable>) =>
            Effect.matchEffect(outcome, {
              onSuccess: (done) => tell([{ metric, outcome: done }]),
              onFailure: (fault) =>
                Effect.sync(() => {
                  postponed.push({ metric, error: fault })
                  if (last || !fault.retry) remember({ metric, outcome: outcomes.withoutValue("failed", fault.reason) })
                })
            })

          const context = formulaContext({
            turns: subject.transcript.turns,
            toolCalls: subject.transcript.toolCalls,
            durationSeconds: subject.durationSeconds
          })
          const [plain, occasional] = [
            order.formulas.filter((metric) => metric.evaluationTrigger !== "custom"),
            order.formulas.filter((metric) => metric.evaluationTrigger === "custom")
          ]
          const measuredOutcome = (metric: Metric): Outcome => {
            const name = formulaOf(metric)
            if (name === undefined) return outcomes.withoutValue("failed", "There is no such formula.")
            const { moments, reason, statistics, value } = measure(name, context, metric.configuration)
            const detail = { moments, ...(statistics === undefined ? {} : { statistics }) }
            return value === null
              ? outcomes.withoutValue("not_applicable", reason ?? "It came to no value.", detail)
              : outcomes.scored(value, detail)
          }
          const withoutModel = Option.isNone(model.ask)
            ? order.judged.map((metric) => ({ metric, outcome: outcomes.withoutValue("skipped", NO_MODEL) }))
            : []
          // All that takes no time is kept together.
          yield* tell([
            ...plain.map((metric) => ({ metric, outcome: measuredOutcome(metric) })),
            ...withoutModel,
            ...order.circular.map((metric) => ({
              metric,
              outcome: outcomes.withoutValue("failed", "It depends on itself: see configuration.depends_on.")
            }))
          ])
          for (const metric of occasional) {
            yield* attempted(
              metric,
              Effect.map(triggered(model.ask, metric, outside), (untriggered) =>
                Option.getOrElse(untriggered, () => measuredOutcome(metric))
              )
            )
          }
          if (Option.isSome(model.ask)) {
            yield* Effect.forEach(order.judged, (metric) => attempted(metric, judged(metric, outside)), {
              concurrency: JUDGES,
              discard: true
            })
          }
          for (const metric of order.code) {
            // What a judge has yet to say is waited for, or code would have its say without it for good.
            const waited = last ? undefined : postponed.find(({ error: fault }) => fault.retry)
            yield* attempted(
              metric,
              waited !== undefined && readsResults(metric)
                ? Effect.fail(waited.error)
                : ran(metric, subject, outside, results)
            )
          }
          return postponed
        })
    })
  })
)
