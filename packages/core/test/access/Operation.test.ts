import {
  type Actor,
  allPermissions,
  authorize,
  CredentialKind,
  hostActor,
  type Operation,
  operations,
  OrganizationId,
  type OperationRule,
  type Permission
} from "@earshot/core"
import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"

/** The interface's five ways in, by a letter each: key, OAuth, dashboard, embedded, shareable link. */
const letters = {
  k: "api_key",
  o: "oauth2",
  d: "dashboard_session",
  e: "embedded_session",
  s: "shareable_link"
} as const
type Letter = keyof typeof letters
const isLetter = (text: string): text is Letter => Object.hasOwn(letters, text)

/**
 * Every operation, what it needs, whom it accepts, and whether it concerns the whole organization (`all of it`) or asks
 * for an agent session in addition to the key (`with session`). E1 to E12 are the table of the interface, Authentication.
 */
const written: Readonly<Record<Operation, readonly [Permission, by: string, also?: "all of it" | "with session"]>> = {
  "access.createApiKey": ["keys:manage", "kod", "all of it"],
  "access.listApiKeys": ["keys:manage", "kod", "all of it"],
  "access.revokeApiKey": ["keys:manage", "kod", "all of it"],
  "access.issueToken": ["keys:manage", "kod"],
  "access.revokeToken": ["keys:manage", "kod", "all of it"],
  "access.createSignInLink": ["keys:manage", "kod", "all of it"],
  "access.createLink": ["keys:manage", "kod"],
  "access.listLinks": ["keys:manage", "kod", "all of it"],
  "access.revokeLink": ["keys:manage", "kod", "all of it"],
  "users.create": ["keys:manage", "kod", "all of it"],
  "users.list": ["keys:manage", "kod", "all of it"],

  "projects.create": ["catalog:write", "kod", "all of it"],
  "projects.list": ["catalog:read", "kod"],
  "projects.read": ["catalog:read", "kod"],
  "projects.update": ["catalog:write", "kod"],
  "projects.delete": ["catalog:delete", "kod"],
  "agents.create": ["catalog:write", "kod"],
  "agents.list": ["catalog:read", "kod"],
  "agents.read": ["catalog:read", "kod"],
  "agents.update": ["catalog:write", "kod"],
  "agents.delete": ["catalog:delete", "kod"],
  "agents.checkVoice": ["catalog:write", "kod"],
  "personalities.create": ["catalog:write", "kod"],
  "personalities.list": ["catalog:read", "kod"],
  "personalities.read": ["catalog:read", "kod"],
  "personalities.update": ["catalog:write", "kod"],
  "personalities.delete": ["catalog:delete", "kod"],
  /** E7 */
  "personalities.enable": ["catalog:write", "kod"],
  "testProfiles.create": ["catalog:write", "kod"],
  "testProfiles.list": ["catalog:read", "kod"],
  "testProfiles.read": ["catalog:read", "kod"],
  "testProfiles.update": ["catalog:write", "kod"],
  "testProfiles.delete": ["catalog:delete", "kod"],
  "phoneNumbers.create": ["catalog:write", "kod"],
  "phoneNumbers.list": ["catalog:read", "kod"],
  "phoneNumbers.read": ["catalog:read", "kod"],
  "phoneNumbers.update": ["catalog:write", "kod"],
  "phoneNumbers.delete": ["catalog:delete", "kod"],
  "tools.create": ["catalog:write", "kod"],
  "tools.list": ["catalog:read", "kod"],
  "tools.read": ["catalog:read", "kod"],
  "tools.update": ["catalog:write", "kod"],
  "tools.delete": ["catalog:delete", "kod"],
  "folders.create": ["catalog:write", "kod"],
  "folders.list": ["catalog:read", "kod"],
  "folders.read": ["catalog:read", "kod"],
  "folders.update": ["catalog:write", "kod"],
  "folders.delete": ["catalog:delete", "kod"],

  "evaluators.create": ["evaluators:write", "kod"],
  "evaluators.list": ["evaluators:read", "kod"],
  "evaluators.read": ["evaluators:read", "kod"],
  "evaluators.update": ["evaluators:write", "kod"],
  "evaluators.delete": ["evaluators:delete", "kod"],
  /** E4 */
  "evaluators.bulkUpdate": ["evaluators:write", "k"],
  /** E1 */
  "suites.validate": ["evaluators:read", "kod"],
  "suites.run": ["results:write", "kod"],

  "results.list": ["results:read", "kodes"],
  "results.read": ["results:read", "kodes"],
  "results.compare": ["results:read", "kodes"],
  "results.repeats": ["results:read", "kodes"],
  "results.export": ["results:read", "kod"],
  "results.junit": ["results:read", "kod"],
  "results.report": ["results:read", "kod"],
  /** E8 */
  "results.bulkDelete": ["results:delete", "kodes"],
  /** E9 */
  "results.deleteRuns": ["results:delete", "kodes"],
  "results.cancel": ["results:write", "kod"],
  "results.capacity": ["results:read", "kod", "all of it"],
  "runs.list": ["results:read", "kodes"],
  "runs.read": ["results:read", "kodes"],
  "runs.recording": ["results:read", "kodes"],
  "runs.listen": ["results:read", "kod"],
  "runs.cancel": ["results:write", "kod"],
  "runs.claim": ["results:write", "k"],
  "runs.heartbeat": ["results:write", "k"],
  "runs.complete": ["results:write", "k"],
  "runs.fail": ["results:write", "k"],

  "connections.create": ["connections:manage", "kod", "all of it"],
  "connections.list": ["connections:manage", "kod", "all of it"],
  "connections.read": ["connections:manage", "kod", "all of it"],
  "connections.test": ["connections:manage", "kod", "all of it"],
  "connections.activate": ["connections:manage", "kod", "all of it"],
  "connections.revoke": ["connections:manage", "kod", "all of it"],
  /** E2 */
  "checkouts.create": ["checkouts:create", "k", "with session"],

  /** E10 */
  "calls.ingest": ["calls:write", "k"],
  "integrations.create": ["integrations:manage", "kod", "all of it"],
  "integrations.list": ["integrations:manage", "kod", "all of it"],
  "integrations.read": ["integrations:manage", "kod", "all of it"],
  "integrations.update": ["integrations:manage", "kod", "all of it"],
  "integrations.rotate": ["integrations:manage", "kod", "all of it"],
  "integrations.delete": ["integrations:manage", "kod", "all of it"],
  "calls.observe": ["calls:write", "k"],
  "traces.receive": ["calls:write", "k"],
  "traces.list": ["calls:read", "kod", "all of it"],
  "traces.read": ["calls:read", "kod", "all of it"],
  "calls.list": ["calls:read", "kode"],
  "calls.facets": ["calls:read", "kode"],
  "calls.read": ["calls:read", "kode"],
  "calls.review": ["calls:write", "kode"],
  "calls.delete": ["calls:delete", "kod"],
  "calls.export": ["calls:read", "kod"],
  "recordings.read": ["recordings:read", "kode"],
  "recordings.sign": ["recordings:read", "kode"],
  "recordings.peaks": ["recordings:read", "kode"],
  "calls.evaluate": ["calls:write", "kod"],
  "calls.evaluations": ["calls:read", "kode"],

  /** E11 */
  "metrics.predefined": ["catalog:read", "k"],
  "metrics.create": ["catalog:write", "kod"],
  "metrics.list": ["catalog:read", "kod"],
  "metrics.read": ["catalog:read", "kod"],
  /** E12 */
  "metrics.update": ["catalog:write", "k"],
  "metrics.delete": ["catalog:delete", "kod"],
  /** E6 */
  "simplifications.request": ["catalog:write", "kode"],
  "simplifications.progress": ["catalog:write", "kode"],

  "jobs.list": ["jobs:manage", "kod", "all of it"],
  "jobs.retry": ["jobs:manage", "kod", "all of it"],
  "credits.list": ["credits:read", "kod"],
  "credits.totals": ["credits:read", "kod"],

  /** E5 */
  "dashboards.create": ["dashboards:write", "kodes"],
  "dashboards.list": ["dashboards:read", "kodes"],
  "dashboards.read": ["dashboards:read", "kodes"],
  "dashboards.update": ["dashboards:write", "kodes"],
  "dashboards.delete": ["dashboards:delete", "kodes"],
  "dashboards.data": ["dashboards:read", "kodes"],
  "widgets.create": ["dashboards:write", "k"],
  "widgets.list": ["dashboards:read", "kodes"],
  "widgets.read": ["dashboards:read", "kodes"],
  /** E3 */
  "widgets.update": ["dashboards:write", "k"],
  "widgets.delete": ["dashboards:delete", "k"],
  "widgets.data": ["dashboards:read", "kodes"],
  "widgets.preview": ["dashboards:write", "kodes"]
}

