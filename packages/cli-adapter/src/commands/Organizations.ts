import { command, group } from "./Declare.js"
import { database, json, page } from "./Shared.js"

export const organizations = group("organizations", "List the organizations of this database.", [
  command("list", {
    description: "List organizations, newest first.",
    options: { database, json, ...page },
    action: async () => (await import("../actions/Organizations.js")).list
  })
])
