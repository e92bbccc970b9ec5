import { choice, command, group, integer, list, number, text, textArgument, toggle, withDefault } from "./Declare.js"
import { outbound, common } from "./Shared.js"

const suite = {
  options: {
    ...common,
    agent: integer("--agent <id>", "Agent to test. (default: the file's agent_id)"),
    channel: choice("--channel <channel>", "How the agent is reached. (default: voice)", [
      "voice",
      "text",
      "provider_f",
      "provider_e_v2",
      "provider_d_v2"
    ]),
    name: text("--name <name>", "Name of the result. (default: the suite's name)"),
    scenarios: list("--scenario <key>", "Only the scenario with this key."),
    tags: list("--tag <tag>", "Only scenarios with one of these tags."),
    junit: text("--junit <path>", "Also write a JUnit report to this file.")
  },
  args: {
    file: textArgument("file", "Suite as a JSON or YAML file, or scenarios as CSV; see docs/suites.md. - reads stdin.")
  }
}

const gate = {
  failOn: withDefault(
    choice("--fail-on <what>", "When to exit with 1: if a run did not succeed, or if the result became worse.", [
      "failure",
      "regression"
    ]),
    "failure"
  ),
  base: integer(
    "--base <id>",
    "Result to compare with, for --fail-on regression. (default: the latest one of the same name, agent and channel)"
  )
}

export const suites = group("suites", "Validate and run test suites.", [
  command("validate", {
    ...suite,
    description:
      "Validate a suite against its agent and print its plan and estimated cost. Nothing is created or called.",
    action: async () => (await import("../actions/Suites.js")).validate
  }),
  command("run", {
    description:
      "Run a suite and wait for its runs. This process executes runs by text and, with text to speech and a transcriber, by voice. The exit code is 1 if a run did not succeed, or if its success is unknown.",
    options: {
      ...suite.options,
      ...outbound,
      phoneNumber: integer("--phone-number <id>", "Id of the phone number that voice runs call from."),
      noWait: toggle("--no-wait", "Exit as soon as the runs are queued, for a server or worker to execute."),
      live: toggle("--live", "Print each turn while a run is executed. (default: if stderr is a terminal)"),
      timeout: integer("--timeout <seconds>", "Time to wait for the runs. (default: no limit)"),
      ...gate,
      minPassRate: number("--min-pass-rate <rate>", "Success rate from which on failed runs are accepted, 0 to 1."),
      allowUnjudged: toggle("--allow-unjudged", "Accept runs whose success is unknown.")
    },
    args: suite.args,
    action: async () => (await import("../actions/RunSuite.js")).run
  })
])
