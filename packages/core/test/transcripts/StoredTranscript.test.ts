import { type RedactedTranscript, StoredTranscript } from "@earshot/core"
import { TranscriptArbitraries } from "@earshot/test-kit"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const { decodedToolCalls, decodedTurns } = TranscriptArbitraries.Conversations
const encode = Schema.encodeSync(StoredTranscript.StoredTranscript)
const decode = Schema.decodeUnknownEither(StoredTranscript.StoredTranscript)

describe("a stored transcript", () => {
  it("is parsed to the transcript that was stored", () => {
    fc.assert(
      fc.property(decodedTurns, decodedToolCalls, (turns, toolCalls) => {
        const transcript: RedactedTranscript = { _tag: "RedactedTranscript", turns, toolCalls }
        expect(decode(encode(transcript))).toStrictEqual(Either.right(transcript))
      })
    )
  })

  it("has a stable format", () => {
    expect(
      encode({
        _tag: "RedactedTranscript",
        turns: [
          { speaker: "main_agent", content: "Hi", startTime: 0, endTime: undefined, words: [] },
          {
            speaker: "testing_agent",
            content: "Hey",
            startTime: undefined,
            endTime: 2.5,
            words: [{ text: "Hey", startTime: undefined, endTime: 2.5 }]
          },
          {
            speaker: "main_agent",
            content: "Yes?",
            startTime: 3,
            endTime: 3.5,
            words: [],
            timing: { endpointing: { seconds: 0.3, source: "a" }, end_to_end: { seconds: 1.25, source: "b" } }
          }
        ],
        toolCalls: [
          {
            id: undefined,
            name: "f",
            arguments: "{}",
            result: undefined,
            succeeded: false,
            startTime: 1,
            endTime: undefined
          }
        ]
      })
    ).toBe(
      '{"v":1,"turns":[["m","Hi",0,null],["t","Hey",null,2.5,[["Hey",null,2.5]]],["m","Yes?",3,3.5,[],[0,0.3,0,5,1.25,1]]],"tools":[[null,"f","{}",null,false,1,null]],"sources":["a","b"]}'
    )
  })

  it("is rejected when the column was written by something else", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(Either.isLeft(StoredTranscript.parse(text))).toBe(true)
      })
    )
    for (const text of [
      '{"v":2,"turns":[],"tools":[]}',
      '{"v":1,"turns":[["x","Hi",0,1]],"tools":[]}',
      '{"v":1,"turns":[]}',
      '{"v":1,"turns":[["m","Hi",0,1,[],[0,0.5,0]]],"tools":[]}',
      '{"v":1,"turns":[["m","Hi",0,1,[],[9,0.5,0]]],"tools":[],"sources":["a"]}',
      '{"v":1,"turns":[["m","Hi",0,1,[],[0,-1,0]]],"tools":[],"sources":["a"]}',
      '{"v":1,"turns":[["m","Hi",0,1,[],[0,0.5]]],"tools":[],"sources":["a"]}',
      '{"v":1,"turns":[["m","Hi",0,1,[],[]]],"tools":[],"sources":[7]}'
    ]) {
      expect(Either.isLeft(decode(text))).toBe(true)
    }
  })
})
