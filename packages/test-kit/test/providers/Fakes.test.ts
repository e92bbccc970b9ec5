import { ProviderKit } from "@earshot/test-kit"
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

const recordings = ProviderKit.fakeRecordings({ "https://example.com/a.wav": Uint8Array.of(1, 2) })

ProviderKit.recordingSourceContract("of the kit", {
  source: recordings.layer,
  served: { url: "https://example.com/a.wav", bytes: Uint8Array.of(1, 2) },
  missing: "https://example.com/b.wav"
})

it("records which recordings were asked for", () => {
  expect(recordings.asked).toEqual([
    "https://example.com/a.wav",
    "https://example.com/a.wav",
    "https://example.com/b.wav"
  ])
})
