/** Properties of charges, through a driver. */
import * as fc from "fast-check"
import { at, listAt } from "../Documents.js"
import { type AsyncProperty, asyncProperty, expectEqual } from "../Property.js"
import { fakeLanguageModel, unavailable } from "../providers/Fakes.js"
import { type CallStep, noCalls, stepCalls } from "./CallModel.js"
import { ask, type CallFixture, expectedCharges, OBSERVE, seenCharges } from "./CallRequests.js"

/** Properties of the charges of redaction. Each run has a fixture of its own. */
export const chargeProperties = (fixture: () => Promise<CallFixture>): ReadonlyArray<AsyncProperty> => [
  asyncProperty(
    "the redaction of a call is charged once, by its first known duration, however often it is delivered",
    [
      fc.array(fc.record({ seconds: fc.constantFrom(undefined, 1, 10, 90), redact: fc.boolean() }), {
        minLength: 2,
        maxLength: 5
      })
    ],
    async (deliveries) => {
      const real = await fixture()
      let state = noCalls
      for (const { redact, seconds } of deliveries) {
        const step: CallStep = { does: "deliver", name: "a", redact, ...(seconds === undefined ? {} : { seconds }) }
        await ask(real, step, new Map())
        state = stepCalls(state, step).state
      }
      expectEqual("the charges", await seenCharges(real), expectedCharges(state))
    },
    20
  ),
  asyncProperty(
    "deliveries that share a transaction are charged as in some order of them",
    [
      fc.array(
        fc.record({
          name: fc.constantFrom("a", "a", "b"),
          seconds: fc.constantFrom(undefined, 1, 10, 90),
          redact: fc.boolean()
        }),
        {
          minLength: 2,
          maxLength: 4
        }
      )
    ],
    async (deliveries) => {
      const real = await fixture()
      const steps = deliveries.map(({ name, redact, seconds }): CallStep => ({
        does: "deliver",
        name,
        redact,
        ...(seconds === undefined ? {} : { seconds })
      }))
      await Promise.all(steps.map((step) => ask(real, step, new Map())))
      const charged = JSON.stringify(await seenCharges(real))
      const possible = new Set(
        ordersOf(steps).map((order) =>
          JSON.stringify(expectedCharges(order.reduce((state, step) => stepCalls(state, step).state, noCalls)))
        )
      )
      if (!possible.has(charged))
        throw new Error(`the charges: actual ${charged}, expected ${[...possible].join(" or ")}`)
    },
    15
  )
]

/** Every order of some items. */
const ordersOf = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  all.length === 0 ? [[]] : all.flatMap((one, at) => ordersOf(all.toSpliced(at, 1)).map((rest) => [one, ...rest]))

/** The outcome of a metric by its prompt, answered by `chargeTestModel`, and its charge in credits. */
interface Outcome {
  readonly fields?: object
  readonly status: "scored" | "could_not_judge" | "not_applicable" | "skipped" | "failed"
  /** Null for no charge. */
  readonly charge: "0.050000" | null
}

/** An evaluation by the model is charged, also where it cannot decide; a skipped, inapplicable or failed one is not. */
const OUTCOMES: Readonly<Record<string, Outcome>> = {
  "Was it decided?": { status: "scored", charge: "0.050000" },
  "Was it decided on its occasion?": {
    fields: { evaluation_trigger: "custom", evaluation_trigger_prompt: "Was there an occasion?" },
    status: "scored",
    charge: "0.050000"
  },
  "Could nobody tell?": { status: "could_not_judge", charge: "0.050000" },
  "Did it not arise?": { fields: { evaluation_trigger: "automatic" }, status: "skipped", charge: null },
  "Was it without an occasion?": {
    fields: { evaluation_trigger: "custom", evaluation_trigger_prompt: "Was there none?" },
    status: "skipped",
    charge: null
  },
  "Did it have to be heard?": { fields: { audio_enabled: true }, status: "skipped", charge: null },
  "Was the judge away?": { status: "failed", charge: null }
}

/** How it ends where nobody speaks: no judge is asked then. */
const inSilence = ({ fields, status }: Outcome): Outcome => ({
  status: fields !== undefined && "audio_enabled" in fields ? status : "not_applicable",
  charge: null
})

