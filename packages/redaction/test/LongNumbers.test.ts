import * as Redaction from "@earshot/redaction"
import { describe, expect, it } from "@effect/vitest"

/** What the tagger finds in a text, and how often it looks at a token. */
const tagged = (text: string) => {
  const call = Redaction.callTextOf([{ speaker: "a", content: text }])
  let looks = 0
  const all = new Proxy(call.tokens.all, {
    get: (tokens, key) => {
      looks++
      return Reflect.get(tokens, key) as unknown
    }
  })
  const steps = Redaction.Tagger.taggerCandidates({ ...call, tokens: { ...call.tokens, all } }, false, () => false)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return { looks, values: step.value.map(({ end, field, start }) => `${field} ${text.slice(start, end)}`) }
}

/** Most looks at each token of a row. */
const MOST_LOOKS = 20

describe("a row of figures", () => {
  it("is looked at a few times a token, however long it is", () => {
    for (const part of ["1/", "3 - ", "12/"]) {
      // To walk over the whole row for each of the tokens of a stretch would be 3,000 looks at a token and more.
      const { looks, values } = tagged(part.repeat(2000))
      expect(values).toEqual([])
      expect(looks).toBeLessThan(4000 * MOST_LOOKS)
    }
  })

  it("of seven digits or more, over single marks, is no house number", () => {
    const inStreet = (number: string) => tagged(`we moved to ${number} Maple Street in Boston last year`).values
    expect(inStreet("412")).toContain("location 412 Maple Street")
    for (const number of ["4121234", "412 1234", "41-21-234", "4 1 2 1 2 3 4"])
      expect(inStreet(number).join()).not.toMatch(/location [\d -]*\d/)
  })
})
