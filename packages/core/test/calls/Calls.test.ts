import { type Actor, Calls, encodeCallRecord, untrusted } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, layer } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { errorsOf, ingest, turns } from "./ingest.js"

for (const database of TestEngine.databases) {
  layer(TestEngine.layer(database))(`calls on ${database}`, (it) => {
    it.effect("are listed, paged and exported by filter", () =>
      Effect.gen(function* () {
        const { actor, agent, project } = yield* TestEngine.fixture
        const calls = yield* Calls
        yield* Effect.forEach(
          Array.from({ length: 25 }, (_, n) => n),
          (n) => ingest(actor, { call_id: `call-${n}`, agent: agent.id, metadata: { even: n % 2 === 0 } }),
          { concurrency: "unbounded" }
        )
        const filter = { field: "metadata.even", op: "eq", value: true }
        const list = (query: unknown) => calls.list(untrusted(query)).pipe(TestEngine.as(actor))
        const first = yield* list({ filters_v2: JSON.stringify(filter), limit: "10", project: project.id })
        expect(first.results).toHaveLength(10)
        expect(first.previous).toBeNull()
        const second = yield* list({ filters_v2: filter, limit: 10, cursor: first.next, agent_id: String(agent.id) })
        expect(second.results).toHaveLength(3)
        expect(second.next).toBeNull()
        expect(yield* list({ filters_v2: filter, limit: 10, cursor: second.previous })).toEqual({
          ...first,
          next: expect.any(String)
        })
        const exported = yield* Stream.runCollect(calls.export({ filters_v2: filter })).pipe(TestEngine.as(actor))
        expect(Chunk.toReadonlyArray(exported)).toMatchObject([...first.results, ...second.results])
        expect((yield* list({ agent_id: agent.id + 1 })).results).toEqual([])
        const errors = yield* Effect.flip(list({ filters_v2: '{"field":"nope"', cursor: "?", limit: 0 }))
        expect(errors).toMatchObject({ errors: { limit: [expect.any(String)] } })
        const more = yield* Effect.flip(list({ filters_v2: { field: "nope", op: "eq", value: 1 }, cursor: "?" }))
        expect(more).toMatchObject({
          errors: { "filters_v2.field": [expect.any(String)], cursor: ["Invalid cursor."] }
        })
      })
    )

    it.effect("are exported once each across pages", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const calls = yield* Calls
        yield* Effect.forEach(
          Array.from({ length: 401 }, (_, n) => n),
          (n) => ingest(actor, { call_id: `call-${n}`, agent: agent.id }),
          { concurrency: 100 }
        )
        const exported = yield* Stream.runCollect(calls.export({})).pipe(TestEngine.as(actor))
        expect(new Set(Chunk.map(exported, (call) => call.callId)).size).toBe(401)
        expect(exported.length).toBe(401)
      })
    )

    it.effect("show the results of metrics", () =>
      Effect.gen(function* () {
        const { actor, agent, project } = yield* TestEngine.fixture
        const { call } = yield* ingest(actor, { call_id: "a", agent: agent.id })
        const sql = yield* SqlClient
        const times = { created_ms: 0, updated_ms: 0 }
        for (const [name, kind, number, text] of [
          ["latency", "number", 1.5, null],
          ["polite", "boolean", 1, null],
          ["mood", "text", null, "calm"],
          ["empty", "null", null, null]
        ] as const) {
          const [metric] = yield* sql<{ readonly id: number }>`INSERT INTO metrics ${sql.insert({
            organization_id: actor.organizationId,
            project_id: project.id,
            agent_id: agent.id,
            name,
            type: "custom_code",
            eval_type: "numeric",
            ...times
          })} RETURNING id`
          yield* sql`INSERT INTO metric_evaluations ${sql.insert({
            call_id: call.id,
            metric_id: metric!.id,
            value_kind: kind,
            value_number: number,
            value_text: text,
            created_ms: 0
          })}`
        }
        const calls = yield* Calls
        const read = yield* calls.read(call.id).pipe(TestEngine.as(actor))
        expect(encodeCallRecord(read).metrics).toMatchObject([
          { name: "latency", type: "custom_code", score: 1.5, enum: null, value: 1.5 },
          { name: "polite", score: 1, enum: null, value: true },
          { name: "mood", score: null, enum: "calm", value: "calm" },
          { name: "empty", score: null, enum: null, value: null }
        ])
      })
    )

    it.effect("are limited to the resource scope of a credential", () =>
      Effect.gen(function* () {
        const { actor, agent, project } = yield* TestEngine.fixture
        const calls = yield* Calls
        const { call } = yield* ingest(actor, { call_id: "a", agent: agent.id })
        const elsewhere: Actor = { ...actor, bounds: [{ type: "project", id: project.id + 1_000_000 }] }
        const here: Actor = { ...actor, bounds: [{ type: "agent", id: agent.id }] }
        expect((yield* calls.list({}).pipe(TestEngine.as(elsewhere))).results).toEqual([])
        expect(yield* Effect.flip(calls.read(call.id).pipe(TestEngine.as(elsewhere)))).toMatchObject({
          _tag: "NotFound"
        })
        expect(yield* Effect.flip(calls.review(call.id, {}).pipe(TestEngine.as(elsewhere)))).toMatchObject({
          _tag: "NotFound"
        })
        expect(Object.keys(yield* errorsOf(elsewhere, { call_id: "b", agent: agent.id }))).toEqual(["agent"])
        expect((yield* calls.list({}).pipe(TestEngine.as(here))).results).toHaveLength(1)
      })
    )

    it.effect("keep a person's review through later deliveries", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const calls = yield* Calls
        const { call } = yield* ingest(actor, { call_id: "a", agent: agent.id, feedback: "automatic" })
        const review = (patch: unknown) => calls.review(call.id, untrusted(patch)).pipe(TestEngine.as(actor))
        const reviewed = yield* review({
          success: "true",
          is_reviewed: true,
          feedback: "polite",
          topic: "billing",
          id: 5
        })
        expect(encodeCallRecord(reviewed)).toMatchObject({
          id: call.id,
          success: true,
          status: "reviewed_success",
          feedback: "polite",
          topic: "billing"
        })
        expect(encodeCallRecord(yield* review({ status: "reviewed_failure" }))).toMatchObject({
          success: false,
          is_reviewed: true
        })
        const again = yield* ingest(actor, { call_id: "a", agent: agent.id, feedback: "other", transcript_json: turns })
        expect(again.call).toMatchObject({ success: false, isReviewed: true, feedback: "polite", topic: "billing" })
        const errors = yield* Effect.flip(review({ status: "success", success: false, topic: "x".repeat(1001) }))
        expect(errors).toMatchObject({ _tag: "ValidationFailed", errors: { topic: [expect.any(String)] } })
        const contradiction = yield* Effect.flip(review({ status: "success", success: false }))
        expect(contradiction).toMatchObject({ errors: { status: ["This contradicts success."] } })
      })
    )
  })
}
