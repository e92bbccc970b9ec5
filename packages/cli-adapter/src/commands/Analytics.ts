import { command, group } from "./Declare.js"
import { columnStore, json, storage } from "./Shared.js"

const load = () => import("../actions/Analytics.js")
const options = { ...storage, json, analytics: columnStore }

export const analytics = group("analytics", "Maintain the column store that answers charts.", [
  command("status", {
    description: "Show the state of the column store, and whether it can be used.",
    options,
    action: async () => (await load()).status
  }),
  command("rebuild", {
    description:
      "Copy all calls to the column store again, while servers run. If it is interrupted, a server or the next rebuild continues it.",
    options,
    action: async () => (await load()).rebuild
  }),
  command("verify", {
    description: "Compare the column store with the database. Exit code 1 if any call differs.",
    options,
    action: async () => (await load()).verify
  })
])
