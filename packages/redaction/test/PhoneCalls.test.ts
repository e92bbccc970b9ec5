import * as Redaction from "@earshot/redaction"
import * as RedactionKit from "@earshot/test-kit/redaction"
import { describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"

const callsIn = (name: string): ReadonlyArray<RedactionKit.LabeledCall> =>
  RedactionKit.dialoguesOf(readFileSync(new URL(`phone-calls/${name}.txt`, import.meta.url), "utf8"))

const all = RedactionKit.finderOf(Redaction.sensitiveFields)
const alone = new Map(Redaction.sensitiveFields.map((field) => [field, RedactionKit.finderOf([field])]))

/** How many values of calls are left readable when each one's field is requested alone. */
const leakedAlone = (calls: ReadonlyArray<RedactionKit.LabeledCall>): number => {
  let leaked = 0
  for (const [field, find] of alone)
    leaked += RedactionKit.leaksOf(
      calls.filter(({ turns }) => turns.some(({ spans }) => spans.some((span) => span.field === field))),
      () => find,
      (_, one) => one === field
    ).leaked
  return leaked
}

describe("calls written before a view of the rules", () => {
  for (const { harmless, most, mostAlone, mostTouched, name, values } of [
    { name: "fifth", values: 181, most: 2, mostAlone: 2, harmless: 61, mostTouched: 1 },
    { name: "sixth", values: 167, most: 3, mostAlone: 5, harmless: 60, mostTouched: 2 },
    { name: "seventh", values: 55, most: 0, mostAlone: 0, harmless: 25, mostTouched: 1 },
    { name: "eighth", values: 37, most: 1, mostAlone: 1, harmless: 16, mostTouched: 3 },
    { name: "ninth", values: 380, most: 14, mostAlone: 17, harmless: 46, mostTouched: 5 },
    { name: "tenth", values: 562, most: 12, mostAlone: 12, harmless: 46, mostTouched: 4 },
    { name: "eleventh", values: 338, most: 5, mostAlone: 7, harmless: 30, mostTouched: 1 },
    { name: "twelfth", values: 449, most: 8, mostAlone: 22, harmless: 60, mostTouched: 6 },
    { name: "thirteenth", values: 795, most: 24, mostAlone: 31, harmless: 60, mostTouched: 1 },
    { name: "fourteenth", values: 866, most: 16, mostAlone: 27, harmless: 60, mostTouched: 4 },
    { name: "fifteenth", values: 385, most: 30, mostAlone: 45, harmless: 80, mostTouched: 18 },
    { name: "sixteenth", values: 677, most: 16, mostAlone: 30, harmless: 80, mostTouched: 2 },
    { name: "seventeenth", values: 557, most: 22, mostAlone: 38, harmless: 80, mostTouched: 6 },
    { name: "eighteenth", values: 902, most: 23, mostAlone: 28, harmless: 80, mostTouched: 12 }
  ]) {
    it(`leave at most ${most} of ${values} values of the ${name} set readable, and ${mostAlone} with single fields`, () => {
      const calls = callsIn(name)
      const leaks = RedactionKit.leaksOf(calls, () => all)
      expect(leaks.values).toBe(values)
      expect(leaks.leaked).toBeLessThanOrEqual(most)
      expect(leakedAlone(calls)).toBeLessThanOrEqual(mostAlone)
    })

    it(`leave all but ${mostTouched} of the harmless exchanges of the ${name} set as they are`, () => {
      const calls = callsIn(`${name}-harmless`)
      const touched = calls.filter(({ turns }) => all(turns).length > 0)
      expect(calls.length).toBe(harmless)
      expect(touched.length).toBeLessThanOrEqual(mostTouched)
    })
  }
})
