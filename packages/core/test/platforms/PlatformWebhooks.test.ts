import { sensitiveFields } from "@earshot/redaction"
import { Agents, Calls, type CallRecord, PlatformWebhooks, Platforms, untrusted } from "@earshot/core"
import { PlatformKit, Properties, TestEngine } from "@earshot/test-kit"
import { describe, expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { recordings } from "../calls/ingest.js"

const setUp = Effect.gen(function* () {
  const fixture = yield* TestEngine.fixture
  const webhooks = yield* PlatformWebhooks
  const calls = yield* Calls
  const agents = yield* Agents
  const as = TestEngine.as(fixture.actor)
  yield* as(agents.update(fixture.agent.id, { assistant_id: "assistant-1" }))
  const observe = (platform: string, envelope: unknown, options?: unknown) =>
    as(webhooks.observe(platform, envelope, untrusted(options)))
  const errorsOf = (platform: string, envelope: unknown, options?: unknown) =>
    Effect.map(Effect.flip(observe(platform, envelope, options)), (error) =>
      error._tag === "ValidationFailed" ? error.errors : error
    )
  return { ...fixture, as, calls, errorsOf, observe }
})

/** What a stored call has to equal. */
const storedOf = (call: CallRecord) => {
  const part = Platforms.platformPart(call.metadata)
  const { platform: _, ...metadata } = Object.fromEntries(Object.entries(call.metadata ?? {}))
  return {
    callId: call.callId,
    startedAt: call.timestamp.epochMillis,
    durationSeconds: call.durationSeconds,
    callEndedReason: call.callEndedReason,
    wholeReason: part?.ended_reason,
    customerNumber: call.customerNumber,
    dynamicVariables: call.dynamicVariables,
    metadata,
    success: part?.success,
    cost: part?.cost,
    turns: (call.transcript?.turns ?? []).map(({ content, speaker, startTime }) => [speaker, content, startTime])
  }
}

for (const database of TestEngine.databases) {
  layer(TestEngine.layer(database, { recordings }))(`webhooks of platforms on ${database}`, (it) => {
    describe.each(Platforms.platforms)("%s", (platform) => {
      it.effect("skips every documented event that is not about a finished call, and stores the others", () =>
        Effect.gen(function* () {
          const { agent, as, calls, observe } = yield* setUp
          for (const { body, event, isFinished } of PlatformKit.documentedEvents[platform]) {
            const receipt = yield* observe(platform, body, { agent_id: agent.id })
            expect(receipt).toMatchObject({ platform, event })
            expect([event, receipt.ingested !== undefined]).toEqual([event, isFinished])
          }
          const { results } = yield* as(calls.list({ agent_id: agent.id }))
          expect(results.length).toBeGreaterThan(0)
        })
      )

      it.effect("stores of a generated call what its envelopes state, field by field", () =>
        Effect.gen(function* () {
          const { as, calls, observe } = yield* setUp
          for (const truth of fc.sample(PlatformKit.callTruth, { ...Properties.parameters(25) })) {
            let stored: CallRecord | undefined
            for (const { body } of PlatformKit.envelopesOf(platform, truth)) {
              stored = (yield* observe(platform, body)).ingested?.call ?? stored
            }
            expect(stored).toBeDefined()
            const read = yield* as(calls.read(stored!.id))
            expect(storedOf(read)).toEqual(PlatformKit.expectedOf(platform, truth))
          }
        })
      )
    })

    it.effect("finds the agent by its assistant id, or takes the one that the caller names", () =>
      Effect.gen(function* () {
        const { agent, errorsOf, observe } = yield* setUp
        const envelope = (assistant: string) => ({
          event: "call_ended",
          call: { call_id: assistant, agent_id: assistant }
        })
        expect((yield* observe("retell", envelope("assistant-1"))).ingested?.call.agentId).toBe(agent.id)
        expect((yield* observe("retell", envelope("other"), { agent_id: String(agent.id) })).ingested?.created).toBe(
          true
        )
        expect(yield* observe("retell", envelope("unknown"))).toMatchObject({
          event: "call_ended",
          outcome: "ignored",
          reason: 'assistant_id: Invalid pk "unknown" - object does not exist.',
          ingested: undefined
        })
        expect(yield* observe("retell", envelope("unknown"), { agent_id: agent.id + 999 })).toMatchObject({
          outcome: "ignored"
        })
        expect(yield* errorsOf("retell", envelope("other"), { agent_id: "x" })).toEqual({
          agent_id: ["A valid integer is required."]
        })
      })
    )

    it.effect("ignores what is no envelope of the platform, and names the platform that it looks like", () =>
      Effect.gen(function* () {
        const { errorsOf, observe } = yield* setUp
        const report = PlatformKit.documentedEvents.provider_a.at(-1)?.body
        expect(yield* observe("retell", report)).toMatchObject({
          event: "unknown",
          outcome: "ignored",
          reason: "The body is not an envelope of retell (provider_b). It looks like one of vapi.",
          ingested: undefined
        })
        for (const body of [null, 5, "x", [], {}, { event: 1 }, { message: null }]) {
          expect(yield* observe("vapi", body)).toMatchObject({ outcome: "ignored" })
        }
        expect(yield* errorsOf("bland", {})).toMatchObject({ _tag: "NotFound" })
      })
    )

    it.effect("leaves out what cannot be read of a transcript, and says so", () =>
      Effect.gen(function* () {
        const { as, calls, observe } = yield* setUp
        const word = (text: unknown) => ({ word: text, start: 1, end: 2 })
        const call = {
          call_id: "left-out",
          agent_id: "assistant-1",
          disconnection_reason: "user_hangup",
          transcript_object: [
            { role: "agent", content: 5 },
            { role: "agent", content: "Hello.", words: [word("Hello."), word(5)] },
            { role: "user", content: "A\0B\ud800", words: [] }
          ]
        }
        const receipt = yield* observe("retell", { event: "call_ended", call })
        expect(receipt).toMatchObject({
          outcome: "stored",
          reason:
            "What could not be read was left out: call.transcript_object[0].content: Not a valid string. " +
            "call.transcript_object[1].words[1].word: Not a valid string. " +
            "call.transcript_object[2].content: Null characters are not allowed."
        })
        const stored = yield* as(calls.read(receipt.ingested!.call.id))
        expect(stored.transcript?.turns.map(({ content, words }) => [content, words.length])).toEqual([["Hello.", 1]])
        expect(stored).toMatchObject({
          callEndedReason: "user_hangup",
          errorMessage: "Rows of unknown kinds were skipped: invalid_row."
        })
      })
    )

    it.effect("redacts what another delivery has stored, and keeps what a later event has stated", () =>
      Effect.gen(function* () {
        const { agent, as, calls, observe } = yield* setUp
        const number = "415-555-2671"
        yield* as(
          calls.ingest({ call_id: "again", agent: agent.id, metadata: { note: `Ring ${number}.`, [number]: 1 } })
        )
        const event = (name: string, reason: string, more: object = {}) => ({
          event: name,
          call: {
            call_id: "again",
            agent_id: "assistant-1",
            disconnection_reason: reason,
            retell_llm_dynamic_variables: { reason },
            ...more
          }
        })
        const long = `Rang ${number} ${"and waited ".repeat(10)}`
        yield* observe("retell", event("call_analyzed", long, { duration_ms: 9000, metadata: { other: number } }))
        const early = event("call_ended", "error", { duration_ms: 3000, start_timestamp: 1_741_107_600_000 })
        yield* observe("retell", early, { redact_fields: "phone_number" })
        const { results } = yield* as(calls.list({ agent_id: agent.id }))
        const call = yield* as(calls.read(results[0]!.id))
        expect(JSON.stringify(call.metadata)).not.toContain("2671")
        expect(call.metadata).toMatchObject({ note: "Ring [PHONE_NUMBER].", other: "[PHONE_NUMBER]" })
        expect(Platforms.platformPart(call.metadata)).toMatchObject({ event: "call_analyzed" })
        expect([call.durationSeconds, call.callEndedReason?.startsWith("Rang")]).toEqual([9, true])
        expect(call.timestamp.epochMillis).toBe(1_741_107_600_000)
        expect(call.dynamicVariables).toEqual({ reason: long.replace(number, "[PHONE_NUMBER]") })
      })
    )

    it.effect("leaves out a time that cannot be read, and keeps what was said", () =>
      Effect.gen(function* () {
        const { observe } = yield* setUp
        const messages = [
          { role: "bot", message: "Hello.", time: "soon", secondsFromStart: 1.5, duration: -3 },
          { role: "user", message: "A table for two.", secondsFromStart: "4" },
          { role: "tool_calls", toolCalls: "none", secondsFromStart: 5 }
        ]
        const call = { id: "times", assistantId: "assistant-1" }
        const receipt = yield* observe("vapi", {
          message: { type: "end-of-call-report", call, artifact: { messages } }
        })
        expect(receipt.reason).toContain("message.artifact.messages[1].secondsFromStart: A valid number is required.")
        expect(receipt.ingested?.call.transcript?.turns.map((turn) => [turn.content, turn.startTime])).toEqual([
          ["Hello.", 1.5],
          ["A table for two.", undefined]
        ])
        expect(receipt.ingested?.call.errorMessage).toBe(null)
      })
    )

    it.effect("keeps what was said if more words are invalid than errors are listed", () =>
      Effect.gen(function* () {
        const { observe } = yield* setUp
        const rows = Array.from({ length: 300 }, (_, at) => ({
          role: at % 2 === 0 ? "agent" : "user",
          content: at === 7 ? null : "One two three four five.",
          words: Array.from({ length: 5 }, () => ({ word: "One", start: "0:01", end: "0:02" }))
        }))
        const call = { call_id: "words", agent_id: "assistant-1", transcript_object: rows }
        const { ingested, outcome } = yield* observe("retell", { event: "call_ended", call })
        expect([outcome, ingested?.call.transcript?.turns.length]).toEqual(["stored", 299])
        expect(ingested?.call.errorMessage).toBe("Rows of unknown kinds were skipped: invalid_row.")
      })
    )

    it.effect("stores a call without its transcript if nothing of it can be read", () =>
      Effect.gen(function* () {
        const { observe } = yield* setUp
        const ended = (call: object) => ({ event: "call_ended", call: { agent_id: "assistant-1", ...call } })
        const many = Array.from({ length: 10_001 }, () => ({ role: "user", content: "x" }))
        for (const [call_id, transcript_object] of [
          ["text", "Hello."],
          ["many", many],
          ["object", { role: "agent" }]
        ] as const) {
          const { ingested, outcome, reason } = yield* observe(
            "retell",
            ended({ call_id, transcript_object, duration_ms: 9000 })
          )
          expect([outcome, ingested?.call.transcript, ingested?.call.durationSeconds]).toEqual(["stored", null, 9])
          expect(ingested?.call.errorMessage).toBe("The transcript could not be read.")
          expect(reason).toContain("What could not be read was left out: call.transcript_object: ")
        }
        const readable = [{ role: "agent", content: "Hello." }]
        const analyzed = { call_id: "text", agent_id: "assistant-1", transcript_object: readable }
        const { ingested } = yield* observe("retell", { event: "call_analyzed", call: analyzed })
        expect([ingested?.call.transcript?.turns.length, ingested?.call.errorMessage]).toEqual([1, null])
        expect(yield* observe("retell", ended({}))).toMatchObject({
          outcome: "ignored",
          reason: "call_id: This field is required."
        })
      })
    )

    it.effect("says of every platform's call that its transcript could not be read, next to what else is missing", () =>
      Effect.gen(function* () {
        const { as, calls, observe } = yield* setUp
        const url = "https://gone.example/"
        const bodies = {
          vapi: {
            message: {
              type: "end-of-call-report",
              call: { id: "unreadable-a", assistantId: "assistant-1" },
              artifact: { messages: "Hello.", recordingUrl: url }
            }
          },
          retell: {
            event: "call_ended",
            call: { call_id: "unreadable-b", agent_id: "assistant-1", transcript_object: 5, recording_url: url }
          },
          pipecat: { call_id: "unreadable-d", assistant_id: "assistant-1", messages: {}, recording_url: url },
          livekit: { job_id: "unreadable-e", agent_name: "assistant-1", items: "Hello.", recording_url: url },
          elevenlabs: {
            type: "post_call_transcription",
            data: { conversation_id: "unreadable-f", agent_id: "assistant-1", transcript: "Hello." }
          }
        }
        for (const [platform, body] of Object.entries(bodies)) {
          for (const redact_fields of [undefined, "phone_number"]) {
            const { ingested } = yield* observe(platform, body, { redact_fields })
            const { errorMessage, transcript } = yield* as(calls.read(ingested!.call.id))
            const missing = platform === "elevenlabs" ? "" : "The recording is missing: the server answered 404. "
            expect([platform, transcript, errorMessage]).toEqual([
              platform,
              null,
              `${missing}The transcript could not be read.`
            ])
          }
        }
      })
    )

    it.effect("rejects fields to redact that it does not know, rather than store the call unredacted", () =>
      Effect.gen(function* () {
        const { errorsOf } = yield* setUp
        const call = { call_id: "1", agent_id: "assistant-1" }
        expect(yield* errorsOf("retell", { event: "call_ended", call }, { redact_fields: "shoe_size" })).toEqual({
          "redact_fields[0]": [`"shoe_size" is not a valid choice. Choose from ${sensitiveFields.join(", ")}.`]
        })
      })
    )

    it.effect("answers every envelope that is damaged in any way, and stores the call if it states an id", () =>
      Effect.gen(function* () {
        const { agent, observe } = yield* setUp
        const values: ReadonlyArray<unknown> = [null, 5, "x\0", [], {}, [[]], [null], true, 2 ** 60, "\udfff"]
        const damaged = (value: unknown, place: number, by: unknown): unknown => {
          let at = 0
          const visit = (part: unknown): unknown => {
            if (at++ === place) return by
            if (Array.isArray(part)) return part.map(visit)
            return typeof part === "object" && part !== null
              ? Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, visit(inner)]))
              : part
          }
          return visit(value)
        }
        for (const platform of Platforms.platforms) {
          const body = PlatformKit.documentedEvents[platform].findLast(({ isFinished }) => isFinished)?.body
          for (let place = 0; place < 90; place += 7) {
            const by = values[place % values.length]
            const { ingested, outcome } = yield* observe(platform, damaged(body, place, by), { agent_id: agent.id })
            expect(["stored", "skipped", "ignored"]).toContain(outcome)
            expect(ingested === undefined).toBe(outcome !== "stored")
          }
        }
      })
    )

    it.effect("stores a call whose recording cannot be had, and says why", () =>
      Effect.gen(function* () {
        const { observe } = yield* setUp
        const ended = (url: string) => ({
          event: "call_ended",
          call: { call_id: url, agent_id: "assistant-1", recording_url: url }
        })
        const errorOf = (url: string) =>
          Effect.map(observe("retell", ended(url)), ({ ingested }) => ingested?.call.errorMessage)
        expect(yield* errorOf("https://blocked.example/a.wav")).toBe("The recording is missing: It is not public.")
        expect(yield* errorOf("file:///etc/passwd")).toContain("not a valid URL")
        expect(yield* errorOf("https://storage.example/a.wav")).toBe(null)
      })
    )

    it.effect("names skipped rows in the error message, next to what is missing of the recording", () =>
      Effect.gen(function* () {
        const { observe } = yield* setUp
        const report = PlatformKit.documentedEvents.provider_a.at(-1)?.body
        const message = { ...Object(report).message, call: { id: "s", assistantId: "assistant-1" } }
        const skipped = "Rows of unknown kinds were skipped: voicemail_detection."
        const first = yield* observe("vapi", { message: { ...message, stereoRecordingUrl: "https://gone.example/" } })
        expect(first.ingested?.call.errorMessage).toBe(`The recording is missing: the server answered 404. ${skipped}`)
        const second = yield* observe("vapi", { message })
        expect(second.ingested?.call.errorMessage).toBe(skipped)
      })
    )
  })
}
