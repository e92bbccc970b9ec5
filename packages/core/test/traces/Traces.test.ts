import { sensitiveFields } from "@earshot/redaction"
import {
  type Actor,
  Agents,
  Calls,
  type Engine,
  type Input,
  JobRunner,
  Platforms,
  Projects,
  Tracing,
  untrusted
} from "@earshot/core"
import { Properties, TestEngine, TraceKit } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as TestClock from "effect/TestClock"

const START = 1_741_107_600_000
let seed = 1

/** A call that no other test has. */
const newCall = () => fc.sample(TraceKit.tracedCall, { numRuns: 1, seed: seed++ })[0]!

const setUp = Effect.gen(function* () {
  yield* TestClock.setTime(START)
  const fixture = yield* TestEngine.fixture
  const as = TestEngine.as(fixture.actor)
  const traces = yield* Tracing.Traces
  const calls = yield* Calls
  const agents = yield* Agents
  const runner = yield* JobRunner
  yield* as(agents.update(fixture.agent.id, { assistant_id: "assistant-1" }))
  const send = (
    spans: ReadonlyArray<TraceKit.FixtureSpan>,
    options?: Input<typeof Tracing.TraceOptions>,
    actor: Actor = fixture.actor
  ) => traces.receive({ json: TraceKit.otlpJson(spans) }, options).pipe(TestEngine.as(actor))
  const stored = Effect.flatMap(as(calls.list({ agent_id: fixture.agent.id })), ({ results }) =>
    Effect.forEach(results, ({ id }) => as(calls.read(id)))
  )
  const listed = Effect.map(as(traces.list({})), ({ results }) => results)
  const errorsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.flip(effect)
  return { ...fixture, agents, as, calls, drain: runner.drain, errorsOf, listed, send, stored, traces }
})

/** Times as databases keep them. */
const turnsOf = (
  call: Effect.Effect.Success<typeof setUp>["stored"] extends Effect.Effect<ReadonlyArray<infer C>, infer _E, infer _R>
    ? C
    : never
) =>
  (call.transcript?.turns ?? []).map(({ content, speaker, timing }) => ({
    speaker,
    content,
    stages: Object.fromEntries(Object.entries(timing ?? {}).map(([stage, measured]) => [stage, measured.seconds]))
  }))

