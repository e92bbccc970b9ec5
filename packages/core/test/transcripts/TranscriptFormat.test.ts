import { type Decoder, FieldErrors, TranscriptFormat, TranscriptType } from "@earshot/core"
import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"

const empty: Decoder = () => Either.right({ _tag: "RawTranscript", turns: [], toolCalls: [] })

describe("transcript formats", () => {
  it("are those of the interface in its order", () => {
    expect(TranscriptFormat.builtIn.tokens).toStrictEqual([
      "service",
      "service_legacy",
      "provider_a",
      "provider_b",
      "provider_c",
      "provider_d",
      "provider_e",
      "provider_f",
      "none-mono"
    ])
    expect(FieldErrors.decode(TranscriptType)("provider_g")).toStrictEqual(
      Either.left({ non_field_errors: [expect.stringContaining('"provider_g" is not a valid choice. Choose from ')] })
    )
  })

  it("default to service, and none-mono is the one without a transcript", () => {
    expect([TranscriptFormat.DEFAULT_TYPE, TranscriptFormat.AUDIO_ONLY_TYPE]).toStrictEqual(["service", "none-mono"])
  })

  it("can be overridden and extended by a host without changing the built-in ones", () => {
    const formats = TranscriptFormat.make({ provider_c: empty, acme: empty })
    expect(formats.tokens).toStrictEqual([...TranscriptFormat.builtIn.tokens, "acme"])
    expect(Either.isRight(FieldErrors.decode(formats.type)("acme"))).toBe(true)
    expect(Either.isRight(formats.decode("acme", "anything"))).toBe(true)
    expect(Either.isRight(formats.decode("provider_c", "anything"))).toBe(true)
    expect(Either.isLeft(TranscriptFormat.builtIn.decode("provider_c", "anything"))).toBe(true)
    expect(Either.isLeft(FieldErrors.decode(TranscriptFormat.builtIn.type)("acme"))).toBe(true)
  })

  it.each(["constructor", "__proto__", "toString", ""])("do not include %j", (type) => {
    expect(Either.isLeft(TranscriptFormat.builtIn.decode(type, []))).toBe(true)
  })
})