/** The language model that `evaluationChargeLaws` need their engine to have: what it answers is decided by the metric. */
export const chargeTestModel = fakeLanguageModel(({ prompt }) => {
  if (prompt.includes("Was the judge away?")) return unavailable(false)
  const [verdict, value] = prompt.includes("Could nobody tell?")
    ? ["cannot_tell", null]
    : prompt.includes("Did it not arise?")
      ? ["not_applicable", null]
      : ["decided", !prompt.includes("Was there none?")]
  return { reasoning: "It was said.", verdict, value, turn: 1, quote: "Hello" }
})

/** A fixture on an engine whose language model is `chargeTestModel`, and that analyzes no audio. */
export interface EvaluatedFixture extends CallFixture {
  /** Asks for metrics of a call, by their ids. */
  readonly evaluate: (call: number, metrics: ReadonlyArray<number>) => Promise<unknown>
  /** Does the jobs that are due. */
  readonly work: () => Promise<unknown>
}

/** Properties of the charges of evaluations. Each run has a fixture of its own. */
export const evaluationChargeProperties = (fixture: () => Promise<EvaluatedFixture>): ReadonlyArray<AsyncProperty> => [
  asyncProperty(
    "a metric is charged once a call, however often it is evaluated, and never where it was skipped, was not applicable or failed",
    [
      // All of them mostly, so that each is tried often; fewer, so that a failure shrinks to what it is about.
      fc.oneof(
        { withCrossShrink: true },
        { weight: 1, arbitrary: fc.shuffledSubarray(Object.keys(OUTCOMES), { minLength: 1 }) },
        { weight: 3, arbitrary: fc.constant(Object.keys(OUTCOMES)) }
      ),
      fc.array(fc.constantFrom("deliver", "evaluate"), { minLength: 1, maxLength: 3 }),
      fc.constantFrom("Hello", "Hello", " ")
    ],
    async (prompts, steps, content) => {
      const real = await fixture()
      const { agent, driver } = real
      const metrics: Array<number> = []
      for (const prompt of prompts) {
        const metric = {
          agent,
          name: prompt,
          type: "llm_judge",
          eval_type: "binary",
          prompt,
          ...OUTCOMES[prompt]?.fields
        }
        const made = await driver("POST", "/test_framework/v1/metrics/", metric)
        expectEqual(`the metric ${prompt}`, [made.outcome, made.errors], ["created", []])
        metrics.push(Number(at(made.body, "id")))
      }
      const deliver = (end_time: number) =>
        driver("POST", OBSERVE, {
          call_id: "a",
          agent,
          metric_ids: metrics.join(","),
          transcript_json: [{ role: "Main Agent", content, start_time: 0, end_time }]
        })
      const call = Number(at((await deliver(1)).body, "id"))
      await real.work()
      for (const [index, step] of steps.entries()) {
        // Another transcript is a reason to evaluate again.
        await (step === "deliver" ? deliver(2 + index) : real.evaluate(call, metrics))
        await real.work()
      }
      const after = `of ${prompts.join(" ")} after ${steps.join(", ")} of "${content}"`
      const ends = prompts
        .flatMap((prompt) => OUTCOMES[prompt] ?? [])
        .map((end) => (content === " " ? inSilence(end) : end))
      const { body: evaluations } = await driver("GET", `/observability/v1/call-logs/${call}/evaluations/`)
      const statuses = new Map(
        Array.isArray(evaluations) ? evaluations.map((one: unknown) => [at(one, "metric"), at(one, "status")]) : []
      )
      expectEqual(
        `the statuses ${after}`,
        metrics.map((metric) => statuses.get(metric)),
        ends.map(({ status }) => status)
      )
      const page = await driver("GET", "/credits/ledger/?limit=200")
      const charges = listAt(page.body, "results").filter((entry) => at(entry, "call") === call)
      expectEqual(
        `the charges ${after}`,
        charges.map((entry) => [at(entry, "reason"), at(entry, "amount")]),
        ends.flatMap(({ charge }) => (charge === null ? [] : [["metric_evaluation", charge]]))
      )
    },
    8
  )
]
