import { command, group, integer } from "./Declare.js"
import { changeCommands } from "./Resource.js"
import { common, id, page } from "./Shared.js"

const load = () => import("../actions/Metrics.js")

const one = { options: common, args: { id: id("metric") } }

export const metrics = group("metrics", "Manage metrics.", [
  command("predefined", {
    description: "List the predefined metrics, which are enabled for every agent by default.",
    options: common,
    action: async () => (await load()).predefined
  }),
  command("list", {
    description: "List the metrics of agents, newest first.",
    options: {
      ...common,
      agent: integer("--agent <id>", "Only metrics of this agent, including the predefined ones."),
      ...page
    },
    action: async () => (await load()).list
  }),
  command("show", { ...one, description: "Show a metric as JSON.", action: async () => (await load()).show }),
  ...changeCommands("metric", load),
  command("enable", {
    ...one,
    description: "Evaluate production calls and runs with a metric.",
    action: async () => (await load()).enable
  }),
  command("disable", {
    ...one,
    description: "Evaluate neither production calls nor runs with a metric.",
    action: async () => (await load()).disable
  }),
  command("simplify", {
    ...one,
    description:
      "Print a shorter prompt of a metric that keeps every rule. Nothing is changed; `metrics update ID prompt=...` stores it.",
    action: async () => (await load()).simplify
  })
])
