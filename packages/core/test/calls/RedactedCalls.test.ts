import {
  encodeCallRecord,
  redactionTotals,
  type Actor,
  BlobStore,
  type CallRecord,
  Calls,
  encodeLedgerEntry,
  Ledger,
  RecordingSource,
  Transcriber,
  Upload,
  untrusted
} from "@earshot/core"
import * as Redaction from "@earshot/redaction"
import * as MemoryBlobStore from "@earshot/core/providers/MemoryBlobStore"
import { expect, layer } from "@effect/vitest"
import { TestEngine } from "@earshot/test-kit"
import { flacFileOf, wavFileOf } from "@earshot/test-kit/audio"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

const RATE = 8000

/** A recording in which every sample is loud. */
const loud = (seconds: number, channels = 1): Uint8Array => {
  const samples = new Uint8Array(seconds * RATE * channels * 2).fill(0x41)
  return wavFileOf(samples, { tag: "pcm", bits: 16, channels, sampleRate: RATE })
}

/** A FLAC file in which every sample is loud. */
const loudFlac = (seconds: number): Uint8Array => {
  const second = {
    channels: [Array.from({ length: RATE }, () => 0x4141)],
    stereo: "independent",
    subframe: { kind: "fixed", order: 1, parameter: 0, partitions: 0 }
  } as const
  const frames = Array.from({ length: seconds }, () => second)
  return flacFileOf({ sampleRate: RATE, bitsPerSample: 16, isSeekable: true, frames })
}

const upload = (bytes: Uint8Array): Upload => new Upload(bytes, "audio/wav", "a.wav")

const turns = [
  { role: "Main Agent", content: "What is your phone number?", start_time: 0, end_time: 2 },
  {
    role: "Testing Agent",
    content: "It is four one five, five five five, two six seven one.",
    start_time: 3,
    end_time: 8
  },
  { role: "Main Agent", content: "So 415-555-2671, thank you.", start_time: 9, end_time: 12 },
  { role: "Testing Agent", content: "Yes, please.", start_time: 13, end_time: 14 }
]

const redacted = [
  "What is your phone number?",
  "It is [PHONE_NUMBER].",
  "So [PHONE_NUMBER], thank you.",
  "Yes, please."
]

const contents = (call: CallRecord) => call.transcript?.turns.map((turn) => turn.content)

const ingest = (actor: Actor, body: unknown) =>
  Effect.flatMap(Calls, (calls) => calls.ingest(untrusted(body))).pipe(TestEngine.as(actor))

/** Seconds of each channel in which there is sound, to the tenth. */
const loudness = (call: CallRecord, channel = 0) =>
  Effect.gen(function* () {
    const blobs = yield* BlobStore
    const recording = Option.getOrThrow(Option.fromNullable(call.recording))
    const bytes = Buffer.concat([...(yield* Stream.runCollect(blobs.get(recording.blobKey)))])
    const channels = bytes.readUInt16LE(22)
    const frames = (bytes.length - 44) / (2 * channels)
    let loudFrames = 0
    const at = (second: number): boolean =>
      bytes.readInt16LE(44 + (Math.floor(second * RATE) * channels + channel) * 2) !== 0
    for (let frame = 0; frame < frames; frame++) {
      if (bytes.readInt16LE(44 + (frame * channels + channel) * 2) !== 0) loudFrames++
    }
    return { seconds: Math.round((loudFrames / RATE) * 10) / 10, at }
  })

const charges = (actor: Actor) =>
  Effect.flatMap(Ledger, (ledger) => ledger.list({})).pipe(
    TestEngine.as(actor),
    Effect.map((page) => page.results.map((entry) => encodeLedgerEntry(entry)))
  )

const transcriber = Layer.succeed(Transcriber, {
  transcribe: Option.some(() =>
    Effect.succeed({
      _tag: "RawTranscript" as const,
      turns: [
        {
          speaker: "main_agent" as const,
          content: "My email is jane at example dot com",
          startTime: 2,
          endTime: 5,
          words: []
        }
      ],
      toolCalls: []
    })
  )
})

const recordings = Layer.succeed(RecordingSource, { fetch: () => Stream.make(loud(20)) })

