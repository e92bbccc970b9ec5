import { command, text } from "./Declare.js"
import { storage, json } from "./Shared.js"

export const init = command("init", {
  description:
    "Create the database tables, an organization, a project, an agent and an API key. The key is shown only once.",
  options: {
    ...storage,
    json,
    organization: text(
      "--organization <name>",
      "Name of the organization. Required to add one to a database that already has one."
    )
  },
  action: async () => (await import("../actions/Init.js")).init
})
