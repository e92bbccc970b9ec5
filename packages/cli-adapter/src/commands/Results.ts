import { choice, command, group, idArgument, idArguments, number, text, toggle, withDefault } from "./Declare.js"
import { agent, common, id, page, project } from "./Shared.js"

const load = () => import("../actions/Results.js")

export const results = group("results", "List, show, compare, export, cancel and delete results of suites.", [
  command("list", {
    description: "List results, newest first.",
    options: { ...common, project, agent, ...page },
    action: async () => (await load()).list
  }),
  command("show", {
    description: "Show a result with the average of each metric.",
    options: common,
    args: { id: id("result") },
    action: async () => (await load()).show
  }),
  command("compare", {
    description: "Compare two results, scenario by scenario and metric by metric.",
    options: {
      ...common,
      tolerance: number(
        "--tolerance <n>",
        "Difference that counts as none, 0 to 1. (default: none for success rates; two standard errors for metrics with repeats, a quarter for others)"
      ),
      failOn: choice("--fail-on <what>", "Exit with 1 if the result became worse.", ["regression"])
    },
    args: { base: idArgument("base", "Id of the result to compare with."), id: id("result") },
    action: async () => (await load()).compare
  }),
  command("export", {
    description: "Print the runs of a result with their transcripts, as one line of JSON each (NDJSON).",
    options: {
      ...common,
      junit: text("--junit <path>", "Write a JUnit report to this file instead; - writes to stdout.")
    },
    args: { id: id("result") },
    action: async () => (await load()).exportResult
  }),
  command("report", {
    description: "Print a report of a result: outcome, criteria and scores of each run.",
    options: {
      ...common,
      format: withDefault(
        choice("--format <format>", "Markdown for a pull request, an HTML page, or JUnit XML.", [
          "markdown",
          "html",
          "junit"
        ]),
        "markdown"
      ),
      output: text("--output <path>", "Write to this file. (default: stdout)"),
      allowUnjudged: toggle(
        "--allow-unjudged",
        "JUnit: report runs whose success is unknown as skipped, not as errors."
      )
    },
    args: { id: id("result") },
    action: async () => (await load()).report
  }),
  command("cancel", {
    description: "Cancel the unfinished runs of a result.",
    options: common,
    args: { id: id("result") },
    action: async () => (await load()).cancel
  }),
  command("delete", {
    description: "Delete results and their runs. Ids that do not exist are ignored.",
    options: common,
    args: { ids: idArguments("id", "Ids of results, up to 100.") },
    action: async () => (await load()).remove
  })
])
