/** Protocols of voice endpoints: whole calls with scripted agents, and documented messages. */
import { type PlayedRun, Voice, type VoiceProtocolName } from "@earshot/core"
import { Properties, VoiceKit } from "@earshot/test-kit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { FIRST, linesOf, play, scenarioOf, type Script } from "./voiceFixture.js"

const ids = Voice.streamIdsOf("protocols")
const PROTOCOLS: ReadonlyArray<VoiceProtocolName> = ["twilio", "pipecat", "elevenlabs", "openai_realtime"]
const OTHERS = PROTOCOLS.filter((protocol) => protocol !== "twilio")

const calling = (protocol: VoiceProtocolName, script: Script) =>
  Effect.gen(function* () {
    const { agent, connection } = yield* VoiceKit.scriptedConnection(script, protocol)
    const call = yield* Voice.startCall(connection, {
      protocol: Voice.protocolOf(protocol, ids),
      customParameters: { name: "Ann" },
      maxMillis: 600_000
    })
    return { agent, call }
  })

const gaps = ({ transcript: { turns } }: PlayedRun): ReadonlyArray<number> =>
  turns.slice(1).map(({ startTime = 0 }, at) => startTime - (turns[at]?.endTime ?? 0))

describe.each(PROTOCOLS)("a run in the protocol %s", (protocol) => {
  it.live("is a conversation of speech, with times as heard", () =>
    Effect.gen(function* () {
      const run = yield* play(
        [
          { does: "wait", millis: 300 },
          { does: "say", text: "Front desk." },
          { does: "await", text: "Hi, Ann here.", delayMillis: 400 },
          { does: "say", text: "For which date?", chunkMillis: 130 },
          { does: "await", text: "Friday.", delayMillis: 1250 },
          { does: "say", text: "Friday is booked.", chunkMillis: 1000 },
          { does: "await", text: "Bye.", delayMillis: 0 }
        ],
        scenarioOf([
          { ...FIRST, action: "Hi, Ann here." },
          { id: 1, condition: "The agent asks for the date", action: "Friday." },
          { id: 2, condition: "The agent books", action: "Bye. <endcall />" }
        ]),
        {},
        undefined,
        protocol
      )
      expect(run.outcome).toEqual({ is: "ended", reason: "testing_agent_ended_call" })
      expect(linesOf(run)).toEqual([
        "agent: Front desk.",
        "caller: Hi, Ann here.",
        "agent: For which date?",
        "caller: Friday.",
        "agent: Friday is booked.",
        "caller: Bye."
      ])
      const [, first, , second] = gaps(run)
      expect(Math.abs((first ?? 0) - 0.4)).toBeLessThanOrEqual(0.045)
      expect(Math.abs((second ?? 0) - 1.25)).toBeLessThanOrEqual(0.045)
    })
  )

  it.scopedLive("tells the agent the variables of the call, and measures latencies within 30 ms", () =>
    VoiceKit.withVirtualClock(
      Effect.gen(function* () {
        const delays = [0, 20, 333, 1000, 2990]
        const { agent, call } = yield* calling(
          protocol,
          delays.flatMap((delayMillis): Script => [
            { does: "await", text: "Go?", delayMillis },
            { does: "say", text: "Yes" }
          ])
        )
        for (const _ of delays) {
          yield* call.say(Stream.make(VoiceKit.speakTones("Go?")))
          yield* call.hear({ endMillis: 300, timeoutMillis: 10_000 })
        }
        const { measures } = yield* call.record
        expect(measures.answers).toHaveLength(delays.length)
        measures.answers.forEach(({ latencyMillis }, at) => {
          expect(Math.abs(latencyMillis - (delays[at] ?? 0))).toBeLessThanOrEqual(30)
        })
        if (protocol !== "openai_realtime") expect(JSON.stringify(agent.started())).toContain('"name":"Ann"')
      })
    )
  )
})

