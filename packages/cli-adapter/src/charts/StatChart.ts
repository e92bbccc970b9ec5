import { padEnd, displayWidth } from "../Text.js"
import type { Wire } from "../Wire.js"
import { printNumber, printSeconds, printShare } from "./Numbers.js"
import { painted, type Style } from "./Style.js"

const GAP = 3
const MISSING = "no data"

const orMissing = (value: number | null, print: (value: number) => string): string =>
  value === null ? MISSING : print(value)

const printMilliseconds = (value: number): string => `${printNumber(value)} ms`

/** The numbers side by side, or below each other where there is no room. */
export const drawStat = (data: Wire<"StatData">, style: Style): ReadonlyArray<string> => {
  const numbers = [
    { name: "Calls", value: printNumber(data.total_calls) },
    { name: "Success rate", value: orMissing(data.success_rate, printShare) },
    { name: "Average duration", value: orMissing(data.avg_duration, printSeconds) },
    { name: "p95 latency", value: orMissing(data.p95_latency, printMilliseconds) },
    { name: "p95 call latency", value: orMissing(data.p95_call_latency, printMilliseconds) }
  ].map((one) => ({ ...one, width: Math.max(displayWidth(one.name), displayWidth(one.value)) }))
  const total = numbers.reduce((sum, { width }) => sum + width + GAP, -GAP)
  if (total > style.columns) {
    const names = Math.max(...numbers.map(({ name }) => displayWidth(name)))
    return numbers.map(
      ({ name, value }) => painted(style, "dim", padEnd(name, Math.min(names, style.columns - 8))) + ` ${value}`
    )
  }
  return [
    numbers.map(({ value, width }) => painted(style, "bold", padEnd(value, width))).join(" ".repeat(GAP)),
    numbers.map(({ name, width }) => painted(style, "dim", padEnd(name, width))).join(" ".repeat(GAP))
  ].map((line) => line.trimEnd())
}
