import { choice, command, group, integer, text } from "./Declare.js"
import { agent, common, page, project } from "./Shared.js"

const filters = {
  reason: choice("--reason <reason>", "Only charges for this.", ["redaction", "metric_evaluation"]),
  project,
  agent,
  call: integer("--call <id>", "Only those of this call."),
  since: text("--since <time>", "Only those at this time or later, such as 2030-01-31T00:00:00Z."),
  until: text("--until <time>", "Only those before this time.")
}

const load = () => import("../actions/Credits.js")

export const credits = group("credits", "List and sum up what was charged.", [
  command("list", {
    description: "List the charges of the organization, newest first.",
    options: { ...common, ...filters, ...page },
    action: async () => (await load()).list
  }),
  command("totals", {
    description: "Sum up the charges of the organization by reason.",
    options: { ...common, ...filters },
    action: async () => (await load()).totals
  })
])