describe.each(["elevenlabs", "openai_realtime"] as const)("an interruption in the protocol %s", (protocol) => {
  it.scopedLive("cuts the agent's speech, also what comes of it later", () =>
    VoiceKit.withVirtualClock(
      Effect.gen(function* () {
        const { agent, call } = yield* calling(protocol, [
          { does: "say", text: "A very long answer without any end" },
          { does: "awaitOnset", delayMillis: 200 },
          { does: "clear" },
          { does: "wait", millis: 2000 },
          { does: "say", text: "Yes?" }
        ])
        yield* call.pause(500)
        yield* call.say(Stream.make(VoiceKit.speakTones("Stop")))
        yield* call.pause(4000)
        const { measures } = yield* call.record
        expect(measures.bargeIns).toHaveLength(1)
        expect(measures.bargeIns[0]).toMatchObject({ how: "cleared" })
        expect(Math.abs((measures.bargeIns[0]?.stopMillis ?? 0) - 200)).toBeLessThanOrEqual(30)
        if (protocol === "openai_realtime") {
          expect(agent.others).toEqual([
            {
              type: "conversation.item.truncate",
              item_id: "item_1",
              content_index: 0,
              audio_end_ms: expect.closeTo(720, -2) as unknown as number
            }
          ])
        }
      })
    )
  )
})

const text = (message: object): string => JSON.stringify(message)
const pcm = (millis: number): Uint8Array => new Uint8Array((24_000 * 2 * millis) / 1000)
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

/** The events of messages, all received at once. */
const eventsOf = (protocol: Voice.VoiceProtocol, messages: ReadonlyArray<Voice.WireMessage>): ReadonlyArray<unknown> =>
  messages.map((message) =>
    Either.match(protocol.read(message, 0), {
      onLeft: (reason) => reason,
      onRight: (event) => (event.event === "media" ? `audio of ${event.audio.length}` : event.event)
    })
  )

describe("Pipecat's frames", () => {
  const hex = (text: string): Uint8Array => Buffer.from(text.replaceAll(" ", ""), "hex")

  it("are read as the protocol buffers of the serializer", () => {
    const protocol = Voice.protocolOf("pipecat", ids)
    // Frame {audio: {id: 7, name: "A#7", audio: 01 00 02 00, sample_rate: 8000, num_channels: 1}}
    expect(eventsOf(protocol, [hex("12 12 08 07 12 03 41 23 37 1a 04 01 00 02 00 20 c0 3e 28 01")])).toEqual([
      "audio of 2"
    ])
    // TextFrame {text: "hi"}, TranscriptionFrame {text: "hi" user_id: "u"}, MessageFrame {data: "{}"}
    for (const other of ["0a 04 1a 02 68 69", "1a 07 1a 02 68 69 22 01 75", "22 04 0a 02 7b 7d", ""]) {
      expect(eventsOf(protocol, [hex(other)])).toEqual(["other"])
    }
  })

  it("are sent at 16 kHz, after a message that the client is ready", () => {
    const protocol = Voice.protocolOf("pipecat", ids)
    const [ready, ...more] = protocol.open({ name: "Ann" })
    expect(more).toEqual([])
    expect(Buffer.from(ready ?? "").toString("latin1")).toContain('"label":"rtvi-ai","type":"client-ready"')
    const [sent] = protocol.media(Voice.silenceOf(160))
    // Frame {audio: {audio: 640 bytes, sample_rate: 16000, num_channels: 1}}
    const bytes = Buffer.from(sent ?? "")
    expect(bytes.subarray(0, 6)).toEqual(hex("12 88 05 1a 80 05"))
    expect(bytes.subarray(-5)).toEqual(hex("20 80 7d 28 01"))
    expect(bytes).toHaveLength(3 + 648)
  })

  it("with a header of WAV, or two channels, are read too", () => {
    const protocol = Voice.protocolOf("pipecat", ids)
    const field = (number: number, value: Uint8Array): Buffer =>
      Buffer.concat([Buffer.from([number * 8 + 2, (value.length & 127) | 128, value.length >> 7]), value])
    const framed = (audio: Uint8Array, rate: ReadonlyArray<number>, channels: number): Buffer =>
      field(2, Buffer.concat([field(3, audio), Buffer.from([0x20, ...rate, 0x28, channels])]))
    const wav = Voice.monoWav(VoiceKit.speakTones("ab"))
    expect(eventsOf(protocol, [framed(wav, [0x80, 0x7d], 1)])).toEqual(["audio of 640"])
    expect(eventsOf(Voice.protocolOf("pipecat", ids), [framed(new Uint8Array(640), [0xc0, 0x3e], 2)])).toEqual([
      "audio of 160"
    ])
    expect(eventsOf(protocol, [framed(new Uint8Array(640), [0x01], 1)])).toEqual([
      "An audio frame has audio of 1 Hz; 4000 to 48000 Hz can be read."
    ])
  })
})

