import type { CredentialKind } from "./Credential.js"
import type { Permission } from "./Permission.js"

/** The permissions of operations that change something, which do not include reading it. */
type ChangingPermission = Extract<Permission, `${string}:write` | `${string}:delete`>

/** What a caller sees of an operation's result. */
type Visibility =
  | { readonly needs: Exclude<Permission, ChangingPermission>; readonly shows?: never }
  | {
      readonly needs: ChangingPermission
      /**
       * The permission to read what the operation returns, without which a caller gets no more than ids; null if it returns
       * nothing stored. Required, so that no operation that changes something can forget it.
       */
      readonly shows: Permission | null
    }

/** What an operation requires of its caller, and what its caller sees. */
export type OperationRule = Visibility & {
  /** The permission the caller must hold. */
  readonly needs: Permission
  /** A permission that it must hold as well. */
  readonly alsoNeeds?: Permission
  /** The credential kinds that may call it; any other kind counts as no credential. */
  readonly accepts: ReadonlyArray<CredentialKind>
  /** A credential that is required in addition to the accepted one, of the same organization. */
  readonly additionalCredential?: "agent_session"
  /** Whether it is about the organization as a whole, so that a credential with resource scopes may not call it. */
  readonly organizationWide?: true
}

type Accepted = ReadonlyArray<CredentialKind>
const keyOnly: Accepted = ["api_key"]
const people: Accepted = ["api_key", "oauth2", "dashboard_session"]
const peopleAndEmbeds: Accepted = ["api_key", "oauth2", "embedded_session", "dashboard_session"]
const everybody: Accepted = ["api_key", "oauth2", "embedded_session", "shareable_link", "dashboard_session"]

/**
 * Checks the rows and keeps the type of each. `satisfies` would do as much, but mutation testing skips what it takes for
 * types.
 */
const table = <const Rows extends Record<string, OperationRule>>(rows: Rows): Rows => rows

/**
 * Every operation of the engine: what it needs and which credentials it accepts. This table is the only place that
 * defines it; the host process is accepted everywhere. E1 to E12 are the interface's endpoints, whose `accepts` are its
 * table (interface, Authentication); other operations follow the most similar endpoint.
 */
