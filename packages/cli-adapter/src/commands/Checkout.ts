import { command, textArgument, toggle } from "./Declare.js"
import { codeHosts, common, session } from "./Shared.js"

export const checkout = command("checkout", {
  description: "Issue a credential that reads one repository for an hour, and print it. It is shown only once.",
  options: {
    ...common,
    session,
    ...codeHosts,
    env: toggle("--env", 'Print shell variables that make git use it: eval "$(earshot checkout --env web)".')
  },
  args: { repo: textArgument("repo", "Short name of the repository.") },
  action: async () => (await import("../actions/Connections.js")).checkout
})