describe("ElevenLabs' events", () => {
  const metadata = (output: string, input: string): string =>
    text({
      type: "conversation_initiation_metadata",
      conversation_initiation_metadata_event: {
        conversation_id: "conv_123",
        agent_output_audio_format: output,
        user_input_audio_format: input
      }
    })

  it("begin a conversation with variables, and audio in the formats that are stated", () => {
    const protocol = Voice.protocolOf("elevenlabs", ids)
    expect(protocol.open({ name: "Ann" }).map((one): unknown => JSON.parse(String(one)))).toEqual([
      { type: "conversation_initiation_client_data", dynamic_variables: { name: "Ann" } }
    ])
    const frame = Voice.silenceOf(160)
    expect([...protocol.media(frame), ...protocol.media(frame)]).toEqual([])
    // What waited is sent when the formats are known.
    expect(Either.getOrThrow(protocol.read(metadata("ulaw_8000", "ulaw_8000"), 0))).toEqual({
      event: "other",
      responses: [text({ user_audio_chunk: base64(Voice.silenceOf(320)) })]
    })
    expect(protocol.media(frame)).toEqual([text({ user_audio_chunk: base64(frame) })])
    const audio = (id: number): string =>
      text({ type: "audio", audio_event: { audio_base_64: base64(Voice.silenceOf(400)), event_id: id } })
    expect(
      eventsOf(protocol, [
        audio(1),
        text({ type: "interruption", interruption_event: { event_id: 2 } }),
        audio(2),
        audio(3),
        text({ type: "agent_response", agent_response_event: { agent_response: "Hi" } }),
        text({ type: "user_transcript", user_transcription_event: { user_transcript: "Hello" } })
      ])
    ).toEqual(["audio of 400", "clear", "other", "audio of 400", "other", "other"])
  })

  it("are answered: a ping, and the call of a tool", () => {
    const protocol = Voice.protocolOf("elevenlabs", ids)
    expect(protocol.read(text({ type: "ping", ping_event: { event_id: 12_345, ping_ms: 50 } }), 0)).toEqual(
      Either.right({ event: "other", responses: ['{"type":"pong","event_id":12345}'] })
    )
    const called = protocol.read(
      text({ type: "client_tool_call", client_tool_call: { tool_name: "t", tool_call_id: "c1", parameters: {} } }),
      0
    )
    expect(called).toMatchObject({ right: { event: "other" } })
    expect(JSON.stringify(called)).toContain("is_error")
  })

  it("with another encoding are invalid", () => {
    expect(eventsOf(Voice.protocolOf("elevenlabs", ids), [metadata("mp3_44100", "pcm_16000")])).toEqual([
      "The audio formats of the conversation are not pcm or ulaw with a sample rate."
    ])
  })
})

