import { command, group } from "./Declare.js"
import { storage, json, page } from "./Shared.js"

export const organizations = group("organizations", "List the organizations of this database.", [
  command("list", {
    description: "List organizations, newest first.",
    options: { ...storage, json, ...page },
    action: async () => (await import("../actions/Organizations.js")).list
  })
])
