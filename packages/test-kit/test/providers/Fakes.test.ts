import { RecordingSource } from "@earshot/core"
import { ProviderKit } from "@earshot/test-kit"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

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

it.effect("gives the recordings that it was given, and records which were asked for", () => {
  const { asked, layer } = ProviderKit.fakeRecordings({ "https://example.com/a.wav": Uint8Array.of(1, 2) })
  return Effect.gen(function* () {
    const { fetch } = yield* RecordingSource
    const chunks = yield* Stream.runCollect(fetch("https://example.com/a.wav"))
    expect([...chunks]).toEqual([Uint8Array.of(1, 2)])
    const missing = yield* Effect.flip(Stream.runCollect(fetch("https://example.com/b.wav")))
    expect(missing).toMatchObject({ _tag: "RecordingUnavailable" })
    expect(asked).toEqual(["https://example.com/a.wav", "https://example.com/b.wav"])
  }).pipe(Effect.provide(layer))
})
