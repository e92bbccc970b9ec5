import * as Schema from "effect/Schema"

/** What a credential may do. API keys carry a list of these as scopes; sessions and links carry what they were granted. */
export const Permission = Schema.Literal(
  "keys:manage",
  "catalog:read",
  "catalog:write",
  "catalog:delete",
  "evaluators:read",
  "evaluators:write",
  "evaluators:delete",
  "checkouts:create",
  "connections:manage",
  "integrations:manage",
  "calls:read",
  "calls:write",
  "calls:delete",
  "recordings:read",
  "results:read",
  "results:write",
  "results:delete",
  "credits:read",
  "dashboards:read",
  "dashboards:write",
  "dashboards:delete",
  "jobs:manage"
)
export type Permission = typeof Permission.Type

export const allPermissions: ReadonlyArray<Permission> = Permission.literals
