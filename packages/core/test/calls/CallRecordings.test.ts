import { Calls, encodeCallRecord, Upload } from "@earshot/core"
import { CallKit, TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { countedBlobs, errorsOf, ingest, recordings, transcriber, turns } from "./ingest.js"

for (const database of TestEngine.databases) {
  const { blobs, keys } = countedBlobs()
  layer(TestEngine.layer(database, { blobs, recordings, transcriber }))(`recordings of calls on ${database}`, (it) => {
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
    ])("do not use the file name of an upload (%#)", (filename) =>
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

    it.effect("store an uploaded recording and take the duration from it", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const file = CallKit.wav(75)
        const { call } = yield* ingest(actor, {
          call_id: "sound",
          agent: agent.id,
          voice_recording: new Upload(file, "application/octet-stream", "../../a.wav"),
          // Ignored, because there is a file.
          voice_recording_url: "https://blocked.example/a.wav",
          main_agent_channel_index: "1"
        })
        expect(call.recording).toMatchObject({
          contentType: "audio/wav",
          durationSeconds: 75,
          channels: 1,
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
    ])("are rejected with an upload that is %s, storing nothing", ([, voice_recording]) =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const before = keys.size
        const errors = yield* errorsOf(actor, { call_id: "a", agent: agent.id, voice_recording })
        expect(Object.keys(errors)).toEqual(["voice_recording"])
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
        const errors = yield* errorsOf(actor, {
          call_id: "refused",
          agent: agent.id,
          voice_recording_url: "https://blocked.example/a.wav"
        })
        expect(errors).toEqual({ voice_recording_url: ["It is not public."] })
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
          const body = { call_id: "a", agent: agent.id, transcript_json: turns }
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
  })
}
