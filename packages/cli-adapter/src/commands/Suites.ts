import { choice, command, group, integer, text, textArgument, toggle } from "./Declare.js"
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
    junit: text("--junit <path>", "Also write a JUnit report to this file.")
  },
  args: { file: textArgument("file", "Suite as a JSON file; see docs/suites.md. - reads stdin.") }
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
      "Run a suite and wait for its runs. Text runs are executed by this process, with the language model of the EARSHOT_MODEL variables. The exit code is 1 if a run did not succeed.",
    options: {
      ...suite.options,
      ...outbound,
      phoneNumber: integer("--phone-number <id>", "Id of the phone number that voice runs call from."),
      noWait: toggle("--no-wait", "Exit as soon as the runs are queued, for a server or worker to execute."),
      timeout: integer("--timeout <seconds>", "Time to wait for the runs. (default: no limit)")
    },
    args: suite.args,
    action: async () => (await import("../actions/RunSuite.js")).run
  })
])
