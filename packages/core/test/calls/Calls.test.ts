import {
  type Actor,
  BlobStore,
  CallRecordJson,
  Calls,
  encodeCallRecord,
  RecordingSource,
  RecordingUnavailable,
  RecordingUrlRefused,
  Transcriber,
  TranscriptionFailed,
  Upload
} from "@earshot/core"
import * as MemoryBlobStore from "@earshot/core/providers/MemoryBlobStore"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, layer } from "@effect/vitest"
import { CallKit, TestEngine } from "@earshot/test-kit"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"

/** Recordings by URL, as the outside world might answer. */
const recordings = Layer.succeed(RecordingSource, {
  fetch: (url: string) =>
    url.includes("blocked")
      ? Stream.fail(new RecordingUrlRefused({ reason: "It is not public." }))
      : url.includes("gone")
        ? Stream.fail(new RecordingUnavailable({ reason: "the server answered 404." }))
        : url.includes("broken")
          ? Stream.concat(
              Stream.make(CallKit.wav(1).subarray(0, 100)),
              Stream.fail(new RecordingUnavailable({ reason: "the connection failed." }))
            )
          : url.includes("page")
            ? Stream.make(Buffer.from("<html>Expired</html>"))
            : Stream.make(CallKit.wav(90))
})

const transcriber = Layer.succeed(Transcriber, {
  transcribe: Option.some(({ sizeBytes }: { readonly sizeBytes: number }) =>
    sizeBytes > 100_000
      ? Effect.fail(new TranscriptionFailed({ reason: "the transcriber answered 503." }))
      : Effect.succeed({
          _tag: "RawTranscript" as const,
          turns: [{ speaker: "main_agent" as const, content: "Hello", startTime: 0, endTime: 1, words: [] }],
          toolCalls: []
        })
  )
})

const said = [
  { role: "Main Agent", content: "Hello", start_time: 0, end_time: 1.5 },
  { role: "Testing Agent", content: "Hi there", start_time: 2, end_time: 63.2 }
]

const ingest = (actor: Actor, body: unknown) =>
  Effect.flatMap(Calls, (calls) => calls.ingest(body)).pipe(TestEngine.as(actor))

const faultsOf = (actor: Actor, body: unknown) =>
  Effect.map(Effect.flip(ingest(actor, body)), (error) => (error._tag === "ValidationFailed" ? error.errors : error))

/** How many blobs lie in the store behind an engine. */
const counted = () => {
  const keys = new Set<string>()
  const blobs = Layer.effect(
    BlobStore,
    Effect.map(BlobStore, (store) =>
      BlobStore.of({
        ...store,
        put: (owner, content) => Effect.tap(store.put(owner, content), (blob) => Effect.sync(() => keys.add(blob.key))),
        remove: (key) =>
          Effect.zipRight(
            Effect.sync(() => keys.delete(key)),
            store.remove(key)
          )
      })
    )
  ).pipe(Layer.provide(MemoryBlobStore.layer))
  return { keys, blobs }
}