const organizationId = OrganizationId.make(7)
const isOperation = (name: string): name is Operation => Object.hasOwn(written, name)
const rows = Object.keys(written)
  .filter(isOperation)
  .map((operation) => {
    const [needs, by, also] = written[operation]
    return { operation, needs, accepts: [...by].filter(isLetter).map((letter) => letters[letter]), also }
  })

/** A caller that holds some permissions and nothing else. */
const holding = (permissions: ReadonlyArray<Permission>, more: Partial<Actor> = {}): Actor => ({
  ...hostActor(organizationId),
  permissions: new Set(permissions),
  ...more
})

const isReading = (shows: unknown): boolean => shows === null || (typeof shows === "string" && shows.endsWith(":read"))

describe("the table of operations", () => {
  it("contains every operation of the engine", () => {
    expect(Object.keys(operations).toSorted()).toEqual(Object.keys(written).toSorted())
  })

  it("says for every operation that changes something who sees its result", () => {
    for (const [operation, rule] of Object.entries<OperationRule>(operations)) {
      if (/:(?:write|delete)$/.test(rule.needs)) expect(rule.shows, operation).toSatisfy(isReading)
      else expect(rule.shows, operation).toBeUndefined()
    }
    expect(operations["calls.review"].shows).toBe("calls:read")
    expect(operations["calls.delete"].shows).toBeNull()
  })

  it.each(rows)("$operation accepts exactly $accepts with permission $needs", ({ accepts, also, needs, operation }) => {
    const decide = (actor: Actor) =>
      Either.match(authorize(actor, operation), { onLeft: (error) => error._tag, onRight: () => "let in" })
    const rule: OperationRule = operations[operation]
    const all = rule.alsoNeeds === undefined ? [needs] : [needs, rule.alsoNeeds]
    const session = also === "with session" ? { additionalCredential: "agent_session" as const } : {}
    for (const credential of CredentialKind.literals) {
      const isAccepted = credential === "host" || accepts.some((one) => one === credential)
      expect(decide(holding(all, { credential, ...session })), credential).toBe(
        isAccepted ? "let in" : "Unauthenticated"
      )
    }
    for (const permission of allPermissions) {
      expect(decide(holding([permission])), permission).toBe(
        permission === needs && all.length === 1 ? "let in" : "Forbidden"
      )
      expect(decide(holding(allPermissions.filter((one) => one !== permission))), permission).toBe(
        all.includes(permission) ? "Forbidden" : "let in"
      )
    }
    expect(decide(holding(all, { bounds: [{ type: "project", id: 1 }] }))).toBe(
      also === "all of it" ? "Forbidden" : "let in"
    )
    expect(decide(holding(all, { credential: "api_key" }))).toBe(also === "with session" ? "Unauthenticated" : "let in")
  })
})