for (const database of TestEngine.databases) {
  layer<Engine.Services | Engine.Storage, unknown>(
    TestEngine.layer(database, { ingest: { evaluate: false }, cacheTtl: "1 minute" })
  )(`traces on ${database}`, (it) => {
    it.effect.each([...TraceKit.tracingLibraries])(
      "of %s become the call that they trace, read back field by field",
      (library) =>
        Effect.gen(function* () {
          const { drain, send, stored } = yield* setUp
          for (const call of fc.sample(TraceKit.tracedCall, { ...Properties.parameters(5), seed: seed++ })) {
            const spans = TraceKit.spansOf(library, call)
            const middle = Math.ceil(spans.length / 2)
            yield* send(spans.slice(0, middle))
            yield* drain
            yield* send(spans.slice(middle))
            yield* TestClock.adjust("6 minutes")
            yield* drain
            const read = (yield* stored).find(({ callId }) => callId === call.id)
            expect(read).toBeDefined()
            expect(turnsOf(read!)).toEqual(TraceKit.expectedTurns(library, call))
            if (library !== "gen_ai") {
              expect(read).toMatchObject({ durationSeconds: call.durationSeconds })
              expect(read?.timestamp.epochMillis).toBe(call.startedAt)
            }
            if (library.startsWith("livekit")) {
              expect(read).toMatchObject({ customerNumber: call.customerNumber, callEndedReason: call.endedReason })
              expect(read?.metadata).toMatchObject({ trace: { source: "livekit", unknown: { some_new_span: 1 } } })
            }
          }
        })
    )

    it.effect("are stored a few seconds after their root span has ended, and once more when later spans arrive", () =>
      Effect.gen(function* () {
        const { drain, listed, send, stored } = yield* setUp
        const call = newCall()
        const spans = TraceKit.spansOf("livekit", call)
        const [first, ...others] = spans.slice(0, -1)
        const root = spans.slice(-1)
        yield* send(others)
        yield* TestClock.adjust("1 minute")
        yield* drain
        expect(yield* stored).toEqual([])
        expect((yield* listed)[0]).toMatchObject({ state: "collecting", callId: null })
        yield* send(root)
        yield* TestClock.adjust("9 seconds")
        yield* drain
        expect(yield* stored).toEqual([])
        yield* TestClock.adjust("2 seconds")
        yield* drain
        const [early] = yield* stored
        expect(early?.callId).toBe(call.id)
        expect((yield* listed)[0]).toMatchObject({ state: "stored", callId: early?.id, error: null, unknownSpans: 1 })
        // Repeated spans change nothing.
        expect(yield* send(root)).toMatchObject({ stored: 0, rejected: 0 })
        yield* send([first!])
        yield* TestClock.adjust("11 seconds")
        yield* drain
        const all = yield* stored
        expect(all.map(({ id }) => id)).toEqual([early?.id])
        expect(turnsOf(all[0]!)).toEqual(TraceKit.expectedTurns("livekit", call))
      })
    )

    it.effect("without a root span are stored after a time without spans", () =>
      Effect.gen(function* () {
        const { agent, drain, send, stored } = yield* setUp
        const spans = TraceKit.spansOf("pipecat", newCall()).slice(0, -1)
        const options = { agent_id: agent.id }
        yield* send(spans, options)
        yield* TestClock.adjust("4 minutes")
        yield* send(
          spans.map((span) => ({ ...span, spanId: span.spanId.replace(/^./, "f") })),
          options
        )
        yield* drain
        yield* TestClock.adjust("2 minutes")
        yield* drain
        expect(yield* stored).toEqual([])
        yield* TestClock.adjust("4 minutes")
        yield* drain
        expect(yield* stored).toHaveLength(1)
      })
    )

    it.effect("are redacted before they are stored, and again by fields that a later request adds", () =>
      Effect.gen(function* () {
        const { drain, send, stored } = yield* setUp
        const call = newCall()
        const number = "402-77-1234"
        const spans = TraceKit.spansOf("livekit", call).map((span) => ({
          ...span,
          attributes:
            span.name === "function_tool" ||
            span.name === "agent_turn" ||
            span.name === "llm_node" ||
            span.name === "tts_node"
              ? Object.fromEntries(
                  Object.entries(span.attributes).map(([key, value]) => [
                    key,
                    key.startsWith("lk.pii") && !key.endsWith("chat_ctx")
                      ? `My social security number is ${number}.`
                      : value
                  ])
                )
              : span.attributes
        }))
        yield* send(spans.slice(0, -1), { redact_fields: "ssn" })
        expect(yield* TestEngine.dump).not.toContain(number)
        expect(yield* TestEngine.dump).not.toContain(`room-${call.id}`)
        yield* send(spans.slice(-1), { redact_fields: "phone_number" })
        const dump = yield* TestEngine.dump
        expect(dump).not.toContain(number)
        expect(dump).not.toContain(call.customerNumber)
        yield* TestClock.adjust("11 seconds")
        yield* drain
        const [read] = yield* stored
        expect(read?.redactFields).toEqual(["phone_number", "ssn"])
        expect(read?.transcript?.turns[0]?.content).toBe("My social security number is [SSN].")
        expect(read?.customerNumber).toBe("[PHONE_NUMBER]")
        expect(yield* TestEngine.dump).not.toContain(number)
      })
    )

    it.effect("redact what an earlier request without fields has stored", () =>
      Effect.gen(function* () {
        const { listed, send } = yield* setUp
        const call = newCall()
        const path = (number: string) => `GET /customers/${number}`
        const spans = TraceKit.spansOf("livekit", call).map((span) =>
          span.name === "some_new_span" ? { ...span, name: path("415-555-2671") } : span
        )
        yield* send(spans)
        expect(yield* TestEngine.dump).toContain(call.customerNumber)
        yield* send(
          spans.slice(0, 1).map((span) => ({ ...span, spanId: "f".repeat(16) })),
          { redact_fields: "phone_number" }
        )
        expect(yield* TestEngine.dump).not.toContain(call.customerNumber)
        expect((yield* listed)[0]?.unknownNames).toEqual({ [path("[PHONE_NUMBER]")]: 1 })
      })
    )

    it.effect("are redacted by the fields of their call, before it, after it and once it is stored", () =>
      Effect.gen(function* () {
        const { agent, as, calls, drain, listed, send, stored } = yield* setUp
        const fields = { agent: agent.id, redact_fields: ["phone_number"] } as const
        for (const order of ["before", "collecting", "stored"] as const) {
          const call = newCall()
          const spans = TraceKit.spansOf("livekit", call)
          const deliver = as(calls.ingest({ ...fields, call_id: call.id }))
          if (order === "before") {
            yield* deliver
            yield* send(spans.slice(-1))
            yield* send(spans.slice(0, -1))
            expect(yield* TestEngine.dump).not.toContain(call.customerNumber)
          } else {
            yield* send(spans)
            expect(yield* TestEngine.dump).toContain(call.customerNumber)
            if (order === "stored") yield* TestClock.adjust("11 seconds")
            yield* drain
            const state = order === "stored" ? "stored" : "collecting"
            expect((yield* listed)[0]).toMatchObject({ state, redactFields: [] })
            yield* deliver
          }
          yield* drain
          const dump = yield* TestEngine.dump
          expect(dump).not.toContain(call.customerNumber)
          expect((yield* listed)[0]).toMatchObject({ redactFields: ["phone_number"] })
          yield* TestClock.adjust("11 seconds")
          yield* drain
          expect((yield* listed)[0]).toMatchObject({ state: "stored", redactFields: ["phone_number"] })
          const read = (yield* stored).find(({ callId }) => callId === call.id)
          expect(turnsOf(read!)).toEqual(TraceKit.expectedTurns("livekit", call))
          expect(read?.redactFields).toEqual(["phone_number"])
        }
        // The call of another agent with the same id is another call.
        const call = newCall()
        const projects = yield* Projects
        const elsewhere = yield* as(projects.create({ name: "Elsewhere" }))
        const other = yield* Effect.flatMap(Agents, (all) => as(all.create({ project: elsewhere.id, name: "Other" })))
        yield* as(calls.ingest({ ...fields, agent: other.id, call_id: call.id }))
        yield* send(TraceKit.spansOf("livekit", call), { agent_id: agent.id })
        expect(yield* TestEngine.dump).toContain(call.customerNumber)
      })
    )

    it.effect("are redacted when their call is stored, if its delivery came between", () =>
      Effect.gen(function* () {
        const { agent, as, calls, drain, listed, send } = yield* setUp
        const call = newCall()
        yield* send(TraceKit.spansOf("livekit", call))
        yield* as(calls.ingest({ agent: agent.id, call_id: call.id, redact_fields: ["phone_number"] }))
        // As if the process had found no trace when the call arrived.
        yield* TestEngine.execute(`DELETE FROM jobs WHERE payload LIKE '%redact_fields%'`)
        yield* TestClock.adjust("11 seconds")
        yield* drain
        expect(yield* TestEngine.dump).not.toContain(call.customerNumber)
        const [trace] = yield* listed
        expect(trace).toMatchObject({ state: "stored", redactFields: ["phone_number"] })
      })
    )

    it.effect("are redacted by the fields of the integration of their platform and agent", () =>
      Effect.gen(function* () {
        const { agent, agents, as, send } = yield* setUp
        const integrations = yield* Platforms.Integrations
        const create = (scope: { readonly agent: number } | { readonly project: number }) =>
          as(integrations.create(untrusted({ platform: "livekit", redact_fields: ["phone_number"], ...scope })))
        const other = yield* as(agents.create({ project: agent.projectId, name: "Other" }))
        yield* create({ agent: agent.id })
        const isKept = (spans: ReadonlyArray<TraceKit.FixtureSpan>, number: string, options?: { agent_id: number }) =>
          Effect.map(Effect.zipRight(send(spans, options), TestEngine.dump), (dump) => dump.includes(number))
        // The session names its agent; without it, the agent may be the integration's.
        for (const end of [-1, undefined]) {
          const call = newCall()
          const spans = TraceKit.spansOf("livekit", call)
          expect(yield* isKept(spans.slice(0, end), call.customerNumber)).toBe(false)
        }
        const ofOther = newCall()
        expect(
          yield* isKept(TraceKit.spansOf("livekit", ofOther), ofOther.customerNumber, { agent_id: other.id })
        ).toBe(true)
        yield* create({ project: agent.projectId })
        const ofProject = newCall()
        expect(
          yield* isKept(TraceKit.spansOf("livekit", ofProject), ofProject.customerNumber, { agent_id: other.id })
        ).toBe(false)
      })
    )

    it.effect("find their agent by the URL, or by the names in the spans, and wait for it to be known", () =>
      Effect.gen(function* () {
        const { agent, agents, as, drain, errorsOf, listed, send, stored } = yield* setUp
        yield* as(agents.update(agent.id, { assistant_id: "another" }))
        yield* TestClock.adjust("2 minutes")
        const spans = TraceKit.spansOf("livekit", newCall())
        yield* send(spans)
        yield* TestClock.adjust("11 seconds")
        yield* drain
        expect(yield* stored).toEqual([])
        expect((yield* listed)[0]).toMatchObject({
          state: "failed",
          error: "No agent has one of these as its assistant_id: assistant-1."
        })
        yield* as(agents.update(agent.id, { assistant_id: "assistant-1" }))
        yield* TestClock.adjust("11 minutes")
        yield* drain
        expect(yield* stored).toHaveLength(1)
        expect((yield* listed)[0]).toMatchObject({ state: "stored", error: null })
        yield* as(agents.update(agent.id, { assistant_id: "another" }))
        yield* send(TraceKit.spansOf("pipecat", newCall()), { agent_id: String(agent.id) })
        yield* TestClock.adjust("11 seconds")
        yield* drain
        expect(yield* stored).toHaveLength(2)
        expect(yield* errorsOf(send(spans, { agent_id: agent.id + 999 }))).toMatchObject({
          errors: { agent_id: [`Invalid pk "${agent.id + 999}" - object does not exist.`] }
        })
        expect(yield* errorsOf(send(spans, { redact_fields: "shoe_size" }))).toMatchObject({
          errors: { redact_fields: [`"shoe_size" is not a valid choice. Choose from ${sensitiveFields.join(", ")}.`] }
        })
      })
    )

    it.effect("of senders with other scopes or of other organizations are never of one call", () =>
      Effect.gen(function* () {
        const { actor, agent, as, drain, listed, send, stored } = yield* setUp
        const projects = yield* Projects
        const agents = yield* Agents
        const elsewhere = yield* as(projects.create({ name: "Elsewhere" }))
        const other = yield* as(agents.create({ project: elsewhere.id, name: "Other" }))
        const limited: Actor = { ...actor, bounds: [{ type: "agent", id: other.id }] }
        const call = newCall()
        const spans = TraceKit.spansOf("livekit", call)
        yield* send(spans)
        yield* send(spans, undefined, limited)
        const stranger = yield* TestEngine.fixture
        yield* send(spans, undefined, stranger.actor)
        yield* TestClock.adjust("11 seconds")
        yield* drain
        expect(yield* stored).toHaveLength(1)
        const all = yield* listed
        expect(all.map(({ state }) => state)).toEqual(["failed", "stored"])
        expect(all[0]?.error).toContain("No agent has")
        // The agent of the URL is within the sender's scopes too.
        expect(yield* Effect.flip(send(spans, { agent_id: agent.id }, limited))).toMatchObject({
          _tag: "ValidationFailed"
        })
        expect((yield* send(spans, { agent_id: other.id }, limited)).stored).toBeGreaterThan(0)
      })
    )

    it.effect("that arrive at once in many requests make one call", () =>
      Effect.gen(function* () {
        const { drain, listed, send, stored } = yield* setUp
        const call = newCall()
        yield* Effect.forEach(TraceKit.spansOf("livekit", call), (span) => send([span]), { concurrency: 8 })
        yield* TestClock.adjust("6 minutes")
        yield* drain
        expect(yield* listed).toHaveLength(1)
        const all = yield* stored
        expect(all.map(({ callId }) => callId)).toEqual([call.id])
        expect(turnsOf(all[0]!)).toEqual(TraceKit.expectedTurns("livekit", call))
      })
    )

    it.effect("of traces that turn out to be of one conversation are joined", () =>
      Effect.gen(function* () {
        const { drain, listed, send, stored } = yield* setUp
        const call = newCall()
        const spans = TraceKit.spansOf("livekit", call)
        const half = Math.floor(spans.length / 2)
        const second = spans.slice(half).map((span) => ({ ...span, traceId: "e".repeat(32) }))
        const root = spans.at(-1)!
        yield* send(spans.slice(0, half))
        yield* send(second)
        expect(yield* listed).toHaveLength(2)
        yield* send([{ ...root, spanId: "ab".repeat(8) }])
        expect(yield* listed).toHaveLength(1)
        yield* TestClock.adjust("6 minutes")
        yield* drain
        expect((yield* stored).map(({ callId }) => callId)).toEqual([call.id])
      })
    )

    it.effect(
      "that were stored as two calls leave one once they are joined, unless a person has reviewed the other",
      () =>
        Effect.gen(function* () {
          const { agent, as, calls, drain, listed, send, stored } = yield* setUp
          for (const isReviewed of [false, true]) {
            const call = newCall()
            const spans = TraceKit.spansOf("livekit", call)
            const root = spans.at(-1)!
            const early = spans.slice(0, -1).map((span) => ({
              ...span,
              traceId: "e".repeat(31) + (isReviewed ? "1" : "2"),
              attributes: Object.fromEntries(
                Object.entries(span.attributes).filter(([key]) => !/job_id|room/.test(key))
              )
            }))
            const options = { agent_id: agent.id }
            const before = (yield* stored).length
            yield* send(early, options)
            yield* TestClock.adjust("6 minutes")
            yield* drain
            yield* send([root], options)
            yield* TestClock.adjust("11 seconds")
            yield* drain
            const two = yield* stored
            expect(two.length).toBe(before + 2)
            const first = two.find(({ callId }) => callId === early[0]!.traceId)
            expect(first).toBeDefined()
            if (isReviewed) yield* as(calls.review(first!.id, { is_reviewed: true }))
            yield* send([{ ...root, traceId: early[0]!.traceId, spanId: "cd".repeat(8) }], options)
            yield* TestClock.adjust("11 seconds")
            yield* drain
            const after = yield* stored
            expect(after.map(({ callId }) => callId)).toContain(call.id)
            expect(after.some(({ callId }) => callId === first!.callId)).toBe(isReviewed)
            expect(after.length).toBe(before + (isReviewed ? 2 : 1))
            expect((yield* listed).filter(({ callId }) => after.every(({ id }) => id !== callId))).toEqual([])
          }
        })
    )

    it.effect("are deleted with their call, a day after the last span, and rejected afterwards", () =>
      Effect.gen(function* () {
        const { as, calls, drain, listed, send, stored, traces } = yield* setUp
        const spans = TraceKit.spansOf("livekit", newCall())
        const kept = () => TestEngine.execute(`SELECT span FROM trace_spans`)
        const before = (yield* kept()).length
        yield* send(spans)
        yield* TestClock.adjust("11 seconds")
        yield* drain
        const [one] = yield* stored
        yield* as(calls.delete(one!.id))
        expect((yield* kept()).length).toBe(before)
        expect(yield* listed).toEqual([])
        const others = TraceKit.spansOf("livekit", newCall())
        yield* send(others)
        yield* TestClock.adjust("11 seconds")
        yield* drain
        yield* TestClock.adjust("25 hours")
        yield* traces.expire
        expect((yield* listed).map(({ state }) => state)).toEqual(["closed"])
        const late = others.map((span) => ({ ...span, spanId: span.spanId.replace(/^./, "f") }))
        const receipt = yield* send(late)
        expect(receipt).toMatchObject({ stored: 0, reason: "Their call was stored more than a day ago." })
        expect(receipt.rejected).toBeGreaterThan(0)
        yield* TestClock.adjust("31 days")
        yield* traces.expire
        expect(yield* listed).toEqual([])
      })
    )

    it.effect("that are malformed, too many or nobody's are errors or counted", () =>
      Effect.gen(function* () {
        const { actor, errorsOf, listed, send, traces } = yield* setUp
        const receive = (request: Tracing.TraceRequest) => traces.receive(request).pipe(TestEngine.as(actor))
        for (const request of [{ json: [] }, { json: null }, { protobuf: new Uint8Array([1, 2, 3]) }]) {
          expect(yield* errorsOf(receive(request))).toMatchObject({
            errors: { non_field_errors: [expect.stringContaining("The body is not an OTLP trace request: ")] }
          })
        }
        expect(yield* receive({ protobuf: new Uint8Array() })).toEqual({
          stored: 0,
          ignored: 0,
          rejected: 0,
          reason: ""
        })
        const [span] = TraceKit.spansOf("livekit", newCall())
        const strange = { ...span!, name: "GET /", attributes: {} }
        expect(yield* send([strange])).toEqual({ stored: 0, ignored: 1, rejected: 0, reason: "" })
        expect(yield* listed).toEqual([])
        // The limits are the same on both, and the writes are slow on one.
        if (database === "postgres") return
        const many = Array.from({ length: 25_000 }, (_, at) => ({
          ...span!,
          spanId: (at + 1).toString(16).padStart(16, "0")
        }))
        const receipt = yield* send(many)
        expect([receipt.stored, receipt.rejected]).toEqual([20_000, 5_000])
        expect(
          yield* send(many.slice(-3).map((one) => ({ ...one, spanId: one.spanId.replace(/^0/, "f") })))
        ).toMatchObject({
          stored: 0,
          rejected: 3,
          reason: "A call has no more than 20000 spans."
        })
        const crowd = Array.from({ length: 510 }, (_, at) => ({
          ...span!,
          traceId: (at + 1).toString(16).padStart(32, "0")
        }))
        expect(yield* send(crowd)).toMatchObject({ stored: 500, rejected: 10 })
        expect(traces.counts().find(({ outcome }) => outcome === "rejected")?.count).toBeGreaterThan(5_000)
      })
    )
  })
}
