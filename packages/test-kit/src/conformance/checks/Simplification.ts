/** E6 and how it goes on. */
import { at } from "../../Documents.js"
import { setTimeout as wait } from "node:timers/promises"
import { type Check, checksOf } from "../Check.js"
import {
  bodyOf,
  bool,
  expectDetail,
  expectFieldErrors,
  expectOnlyFieldErrors,
  expectEqual,
  expectShape,
  expectTrue,
  oneOf,
  orNull,
  Skipped,
  text
} from "../Expect.js"
import { PATHS, type Fixture } from "../Fixture.js"

const shape = {
  simplified_prompt: text,
  original_prompt: text,
  skipped_simplification: bool,
  progress_id: text
}

/** Nothing that a judge needs is lost without the first sentence's manners. The run's name makes it new to the server. */
const verbose = ({ run }: Fixture, what: string): string =>
  `Please make sure that you return TRUE if the agent says "${what} ${run}". Otherwise, please return FALSE. Thank you!`

const asked = async (fixture: Fixture, body: object) => {
  const answer = bodyOf(await fixture.post(PATHS.simplify, body), 200)
  expectShape("the answer", answer, shape)
  return answer
}

/** Long enough for a language model that is asked twice. */
const PATIENCE_SECONDS = 60

const progressOf = (fixture: Fixture, id: unknown, of: Fixture["client"] = fixture.client) =>
  of.ask("GET", `${PATHS.progress}?progress_id=${encodeURIComponent(String(id))}`)

/** Asks until it is over. */
const finished = async (fixture: Fixture, id: unknown) => {
  const until = Date.now() + PATIENCE_SECONDS * 1000
  while (Date.now() < until) {
    const progress = bodyOf(await progressOf(fixture, id), 200)
    expectShape("the progress", progress, {
      ...shape,
      status: oneOf("queued", "processing", "completed", "failed"),
      error: orNull(text)
    })
    if (progress.status === "failed") throw new Skipped(`the server could not simplify: ${String(progress.error)}`)
    if (progress.status === "completed") return progress
    expectEqual("simplified_prompt until there is one", progress.simplified_prompt, "")
    await wait(100)
  }
  throw new Skipped(`the server simplified nothing in ${PATIENCE_SECONDS} seconds`)
}

export const simplification: ReadonlyArray<Check> = checksOf("E6", {
  "answered-200": [
    "answers with the simplified prompt, or with a progress_id to poll",
    async (fixture) => {
      const original_prompt = verbose(fixture, "hello")
      const answer = await asked(fixture, { original_prompt })
      expectEqual("original_prompt", answer.original_prompt, original_prompt)
      if (answer.skipped_simplification === true)
        expectTrue("simplified_prompt is blank", answer.simplified_prompt !== "")
      else expectTrue("progress_id is blank", answer.progress_id !== "")
    }
  ],
  progress: [
    "completes with a shorter prompt that keeps quotations and is already simple",
    async (fixture) => {
      const original_prompt = verbose(fixture, "goodbye")
      const { progress_id } = await asked(fixture, { original_prompt })
      if (progress_id === "") throw new Skipped("the server answers every prompt at once")
      const done = await finished(fixture, progress_id)
      const simplified = String(done.simplified_prompt)
      expectEqual("original_prompt", done.original_prompt, original_prompt)
      expectTrue("the prompt is no shorter", simplified.length < original_prompt.length)
      for (const kept of ["TRUE", "FALSE", `"goodbye ${fixture.run}"`]) {
        expectTrue(`${kept} is lost`, simplified.includes(kept))
      }
      const again = await asked(fixture, { original_prompt: simplified })
      expectEqual(
        "what becomes of the result",
        [again.skipped_simplification, again.simplified_prompt, again.original_prompt],
        [true, simplified, simplified]
      )
    }
  ],
  metric: [
    "takes the prompt of metric_id; original_prompt takes precedence, and the metric is unchanged",
    async (fixture) => {
      const prompt = verbose(fixture, "by metric")
      const metric = await fixture.make(PATHS.metrics, {
        agent: await fixture.agent(),
        name: "Conformance",
        type: "llm_judge",
        eval_type: "binary",
        prompt,
        // Other checks deliver calls to this agent, and a language model's answers cost.
        observability_enabled: false
      })
      const answer = await asked(fixture, { metric_id: metric.id })
      expectEqual("original_prompt", answer.original_prompt, prompt)
      const unsaved = verbose(fixture, "beside a metric")
      const both = await asked(fixture, { metric_id: metric.id, original_prompt: unsaved })
      expectEqual("original_prompt beside metric_id", both.original_prompt, unsaved)
      const read = bodyOf(await fixture.get(`${PATHS.metrics}${String(metric.id)}/`), 200)
      expectEqual("the metric's prompt", read.prompt, prompt)
    }
  ],
  encodings: [
    "accepts form and multipart bodies like JSON",
    async (fixture) => {
      const original_prompt = verbose(fixture, "in forms")
      for (const encoding of ["form", "multipart"] as const) {
        const answer = bodyOf(await fixture.ask("POST", PATHS.simplify, { [encoding]: { original_prompt } }), 200)
        expectEqual(`original_prompt by ${encoding}`, answer.original_prompt, original_prompt)
      }
    }
  ],
  rejected: [
    "requires original_prompt or metric_id, and rejects invalid values",
    async (fixture) => {
      expectFieldErrors(await fixture.post(PATHS.simplify, {}), "original_prompt")
      for (const wrong of ["", "  ", 5, {}, "a\0b", "\ud800"]) {
        expectFieldErrors(await fixture.post(PATHS.simplify, { original_prompt: wrong }), "original_prompt")
      }
      for (const wrong of [fixture.unknownId, "x", -1, {}]) {
        expectOnlyFieldErrors(await fixture.post(PATHS.simplify, { metric_id: wrong }), "metric_id")
        // A prompt beside it does not make up for a metric that is not there.
        const both = { original_prompt: "Return 1.", metric_id: wrong }
        expectOnlyFieldErrors(await fixture.post(PATHS.simplify, both), "metric_id")
      }
    }
  ],
  "progress-missing": [
    "answers 404 to an unknown progress_id and 400 without one",
    async (fixture) => {
      expectDetail(await progressOf(fixture, "no-such-progress"), 404)
      expectOnlyFieldErrors(await fixture.get(PATHS.progress), "progress_id")
    }
  ],
  "progress-other-organization": [
    "answers 404 to another organization's progress_id, and rejects its metric",
    async (fixture) => {
      const { other } = fixture
      const { progress_id } = await asked(fixture, { original_prompt: verbose(fixture, "to us alone") })
      if (progress_id !== "") expectDetail(await progressOf(fixture, progress_id, other), 404)
      const metric_id = await fixture.numericMetric()
      const theirs = await other.ask("POST", PATHS.simplify, { json: { metric_id } })
      expectOnlyFieldErrors(theirs, "metric_id")
      expectTrue("the fault shows the prompt", !JSON.stringify(at(theirs.json, "metric_id")).includes("questions"))
    }
  ]
})
