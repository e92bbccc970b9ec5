import * as Schema from "effect/Schema"

/**
 * The kinds of credentials. The first five are the interface's schemes; `agent_session` is the agent session that E2
 * requires in addition to the API key; `host` is the process that embeds the engine, which needs no proof since it has the
 * database.
 */
export const CredentialKind = Schema.Literal(
  "api_key",
  "oauth2",
  "dashboard_session",
  "embedded_session",
  "shareable_link",
  "agent_session",
  "host"
)
export type CredentialKind = typeof CredentialKind.Type
