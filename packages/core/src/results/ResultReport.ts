/** A result as a page for people: Markdown, for a pull request, or HTML. Both hold texts of agents, so all is escaped. */
import type { EvaluationJson } from "../metrics/Evaluation.js"
import { directionInWords } from "../metrics/ScoreWords.js"
import type { Result } from "./Result.js"
import { lineOfScore } from "./ResultJUnit.js"
import type { RunDetail } from "./RunDetail.js"
import { undecidedReason } from "./SuccessCriteria.js"

export const reportFormats = ["markdown", "html", "junit"] as const
export type ReportFormat = (typeof reportFormats)[number]

/** The line of a run, and what explains it. It holds no transcript. */
export interface ReportedRun {
  readonly id: number
  readonly key: string
  readonly name: string
  readonly outcome: string
  readonly seconds: number | null
  /** `passed: Books a table`, one per criterion and score. */
  readonly details: ReadonlyArray<string>
}

const outcomeOf = (run: RunDetail): string => {
  switch (run.status) {
    case "completed":
      return run.success === null ? "undecided" : run.success ? "passed" : "failed"
    case "failed":
      return "error"
    case "timeout":
      return "timed out"
    case "cancelled":
      return "canceled"
    default:
      return run.status
  }
}

const withReason = (text: string, reason: string | null): string =>
  reason === null || reason === "" ? text : `${text} (${reason})`

/** The reported part of a run. */
export const reportedRun = (run: RunDetail): ReportedRun => {
  const why = run.error ?? (run.status === "completed" && run.success === null ? undecidedReason(run.criteria) : null)
  return {
    id: run.id,
    key: run.scenarioKey,
    name: run.scenarioName,
    outcome: outcomeOf(run),
    seconds: run.duration,
    details: [
      ...(why === null ? [] : [why]),
      ...run.criteria.map(({ name, passed, reason }) =>
        withReason(`${name}: ${passed === null ? "undecided" : passed ? "passed" : "failed"}`, reason)
      ),
      ...run.metrics.filter((score) => !isCriterion(run, score)).map(lineOfScore)
    ]
  }
}

const isCriterion = (run: RunDetail, { metric, slug }: EvaluationJson): boolean =>
  run.criteria.some(({ criterion }) => criterion === `metric:${slug ?? metric}`)

/** Characters of a run in a report besides its texts. */
const RUN_CHARACTERS = 200

/** How many characters these runs have in a report, about. */
export const sizeOfRuns = (runs: Iterable<ReportedRun>): number => {
  let characters = 0
  for (const { details, key, name } of runs) {
    characters += RUN_CHARACTERS + key.length + name.length
    for (const line of details) characters += line.length + 20
  }
  return characters
}

/** What both formats print, in words. */
const headOf = (result: Result): ReadonlyArray<readonly [string, string]> => [
  ["Agent", `${result.agentName} (${result.agentId})`],
  ["Channel", result.channel],
  ["Status", result.status],
  ["Success", result.success === null ? "undecided" : result.success ? "passed" : "failed"],
  ["Success rate", result.successRate === null ? "unknown" : `${(result.successRate * 100).toFixed(1)} %`],
  ["Runs", String(result.totalRuns)]
]

const secondsOf = (seconds: number | null): string => (seconds === null ? "" : `${seconds.toFixed(1)} s`)

const averageOf = (average: number | null): string => (average === null ? "" : String(Number(average.toFixed(3))))

// eslint-disable-next-line no-control-regex -- matches control characters on purpose
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g

/** A text on one line: without line ends, other controls, and marks that change the direction of what follows. */
const oneLine = (text: string): string => text.replace(CONTROLS, " ").trim()

const ESCAPED: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "@": "&#64;" }

/**
 * What Markdown interprets anywhere in a line, but for underscores within words; and at its beginning, where items of
 * lists, headings and rulers begin. Web addresses become links by `://` and `www.`. Source: CommonMark 0.31 and GitHub
 * Flavored Markdown 0.29.
 */
