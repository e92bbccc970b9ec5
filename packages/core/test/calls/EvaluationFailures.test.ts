import { type CallRecord, Calls, Jobs, ModelUnavailable } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { quiet, scriptedModel, turns } from "./evaluations.js"

for (const database of TestEngine.databases) {
  const { languageModel, script, prompts, withMetric } = scriptedModel()

  layer(Layer.merge(TestEngine.layer(database, { languageModel }), quiet))(
    `evaluations that fail or are interrupted on ${database}`,
    (it) => {
      it.effect("ask once more after an unusable answer, then give up", () =>
        Effect.gen(function* () {
          const second = yield* withMetric({}, (_, times) => (times === 1 ? { quote: "never said" } : {}))
          yield* second.runner.drain
          expect(yield* second.outcome).toMatchObject({ status: "scored", value: true })
          expect(prompts[1]).toContain(
            "## Your last answer could not be used\nThe quote does not occur in the transcript"
          )
          for (const wrong of [{ quote: "never said" }, { quote: "…" }, { value: null }]) {
            const never = yield* withMetric({}, () => wrong)
            yield* never.runner.drain
            expect(yield* never.outcome).toMatchObject({ status: "could_not_judge", value: null })
            expect(prompts).toHaveLength(2)
          }
          const unusable = yield* withMetric({ eval_type: "continuous_qualitative" }, () => ({ value: 6 }))
          yield* unusable.runner.drain
          expect(yield* unusable.outcome).toMatchObject({
            status: "could_not_judge",
            detail: { reason: "The value must be a number from 1 to 5." }
          })
          // The turn that is named is not the one that was quoted.
          const elsewhere = yield* withMetric({}, () => ({ turn: 99, quote: "table for two" }))
          yield* elsewhere.runner.drain
          expect(yield* elsewhere.outcome).toMatchObject({ status: "scored", detail: { judgment: { turn: 2 } } })
        })
      )

      it.effect("retry while the model is unavailable without asking twice, then fail", () =>
        Effect.gen(function* () {
          const out = new ModelUnavailable({ reason: "The language model could not be reached.", retry: true })
          const { as, call, charged, evaluations, metric, metrics, agent, outcome, runner, evaluationsOf } =
            yield* withMetric({}, (_, times) => (times < 3 ? out : {}))
          const jobs = yield* Jobs
          // One job: its formulas first, then what needs the model.
          expect(yield* runner.drain).toBe(1)
          expect(yield* outcome).toBeUndefined()
          expect((yield* as(jobs.list({ state: "queued" }))).results).toMatchObject([
            { attempts: 1, lastError: "1 of 1 metrics wait: The language model could not be reached." }
          ])
          yield* TestClock.adjust("1 hour")
          yield* runner.drain
          yield* TestClock.adjust("1 hour")
          yield* runner.drain
          expect(yield* outcome).toMatchObject({ status: "scored", value: true })

          const second = yield* as(
            metrics.create({
              agent: agent.id,
              name: "second",
              type: "llm_judge",
              eval_type: "binary",
              prompt: "Or so?"
            })
          )
          script.answer = (prompt) => (prompt === "Or so?" ? out : {})
          prompts.length = 0
          yield* as(evaluations.evaluate(call.id, { metric_ids: [metric.id, second.id] }))
          for (let i = 0; i < 10; i++) {
            yield* runner.drain
            yield* TestClock.adjust("1 hour")
          }
          expect(prompts.filter((prompt) => prompt.includes("Is it so?"))).toHaveLength(1)
          expect((yield* evaluationsOf(call)).get("second")).toMatchObject({
            status: "failed",
            detail: { reason: out.reason }
          })
          const [dead] = (yield* as(jobs.list({ state: "dead" }))).results
          expect(dead).toMatchObject({
            attempts: 8,
            lastError: "1 of 1 metrics failed: The language model could not be reached."
          })
          script.answer = () => ({})
          yield* as(jobs.retry(dead!.id))
          yield* runner.drain
          expect((yield* evaluationsOf(call)).get("second")).toMatchObject({ status: "scored" })
          expect(prompts.filter((prompt) => prompt.includes("Is it so?"))).toHaveLength(1)
          expect(yield* Effect.flip(as(jobs.retry(dead!.id)))).toMatchObject({ _tag: "JobNotDead" })
          expect(yield* charged).toBe("0.100000")
        })
      )

      it.effect("delay code until the judge's result is available, and finally run it without", () =>
        Effect.gen(function* () {
          const out = new ModelUnavailable({ reason: "The language model could not be reached.", retry: true })
          let back = false
          const { agent, as, evaluations, ingest, metric, metrics, runner, evaluationsOf } = yield* withMetric(
            {},
            () => (back ? {} : out)
          )
          const code = (name: string, custom_code: string) =>
            as(
              metrics.create({
                agent: agent.id,
                name,
                type: "custom_code",
                eval_type: "enum",
                custom_code,
                enum_values
              })
            )
          const enum_values = ["true", "null", "failed", "alone"]
          const reading = yield* code("reading", "return String(call.results.own.value)")
          const telling = yield* code(
            "telling",
            "return call.results.own.value === null ? call.results.own.status : 'true'"
          )
          const alone = yield* code("alone", "return 'alone'")
          const metric_ids = [metric.id, reading.id, telling.id, alone.id]
          const values = (call: CallRecord) =>
            Effect.map(evaluationsOf(call), (all) =>
              ["own", "reading", "telling", "alone"].map((slug) => all.get(slug)?.value ?? all.get(slug)?.status)
            )
          const call = yield* ingest()
          yield* as(Effect.flatMap(Calls, (calls) => calls.read(call.id)))
          yield* as(evaluations.evaluate(call.id, { metric_ids }))
          yield* runner.drain
          expect(yield* values(call)).toEqual([undefined, undefined, undefined, "alone"])
          back = true
          for (let i = 0; i < 3; i++) {
            yield* TestClock.adjust("1 hour")
            yield* runner.drain
          }
          expect(yield* values(call)).toEqual([true, "true", "true", "alone"])

          back = false
          const second = yield* ingest({ metric_ids: metric_ids.join(",") })
          for (let i = 0; i < 10; i++) {
            yield* runner.drain
            yield* TestClock.adjust("1 hour")
          }
          expect(yield* values(second)).toEqual(["failed", "null", "failed", "alone"])
        })
      )

      it.effect("are deleted when the text that they quote is redacted later, also while running", () =>
        Effect.gen(function* () {
          const number = "415-555-2671"
          const verdict = { reasoning: `It says ${number}.`, turn: 4, quote: `call ${number}` }
          const { agent, as, charged, ingest, metric, metrics, runner, evaluationsOf } = yield* withMetric(
            {},
            () => verdict
          )
          const code = yield* as(
            metrics.create({
              agent: agent.id,
              name: "repeats",
              type: "custom_code",
              eval_type: "binary",
              custom_code: "return { value: true, explanation: call.transcript }"
            })
          )
          const spoken = turns.map((turn, i) => (i === 3 ? { ...turn, content: `Friday, call ${number}.` } : turn))
          const latency = yield* as(metrics.list({ agent_id: agent.id, limit: 200 }))
          const formula = latency.results.find(({ slug }) => slug === "latency_ms")!
          const asks = {
            call_id: "later",
            metric_ids: [metric.id, code.id, formula.id].join(","),
            transcript_json: spoken
          }
          const call = yield* ingest(asks)
          yield* runner.drain
          expect(JSON.stringify([...(yield* evaluationsOf(call))])).toContain("2671")

          const redacting = { ...asks, redact_fields: ["phone_number"] }
          yield* ingest(redacting)
          const after = yield* evaluationsOf(call)
          expect(JSON.stringify([...after])).not.toContain("2671")
          expect([...after.values()].map(({ slug, value }) => [slug, value])).toEqual([["latency_ms", 750]])
          script.answer = () => ({ turn: 4, quote: "friday call" })
          yield* runner.drain
          expect((yield* evaluationsOf(call)).get("own")).toMatchObject({ status: "scored", detail: { reason: null } })
          // The judge twice (this call and the one before), the code once, 12 seconds of redaction once.
          expect(yield* charged).toBe("0.185000")

          const second = { ...asks, call_id: "meanwhile" }
          let times = 0
          script.answer = () => (times++ === 0 ? verdict : { turn: 4, quote: "friday call" })
          const other = yield* ingest(second)
          script.meanwhile = Effect.suspend(() =>
            times > 0 ? Effect.void : Effect.orDie(ingest({ ...second, redact_fields: ["phone_number"] }))
          )
          yield* runner.drain
          script.meanwhile = Effect.void
          yield* TestClock.adjust("1 hour")
          yield* runner.drain
          const settled = yield* evaluationsOf(other)
          expect([...settled.keys()].toSorted()).toEqual(["latency_ms", "own", "repeats"])
          expect(JSON.stringify([...settled])).not.toContain("2671")
        })
      )

      it.effect("charge nothing when the call or the metric was deleted meanwhile", () =>
        Effect.gen(function* () {
          const first = yield* withMetric({}, () => ({}))
          script.meanwhile = Effect.orDie(first.as(first.metrics.delete(first.metric.id)))
          yield* first.runner.drain
          expect(yield* first.charged).toBe("0.000000")
          expect((yield* first.evaluationsOf(first.call)).size).toBe(0)

          const second = yield* withMetric({}, () => ({}))
          script.meanwhile = Effect.orDie(second.as(second.calls.delete(second.call.id)))
          yield* second.runner.drain
          script.meanwhile = Effect.void
          expect(yield* second.charged).toBe("0.000000")
          const jobs = yield* Effect.flatMap(Jobs, (all) => second.as(all.list({})))
          expect(jobs.results).toMatchObject([{ state: "succeeded", attempts: 1 }])
        })
      )

      it.effect("charge nothing when the trigger cannot be decided", () =>
        Effect.gen(function* () {
          const occasion = { evaluation_trigger: "custom", evaluation_trigger_prompt: "Was there an occasion?" }
          for (const [answer, reason] of [
            [{ value: "perhaps" }, /^The trigger prompt could not be answered/],
            [{ verdict: "cannot_tell" as const, value: null }, /^The trigger condition is not met/]
          ] as const) {
            const { charged, outcome, runner } = yield* withMetric(occasion, () => answer)
            yield* runner.drain
            expect(prompts).toHaveLength(1)
            expect(yield* outcome).toMatchObject({
              status: "skipped",
              detail: { reason: expect.stringMatching(reason) }
            })
            expect(yield* charged).toBe("0.000000")
          }
        })
      )

      it.effect("do not retry when the model rejects the request", () =>
        Effect.gen(function* () {
          const { outcome, runner } = yield* withMetric(
            {},
            () => new ModelUnavailable({ reason: "The language model's server answered 401.", retry: false })
          )
          yield* runner.drain
          expect(yield* outcome).toMatchObject({
            status: "failed",
            detail: { reason: "The language model's server answered 401." }
          })
        })
      )
    }
  )
}
