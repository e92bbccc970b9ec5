import { command, group, text, toggle } from "./Declare.js"
import { resourceCommands } from "./Resource.js"
import { agent, common, input, project } from "./Shared.js"

const load = () => import("../actions/Evaluators.js")

export const evaluators = group("evaluators", "Manage evaluators: the test cases that simulated callers play.", [
  ...resourceCommands("evaluator", load, {
    project,
    agent,
    folder_path: text("--folder-path <path>", "Only those directly in this folder; blank for the root."),
    tag: text("--tag <tag>", "Only those with this tag."),
    search: text("--search <text>", "Only those with this text in their name or instructions, ignoring case.")
  }),
  command("bulk-update", {
    description:
      "Update several evaluators, all or none: scenarios='[1,2]' project=1 folder_path=smoke append_instruction=...",
    options: {
      ...common,
      ...input.options,
      many: toggle("--many", "Show all updated evaluators, not only the first.")
    },
    args: input.args,
    action: async () => (await load()).bulkUpdate
  })
])
