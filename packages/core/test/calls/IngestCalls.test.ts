import { Agents, CallRecordJson, Calls, encodeCallRecord, Upload } from "@earshot/core"
import { CallKit, TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { countedBlobs, errorsOf, ingest, recordings, transcriber, turns } from "./ingest.js"

for (const database of TestEngine.databases) {
  const { blobs, keys } = countedBlobs()
  layer(TestEngine.layer(database, { blobs, recordings, transcriber }))(`ingested calls on ${database}`, (it) => {
    it.effect("return the record of an ingested call in the interface's form", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const { call, created } = yield* ingest(actor, {
          call_id: "call-1",
          agent: String(agent.id),
          transcript_json: turns,
          metadata: { region: "eu" },
          timestamp: "2026-03-01T12:00:00+02:00",
          trace_id: "0af7651916cd43dd8448eb211c80319c",
          call_ended_reason: "hangup",
          unknown: "ignored"
        })
        expect(created).toBe(true)
        const record = encodeCallRecord(call)
        expect(yield* Schema.decodeUnknown(CallRecordJson)(record, { onExcessProperty: "error" })).toEqual(record)
        expect(record).toMatchObject({
          call_id: "call-1",
          duration: "01:03",
          success: null,
          status: null,
          is_reviewed: false,
          agent: agent.id,
          agent_name: agent.name,
          timestamp: "2026-03-01T10:00:00.000Z",
          customer_number: "",
          call_ended_reason: "hangup",
          metrics: [],
          error_message: null,
          transcript: "[00:00] Main Agent: Hello\n[00:02] Testing Agent: Hi there",
          transcript_object: turns
        })
        const calls = yield* Calls
        expect(yield* calls.read(call.id).pipe(TestEngine.as(actor))).toEqual(call)
      })
    )

    it.effect("are read back as they were returned by the ingest", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const calls = yield* Calls
        const sampled = fc.sample(CallKit.ingestInput(agent.id), 60)
        const bodies = [...new Map(sampled.map((body) => [body.call_id, body])).values()]
        const outcomes = yield* Effect.forEach(bodies, (body) => ingest(actor, body), { concurrency: "unbounded" })
        for (const { call } of outcomes) {
          const read = yield* calls.read(call.id).pipe(TestEngine.as(actor))
          expect(encodeCallRecord(read)).toEqual(encodeCallRecord(call))
          expect(read).toEqual(call)
        }
      })
    )

    it.effect("find their agent by assistant_id", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const agents = yield* Agents
        yield* agents.update(agent.id, { assistant_id: `asst_${agent.id}` }).pipe(TestEngine.as(actor))
        const { call } = yield* ingest(actor, { call_id: "a", assistant_id: `asst_${agent.id}` })
        expect(call.agentId).toBe(agent.id)
      })
    )

    it.effect("have one record for redeliveries, also for 32 concurrent ones", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const body = { call_id: "again", agent: agent.id, transcript_json: turns }
        const all = yield* Effect.forEach(Array.from({ length: 32 }), () => ingest(actor, body), {
          concurrency: "unbounded"
        })
        expect(all.filter((one) => one.created)).toHaveLength(1)
        expect(new Set(all.map((one) => one.call.id)).size).toBe(1)
        expect((yield* ingest(actor, body)).created).toBe(false)
      })
    )

    it.effect("have one record for different concurrent deliveries, never mixing two transcripts", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const before = keys.size
        const turnsOf = (n: number) => [
          { role: "Main Agent", content: `First of ${n}`, start_time: 0, end_time: 1 },
          { role: "Testing Agent", content: `Second of ${n}`, start_time: 1, end_time: 2 + n }
        ]
        const all = yield* Effect.forEach(
          Array.from({ length: 16 }, (_, n) => n),
          (n) =>
            ingest(actor, {
              call_id: "contested",
              agent: agent.id,
              transcript_json: turnsOf(n),
              metadata: { n },
              ...(n % 4 === 0 ? { voice_recording: new Upload(CallKit.wav(n / 4 + 1), "audio/wav", "a.wav") } : {})
            }),
          { concurrency: "unbounded" }
        )
        expect(all.filter((one) => one.created)).toHaveLength(1)
        expect(new Set(all.map((one) => one.call.id)).size).toBe(1)
        const calls = yield* Calls
        const kept = yield* calls.read(all[0]!.call.id).pipe(TestEngine.as(actor))
        const contents = kept.transcript!.turns.map((turn) => turn.content)
        const winner = Number(contents[0]?.replace("First of ", ""))
        expect(contents).toEqual([`First of ${winner}`, `Second of ${winner}`])
        expect(kept.metadata).toEqual({ n: winner })
        expect([...keys].filter((key) => key === kept.recording?.blobKey)).toHaveLength(1)
        expect(keys.size).toBe(before + 1)
      })
    )

    it.effect("of two agents with the same call_id are two calls", () =>
      Effect.gen(function* () {
        const one = yield* TestEngine.fixture
        const other = yield* TestEngine.fixture
        const first = yield* ingest(one.actor, { call_id: "same", agent: one.agent.id })
        const second = yield* ingest(other.actor, { call_id: "same", agent: other.agent.id })
        expect([first.created, second.created]).toEqual([true, true])
        expect(second.call.id).not.toBe(first.call.id)
      })
    )

    it.effect("are rejected with every error including an unknown agent, storing nothing", () =>
      Effect.gen(function* () {
        const { actor } = yield* TestEngine.fixture
        const errors = yield* errorsOf(actor, {
          call_id: "x".repeat(101),
          agent: 999_999_999,
          transcript_json: [{ role: "agent", content: "Hi" }],
          metadata: JSON.parse('{"__proto__": 1}')
        })
        expect(Object.keys(errors).toSorted()).toEqual(["agent", "call_id", "metadata", "transcript_json[0].role"])
        const calls = yield* Calls
        expect((yield* calls.list({}).pipe(TestEngine.as(actor))).results).toEqual([])
      })
    )

    it.effect("are rejected for any invalid field, storing nothing", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        for (const { input, path } of fc.sample(CallKit.invalidIngest(agent.id), 100)) {
          expect(Object.keys(yield* errorsOf(actor, input))).toContain(path)
        }
        for (const [wrong, field, value, path = field] of CallKit.invalidIngestFields) {
          const errors = yield* errorsOf(actor, { call_id: "a", agent: agent.id, [field]: value })
          expect([wrong, Object.keys(errors)]).toEqual([wrong, expect.arrayContaining([path])])
        }
        const calls = yield* Calls
        expect((yield* calls.list({}).pipe(TestEngine.as(actor))).results).toEqual([])
      })
    )

    it.effect("are rejected for an agent of another organization", () =>
      Effect.gen(function* () {
        const mine = yield* TestEngine.fixture
        const theirs = yield* TestEngine.fixture
        expect(yield* errorsOf(mine.actor, { call_id: "a", agent: theirs.agent.id })).toEqual({
          agent: [expect.stringContaining("does not exist")]
        })
      })
    )
  })
}

layer(TestEngine.layer("sqlite"))("an engine without a transcriber", (it) => {
  it.effect("rejects none-mono", () =>
    Effect.gen(function* () {
      const { actor, agent } = yield* TestEngine.fixture
      const errors = yield* errorsOf(actor, {
        call_id: "a",
        agent: agent.id,
        transcript_type: "none-mono",
        voice_recording: new Upload(CallKit.wav(1), "audio/wav", "a.wav")
      })
      expect(Object.keys(errors)).toEqual(["transcript_type"])
    })
  )
})
