import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fc from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { documents } from "../src/Documents.js"

/** A text in pieces of so many bytes, as pipes and files hand it out. */
async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size))
}

const read = (text: string | Uint8Array, size = 7) =>
  Effect.runPromise(
    Stream.runCollect(documents("in", pieces(typeof text === "string" ? Buffer.from(text) : text, size))).pipe(
      Effect.map((found) =>
        Chunk.toReadonlyArray(found).map(({ call, place }) => [place, Either.getOrElse(call, (reason) => reason)])
      )
    )
  )

describe("reading calls from files and streams", () => {
  it("reads one call per line, wherever the chunks end", async () => {
    const text = '{"a":1}\n\n{"a":"é日"}\r\n{broken\n[{"a":2},{"a":3}]\n"x"'
    const found = [
      ["in:1", { a: 1 }],
      ["in:3", { a: "é日" }],
      ["in:4", "This is not valid JSON."],
      ["in:5[0]", { a: 2 }],
      ["in:5[1]", { a: 3 }],
      ["in:6", "x"]
    ]
    for (const size of [1, 2, 3, 7, 1000]) expect(await read(text, size)).toEqual(found)
  })

  it("reads one document of many lines, or a list of documents", async () => {
    expect(await read('\n{\n  "a": 1\n}\n')).toEqual([["in", { a: 1 }]])
    expect(await read('[\n{"a": 1},\n{"a": 2}\n]')).toEqual([
      ["in[0]", { a: 1 }],
      ["in[1]", { a: 2 }]
    ])
  })

  it("reads the calls after an invalid line", async () => {
    expect(await read('{oops\n{"a":1}\n{"a":2}\n')).toEqual([
      ["in:1", "This is not valid JSON."],
      ["in:2", { a: 1 }],
      ["in:3", { a: 2 }]
    ])
  })

  it("reads no calls from empty input", async () => {
    expect(await read("")).toEqual([])
    expect(await read("\n \r\n\t\n")).toEqual([])
  })

  it("rejects input that is not UTF-8 and skips a byte order mark", async () => {
    expect(await read(new Uint8Array([0xff, 0x7b, 0x7d]))).toEqual([["in:1", "This is not valid UTF-8."]])
    expect(await read('\ufeff{"a":1}')).toEqual([["in:1", { a: 1 }]])
  })

  it("reports a read error after the calls that were read before it", async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from('{"a":1}\n{"a":2}\n'))
      yield await Promise.reject(Object.assign(new Error("gone"), { code: "EIO" }))
    }
    const found = await Effect.runPromise(Stream.runCollect(documents("in", failing())))
    expect(Chunk.toReadonlyArray(found).map(({ place }) => place)).toEqual(["in:1", "in:2", "in"])
  })

  it("returns the calls that were written", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), { maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        async (calls, size) => {
          const lines = calls.map((call) => JSON.stringify(call))
          const expected: unknown = JSON.parse(`[${lines.join(",")}]`)
          expect((await read(lines.join("\n"), size)).map(([, call]) => call)).toEqual(expected)
          if (calls.length > 0) {
            expect((await read(JSON.stringify(calls, null, 2), size)).map(([, call]) => call)).toEqual(expected)
          }
        }
      ),
      { numRuns: 20 }
    )
  })
})
