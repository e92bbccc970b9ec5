import type { EvaluatorId } from "../../kernel/Ids.js"

/** The values of rows by their evaluator, in order. */
export const grouped = <A>(rows: ReadonlyArray<{ readonly evaluator: EvaluatorId; readonly value: A }>) => {
  const groups = new Map<EvaluatorId, Array<A>>()
  for (const { evaluator, value } of rows) {
    const group = groups.get(evaluator)
    if (group === undefined) groups.set(evaluator, [value])
    else group.push(value)
  }
  return groups
}
