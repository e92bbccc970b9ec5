import * as Redaction from "@earshot/redaction"
import { Voice } from "@earshot/core"
import { ProviderKit, VoiceKit } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { expect, it } from "vitest"

ProviderKit.languageModelContract("of the kit", {
  agreeing: ProviderKit.fakeLanguageModel(() => ({ value: true })).layer,
  babbling: ProviderKit.fakeLanguageModel(() => "perhaps").layer,
  unreachable: ProviderKit.fakeLanguageModel(() => ProviderKit.unavailable(true)).layer
})

ProviderKit.transcriberContract("of the kit", {
  hearing: ProviderKit.fakeTranscriber([
    { speaker: "main_agent", content: "Hello", startTime: 0, endTime: 1, words: [] }
  ]).layer,
  failing: ProviderKit.fakeTranscriber("It heard nothing.").layer
})

ProviderKit.textToSpeechContract("tones", {
  speaking: VoiceKit.toneTextToSpeech,
  failing: Layer.succeed(Voice.TextToSpeech, {
    identity: "none",
    speak: () => Stream.fail(new Voice.SpeechFailed({ reason: "It is out of order." }))
  })
})

const recordings = ProviderKit.fakeRecordings({ "https://example.com/a.wav": Uint8Array.of(1, 2) })

ProviderKit.recordingSourceContract("of the kit", {
  source: recordings.layer,
  served: { url: "https://example.com/a.wav", bytes: Uint8Array.of(1, 2) },
  missing: "https://example.com/b.wav"
})

it("records the requested recordings", () => {
  expect(recordings.asked).toEqual([
    "https://example.com/a.wav",
    "https://example.com/a.wav",
    "https://example.com/b.wav"
  ])
})

ProviderKit.nerProviderContract("nobody", { provider: Redaction.nerProviderNone })

ProviderKit.nerProviderContract("a list of one name", {
  provider: Layer.succeed(Redaction.NerProvider, {
    recognize: (turns) =>
      Effect.succeed(
        turns.flatMap((text, turn) =>
          Array.from(text.matchAll(/Zyx/g), ({ index }) => ({
            turn,
            start: index,
            end: index + 3,
            field: "person_name" as const,
            score: 1,
            evidence: []
          }))
        )
      )
  }),
  finds: { turn: "I am Zyx, and Zyx is my name", field: "person_name", value: "Zyx" }
})
