import type { CheckResult, ConformanceReport } from "./Conformance.js"

const MARKS = { passed: "ok", failed: "FAULT", skipped: "skip" } as const

/** What a terminal would take for a command is shown as what it is. */
const harmless = (text: string): string =>
  text
    .replaceAll("\n", " ")
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** A line of the table: outcome, check, rule; the detail of what did not pass below it. */
export const printResult = ({ detail, id, outcome, rule }: CheckResult): string =>
  `${MARKS[outcome].padEnd(6)}${id.padEnd(30)} ${rule}${detail === "" ? "" : `\n      ${harmless(detail)}`}`

/** What came of it all, after the table. */
export const printSummary = ({ failed, left, passed, results, skipped, url }: ConformanceReport): string =>
  [
    `${url}: ${results.length} rules tried, ${passed} kept, ${failed} broken, ${skipped} skipped`,
    ...(left.length === 0 ? [] : [`left behind, for you to delete: ${left.map(harmless).join(" ")}`])
  ].join("\n")
