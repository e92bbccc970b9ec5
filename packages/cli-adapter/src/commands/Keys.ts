import { command, group, text, withDefault } from "./Declare.js"
import { common, expires, id, page, scopes } from "./Shared.js"

const load = () => import("../actions/Keys.js")

export const keys = group("keys", "Create, list and revoke API keys (header X-SERVICE-API-KEY).", [
  command("create", {
    description: "Create an API key and print it. It is shown only once.",
    options: {
      ...common,
      name: withDefault(text("--name <name>", "Name of the key."), "Made at the command line"),
      scopes,
      expires
    },
    action: async () => (await load()).create
  }),
  command("list", {
    description: "List API keys without their secrets, newest first.",
    options: { ...common, ...page },
    action: async () => (await load()).list
  }),
  command("revoke", {
    description: "Revoke an API key.",
    options: common,
    args: { id: id("API key") },
    action: async () => (await load()).revoke
  })
])
