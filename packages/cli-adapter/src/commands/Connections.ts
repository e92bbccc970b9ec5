import { command, group, list, text, textArgument, withDefault } from "./Declare.js"
import { codeHosts, common, id, page } from "./Shared.js"

const load = () => import("../actions/Connections.js")

const one = { options: { ...common, ...codeHosts }, args: { id: id("connection") } }

export const connections = group(
  "connections",
  "Manage the connections to code hosts that repositories are checked out through.",
  [
    command("create", {
      description: "Create a connection. It is inactive until it is activated; its secret is stored encrypted.",
      options: {
        ...common,
        ...codeHosts,
        name: withDefault(text("--name <name>", "Name of the connection."), ""),
        settings: list(
          "--set <name=value>",
          "Setting of the host. github: app_id, installation_id, owner, base_url. gitlab: namespace, base_url. local: none."
        ),
        secretFile: text(
          "--secret-file <file>",
          "File with the app's private key (github) or the access token (gitlab). - reads stdin."
        )
      },
      args: {
        host: textArgument("host", "Kind of code host: github, gitlab, local, or another that the server adds.")
      },
      action: async () => (await load()).create
    }),
    command("list", {
      description: "List connections without their secrets, newest first.",
      options: { ...common, ...page },
      action: async () => (await load()).list
    }),
    command("test", {
      ...one,
      description: "Test a connection against its code host.",
      action: async () => (await load()).test
    }),
    command("activate", {
      ...one,
      description: "Test a connection and make it the active one.",
      action: async () => (await load()).activate
    }),
    command("revoke", {
      ...one,
      description: "Revoke a connection permanently, with the credentials issued through it.",
      action: async () => (await load()).revoke
    })
  ]
)
