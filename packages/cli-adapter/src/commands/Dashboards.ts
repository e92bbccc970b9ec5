import { command, group, integer } from "./Declare.js"
import { changeCommands, resourceCommands } from "./Resource.js"
import { common, id, input, page, project } from "./Shared.js"

const load = () => import("../actions/Dashboards.js")
const loadWidgets = () => import("../actions/Widgets.js")

export const dashboards = group("dashboards", "Manage dashboards and draw them in the terminal.", [
  command("list", {
    description: "List dashboards, newest first.",
    options: { ...common, project, ...page },
    action: async () => (await load()).list
  }),
  command("show", {
    description: "Draw a dashboard with the current data of its widgets.",
    options: common,
    args: { id: id("dashboard") },
    action: async () => (await load()).show
  }),
  ...changeCommands("dashboard", load)
])

export const widgets = group("widgets", "Manage the widgets of dashboards, and read their data.", [
  ...resourceCommands("widget", loadWidgets, {
    dashboard: integer("--dashboard <id>", "Only those of this dashboard.")
  }),
  command("data", {
    description: "Draw the current data of a widget.",
    options: common,
    args: { id: id("widget") },
    action: async () => (await loadWidgets()).data
  }),
  command("preview", {
    description: "Draw the data of a widget with these fields. Nothing is stored.",
    options: { ...common, ...input.options },
    args: input.args,
    action: async () => (await loadWidgets()).preview
  })
])
