/** What is charged, through a door. */
import * as fc from "fast-check"
import { at, listAt } from "../Documents.js"
import { type AsyncLaw, asyncLaw, expectSame } from "../Law.js"
import { fakeLanguageModel, unavailable } from "../providers/Fakes.js"
import { type CallStep, noCalls, stepCalls } from "./CallModel.js"
import { ask, type CallWorld, expectedCharges, OBSERVE, seenCharges } from "./CallWalks.js"

/** What redaction is charged. Each try asks for a world of its own. */
export const chargeLaws = (world: () => Promise<CallWorld>): ReadonlyArray<AsyncLaw> => [
  asyncLaw(
    "the redaction of a call is charged once, by the first length that is known, however often it is delivered",
    [
      fc.array(fc.record({ seconds: fc.constantFrom(undefined, 1, 10, 90), redact: fc.boolean() }), {
        minLength: 2,
        maxLength: 5
      })
    ],
    async (deliveries) => {
      const real = await world()
      let state = noCalls
      for (const { redact, seconds } of deliveries) {
        const step: CallStep = { does: "deliver", name: "a", redact, ...(seconds === undefined ? {} : { seconds }) }
        await ask(real, step, new Map())
        state = stepCalls(state, step).state
      }
      expectSame("the charges", await seenCharges(real), expectedCharges(state))
      return true
    },
    20
  )
]

/** What a judge comes to, and whether that is charged: what was judged is, even where nobody could tell. */
const ENDS: Readonly<Record<string, boolean>> = {
  "Was it decided?": true,
  "Could nobody tell?": true,
  "Was the judge away?": false
}

/** The language model that `evaluationChargeLaws` need their engine to have: what it answers is decided by the metric. */
export const judgeOfCharges = fakeLanguageModel(({ prompt }) => {
  if (prompt.includes("Was the judge away?")) return unavailable(false)
  const [verdict, value] = prompt.includes("Could nobody tell?") ? ["cannot_tell", null] : ["decided", true]
  return { reasoning: "It was said.", verdict, value, turn: 1, quote: "Hello" }
})

/** A world on an engine whose language model is `judgeOfCharges`. */
export interface EvaluatedWorld extends CallWorld {
  /** Asks for metrics of a call, by their ids. */
  readonly evaluate: (call: number, metrics: ReadonlyArray<number>) => Promise<unknown>
  /** Does the jobs that are due. */
  readonly work: () => Promise<unknown>
}

/** What evaluations are charged. Each try asks for a world of its own. */
export const evaluationChargeLaws = (world: () => Promise<EvaluatedWorld>): ReadonlyArray<AsyncLaw> => [
  asyncLaw(
    "a metric is charged once a call, however often it is evaluated, and never where it failed",
    [
      fc.shuffledSubarray(Object.keys(ENDS), { minLength: 1 }),
      fc.array(fc.constantFrom("deliver", "evaluate"), { minLength: 1, maxLength: 3 })
    ],
    async (prompts, steps) => {
      const real = await world()
      const { agent, door } = real
      const metrics: Array<number> = []
      for (const prompt of prompts) {
        const metric = { agent, name: prompt, type: "llm_judge", eval_type: "binary", prompt }
        const made = await door("POST", "/test_framework/v1/metrics/", metric)
        expectSame(`the metric ${prompt}`, [made.outcome, made.faults], ["created", []])
        metrics.push(Number(at(made.body, "id")))
      }
      const deliver = (end_time: number) =>
        door("POST", OBSERVE, {
          call_id: "a",
          agent,
          metric_ids: metrics.join(","),
          transcript_json: [{ role: "Main Agent", content: "Hello", start_time: 0, end_time }]
        })
      const call = Number(at((await deliver(1)).body, "id"))
      await real.work()
      for (const [index, step] of steps.entries()) {
        // Another transcript is a reason to evaluate again.
        await (step === "deliver" ? deliver(2 + index) : real.evaluate(call, metrics))
        await real.work()
      }
      const page = await door("GET", "/credits/ledger/?limit=200")
      const charges = listAt(page.body, "results").filter((entry) => at(entry, "call") === call)
      expectSame(
        `the charges of ${prompts.join(" ")} after ${steps.join(", ")}`,
        charges.map((entry) => [at(entry, "reason"), at(entry, "amount")]),
        prompts.filter((prompt) => ENDS[prompt]).map(() => ["metric_evaluation", "0.050000"])
      )
      return true
    },
    8
  )
]
