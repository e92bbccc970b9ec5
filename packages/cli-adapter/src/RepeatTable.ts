/** How reliably the scenarios of a result succeed, as a table. */
import { printShare } from "./charts/Numbers.js"
import { type Column, table } from "./Table.js"
import type { Wire } from "./Wire.js"

type Scenario = Wire<"Repeats">["scenarios"][number]

const repeatColumns: ReadonlyArray<Column<Scenario>> = [
  { name: "SCENARIO", of: ({ name }) => name, least: 12 },
  { name: "RUNS", of: ({ runs }) => String(runs), right: true },
  { name: "PASSED", of: ({ decided, passed }) => `${passed} of ${decided}`, right: true },
  { name: "RATE", of: ({ success_rate: rate }) => (rate === null ? "" : printShare(rate)), right: true }
]

/** The values of k whose pass^k is printed. */
const PRINTED_K = [1, 2, 3, 5, 10]

/** The scenarios' success rates and pass^k; nothing where each scenario was run once. */
export const repeatLines = (repeats: Wire<"Repeats">, screen: number): ReadonlyArray<string> => {
  if (repeats.scenarios.every(({ runs }) => runs <= 1)) return []
  const passAll = PRINTED_K.flatMap((k) => {
    const value = repeats.pass_all[k - 1]
    return value === undefined ? [] : [`pass^${k} ${printShare(value)}`]
  })
  return [...table(repeatColumns, repeats.scenarios, screen), ...(passAll.length === 0 ? [] : ["", passAll.join(", ")])]
}
