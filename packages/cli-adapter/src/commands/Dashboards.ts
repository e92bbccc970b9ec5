import { command, group } from "./Declare.js"
import { common, id, page, project } from "./Shared.js"

export const dashboards = group("dashboards", "List dashboards and draw them in the terminal.", [
  command("list", {
    description: "List dashboards, newest first.",
    options: { ...common, project, ...page },
    action: async () => (await import("../actions/Dashboards.js")).list
  }),
  command("show", {
    description: "Draw a dashboard with the current data of its widgets.",
    options: common,
    args: { id: id("dashboard") },
    action: async () => (await import("../actions/Dashboards.js")).show
  })
])
