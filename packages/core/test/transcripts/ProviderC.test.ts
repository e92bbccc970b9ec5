import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"
import * as ProviderC from "../../src/transcripts/ProviderC.js"
import { decode, errorsOf, notAnObject, parseJson, protoNotAllowed, required, turnsOf } from "./decoding.js"

describe("decoding provider_c", () => {
  const word = (text: string, speaker: number, start: number) => ({
    word: text.toLowerCase(),
    punctuated_word: text,
    speaker,
    start,
    end: start + 0.25
  })
  const words = [
    word("Hello?", 1, 0),
    word("Hi,", 0, 1),
    word("you.", 0, 1.5),
    word("Thanks!", 1, 2),
    word("Bye.", 2, 3)
  ]

  it("groups words into turns with the first speaker as the main agent", () => {
    expect(turnsOf(decode("provider_c", words))).toStrictEqual([
      ["main_agent", "Hello?", 0, 0.25],
      ["testing_agent", "Hi, you.", 1, 1.75],
      ["main_agent", "Thanks!", 2, 2.25],
      ["testing_agent", "Bye.", 3, 3.25]
    ])
  })

  it("identifies the main agent by main_agent_channel_index", () => {
    expect(
      decode("provider_c", { words }, { mainAgentChannelIndex: 0 }).turns.map(({ speaker }) => speaker)
    ).toStrictEqual(["testing_agent", "main_agent", "testing_agent", "testing_agent"])
  })

  it("merges the words of two channels by start", () => {
    const channel = (...of: ReadonlyArray<object>) => ({ alternatives: [{ words: of }] })
    const plain = (text: string, start: number) => ({ word: text, start, end: start + 0.2 })
    expect(
      turnsOf(
        decode(
          "provider_c",
          {
            results: {
              channels: [channel(plain("hey", 1), plain("thanks", 3)), channel(plain("good", 2), plain("day", 2.5))]
            }
          },
          { mainAgentChannelIndex: 1 }
        )
      )
    ).toStrictEqual([
      ["testing_agent", "hey", 1, 1.2],
      ["main_agent", "good day", 2, 2.7],
      ["testing_agent", "thanks", 3, 3.2]
    ])
  })

  const noSpeakers = [
    "This field is required: without speakers it is not known who speaks. Request the transcription with diarize=true, or with multichannel=true if each speaker has a channel."
  ]

  it("reports words without a speaker once, naming the options that add speakers", () => {
    expect(errorsOf("provider_c", [{ word: "hi", start: 0, end: 1 }, { word: "you" }])).toStrictEqual({
      "[0].speaker": noSpeakers
    })
  })
})

describe("decoding unusual provider_c payloads", () => {
  const word = (text: string, start: number, speaker?: unknown) => ({ word: text, start, end: start + 0.5, speaker })
  const channels = (...of: ReadonlyArray<unknown>) => ({ results: { channels: of } })
  const alternatives = (...words: ReadonlyArray<object>) => ({ alternatives: [{ words }] })

  it("decodes without a context", () => {
    expect(Either.getOrThrow(ProviderC.decode([word("Hi", 0, 3)])).turns[0]?.speaker).toBe("main_agent")
    expect(Either.getOrThrow(ProviderC.decode([])).turns).toStrictEqual([])
  })

  it("keeps the order and speakers of the words of one channel", () => {
    expect(turnsOf(decode("provider_c", channels(alternatives(word("b", 2, 0), word("a", 1, 1)))))).toStrictEqual([
      ["main_agent", "b", 2, 2.5],
      ["testing_agent", "a", 1, 1.5]
    ])
    expect(turnsOf(decode("provider_c", channels()))).toStrictEqual([])
    expect(turnsOf(decode("provider_c", channels({ alternatives: [] })))).toStrictEqual([])
  })

  it("keeps a word without a start after its predecessor", () => {
    expect(
      turnsOf(
        decode(
          "provider_c",
          channels(alternatives(word("a", 1), { word: "b" }, word("d", 4)), alternatives(word("c", 2)))
        )
      ).map(([, text]) => text)
    ).toStrictEqual(["a b", "c", "d"])
  })

  it("reports errors under their path in the whole response", () => {
    expect(errorsOf("provider_c", { results: 5 })).toStrictEqual({ results: notAnObject })
    expect(errorsOf("provider_c", { results: {} })).toStrictEqual({ "results.channels": required })
    expect(errorsOf("provider_c", { words: [5] })).toStrictEqual({ "words[0]": notAnObject })
    expect(errorsOf("provider_c", {})).toStrictEqual({ words: required })
    expect(
      errorsOf(
        "provider_c",
        channels(5, {}, { alternatives: [5] }, { alternatives: [{}] }, alternatives({ start: 1, end: 2 }))
      )
    ).toStrictEqual({
      "results.channels[0]": notAnObject,
      "results.channels[1].alternatives": required,
      "results.channels[2].alternatives[0]": notAnObject,
      "results.channels[3].alternatives[0].words": required,
      "results.channels[4].alternatives[0].words[0].word": required
    })
    expect(errorsOf("provider_c", channels(...Array.from({ length: 65 }, () => alternatives())))).toStrictEqual({
      "results.channels": ["Ensure this field has no more than 64 elements."]
    })
    expect(errorsOf("provider_c", parseJson('{"words": [], "__proto__": 1}'))).toStrictEqual({
      non_field_errors: protoNotAllowed
    })
    expect(errorsOf("provider_c", parseJson('{"results": {"channels": [], "__proto__": 1}}'))).toStrictEqual({
      results: protoNotAllowed
    })
  })

  it("requires a speaker that is an integer from 0", () => {
    const speakers = [0, 1.5, -1, "0", null, undefined, Number.NaN]
    expect(
      errorsOf(
        "provider_c",
        speakers.map((speaker, at) => word("x", at, speaker))
      )
    ).toStrictEqual({
      "[1].speaker": ["A valid integer is required."],
      "[2].speaker": ["A valid integer is required."],
      "[3].speaker": ["A valid integer is required."],
      "[4].speaker": [
        "This field is required: without speakers it is not known who speaks. Request the transcription with diarize=true, or with multichannel=true if each speaker has a channel."
      ],
      "[6].speaker": ["A valid integer is required."]
    })
  })
})