export const operations = table({
  "access.createApiKey": { needs: "keys:manage", accepts: people, organizationWide: true },
  "access.listApiKeys": { needs: "keys:manage", accepts: people, organizationWide: true },
  "access.revokeApiKey": { needs: "keys:manage", accepts: people, organizationWide: true },
  "access.issueToken": { needs: "keys:manage", accepts: people },
  "access.revokeToken": { needs: "keys:manage", accepts: people, organizationWide: true },
  "access.createLink": { needs: "keys:manage", accepts: people },
  "access.listLinks": { needs: "keys:manage", accepts: people, organizationWide: true },
  "access.revokeLink": { needs: "keys:manage", accepts: people, organizationWide: true },
  "access.createSignInLink": { needs: "keys:manage", accepts: people, organizationWide: true },
  "users.create": { needs: "keys:manage", accepts: people, organizationWide: true },
  "users.list": { needs: "keys:manage", accepts: people, organizationWide: true },

  "projects.create": { needs: "catalog:write", shows: "catalog:read", accepts: people, organizationWide: true },
  "projects.list": { needs: "catalog:read", accepts: people },
  "projects.read": { needs: "catalog:read", accepts: people },
  "projects.update": { needs: "catalog:write", shows: "catalog:read", accepts: people },
  "projects.delete": { needs: "catalog:delete", shows: null, accepts: people },

  "agents.create": { needs: "catalog:write", shows: "catalog:read", accepts: people },
  "agents.list": { needs: "catalog:read", accepts: people },
  "agents.read": { needs: "catalog:read", accepts: people },
  "agents.update": { needs: "catalog:write", shows: "catalog:read", accepts: people },
  "agents.delete": { needs: "catalog:delete", shows: null, accepts: people },
  /** It sends the agent's secrets, and a call may cost money. */
  "agents.checkVoice": { needs: "catalog:write", shows: null, accepts: people },

  "personalities.create": { needs: "catalog:write", shows: "catalog:read", accepts: people },
  "personalities.list": { needs: "catalog:read", accepts: people },
  "personalities.read": { needs: "catalog:read", accepts: people },
  "personalities.update": { needs: "catalog:write", shows: "catalog:read", accepts: people },
  "personalities.delete": { needs: "catalog:delete", shows: null, accepts: people },
  /** E7 */
  "personalities.enable": { needs: "catalog:write", shows: "catalog:read", accepts: people },

  "testProfiles.create": { needs: "catalog:write", shows: "catalog:read", accepts: people },
  "testProfiles.list": { needs: "catalog:read", accepts: people },
  "testProfiles.read": { needs: "catalog:read", accepts: people },
  "testProfiles.update": { needs: "catalog:write", shows: "catalog:read", accepts: people },
  "testProfiles.delete": { needs: "catalog:delete", shows: null, accepts: people },

  "phoneNumbers.create": { needs: "catalog:write", shows: "catalog:read", accepts: people },
  "phoneNumbers.list": { needs: "catalog:read", accepts: people },
  "phoneNumbers.read": { needs: "catalog:read", accepts: people },
  "phoneNumbers.update": { needs: "catalog:write", shows: "catalog:read", accepts: people },
  "phoneNumbers.delete": { needs: "catalog:delete", shows: null, accepts: people },

  "tools.create": { needs: "catalog:write", shows: "catalog:read", accepts: people },
  "tools.list": { needs: "catalog:read", accepts: people },
  "tools.read": { needs: "catalog:read", accepts: people },
  "tools.update": { needs: "catalog:write", shows: "catalog:read", accepts: people },
  "tools.delete": { needs: "catalog:delete", shows: null, accepts: people },

  "folders.create": { needs: "catalog:write", shows: "catalog:read", accepts: people },
  "folders.list": { needs: "catalog:read", accepts: people },
  "folders.read": { needs: "catalog:read", accepts: people },
  "folders.update": { needs: "catalog:write", shows: "catalog:read", accepts: people },
  "folders.delete": { needs: "catalog:delete", shows: null, accepts: people },

  "evaluators.create": { needs: "evaluators:write", shows: "evaluators:read", accepts: people },
  "evaluators.list": { needs: "evaluators:read", accepts: people },
  "evaluators.read": { needs: "evaluators:read", accepts: people },
  "evaluators.update": { needs: "evaluators:write", shows: "evaluators:read", accepts: people },
  "evaluators.delete": { needs: "evaluators:delete", shows: null, accepts: people },
  /** E4 */
  "evaluators.bulkUpdate": { needs: "evaluators:write", shows: "evaluators:read", accepts: keyOnly },

  /** E1 */
  "suites.validate": { needs: "evaluators:read", accepts: people },

  "suites.run": { needs: "results:write", shows: "results:read", accepts: people },

  "results.list": { needs: "results:read", accepts: everybody },
  "results.read": { needs: "results:read", accepts: everybody },
  "results.compare": { needs: "results:read", accepts: everybody },
  "results.repeats": { needs: "results:read", accepts: everybody },
  "results.export": { needs: "results:read", accepts: people },
  "results.junit": { needs: "results:read", accepts: people },
  "results.report": { needs: "results:read", accepts: people },
  /** E8 */
  "results.bulkDelete": { needs: "results:delete", shows: null, accepts: everybody },
  /** E9 */
  "results.deleteRuns": { needs: "results:delete", shows: null, accepts: everybody },
  "results.cancel": { needs: "results:write", shows: "results:read", accepts: people },
  "results.capacity": { needs: "results:read", accepts: people, organizationWide: true },
  "runs.list": { needs: "results:read", accepts: everybody },
  "runs.read": { needs: "results:read", accepts: everybody },
  "runs.recording": { needs: "results:read", accepts: everybody },
  "runs.listen": { needs: "results:read", accepts: people },
  "runs.cancel": { needs: "results:write", shows: "results:read", accepts: people },
  "runs.claim": { needs: "results:write", alsoNeeds: "results:read", shows: "results:read", accepts: keyOnly },
  "runs.heartbeat": { needs: "results:write", shows: null, accepts: keyOnly },
  "runs.complete": { needs: "results:write", shows: "results:read", accepts: keyOnly },
  "runs.fail": { needs: "results:write", shows: "results:read", accepts: keyOnly },

  "connections.create": { needs: "connections:manage", accepts: people, organizationWide: true },
  "connections.list": { needs: "connections:manage", accepts: people, organizationWide: true },
  "connections.read": { needs: "connections:manage", accepts: people, organizationWide: true },
  "connections.test": { needs: "connections:manage", accepts: people, organizationWide: true },
  "connections.activate": { needs: "connections:manage", accepts: people, organizationWide: true },
  "connections.revoke": { needs: "connections:manage", accepts: people, organizationWide: true },
  "integrations.create": { needs: "integrations:manage", accepts: people, organizationWide: true },
  "integrations.list": { needs: "integrations:manage", accepts: people, organizationWide: true },
  "integrations.read": { needs: "integrations:manage", accepts: people, organizationWide: true },
  "integrations.update": { needs: "integrations:manage", accepts: people, organizationWide: true },
  "integrations.rotate": { needs: "integrations:manage", accepts: people, organizationWide: true },
  "integrations.delete": { needs: "integrations:manage", accepts: people, organizationWide: true },
  /** E2 */
  "checkouts.create": { needs: "checkouts:create", accepts: keyOnly, additionalCredential: "agent_session" },

  /** E10 */
  "calls.ingest": { needs: "calls:write", shows: "calls:read", accepts: keyOnly },
  /** As E10, for envelopes of platforms. */
  "calls.observe": { needs: "calls:write", shows: "calls:read", accepts: keyOnly },
  /** As E10, for spans of which calls are made later: nothing that is stored is returned. */
  "traces.receive": { needs: "calls:write", shows: null, accepts: keyOnly },
  "traces.list": { needs: "calls:read", accepts: people, organizationWide: true },
  "traces.read": { needs: "calls:read", accepts: people, organizationWide: true },
  "calls.list": { needs: "calls:read", accepts: peopleAndEmbeds },
  "calls.facets": { needs: "calls:read", accepts: peopleAndEmbeds },
  "calls.read": { needs: "calls:read", accepts: peopleAndEmbeds },
  "calls.review": { needs: "calls:write", shows: "calls:read", accepts: peopleAndEmbeds },
  "calls.delete": { needs: "calls:delete", shows: null, accepts: people },
  "calls.export": { needs: "calls:read", accepts: people },
  "recordings.read": { needs: "recordings:read", accepts: peopleAndEmbeds },
  "recordings.sign": { needs: "recordings:read", accepts: peopleAndEmbeds },
  "recordings.peaks": { needs: "recordings:read", accepts: peopleAndEmbeds },

  /** E11 */
  "metrics.predefined": { needs: "catalog:read", accepts: keyOnly },
  "metrics.create": { needs: "catalog:write", shows: "catalog:read", accepts: people },
  "metrics.list": { needs: "catalog:read", accepts: people },
  "metrics.read": { needs: "catalog:read", accepts: people },
  /** E12 */
  "metrics.update": { needs: "catalog:write", shows: "catalog:read", accepts: keyOnly },
  "metrics.delete": { needs: "catalog:delete", shows: null, accepts: people },
  /** E6 */
  "simplifications.request": { needs: "catalog:write", shows: "catalog:read", accepts: peopleAndEmbeds },
  "simplifications.progress": { needs: "catalog:write", shows: "catalog:read", accepts: peopleAndEmbeds },
  "calls.evaluate": { needs: "calls:write", shows: null, accepts: people },
  "calls.evaluations": { needs: "calls:read", accepts: peopleAndEmbeds },

  "jobs.list": { needs: "jobs:manage", accepts: people, organizationWide: true },
  "jobs.retry": { needs: "jobs:manage", accepts: people, organizationWide: true },
  "credits.list": { needs: "credits:read", accepts: people },
  "credits.totals": { needs: "credits:read", accepts: people },

  /** E5 */
  "dashboards.create": { needs: "dashboards:write", shows: "dashboards:read", accepts: everybody },
  "dashboards.list": { needs: "dashboards:read", accepts: everybody },
  "dashboards.read": { needs: "dashboards:read", accepts: everybody },
  "dashboards.update": { needs: "dashboards:write", shows: "dashboards:read", accepts: everybody },
  "dashboards.delete": { needs: "dashboards:delete", shows: null, accepts: everybody },
  "dashboards.data": { needs: "dashboards:read", accepts: everybody },
  "widgets.create": { needs: "dashboards:write", shows: "dashboards:read", accepts: keyOnly },
  "widgets.list": { needs: "dashboards:read", accepts: everybody },
  "widgets.read": { needs: "dashboards:read", accepts: everybody },
  /** E3 */
  "widgets.update": { needs: "dashboards:write", shows: "dashboards:read", accepts: keyOnly },
  "widgets.delete": { needs: "dashboards:delete", shows: null, accepts: keyOnly },
  "widgets.data": { needs: "dashboards:read", accepts: everybody },
  /**
   * A preview can query any call in scope, so permission to read dashboards is not enough. Values of calls are shown to
   * those who may read calls.
   */
  "widgets.preview": { needs: "dashboards:write", shows: null, accepts: everybody }
})

export type Operation = keyof typeof operations

/** The permission without which a caller of an operation gets no more than ids. */
export type ShowsOf<O extends Operation> = (typeof operations)[O] extends {
  readonly shows: infer Shown extends Permission
}
  ? Shown
  : never

export type NeedsOf<O extends Operation> = (typeof operations)[O]["needs"]
