import { command, group, text, withDefault } from "./Declare.js"
import { common, expires, id, page, permissions, scopedTo } from "./Shared.js"

const load = () => import("../actions/Access.js")

export const links = group("links", "Create, list and revoke shareable links (header X-SHAREABLE-LINK).", [
  command("create", {
    description: "Create a shareable link and print its secret. It is shown only once.",
    options: {
      ...common,
      name: withDefault(text("--name <name>", "Name of the link."), ""),
      bounds: scopedTo,
      permissions,
      expires
    },
    action: async () => (await load()).createLink
  }),
  command("list", {
    description: "List shareable links, newest first.",
    options: { ...common, ...page },
    action: async () => (await load()).listLinks
  }),
  command("revoke", {
    description: "Revoke a shareable link.",
    options: common,
    args: { id: id("shareable link") },
    action: async () => (await load()).revokeLink
  })
])
