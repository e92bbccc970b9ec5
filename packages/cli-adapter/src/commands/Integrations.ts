import { choiceArgument, command, group, integer, list, text, withDefault } from "./Declare.js"
import { PLATFORM_NAMES } from "./Calls.js"
import { common, id, page } from "./Shared.js"

const load = () => import("../actions/Integrations.js")

const secretFile = text(
  "--secret-file <file>",
  "File with the platform's signing secret. - reads stdin. (default: a new one)"
)
const redact = list("--redact <fields>", "Redact these fields in every call: all, or a list such as phone_number,ssn.")
const one = { args: { id: id("integration") } }

export const integrations = group(
  "integrations",
  "Manage the addresses at which voice platforms deliver signed webhooks.",
  [
    command("create", {
      description: "Create an integration and print its path, and its secret if one was generated.",
      options: {
        ...common,
        agent: integer("--agent <id>", "Agent of all calls."),
        project: integer("--project <id>", "Project in which agents are found by their assistant_id."),
        name: withDefault(text("--name <name>", "Name of the integration."), ""),
        secretFile,
        redact,
        metrics: text(
          "--metrics <ids>",
          "Ids of metrics that evaluate the calls, separated by commas. (default: all enabled metrics)"
        )
      },
      args: { platform: choiceArgument("platform", "Voice platform.", PLATFORM_NAMES) },
      action: async () => (await load()).create
    }),
    command("list", {
      description: "List integrations without their secrets, newest first.",
      options: { ...common, ...page },
      action: async () => (await load()).list
    }),
    command("update", {
      ...one,
      description: "Change the name, the fields to redact or the metrics of an integration.",
      options: {
        ...common,
        name: text("--name <name>", "New name."),
        redact,
        metrics: text("--metrics <ids>", "Ids of metrics, separated by commas.")
      },
      action: async () => (await load()).update
    }),
    command("rotate", {
      ...one,
      description: "Replace the secret of an integration. The replaced one stays valid for --previous-valid seconds.",
      options: {
        ...common,
        secretFile,
        previousValid: withDefault(
          integer("--previous-valid <seconds>", "How long the replaced secret stays valid.", { least: 0 }),
          86_400
        )
      },
      action: async () => (await load()).rotate
    }),
    command("delete", {
      ...one,
      description: "Delete an integration permanently. Its calls are kept.",
      options: common,
      action: async () => (await load()).remove
    })
  ]
)