describe("events of OpenAI Realtime", () => {
  it("are audio by both names, in the formats of the session", () => {
    const protocol = Voice.protocolOf("openai_realtime", ids)
    expect(protocol.open({})).toEqual([])
    const delta = (type: string, id: string): string => text({ type, item_id: id, delta: base64(pcm(100)) })
    const events = eventsOf(protocol, [
      text({ type: "session.created", session: { type: "realtime", audio: { output: { voice: "marin" } } } }),
      delta("response.output_audio.delta", "a"),
      delta("response.audio.delta", "b"),
      text({ type: "input_audio_buffer.speech_started", item_id: "u", audio_start_ms: 1 }),
      delta("response.audio.delta", "b"),
      text({ type: "response.done", response: {} })
    ])
    expect(events).toEqual(["other", "audio of 771", "audio of 800", "clear", "other", "other"])
    const [sent] = protocol.media(Voice.silenceOf(160))
    expect(JSON.parse(String(sent))).toEqual({
      type: "input_audio_buffer.append",
      audio: expect.stringMatching(/^A+$/)
    })
  })

  it("of a session in mu-law, stated as before, are not converted", () => {
    const protocol = Voice.protocolOf("openai_realtime", ids)
    const session = { input_audio_format: "g711_ulaw", output_audio_format: "g711_ulaw" }
    expect(eventsOf(protocol, [text({ type: "session.updated", session })])).toEqual(["other"])
    const frame = Voice.silenceOf(160)
    expect(protocol.media(frame)).toEqual([text({ type: "input_audio_buffer.append", audio: base64(frame) })])
    expect(eventsOf(protocol, [text({ type: "response.audio.delta", delta: base64(frame) })])).toEqual(["audio of 160"])
  })

  it("that report an error are invalid, and nothing of them is repeated but their kind", () => {
    expect(
      eventsOf(Voice.protocolOf("openai_realtime", ids), [
        text({ type: "error", error: { type: "invalid_request_error", message: "secret" } }),
        text({ type: "error", error: { type: "SECRET key" } })
      ])
    ).toEqual(["An error event was sent (invalid_request_error).", "An error event was sent (without a type)."])
  })

  it("begin after a second with the usual format, where no session is stated", () => {
    const protocol = Voice.protocolOf("openai_realtime", ids)
    const sent = Array.from({ length: 53 }, () => protocol.media(Voice.silenceOf(160)).length)
    expect(sent).toEqual([...Array.from({ length: 50 }, () => 0), 1, 1, 1])
  })
})

describe.each(OTHERS)("a hostile agent in the protocol %s", (protocol) => {
  const invalid: ReadonlyArray<Voice.WireMessage> = [
    "",
    "{",
    "[]",
    "null",
    '{"type":1}',
    '{"type":"audio"}',
    '{"type":"audio","audio_event":{"audio_base_64":"*"}}',
    '{"type":"conversation_initiation_metadata"}',
    '{"type":"session.created","session":{"input_audio_format":"mp3"}}',
    '{"type":"response.audio.delta","delta":1}',
    Buffer.from([0x12, 0xff]),
    Buffer.from([0x12, 0x05, 0x1a, 0xff, 0xff, 0xff, 0xff])
  ]

  it("sends what cannot be read, which is counted and ends the call with its reason", () =>
    Effect.runPromise(
      Effect.scoped(
        VoiceKit.withVirtualClock(
          Effect.gen(function* () {
            const garbage: Voice.WireMessage = protocol === "pipecat" ? Buffer.from([0x12, 0xff]) : "{"
            const { call } = yield* calling(protocol, [
              { does: "say", text: "Hi." },
              { does: "wait", millis: 500 },
              ...Array.from({ length: 51 }, () => ({ does: "send", message: garbage }) as const)
            ])
            const end = yield* call.ended
            expect(end.by).toBe("protocol")
            const { agentTrack } = yield* call.record
            expect(VoiceKit.readTones(Buffer.concat(agentTrack.map(({ audio }) => audio)))).toBe("Hi.")
          })
        )
      )
    ))

  it("is read or rejected, whatever it sends", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...invalid), fc.json(), fc.uint8Array({ maxLength: 200 })), {
          maxLength: 20
        }),
        (messages) => {
          const reading = Voice.protocolOf(protocol, ids)
          for (const message of messages) expect(Either.isEither(reading.read(message, 0))).toBe(true)
          expect(Array.isArray(reading.media(Voice.silenceOf(160)))).toBe(true)
        }
      ),
      Properties.parameters(100)
    )
  })
})