const INTERPRETED =
  /[\\`*[\]<>#|~$@]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|:(?=\/\/|[\w+-]+:)|(?<=www)\.|^[-+=](?=\s|[-=]|$)|(?<=^\d{1,9})[.)](?=\s|$)/giu

/** Escapes what Markdown, its HTML, mentions, emoji codes and autolinks would interpret, and leaves other texts as they are. */
const markdownText = (text: string): string =>
  oneLine(text)
    .replace(/&/g, "&amp;")
    .replace(INTERPRETED, (one) => ESCAPED[one] ?? `\\${one}`)

const printMarkdown = (result: Result, runs: ReadonlyArray<ReportedRun>): string => {
  const row = (...cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`
  const scores =
    result.metrics.length === 0
      ? []
      : [
          "",
          "## Metrics",
          "",
          row("Metric", "Runs", "Average", "Direction"),
          row("---", "---:", "---:", "---"),
          ...result.metrics.map(({ average, better, name, runs: count }) =>
            row(markdownText(name), String(count), averageOf(average), directionInWords(better))
          )
        ]
  return [
    `# ${markdownText(result.name)}`,
    "",
    ...headOf(result).map(([name, value]) => `- ${name}: ${markdownText(value)}`),
    ...scores,
    "",
    "## Runs",
    "",
    row("Scenario", "Run", "Outcome", "Duration"),
    row("---", "---:", "---", "---:"),
    ...runs.map(({ id, name, outcome, seconds }) => row(markdownText(name), String(id), outcome, secondsOf(seconds))),
    "",
    ...runs.flatMap(({ details, id, name, outcome }) =>
      details.length === 0
        ? []
        : [
            `### ${markdownText(name)}, run ${id}: ${outcome}`,
            "",
            ...details.map((line) => `- ${markdownText(line)}`),
            ""
          ]
    )
  ].join("\n")
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const htmlText = (text: string): string =>
  oneLine(text)
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\u{fffd}")
    .replace(/[&<>"']/g, (one) => ENTITIES[one] ?? one)

const STYLE = [
  "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}",
  "table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #ccc}",
  ".passed{color:#14622b}.failed,.error,.timed-out{color:#a1121a}"
].join("")

const printHtml = (result: Result, runs: ReadonlyArray<ReportedRun>): string => {
  const row = (cell: "td" | "th", ...cells: ReadonlyArray<string>) =>
    `<tr>${cells.map((one) => `<${cell}>${one}</${cell}>`).join("")}</tr>`
  const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<string>) => [
    "<table>",
    `<thead>${row("th", ...head)}</thead>`,
    "<tbody>",
    ...rows,
    "</tbody>",
    "</table>"
  ]
  const outcomeOfRun = (outcome: string) =>
    `<span class="${htmlText(outcome.replaceAll(" ", "-"))}">${htmlText(outcome)}</span>`
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    // Nothing is loaded and no script runs, whatever the page holds.
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${htmlText(result.name)}</title>`,
    `<style>${STYLE}</style>`,
    "</head>",
    "<body>",
    `<h1>${htmlText(result.name)}</h1>`,
    "<ul>",
    ...headOf(result).map(([name, value]) => `<li>${name}: ${htmlText(value)}</li>`),
    "</ul>",
    ...(result.metrics.length === 0
      ? []
      : [
          "<h2>Metrics</h2>",
          ...table(
            ["Metric", "Runs", "Average", "Direction"],
            result.metrics.map(({ average, better, name, runs: count }) =>
              row("td", htmlText(name), String(count), averageOf(average), directionInWords(better))
            )
          )
        ]),
    "<h2>Runs</h2>",
    ...table(
      ["Scenario", "Run", "Outcome", "Duration", "Why"],
      runs.map(({ details, id, name, outcome, seconds }) =>
        row(
          "td",
          htmlText(name),
          String(id),
          outcomeOfRun(outcome),
          secondsOf(seconds),
          details.length === 0 ? "" : `<ul>${details.map((line) => `<li>${htmlText(line)}</li>`).join("")}</ul>`
        )
      )
    ),
    "</body>",
    "</html>",
    ""
  ].join("\n")
}

/** The report of a result; `runs` are made by `reportedRun`. */
export const printResultReport = (
  format: Exclude<ReportFormat, "junit">,
  result: Result,
  runs: ReadonlyArray<ReportedRun>
): string => (format === "markdown" ? printMarkdown(result, runs) : printHtml(result, runs))
