import { choice, command, group, integer, required, textArgument } from "./Declare.js"
import { common, permissions, scopedTo } from "./Shared.js"

const load = () => import("../actions/Access.js")

export const tokens = group("tokens", "Issue and revoke signed, short-lived tokens for connected apps and sessions.", [
  command("issue", {
    description: "Issue a token and print it. It is shown only once.",
    options: {
      ...common,
      kind: required(
        choice("--kind <kind>", "Kind of token.", ["oauth2", "dashboard_session", "embedded_session", "agent_session"])
      ),
      bounds: scopedTo,
      permissions,
      ttl: integer(
        "--ttl <seconds>",
        "Lifetime. (default: 3600; 43200 for a dashboard_session, 600 for an agent_session)"
      ),
      user: integer("--user <id>", "User that the token is issued for.")
    },
    action: async () => (await load()).issueToken
  }),
  command("revoke", {
    description: "Revoke a token.",
    options: common,
    args: { jti: textArgument("jti", "The token's id (its jti claim), or the whole token.") },
    action: async () => (await load()).revokeToken
  })
])
