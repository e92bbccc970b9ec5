import * as Redaction from "@earshot/redaction"
import * as RedactionKit from "@earshot/test-kit/redaction"
import { describe, expect, it } from "@effect/vitest"

const { finderOf, harmlessCalls, kinds, leaksOf, numberKinds, pairDialogues, questionDialogues, statementDialogues } =
  RedactionKit

const all = finderOf(Redaction.sensitiveFields)
const alone = new Map(Redaction.sensitiveFields.map((field) => [field, finderOf([field])]))
const aloneOf = (field: Redaction.SensitiveField): RedactionKit.Finder => alone.get(field) ?? all

/** Most values of a field that may leak, of a hundred, in dialogues whose wording the rules were not written with. */
const MOST: Partial<Record<Redaction.SensitiveField, number>> = {
  origin: 4,
  person_name: 3,
  healthcare_number: 2,
  username: 2
}
const MOST_OTHERWISE = 1

const shareOf = ({ leaked, values }: RedactionKit.LeakCount): number => (100 * leaked) / values

describe("generated dialogues", () => {
  const dialogues = questionDialogues(1, "measure")

  it("leave hardly a value of any field readable when all fields are requested", () => {
    for (const [field, count] of leaksOf(dialogues, () => all).fields)
      expect(shareOf(count), field).toBeLessThanOrEqual(MOST[field] ?? MOST_OTHERWISE)
  })

  it("leave hardly a value readable when its field is requested alone", () => {
    const leaks = leaksOf(dialogues, ({ turns }) => aloneOf(turns.flatMap(({ spans }) => spans)[0]?.field ?? "ssn"))
    for (const [field, count] of leaks.fields)
      expect(shareOf(count), field).toBeLessThanOrEqual(MOST[field] ?? MOST_OTHERWISE)
  })

  it("hide the second of two numbers in a row from whoever requests its field alone", () => {
    const pairs = pairDialogues(1, "measure", numberKinds)
    const seconds = new Map<RedactionKit.LabeledCall, Redaction.SensitiveField>(
      pairs.map(({ dialogue, second }) => [dialogue, second])
    )
    const leaks = leaksOf(
      [...seconds.keys()],
      (call) => aloneOf(seconds.get(call) ?? "ssn"),
      (call, field) => seconds.get(call) === field
    )
    expect(leaks.values).toBeGreaterThan(1000)
    expect(shareOf(leaks)).toBeLessThanOrEqual(0.2)
  })

  it("leave at most one spelled name in sixteen readable", () => {
    const spelled = [...dialogues, ...statementDialogues(1, "measure")].filter(({ kind }) => kind === "spelledName")
    expect(shareOf(leaksOf(spelled, () => all))).toBeLessThanOrEqual(6)
  })

  it("leave at most one stated value in twenty-five readable", () => {
    expect(shareOf(leaksOf(statementDialogues(1, "measure"), () => all))).toBeLessThanOrEqual(4)
  })

  it("cover every field that is asked for in words", () => {
    expect(new Set(Object.values(kinds).map(({ field }) => field)).size).toBeGreaterThan(19)
  })

  it("leave harmless exchanges as they are", () => {
    for (const [part, most] of [
      ["fit", 4],
      ["measure", 10]
    ] as const) {
      const touched = harmlessCalls(part).filter(({ turns }) => all(turns).length > 0)
      expect(touched.length, part).toBeLessThanOrEqual(most)
    }
  })
})
