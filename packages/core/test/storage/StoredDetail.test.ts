import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { JobId } from "../../src/kernel/Ids.js"
import type { EvaluationDetail } from "../../src/metrics/Evaluation.js"
import { printDetail, StoredDetail } from "../../src/storage/sql/StoredDetail.js"
import { codePoint } from "@earshot/test-kit"

const read = Schema.decodeSync(StoredDetail)
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value))
const text = fc.option(fc.string({ unit: codePoint }))
const judgment = fc.record({
  model: fc.string(),
  prompt_hash: fc.string(),
  seed: fc.integer(),
  turn: fc.option(fc.nat()),
  quote: text
})

const detail: fc.Arbitrary<EvaluationDetail> = fc.record(
  {
    reason: text,
    explanation: text,
    moments: fc.array(fc.record({ at_second: number, duration_ms: number }), { maxLength: 5 }),
    statistics: fc.dictionary(fc.string(), number, { noNullPrototype: true }),
    judgment,
    job: fc.integer({ min: 1 }).map((id) => JobId.make(id))
  },
  { requiredKeys: ["reason", "explanation", "moments"] }
)

describe("the explanation of a value", () => {
  it("is read as it was stored", () => {
    fc.assert(
      fc.property(detail, (one) => {
        // JSON cannot hold a property of this name.
        fc.pre(!Object.hasOwn(one.statistics ?? {}, "__proto__"))
        expect(read(printDetail(one))).toEqual(one)
      })
    )
  })

  it("is stored without what is missing, and moments as pairs", () => {
    const nothing = { reason: null, explanation: null, moments: [] }
    expect(printDetail({ ...nothing, job: JobId.make(7) })).toBe('{"job":7}')
    expect(printDetail(nothing)).toBe("{}")
    expect(printDetail({ ...nothing, reason: "", moments: [{ at_second: 2.75, duration_ms: 500 }] })).toBe(
      '{"reason":"","moments":[[2.75,500]]}'
    )
    expect(read("{}")).toEqual(nothing)
  })

  it("is not read from another text", () => {
    for (const invalid of ["", "[]", '{"moments":[[1]]}', '{"moments":[{"at_second":1}]}', '{"reason":1}']) {
      expect(() => read(invalid)).toThrow()
    }
  })
})
