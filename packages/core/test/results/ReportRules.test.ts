import { FieldErrors } from "@earshot/core"
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import { describe, expect, it } from "vitest"
import { CompleteInput, validateReport } from "../../src/results/ReportRules.js"

/** What becomes of a report's body: where its speech is, or every fault. */
const validate = (body: object, transcribes = true) =>
  Either.merge(
    Either.flatMap(FieldErrors.decode(CompleteInput)({ lease: "abc", ...body }), (report) =>
      validateReport(report, { transcribes })
    )
  )

const messages = [{ role: "Main Agent", content: "Hello", start_time: 0, end_time: 1 }]
const bytes = new Uint8Array([1, 2, 3])
const url = "https://example.org/a.wav"
const RECORDING_NOT_STORED =
  'Only with the transcript type "none-mono": recordings of runs are transcribed and not stored.'

describe("report of a worker", () => {
  it("decodes its transcript, by default in the interface's own format", () => {
    const found = { transcript: { turns: [{ content: "Hello", speaker: "main_agent" }] }, audio: null }
    expect(validate({ transcript_json: messages })).toMatchObject(found)
    expect(validate({ transcript_type: "service", transcript_json: messages })).toMatchObject(found)
    expect(
      validate({ transcript_type: "provider_a", transcript_json: [{ role: "bot", message: "Hello", time: 0 }] })
    ).toMatchObject(found)
  })

  it("may have no transcript", () => {
    expect(validate({})).toEqual({ transcript: null, audio: null })
    expect(validate({ transcript_json: null, voice_recording: null, voice_recording_url: null })).toEqual({
      transcript: null,
      audio: null
    })
  })

  it("refers to its audio where it has no transcript", () => {
    const audio = { transcript_type: "none-mono" }
    expect(validate({ ...audio, voice_recording: { bytes } })).toEqual({
      transcript: null,
      audio: { from: "upload", bytes }
    })
    expect(validate({ ...audio, voice_recording_url: url })).toEqual({ transcript: null, audio: { from: "url", url } })
  })

  it("needs a recording and a transcriber for the type none-mono", () => {
    expect(validate({ transcript_type: "none-mono" }, false)).toEqual({
      voice_recording: [
        'The transcript type "none-mono" needs a recording: send voice_recording or voice_recording_url.'
      ],
      transcript_type: ['The transcript type "none-mono" needs a transcriber, and none is configured.']
    })
  })

  it("rejects a recording beside a transcript, and two recordings", () => {
    expect(validate({ voice_recording: { bytes } })).toEqual({ voice_recording: [RECORDING_NOT_STORED] })
    expect(validate({ voice_recording_url: url })).toEqual({ voice_recording_url: [RECORDING_NOT_STORED] })
    const both = "Give voice_recording or voice_recording_url, not both."
    expect(validate({ voice_recording: { bytes }, voice_recording_url: url })).toEqual({
      voice_recording: [RECORDING_NOT_STORED],
      voice_recording_url: [both]
    })
    expect(validate({ transcript_type: "none-mono", voice_recording: { bytes }, voice_recording_url: url })).toEqual({
      voice_recording_url: [both]
    })
  })

  it("accepts durations from 0 to a week, and reports every error at once", () => {
    expect(validate({ duration: 0 })).toEqual({ transcript: null, audio: null })
    expect(validate({ duration: 604_800 })).toEqual({ transcript: null, audio: null })
    expect(validate({ duration: -0.001 })).toEqual({ duration: ["Ensure this value is greater than or equal to 0."] })
    expect(
      validate({
        duration: 604_800.001,
        transcript_json: [{ ...messages[0], role: "agent" }],
        voice_recording_url: url
      })
    ).toEqual({
      duration: ["Ensure this value is less than or equal to 604800."],
      "transcript_json[0].role": [expect.stringContaining("agent")],
      voice_recording_url: [RECORDING_NOT_STORED]
    })
  })

  it("validates every field and its limits", () => {
    const wrong = (body: object) => validate(body)
    expect(wrong({ lease: "x".repeat(100) })).toEqual({ transcript: null, audio: null })
    expect(wrong({ lease: "x".repeat(101) })).toEqual({ lease: ["Ensure this field has no more than 100 characters."] })
    expect(wrong({ lease: " " })).toEqual({ lease: ["This field may not be blank."] })
    expect(wrong({ call_ended_reason: "x".repeat(100) })).toEqual({ transcript: null, audio: null })
    expect(wrong({ call_ended_reason: "", duration: null, success: null })).toEqual({ transcript: null, audio: null })
    const tooLong = "x".repeat(4097)
    expect(wrong({ transcript_type: "none-mono", voice_recording_url: tooLong.slice(1) })).toHaveProperty("audio.url")
    expect(
      wrong({
        lease: 5,
        transcript_type: "mp3",
        voice_recording: "a.wav",
        voice_recording_url: tooLong,
        duration: "long",
        call_ended_reason: "x".repeat(101),
        success: "perhaps"
      })
    ).toEqual({
      lease: ["Not a valid string."],
      transcript_type: [expect.stringContaining('"mp3" is not a valid choice. Choose from ')],
      voice_recording: ["The submitted data was not a file. Check the encoding type on the form."],
      voice_recording_url: ["Ensure this field has no more than 4096 characters."],
      duration: ["A valid number is required."],
      call_ended_reason: ["Ensure this field has no more than 100 characters."],
      success: ["Must be a valid boolean."]
    })
    for (const file of [{ bytes: [1, 2] }, { bytes: null }, {}, 5, []]) {
      expect(wrong({ transcript_type: "none-mono", voice_recording: file })).toEqual({
        voice_recording: ["The submitted data was not a file. Check the encoding type on the form."]
      })
    }
    expect(JSONSchema.make(CompleteInput)).toHaveProperty("properties.voice_recording.anyOf[0].anyOf[0]", {
      type: "string",
      format: "binary",
      description: "The recording, as a file of a multipart body."
    })
    expect(wrong({ transcript_type: "none-mono", voice_recording_url: "" })).toEqual({
      voice_recording_url: ["This field may not be blank."]
    })
    expect(FieldErrors.decode(CompleteInput)({ lease: "abc" })).toEqual(
      Either.right({
        lease: "abc",
        transcript_type: "service",
        voice_recording: null,
        voice_recording_url: null,
        duration: null,
        call_ended_reason: null,
        success: null
      })
    )
  })
})
