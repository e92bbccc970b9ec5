import { oggOpusOf } from "@earshot/test-kit/audio"
import { readFileSync } from "node:fs"
import { BlobStore, BlobStoreFailed, blobKey, Calls, OrganizationId, Recordings, Upload } from "@earshot/core"
import * as MemoryBlobStore from "@earshot/core/providers/MemoryBlobStore"
import { CallKit, TestEngine } from "@earshot/test-kit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { randomUUID } from "node:crypto"

/** A blob store of the test's own, which the engine uses too; `fail` makes its removals fail. */
const observed = () => {
  const state = { failing: false }
  const memory = Layer.succeedContext(Effect.runSync(Effect.scoped(Layer.build(MemoryBlobStore.layer))))
  const blobs = Layer.effect(
    BlobStore,
    Effect.map(BlobStore, (store) =>
      BlobStore.of({
        ...store,
        remove: (key) =>
          Effect.suspend(() =>
            state.failing ? new BlobStoreFailed({ operation: "remove", cause: "test" }) : store.remove(key)
          )
      })
    )
  ).pipe(Layer.provide(memory))
  return { blobs, memory, state }
}

const keys = Effect.flatMap(BlobStore, (blobs) =>
  Effect.map(blobs.list(undefined, 1000), (all) => all.map(({ key }) => key))
)

const upload = (bytes: Uint8Array) => new Upload(bytes, "audio/wav", "call.wav")

for (const database of TestEngine.databases) {
  describe(`blobs of recordings on ${database}`, () => {
    const { blobs, memory, state } = observed()
    const engine = Layer.merge(TestEngine.layer(database, { blobs }), memory)

    it.scoped("are removed when nothing has referred to them for a day, and not before", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.now())
        const recordings = yield* Recordings
        const { actor, agent, organization } = yield* TestEngine.fixture
        const calls = yield* Calls
        const as = TestEngine.as(actor)
        // What a process that was killed before it stored the call has left.
        const { key } = yield* recordings.put(organization.id, Stream.make(Buffer.from("orphan")))
        const failed = yield* Effect.exit(recordings.put(organization.id, Stream.fail("cut off")))
        expect(Exit.isFailure(failed)).toBe(true)
        const { call } = yield* as(
          calls.ingest({
            agent: agent.id,
            call_id: "kept",
            transcript_type: "service",
            transcript_json: [],
            voice_recording: upload(CallKit.wav(1))
          })
        )
        const kept = call.recording?.blobKey ?? ""
        expect(yield* recordings.collect).toBe(0)
        expect([...(yield* keys)].sort()).toEqual([key, kept].sort())
        expect(yield* recordings.check({ remove: true })).toMatchObject({ stored: 2, orphans: 0, missing: [] })
        yield* TestClock.adjust("25 hours")
        expect(yield* recordings.check({ remove: false })).toMatchObject({ orphans: 1, orphanBytes: 6, missing: [] })
        // The orphan, and the key of the put that failed.
        expect(yield* recordings.collect).toBe(2)
        expect(yield* keys).toEqual([kept])
        expect(yield* TestEngine.execute("SELECT blob_key FROM pending_blobs")).toEqual([])
        // Deleted with its call, a day later or not.
        state.failing = true
        yield* as(calls.delete(call.id))
        expect(yield* keys).toEqual([kept])
        state.failing = false
        expect(yield* recordings.collect).toBe(1)
        expect(yield* keys).toEqual([])
      }).pipe(Effect.provide(engine))
    )

    it.scoped("have the duration of their file, redacted or not; a WAV file without data is rejected", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const calls = yield* Calls
        const mp3 = readFileSync(new URL("../../../redaction/test/audio/fixtures/cbr-mono-8000.mp3", import.meta.url))
        // What no header states and nothing mutes.
        const packets = Array.from({ length: 150 }, () => Uint8Array.of(8, 1, 2))
        const opus = oggOpusOf(packets, { channels: 2, samplesPerPacket: 960, preSkip: 0 })
        const ingest = (call_id: string, file: Uint8Array, redact_fields: ReadonlyArray<"ssn"> = []) =>
          calls
            .ingest({
              agent: agent.id,
              call_id,
              transcript_type: "service",
              transcript_json: [{ role: "Main Agent", content: "Hello", start_time: 0, end_time: 1 }],
              voice_recording: upload(file),
              redact_fields: [...redact_fields]
            })
            .pipe(
              TestEngine.as(actor),
              Effect.map(({ call }) => call)
            )
        for (const [name, file, seconds] of [
          ["mp3", mp3, 4.176],
          ["opus", opus, 3],
          ["wav", CallKit.wav(2), 2]
        ] as const) {
          for (const fields of [[], ["ssn"]] as const) {
            const call = yield* ingest(`${name} ${fields.length}`, file, fields)
            expect(call.recording?.durationSeconds).toBeCloseTo(seconds, 2)
            expect(call.durationSeconds).toBeCloseTo(seconds, 2)
          }
        }
        for (const fields of [[], ["ssn"]] as const) {
          expect(yield* Effect.flip(ingest(`empty ${fields.length}`, CallKit.wav(0), fields))).toMatchObject({
            errors: { voice_recording: ["The WAV file has no audio data."] }
          })
        }
      }).pipe(Effect.provide(engine))
    )

    it.scoped("that a redelivery replaces are removed, also if the removal fails at first", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.now())
        const recordings = yield* Recordings
        const { actor, agent } = yield* TestEngine.fixture
        const calls = yield* Calls
        const deliver = (seconds: number) =>
          calls
            .ingest({
              agent: agent.id,
              call_id: "1",
              transcript_type: "service",
              transcript_json: [],
              voice_recording: upload(CallKit.wav(seconds))
            })
            .pipe(
              TestEngine.as(actor),
              Effect.map(({ call }) => call.recording?.blobKey ?? "")
            )
        const before = yield* keys
        yield* deliver(1)
        state.failing = true
        const second = yield* deliver(2)
        state.failing = false
        expect((yield* keys).filter((key) => !before.includes(key))).toHaveLength(2)
        yield* recordings.collect
        expect((yield* keys).filter((key) => !before.includes(key))).toEqual([second])
      }).pipe(Effect.provide(engine))
    )

    it.scoped("that are missing or that nobody has recorded are found by a comparison", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.now())
        const recordings = yield* Recordings
        const store = yield* BlobStore
        const { actor, agent } = yield* TestEngine.fixture
        const { call } = yield* Effect.flatMap(Calls, (calls) =>
          calls.ingest({
            agent: agent.id,
            call_id: "1",
            transcript_type: "service",
            transcript_json: [],
            voice_recording: upload(CallKit.wav(1))
          })
        ).pipe(TestEngine.as(actor))
        const stray = blobKey(OrganizationId.make(7), randomUUID())
        yield* store.put(stray, Stream.make(Buffer.from("copied by hand")))
        yield* store.remove(call.recording?.blobKey ?? "")
        const found = yield* recordings.check({ remove: true })
        expect(found.missing).toContainEqual({ of: "call", id: call.id, key: call.recording?.blobKey })
        expect(yield* keys).not.toContain(stray)
        expect(yield* recordings.check({ remove: true })).toMatchObject({ orphans: 0 })
      }).pipe(Effect.provide(engine))
    )
  })
}
