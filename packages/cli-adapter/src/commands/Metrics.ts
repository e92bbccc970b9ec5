import { command, group, integer } from "./Declare.js"
import { common, id, page } from "./Shared.js"

const load = () => import("../actions/Metrics.js")

export const metrics = group("metrics", "List and show metrics.", [
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
  command("show", {
    description: "Show a metric as JSON.",
    options: common,
    args: { id: id("metric") },
    action: async () => (await load()).show
  })
])