for (const database of TestEngine.databases) {
  const { blobs, keys } = counted()
  layer(TestEngine.layer(database, { blobs, recordings, transcriber }))(`calls on ${database}`, (it) => {
    it.effect("return the record of an ingested call in the interface's form", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const { call, created } = yield* ingest(actor, {
          call_id: "call-1",
          agent: String(agent.id),
          transcript_json: said,
          metadata: { region: "eu" },
          timestamp: "2026-03-01T12:00:00+02:00",
          trace_id: "0af7651916cd43dd8448eb211c80319c",
          call_ended_reason: "hangup",
          unknown: "passed over"
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
          transcript_object: said
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
        const sql = yield* SqlClient
        yield* sql`UPDATE agents SET assistant_id = ${`asst_${agent.id}`} WHERE id = ${agent.id}`
        const { call } = yield* ingest(actor, { call_id: "a", assistant_id: `asst_${agent.id}` })
        expect(call.agentId).toBe(agent.id)
      })
    )

    it.effect("have one record for redeliveries, also for 32 concurrent ones", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const body = { call_id: "again", agent: agent.id, transcript_json: said }
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
        const turns = (n: number) => [
          { role: "Main Agent", content: `First of ${n}`, start_time: 0, end_time: 1 },
          { role: "Testing Agent", content: `Second of ${n}`, start_time: 1, end_time: 2 + n }
        ]
        const all = yield* Effect.forEach(
          Array.from({ length: 16 }, (_, n) => n),
          (n) =>
            ingest(actor, {
              call_id: "contested",
              agent: agent.id,
              transcript_json: turns(n),
              metadata: { n },
              ...(n % 4 === 0 ? { voice_recording: new Upload(CallKit.wav(n / 4 + 1), "audio/wav", "a.wav") } : {})
            }),
          { concurrency: "unbounded" }
        )
        expect(all.filter((one) => one.created)).toHaveLength(1)
        expect(new Set(all.map((one) => one.call.id)).size).toBe(1)
        const calls = yield* Calls
        const kept = yield* calls.read(all[0]!.call.id).pipe(TestEngine.as(actor))
        const said = kept.transcript!.turns.map((turn) => turn.content)
        const winner = Number(said[0]?.replace("First of ", ""))
        expect(said).toEqual([`First of ${winner}`, `Second of ${winner}`])
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

    it.effect.each([
      "../../../../etc/passwd",
      "..\\..\\windows\\system32\\a.wav",
      "/etc/cron.d/a",
      "a\0.wav",
      "\ud800.wav",
      "__proto__",
      "CON",
      "a\r\nContent-Type: text/html",
      "$(reboot).wav",
      "a".repeat(100_000)
    ])("lets the name of an upload name nothing (%#)", (filename) =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const { call } = yield* ingest(actor, {
          call_id: "named",
          agent: agent.id,
          voice_recording: new Upload(CallKit.wav(1), "text/html", filename)
        })
        expect(call.recording?.contentType).toBe("audio/wav")
        expect(JSON.stringify(call)).not.toContain(JSON.stringify(filename).slice(1, -1))
      })
    )

    it.effect("are rejected with every error including an unknown agent, storing nothing", () =>
      Effect.gen(function* () {
        const { actor } = yield* TestEngine.fixture
        const faults = yield* faultsOf(actor, {
          call_id: "x".repeat(101),
          agent: 999_999_999,
          transcript_json: [{ role: "agent", content: "Hi" }],
          metadata: JSON.parse('{"__proto__": 1}')
        })
        expect(Object.keys(faults).toSorted()).toEqual(["agent", "call_id", "metadata", "transcript_json[0].role"])
        const calls = yield* Calls
        expect((yield* calls.list({}).pipe(TestEngine.as(actor))).results).toEqual([])
      })
    )

    it.effect("are rejected for any invalid field, storing nothing", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        for (const { input, path } of fc.sample(CallKit.invalidIngest(agent.id), 100)) {
          // What this engine's transcriber takes is no fault here.
          expect(Object.keys(yield* faultsOf(actor, input))).toContain(path)
        }
        for (const [wrong, field, value, path = field] of CallKit.invalidIngestFields) {
          const faults = yield* faultsOf(actor, { call_id: "a", agent: agent.id, [field]: value })
          expect([wrong, Object.keys(faults)]).toEqual([wrong, expect.arrayContaining([path])])
        }
        const calls = yield* Calls
        expect((yield* calls.list({}).pipe(TestEngine.as(actor))).results).toEqual([])
      })
    )

    it.effect("are rejected for an agent of another organization", () =>
      Effect.gen(function* () {
        const mine = yield* TestEngine.fixture
        const theirs = yield* TestEngine.fixture
        expect(yield* faultsOf(mine.actor, { call_id: "a", agent: theirs.agent.id })).toEqual({
          agent: [expect.stringContaining("does not exist")]
        })
      })
    )

    it.effect("store an uploaded recording and take the duration from it", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const file = CallKit.wav(75)
        const { call } = yield* ingest(actor, {
          call_id: "sound",
          agent: agent.id,
          voice_recording: new Upload(file, "application/octet-stream", "../../a.wav"),
          // Not looked at, since the file is here.
          voice_recording_url: "https://blocked.example/a.wav",
          main_agent_channel_index: "1"
        })
        expect(call.recording).toMatchObject({
          contentType: "audio/wav",
          durationSeconds: 75,
          mainAgentChannelIndex: 1
        })
        expect(encodeCallRecord(call).duration).toBe("01:15")
        expect(keys.has(call.recording!.blobKey)).toBe(true)
      })
    )

    it.effect("keep one copy of the same recording, and the newer of two", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const body = (seconds: number) => ({
          call_id: "sound",
          agent: agent.id,
          voice_recording: new Upload(CallKit.wav(seconds), "audio/wav", "a.wav")
        })
        const before = keys.size
        const first = yield* ingest(actor, body(1))
        const same = yield* ingest(actor, body(1))
        expect(same.call).toEqual(first.call)
        const other = yield* ingest(actor, body(2))
        expect(keys.size).toBe(before + 1)
        expect(keys.has(other.call.recording!.blobKey)).toBe(true)
        const calls = yield* Calls
        yield* calls.delete(other.call.id).pipe(TestEngine.as(actor))
        expect(keys.size).toBe(before)
      })
    )

    it.effect.each([
      ["empty", new Upload(new Uint8Array(), "audio/wav", "a.wav")],
      ["no audio", new Upload(Buffer.from("#!/bin/sh"), "audio/wav", "a.wav")],
      ["a text", "a.wav"]
    ])("refuses an upload that is %s, and leaves nothing behind", ([, voice_recording]) =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const before = keys.size
        const faults = yield* faultsOf(actor, { call_id: "a", agent: agent.id, voice_recording })
        expect(Object.keys(faults)).toEqual(["voice_recording"])
        expect(keys.size).toBe(before)
      })
    )

    it.effect("download a recording, and reject a URL that is not allowed", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const fetched = yield* ingest(actor, {
          call_id: "url",
          agent: agent.id,
          voice_recording_url: "https://files.example/a.wav?signature=1"
        })
        expect(encodeCallRecord(fetched.call)).toMatchObject({ duration: "01:30", error_message: null })
        const faults = yield* faultsOf(actor, {
          call_id: "refused",
          agent: agent.id,
          voice_recording_url: "https://blocked.example/a.wav"
        })
        expect(faults).toEqual({ voice_recording_url: ["It is not public."] })
        const calls = yield* Calls
        const all = yield* calls.list({}).pipe(TestEngine.as(actor))
        expect(all.results.map((call) => call.callId)).toEqual(["url"])
      })
    )

    it.effect.each(["gone", "broken", "page"])(
      "are stored with an error message when the URL of the recording is %s",
      (why) =>
        Effect.gen(function* () {
          const { actor, agent } = yield* TestEngine.fixture
          const before = keys.size
          const body = { call_id: "a", agent: agent.id, transcript_json: said }
          const { call, created } = yield* ingest(actor, {
            ...body,
            voice_recording_url: `https://files.example/${why}`
          })
          expect(created).toBe(true)
          expect(call).toMatchObject({
            recording: null,
            errorMessage: expect.stringContaining("The recording is missing")
          })
          if (why !== "broken") expect(keys.size).toBe(before)
          const later = yield* ingest(actor, { ...body, voice_recording_url: "https://files.example/a" })
          expect(later.call).toMatchObject({ errorMessage: null, recording: { contentType: "audio/wav" } })
        })
    )

    it.effect("are transcribed without a transcript, and stored when transcription fails", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const body = (call_id: string, seconds: number) => ({
          call_id,
          agent: agent.id,
          transcript_type: "none-mono",
          voice_recording: new Upload(CallKit.wav(seconds), "audio/wav", "a.wav")
        })
        const { call } = yield* ingest(actor, body("a", 2))
        expect(encodeCallRecord(call)).toMatchObject({ transcript: "[00:00] Main Agent: Hello", duration: "00:02" })
        const failed = yield* ingest(actor, body("b", 20))
        expect(failed.call).toMatchObject({
          transcript: null,
          recording: { durationSeconds: 20 },
          errorMessage: "The transcript is missing: the transcriber answered 503."
        })
      })
    )

    it.effect("keep a person's review through later deliveries", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const calls = yield* Calls
        const { call } = yield* ingest(actor, { call_id: "a", agent: agent.id, feedback: "automatic" })
        const review = (patch: unknown) => calls.review(call.id, patch).pipe(TestEngine.as(actor))
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
        const again = yield* ingest(actor, { call_id: "a", agent: agent.id, feedback: "other", transcript_json: said })
        expect(again.call).toMatchObject({ success: false, isReviewed: true, feedback: "polite", topic: "billing" })
        const faults = yield* Effect.flip(review({ status: "success", success: false, topic: "x".repeat(1001) }))
        expect(faults).toMatchObject({ _tag: "ValidationFailed", faults: { topic: [expect.any(String)] } })
        const contradiction = yield* Effect.flip(review({ status: "success", success: false }))
        expect(contradiction).toMatchObject({ faults: { status: ["This contradicts success."] } })
      })
    )

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
        const list = (query: unknown) => calls.list(query).pipe(TestEngine.as(actor))
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
        expect(Chunk.toReadonlyArray(exported)).toEqual([...first.results, ...second.results])
        expect((yield* list({ agent_id: agent.id + 1 })).results).toEqual([])
        const faults = yield* Effect.flip(list({ filters_v2: '{"field":"nope"', cursor: "?", limit: 0 }))
        expect(faults).toMatchObject({ faults: { limit: [expect.any(String)] } })
        const more = yield* Effect.flip(list({ filters_v2: { field: "nope", op: "eq", value: 1 }, cursor: "?" }))
        expect(more).toMatchObject({
          faults: { "filters_v2.field": [expect.any(String)], cursor: ["Invalid cursor."] }
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
        expect(Object.keys(yield* faultsOf(elsewhere, { call_id: "b", agent: agent.id }))).toEqual(["agent"])
        expect((yield* calls.list({}).pipe(TestEngine.as(here))).results).toHaveLength(1)
      })
    )
  })
}

layer(TestEngine.layer("sqlite"))("an engine without a transcriber", (it) => {
  it.effect("rejects none-mono", () =>
    Effect.gen(function* () {
      const { actor, agent } = yield* TestEngine.fixture
      const faults = yield* faultsOf(actor, {
        call_id: "a",
        agent: agent.id,
        transcript_type: "none-mono",
        voice_recording: new Upload(CallKit.wav(1), "audio/wav", "a.wav")
      })
      expect(Object.keys(faults)).toEqual(["transcript_type"])
    })
  )
})
