import { command, group } from "./Declare.js"
import { common, page } from "./Shared.js"

export const credits = group("credits", "List what was charged.", [
  command("list", {
    description: "List the charges of the organization, newest first.",
    options: { ...common, ...page },
    action: async () => (await import("../actions/Credits.js")).list
  })
])
