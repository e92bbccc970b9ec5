import { interfaceTable } from "../conformance/Interface.js"

export const modelKinds = ["api_key", "oauth2", "dashboard_session", "embedded_session", "shareable_link"] as const

export type ModelKind = (typeof modelKinds)[number]

/** A credential that was issued: its secret, and its id for revocation. */
export interface Made {
  readonly secret: string
  readonly name: string | number
}

export type Admission = "accepted" | "unauthenticated" | "forbidden" | "missing"

/** The actions to attempt. Each of two projects has a dashboard. */
export const actions = [
  "list dashboards",
  "create a dashboard",
  "list calls",
  "ingest a call",
  "list keys",
  "read the first dashboard",
  "read the second dashboard"
] as const

export type Action = (typeof actions)[number]

/** A credential to issue. */
export interface Wanted {
  readonly kind: ModelKind
  /** Its permissions. */
  readonly permissions: ReadonlyArray<string>
  /** The only project in its scope, or null for none of its own; embedded sessions and links require one. */
  readonly bound: 0 | 1 | null
  /** After every sequence, before `pass` returns, or an expiry that is invalid for the kind. */
  readonly ends: "late" | "soon" | "invalid"
}

/** A credential that is presented. */
export interface Shown {
  readonly kind: ModelKind
  readonly secret: string
}

export type Issued = Made | "refused" | "unauthenticated" | "forbidden"

/** A driver of an engine on which nothing else changes credentials. */
export interface CredentialDriver {
  /** Issues a credential; default: by an issuer with all permissions. */
  readonly make: (wanted: Wanted, issuer?: Shown) => Promise<Issued>
  readonly revoke: (kind: ModelKind, made: Made) => Promise<void>
  /** Attempts an action, with an invalid body where it takes one, so that nothing is created. */
  readonly attempt: (kind: ModelKind, secret: string, action: Action) => Promise<Admission>
  /** Advances the time until credentials with expiry `soon` have expired; null where that is not possible. */
  readonly pass: (() => Promise<void>) | null
}

interface Rule {
  readonly needs: string
  readonly accepts: ReadonlyArray<ModelKind>
  /** Whether it is out of scope for a credential bound to a project. */
  readonly whole?: true
  /** The project of the resource, where it has one. */
  readonly project?: 0 | 1
}

export const rules: Readonly<Record<Action, Rule>> = {
  "list dashboards": { needs: "dashboards:read", accepts: modelKinds },
  "create a dashboard": { needs: "dashboards:write", accepts: interfaceTable["dashboards.create"] },
  "list calls": { needs: "calls:read", accepts: ["api_key", "oauth2", "dashboard_session", "embedded_session"] },
  "ingest a call": { needs: "calls:write", accepts: interfaceTable["calls.ingest"] },
  "list keys": { needs: "keys:manage", accepts: ["api_key", "oauth2", "dashboard_session"], whole: true },
  "read the first dashboard": { needs: "dashboards:read", accepts: modelKinds, project: 0 },
  "read the second dashboard": { needs: "dashboards:read", accepts: modelKinds, project: 1 }
}

/** The rule of issuing a credential; keys are organization-wide. */
export const issuing = (kind: ModelKind): Rule => ({
  needs: "keys:manage",
  accepts: ["api_key", "oauth2", "dashboard_session"],
  ...(kind === "api_key" ? { whole: true } : {})
})

export const PERMISSIONS = ["dashboards:read", "dashboards:write", "calls:read", "calls:write", "keys:manage"]

export interface Held {
  readonly kind: ModelKind
  readonly permissions: ReadonlyArray<string>
  readonly bound: 0 | 1 | null
  readonly made: Made
  readonly endsSoon: boolean
  isRevoked: boolean
  isOver: boolean
}

export const mustBeBound = (kind: ModelKind) => kind === "embedded_session" || kind === "shareable_link"

export const admission = ({ bound, isOver, isRevoked, kind, permissions }: Held, rule: Rule): Admission => {
  if (isRevoked || isOver || !rule.accepts.includes(kind)) return "unauthenticated"
  if (!permissions.includes(rule.needs) || (rule.whole === true && bound !== null)) return "forbidden"
  return bound === null || rule.project === undefined || rule.project === bound ? "accepted" : "missing"
}
