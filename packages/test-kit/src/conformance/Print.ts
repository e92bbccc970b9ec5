import type { CheckResult, ConformanceReport } from "./Conformance.js"

const MARKS = { passed: "ok", failed: "FAIL", skipped: "skip" } as const

/** Escapes control characters. */
const escaped = (text: string): string =>
  text
    .replaceAll("\n", " ")
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** A line of the table: outcome, check, rule; below it the detail of a check that did not pass. */
export const printResult = ({ detail, id, outcome, rule }: CheckResult): string =>
  `${MARKS[outcome].padEnd(6)}${id.padEnd(30)} ${rule}${detail === "" ? "" : `\n      ${escaped(detail)}`}`

/** The summary after the table. */
export const printSummary = ({ failed, notDeleted: left, passed, results, skipped, url }: ConformanceReport): string =>
  [
    `${url}: ${results.length} checks: ${passed} passed, ${failed} failed, ${skipped} skipped`,
    ...(left.length === 0 ? [] : [`could not be deleted: ${left.map(escaped).join(" ")}`])
  ].join("\n")
