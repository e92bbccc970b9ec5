import * as Redaction from "@earshot/redaction"
import * as RedactionKit from "@earshot/test-kit/redaction"

type Print = (line: string) => void

const parts = ["fit", "measure"] as const
const names = { fit: "development half", measure: "held-out half" } as const

const rate = ({ leaked, values }: RedactionKit.LeakCount): string =>
  `${leaked} of ${values} values (${((100 * leaked) / Math.max(1, values)).toFixed(1)} %)`

const showTurns = (call: RedactionKit.LabeledCall): string => call.turns.map(({ content }) => content).join(" / ")

/** The finder of one field alone, by field. */
const single = (): ((field: RedactionKit.LabeledSpan["field"]) => RedactionKit.Finder) => {
  const known = new Map<string, RedactionKit.Finder>()
  return (field) => {
    const finder = known.get(field) ?? RedactionKit.finderOf([field])
    known.set(field, finder)
    return finder
  }
}

/**
 * Values that survive in generated dialogues: each half's questions, wordings and values are its own, and rules are written
 * with the development half in view only. `misses` prints as many of that half's leaks.
 */
export const printDialogues = (print: Print, seeds: number, misses: number): void => {
  const all = RedactionKit.finderOf(Redaction.sensitiveFields)
  const alone = single()
  for (const part of parts) {
    const seen: Array<string> = []
    const watch = (leak: RedactionKit.LeakedValue): void => {
      seen.push(`    ${leak.field}: "${leak.left}" of "${leak.value}" in: ${showTurns(leak.call)}`)
    }
    const report = (title: string, leaks: RedactionKit.Leaks): void => {
      print(`${names[part]}, ${title}: ${rate(leaks)}`)
      const worst = [...leaks.fields].filter(([, { leaked }]) => leaked > 0)
      if (worst.length > 0)
        print(`    ${worst.map(([field, one]) => `${field} ${one.leaked}/${one.values}`).join(", ")}`)
      if (part === "fit" && misses > 0)
        for (const line of seen.filter((_, at) => at % Math.max(1, Math.floor(seen.length / misses)) === 0)) print(line)
      seen.length = 0
    }
    const dialogues = Array.from({ length: seeds }, (_, at) => RedactionKit.questionDialogues(at + 1, part)).flat()
    const statements = Array.from({ length: seeds }, (_, at) => RedactionKit.statementDialogues(at + 1, part)).flat()
    const pairs = RedactionKit.pairDialogues(1, part, RedactionKit.numberKinds)
    const seconds = new Map<RedactionKit.LabeledCall, RedactionKit.LabeledSpan["field"]>(
      pairs.map(({ dialogue, second }) => [dialogue, second])
    )
    const couples = pairs.map(({ dialogue }) => dialogue)
    const isSecond = (call: RedactionKit.LabeledCall, field: string): boolean => seconds.get(call) === field
    const { leaksOf } = RedactionKit
    const fieldOf = (call: RedactionKit.LabeledCall) => call.turns.flatMap(({ spans }) => spans)[0]?.field ?? "ssn"
    report(
      "questions, all fields",
      leaksOf(dialogues, () => all, undefined, watch)
    )
    report(
      "questions, the field alone",
      leaksOf(dialogues, (call) => alone(fieldOf(call)), undefined, watch)
    )
    report(
      "statements, all fields",
      leaksOf(statements, () => all, undefined, watch)
    )
    report(
      "statements, the field alone",
      leaksOf(statements, (call) => alone(fieldOf(call)), undefined, watch)
    )
    report(
      "pairs, all fields",
      leaksOf(couples, () => all, undefined, watch)
    )
    report(
      "pairs, the second field alone",
      leaksOf(couples, (call) => alone(seconds.get(call) ?? "ssn"), isSecond, watch)
    )
    const spelled = dialogues.filter((one) => one.kind === "spelledName")
    report(
      "spelled names",
      leaksOf([...spelled, ...statements.filter((one) => one.kind === "spelledName")], () => all)
    )
    const touched = RedactionKit.harmlessCalls(part).filter(({ turns }) => all(turns).length > 0)
    print(`${names[part]}, harmless exchanges touched: ${touched.length} of ${RedactionKit.harmlessCalls(part).length}`)
    if (part === "fit" && misses > 0)
      for (const call of touched)
        print(
          `    ${all(call.turns)
            .map((one) => `${one.field} "${call.turns[one.turn]?.content.slice(one.start, one.end) ?? ""}"`)
            .join(", ")} in: ${showTurns(call)}`
        )
  }
}