const failingOnce = () => {
  let fails = true
  return Layer.succeed(Redaction.NerProvider, {
    recognize: (texts) => {
      if (!fails || !texts.some((text) => text.includes("Unreadable"))) return Effect.succeed([])
      fails = false
      return Effect.fail(new Redaction.NerFailed({ cause: texts.join() }))
    }
  })
}

for (const database of TestEngine.databases) {
  const blobs = Layer.succeedContext(Effect.runSync(Effect.scoped(Layer.build(MemoryBlobStore.layer))))
  const engine = TestEngine.layer(database, {
    blobs,
    recordings,
    transcriber,
    ner: failingOnce(),
    ingest: { redaction: { keepDetails: ["dynamic_variables"] } }
  }).pipe(Layer.merge(blobs))

  layer(engine)(`redacted calls on ${database}`, (it) => {
    it.effect("are redacted in transcript and recording for 0.4 credits per minute", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const body = {
          call_id: "a",
          agent: agent.id,
          transcript_json: turns,
          voice_recording: upload(loud(15)),
          redact_fields: ["phone_number"]
        }
        const { call } = yield* ingest(actor, body)
        expect(contents(call)).toEqual(redacted)
        const sound = yield* loudness(call)
        expect([1, 5, 10.5, 13.5].map(sound.at)).toEqual([true, false, false, true])
        expect(call.recording?.durationSeconds).toBe(15)
        expect(call.errorMessage).toBeNull()
        expect(yield* charges(actor)).toMatchObject([
          { call: call.id, agent: agent.id, reason: "redaction", seconds: 15, amount: "0.100000" }
        ])
        // A webhook's second try.
        const again = yield* ingest(actor, body)
        expect(again).toEqual({ call, created: false })
        expect(yield* charges(actor)).toHaveLength(1)
        expect(yield* Effect.flatMap(Calls, (calls) => calls.read(call.id)).pipe(TestEngine.as(actor))).toEqual(call)
      })
    )

    it.effect("keep the fields that were not requested", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const { call } = yield* ingest(actor, {
          call_id: "a",
          agent: agent.id,
          transcript_json: turns,
          redact_fields: ["ssn"]
        })
        expect(contents(call)).toEqual(turns.map((turn) => turn.content))
        const none = yield* ingest(actor, { call_id: "b", agent: agent.id, transcript_json: turns, redact_fields: [] })
        expect(none.call.redactFields).toEqual([])
        expect(yield* charges(actor)).toMatchObject([{ call: call.id }])
      })
    )

    it.effect("stay redacted when a later delivery omits redact_fields", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const body = { call_id: "a", agent: agent.id, transcript_json: turns }
        yield* ingest(actor, { ...body, redact_fields: ["phone_number"] })
        const more = [...turns, { role: "Main Agent", content: "Good bye 4155552671.", start_time: 14, end_time: 15 }]
        const plain = yield* ingest(actor, { ...body, transcript_json: more })
        expect(contents(plain.call)).toEqual([...redacted, "Good bye [PHONE_NUMBER]."])
        const sounding = yield* ingest(actor, { ...body, voice_recording: upload(loud(15)) })
        expect((yield* loudness(sounding.call)).at(5)).toBe(false)
        const wider = yield* ingest(actor, { ...body, redact_fields: ["email_address"] })
        expect(wider.call.redactFields).toEqual(["phone_number", "email_address"])
        expect(contents(wider.call)).toEqual(redacted)
      })
    )

    it.effect("are redacted after they were stored unredacted", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const first = yield* ingest(actor, {
          call_id: "a",
          agent: agent.id,
          transcript_json: turns,
          metadata: { callback: "+1 415 555 2671" },
          voice_recording: upload(loud(15))
        })
        expect((yield* loudness(first.call)).at(5)).toBe(true)
        const { call } = yield* ingest(actor, { call_id: "a", agent: agent.id, redact_fields: ["phone_number"] })
        expect(contents(call)).toEqual(redacted)
        expect(call.metadata).toEqual({ callback: "[PHONE_NUMBER]" })
        expect((yield* loudness(call)).at(5)).toBe(false)
        const blobStore = yield* BlobStore
        const gone = yield* Effect.flip(Stream.runDrain(blobStore.get(first.call.recording?.blobKey ?? "")))
        expect(gone._tag).toBe("BlobMissing")
        expect(yield* charges(actor)).toHaveLength(1)
      })
    )

    it.effect("are muted by a transcript that arrives before or after the recording", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const of = (call_id: string, more: object) => ({
          call_id,
          agent: agent.id,
          redact_fields: ["phone_number"],
          ...more
        })
        yield* ingest(actor, of("a", { transcript_json: turns }))
        const late = yield* ingest(actor, of("a", { voice_recording_url: "https://recordings.example/a.wav" }))
        expect((yield* loudness(late.call)).at(5)).toBe(false)
        expect((yield* loudness(late.call)).at(1)).toBe(true)
        const early = yield* ingest(actor, of("b", { voice_recording: upload(loud(15)) }))
        expect(early.call.recording).toBeNull()
        expect(early.call.errorMessage).toContain("The recording was not stored")
      })
    )

    it.effect("mute only the speaker's channel if it is known", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const bytes = loud(15, 2)
        // The channels have to differ, or they are one.
        for (let at = 44; at < bytes.length; at += 4) bytes[at] = 0x42
        const { call } = yield* ingest(actor, {
          call_id: "a",
          agent: agent.id,
          transcript_json: turns.slice(0, 2),
          voice_recording: upload(bytes),
          main_agent_channel_index: 0,
          redact_fields: ["phone_number"]
        })
        expect((yield* loudness(call, 0)).seconds).toBe(15)
        expect((yield* loudness(call, 1)).seconds).toBe(9.5)
      })
    )

    it.effect("are stored as WAV without loss if the recording is FLAC", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const { call } = yield* ingest(actor, {
          call_id: "a",
          agent: agent.id,
          transcript_json: turns,
          voice_recording: upload(loudFlac(15)),
          redact_fields: ["phone_number"]
        })
        expect(call.recording).toMatchObject({ contentType: "audio/wav", durationSeconds: 15 })
        const wav = yield* loudness(call)
        expect([1, 5, 10, 14].map(wav.at)).toEqual([true, false, false, true])
      })
    )

    it.effect("are stored without a recording that cannot be redacted, with the reason", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const of = (call_id: string, more: object) => ({
          call_id,
          agent: agent.id,
          redact_fields: ["phone_number"],
          ...more
        })
        const amr = new Uint8Array(4000)
        amr.set(Buffer.from("#!AMR"))
        const flac = new Uint8Array(4000)
        flac.set(Buffer.from("fLaC"))
        const timeless = turns.map(({ content, role }) => ({ role, content, start_time: null, end_time: null }))
        const outcomes = yield* Effect.forEach(
          [
            of("format", { transcript_json: turns, voice_recording: upload(amr) }),
            of("damaged", { transcript_json: turns, voice_recording: upload(flac) }),
            of("times", { transcript_json: timeless, voice_recording: upload(loud(15)) }),
            of("beyond", { transcript_json: turns, voice_recording: upload(loud(5)) })
          ],
          (body) => Effect.either(ingest(actor, body))
        )
        for (const outcome of outcomes) {
          if (outcome._tag === "Left") {
            expect(outcome.left._tag).toBe("ValidationFailed")
            continue
          }
          expect(outcome.right.call.recording).toBeNull()
          expect(outcome.right.call.errorMessage).toContain("The recording was not stored")
          expect(contents(outcome.right.call)).toEqual(redacted)
        }
        expect(outcomes.filter((outcome) => outcome._tag === "Right").length).toBeGreaterThanOrEqual(2)
      })
    )

    it.effect("are redacted after transcription", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const { call } = yield* ingest(actor, {
          call_id: "a",
          agent: agent.id,
          transcript_type: "none-mono",
          voice_recording: upload(loud(10)),
          redact_fields: ["email_address"]
        })
        expect(contents(call)).toEqual(["My email is [EMAIL_ADDRESS]"])
        const sound = yield* loudness(call)
        expect([1, 3, 8].map(sound.at)).toEqual([true, false, true])
      })
    )

    it.effect("are redacted in details except those that the configuration keeps", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const { call } = yield* ingest(actor, {
          call_id: "a",
          agent: agent.id,
          transcript_json: turns,
          customer_number: "+1 415 555 2671",
          feedback: "Call me at 415-555-2671.",
          metadata: { phone: "+1 415 555 2671", region: "eu" },
          dynamic_variables: { phone: "+1 415 555 2671" },
          redact_fields: ["phone_number"]
        })
        expect(call).toMatchObject({
          customerNumber: "[PHONE_NUMBER]",
          feedback: "Call me at [PHONE_NUMBER].",
          metadata: { phone: "[PHONE_NUMBER]", region: "eu" },
          // A detail that this engine keeps.
          dynamicVariables: { phone: "+1 415 555 2671" }
        })
      })
    )

    it.effect("keep no name of a recording: of its file, its URL, or in the details", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const name = "jane-415-555-2671.wav"
        const deliveries = [
          { call_id: "file", voice_recording: new Upload(loud(15), "audio/wav", name) },
          { call_id: "url", voice_recording_url: `https://recordings.example/${name}` },
          { call_id: "details", metadata: { recording: name }, feedback: `Listen to ${name} again.` }
        ]
        for (const delivery of deliveries) {
          const { call } = yield* ingest(actor, {
            agent: agent.id,
            transcript_json: turns,
            redact_fields: ["phone_number", "filename"],
            ...delivery
          })
          expect(call.recording === null).toBe(delivery.call_id === "details")
          const calls = yield* Calls
          const stored = yield* calls.read(call.id).pipe(TestEngine.as(actor))
          expect(JSON.stringify([call, encodeCallRecord(stored)])).not.toMatch(/2671|jane/)
        }
      })
    )

    it.effect("store a report of what was redacted, where and by which recognizer, without a value", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const body = {
          call_id: "a",
          agent: agent.id,
          transcript_json: turns,
          metadata: { phone: "+1 415 555 2671", region: "eu" },
          redact_fields: ["phone_number"]
        }
        const { call } = yield* ingest(actor, body)
        const calls = yield* Calls
        const stored = yield* calls.read(call.id).pipe(TestEngine.as(actor))
        expect(stored.redactions).toEqual(call.redactions)
        expect(encodeCallRecord(stored).redactions).toContainEqual({
          field: "phone_number",
          where: "metadata",
          recognizer: "document",
          count: 1
        })
        expect(stored.redactions.filter(({ where }) => where === "transcript").length).toBeGreaterThan(0)
        expect(JSON.stringify(stored.redactions)).not.toMatch(/2671|four/)
        const again = yield* ingest(actor, body)
        expect(again.call.redactions).toEqual(call.redactions)
        const { calls: counted, redactions } = yield* redactionTotals
        expect(counted).toBeGreaterThan(1)
        expect(redactions.map(([field]) => field)).toContain("phone_number")
      })
    )

    it.effect("are searched for the customer number and the variables of the call", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const { call } = yield* ingest(actor, {
          call_id: "a",
          agent: agent.id,
          transcript_json: [
            { role: "Testing Agent", content: "zorvan here, you see five five five oh one", start_time: 0, end_time: 4 }
          ],
          customer_number: "55501",
          dynamic_variables: { first_name: "Zorvan" },
          redact_fields: ["person_name", "account_number"]
        })
        expect(call.transcript?.turns[0]?.content).toBe("[PERSON_NAME] here, you see [ACCOUNT_NUMBER]")
        expect(call.customerNumber).toBe("[ACCOUNT_NUMBER]")
      })
    )

    it.effect("are searched for what was said in every detail, and in the names and ids of tool calls", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const { call } = yield* ingest(actor, {
          call_id: "a",
          agent: agent.id,
          transcript_type: "provider_a",
          transcript_json: [
            { role: "bot", message: "May I have your full name?", secondsFromStart: 0, duration: 1000 },
            { role: "user", message: "My name is Quimbla Zorvetti.", secondsFromStart: 3, duration: 3000 },
            {
              role: "tool_calls",
              secondsFromStart: 7,
              toolCalls: [{ id: "415-555-2671", function: { name: "find quimbla zorvetti", arguments: "{}" } }]
            }
          ],
          metadata: { note: "quimbla zorvetti calls at noon", plan: "gold" },
          feedback: "Quimbla Zorvetti was content.",
          call_ended_reason: "zorvetti hung up",
          redact_fields: ["person_name", "phone_number"]
        })
        expect(call).toMatchObject({
          metadata: { note: "[PERSON_NAME] calls at noon", plan: "gold" },
          feedback: "[PERSON_NAME] was content.",
          callEndedReason: "[PERSON_NAME] hung up"
        })
        expect(call.transcript?.toolCalls).toMatchObject([{ id: "[PHONE_NUMBER]", name: "find [PERSON_NAME]" }])
      })
    )

    it.effect("are redacted in feedback that a person wrote before", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const body = { call_id: "a", agent: agent.id, transcript_json: turns }
        const { call } = yield* ingest(actor, body)
        const calls = yield* Calls
        yield* calls.review(call.id, { feedback: "Ring 415-555-2671 back." }).pipe(TestEngine.as(actor))
        const again = yield* ingest(actor, { ...body, feedback: "From the provider.", redact_fields: ["phone_number"] })
        expect(again.call.feedback).toBe("Ring [PHONE_NUMBER] back.")
        const later = yield* ingest(actor, { ...body, redact_fields: ["phone_number", "date"] })
        expect(later.call.feedback).toBe("Ring [PHONE_NUMBER] back.")
      })
    )

    it.effect("are redacted in why they ended, and in the topic and drop-off point of a review", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const text = "transferred to 415-555-2671"
        const body = { call_id: "a", agent: agent.id, transcript_json: turns, call_ended_reason: text }
        const { call } = yield* ingest(actor, body)
        const calls = yield* Calls
        const review = (topic: string) =>
          calls.review(call.id, { topic, dropoff_point: text }).pipe(TestEngine.as(actor))
        expect(yield* review(text)).toMatchObject({ topic: text, dropoffPoint: text })
        const hidden = "transferred to [PHONE_NUMBER]"
        const again = yield* ingest(actor, { call_id: "a", agent: agent.id, redact_fields: ["phone_number"] })
        expect(again.call).toMatchObject({ callEndedReason: hidden, topic: hidden, dropoffPoint: hidden })
        expect(again.call.redactions).toContainEqual({
          field: "phone_number",
          where: "call_ended_reason",
          recognizer: "document",
          count: 1
        })
        expect(yield* review("Call 415-555-2671 back")).toMatchObject({ topic: "Call [PHONE_NUMBER] back" })
        expect((yield* ingest(actor, body)).call.callEndedReason).toBe(hidden)
        const code = { ...body, call_ended_reason: "exceeded-max-duration", redact_fields: ["person_name"] }
        expect((yield* ingest(actor, code)).call.callEndedReason).toBe("exceeded-max-duration")
      })
    )

    it.effect("are not stored while the host's NER model fails", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const body = {
          call_id: "a",
          agent: agent.id,
          transcript_json: [{ ...turns[0], content: "Unreadable once: call 415-555-2671" }],
          redact_fields: ["phone_number"]
        }
        const rejected = yield* Effect.flip(ingest(actor, body))
        expect(rejected._tag).toBe("RedactionUnavailable")
        expect(JSON.stringify(rejected)).not.toContain("2671")
        const calls = yield* Calls
        expect((yield* calls.list({}).pipe(TestEngine.as(actor))).results).toEqual([])
        expect(contents((yield* ingest(actor, body)).call)).toEqual(["Unreadable once: call [PHONE_NUMBER]"])
      })
    )

    it.effect("are fully redacted whichever of many concurrent deliveries requests which field", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const bodies = Array.from({ length: 12 }, (_, n) => ({
          call_id: "a",
          agent: agent.id,
          transcript_json: turns,
          ...(n % 3 === 0 ? { redact_fields: ["phone_number"] } : n % 3 === 1 ? { redact_fields: ["date"] } : {}),
          ...(n % 4 === 0 ? { voice_recording: upload(loud(15)) } : {})
        }))
        const outcomes = yield* Effect.forEach(bodies, (body) => ingest(actor, body), { concurrency: "unbounded" })
        const calls = yield* Calls
        const call = yield* calls.read(outcomes[0]!.call.id).pipe(TestEngine.as(actor))
        expect(call.redactFields).toEqual(["phone_number", "date"])
        expect(contents(call)).toEqual(redacted)
        if (call.recording !== null) expect((yield* loudness(call)).at(5)).toBe(false)
        expect(yield* charges(actor)).toHaveLength(1)
      })
    )
  })
}
