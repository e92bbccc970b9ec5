/**
 * A reference model of credentials: who issued them with which permissions, which are revoked or expired, and what they may
 * access.
 * Source: interface, Authentication; docs/access.md.
 */
import * as fc from "fast-check"
import { interfaceTable } from "../conformance/Interface.js"
import { at } from "../Documents.js"
import { expectEqual } from "../Property.js"
import { type Driver, httpDriver } from "./Drivers.js"
import { asyncCommand, checkCommandSequences, elementAt, type ModelOptions } from "./CommandSequences.js"
import type { Coverage, CoverageCounter } from "./Coverage.js"

const modelKinds = ["api_key", "oauth2", "dashboard_session", "embedded_session", "shareable_link"] as const
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

const rules: Readonly<Record<Action, Rule>> = {
  "list dashboards": { needs: "dashboards:read", accepts: modelKinds },
  "create a dashboard": { needs: "dashboards:write", accepts: interfaceTable["dashboards.create"] },
  "list calls": { needs: "calls:read", accepts: ["api_key", "oauth2", "dashboard_session", "embedded_session"] },
  "ingest a call": { needs: "calls:write", accepts: interfaceTable["calls.ingest"] },
  "list keys": { needs: "keys:manage", accepts: ["api_key", "oauth2", "dashboard_session"], whole: true },
  "read the first dashboard": { needs: "dashboards:read", accepts: modelKinds, project: 0 },
  "read the second dashboard": { needs: "dashboards:read", accepts: modelKinds, project: 1 }
}

/** The rule of issuing a credential; keys are organization-wide. */
const issuing = (kind: ModelKind): Rule => ({
  needs: "keys:manage",
  accepts: ["api_key", "oauth2", "dashboard_session"],
  ...(kind === "api_key" ? { whole: true } : {})
})

const PERMISSIONS = ["dashboards:read", "dashboards:write", "calls:read", "calls:write", "keys:manage"]

interface Held {
  readonly kind: ModelKind
  readonly permissions: ReadonlyArray<string>
  readonly bound: 0 | 1 | null
  readonly made: Made
  readonly endsSoon: boolean
  isRevoked: boolean
  isOver: boolean
}

const mustBeBound = (kind: ModelKind) => kind === "embedded_session" || kind === "shareable_link"

const admission = ({ bound, isOver, isRevoked, kind, permissions }: Held, rule: Rule): Admission => {
  if (isRevoked || isOver || !rule.accepts.includes(kind)) return "unauthenticated"
  if (!permissions.includes(rule.needs) || (rule.whole === true && bound !== null)) return "forbidden"
  return bound === null || rule.project === undefined || rule.project === bound ? "accepted" : "missing"
}

/** Events that the command sequences have to cover. */
const kinds = [
  "made",
  "rejected for an invalid expiry",
  "revoked",
  "accepted",
  "rejected for its kind",
  "rejected after its revocation",
  "rejected after its expiry",
  "rejected for a missing permission",
  "dashboard of another project not found",
  "issued by a credential with some permissions",
  "issued by a bound credential",
  "rejected with more permissions than the issuer",
  "rejected with a wider scope than the issuer",
  "rejected for an issuer without the permission",
  "rejected for a revoked or expired issuer",
  "presented in the header of another kind"
] as const
type Kind = (typeof kinds)[number]

class Model {
  constructor(public coverage: CoverageCounter<Kind>) {}
  readonly held: Array<Held> = []
}

type Command = fc.AsyncCommand<Model, CredentialDriver>

const command = (name: string, run: Command["run"]): Command => asyncCommand(name, run)

const outcomeOf = (issued: Issued): string => (typeof issued === "string" ? issued : "made")

const heldOf = ({ ends, ...wanted }: Wanted, bound: Held["bound"], made: Made): Held => ({
  ...wanted,
  bound,
  made,
  endsSoon: ends === "soon",
  isRevoked: false,
  isOver: false
})

const printed = ({ bound, ends, kind, permissions }: Wanted) =>
  `${kind} of ${permissions.join(", ")}${bound === null ? "" : ` in project ${bound}`} that ends ${ends}`

const make = (wanted: Wanted): Command =>
  command(`make ${printed(wanted)}`, async (model, driver) => {
    const issued = await driver.make(wanted)
    expectEqual(`making ${printed(wanted)} was`, outcomeOf(issued), wanted.ends === "invalid" ? "refused" : "made")
    model.coverage.count(typeof issued === "string" ? "rejected for an invalid expiry" : "made")
    if (typeof issued !== "string") model.held.push(heldOf(wanted, wanted.bound, issued))
  })

const shownAs = ({ bound, isOver, isRevoked, kind, permissions }: Held) =>
  `a ${isRevoked ? "revoked " : ""}${isOver ? "run out " : ""}${kind} of ${permissions.join(", ")}${
    bound === null ? "" : ` in project ${bound}`
  }`

/** Counts why an issuer's request was rejected, and what was issued. */
const countIssue = (
  coverage: CoverageCounter<Kind>,
  issuer: Held,
  of: { readonly expected: string; readonly exceedsPermissions: boolean; readonly exceedsScope: boolean }
): void => {
  const { exceedsPermissions, exceedsScope, expected } = of
  if (expected === "forbidden") coverage.count("rejected for an issuer without the permission")
  if (issuer.isOver || issuer.isRevoked) coverage.count("rejected for a revoked or expired issuer")
  if (expected === "refused" && exceedsPermissions && !exceedsScope)
    coverage.count("rejected with more permissions than the issuer")
  if (expected === "refused" && exceedsScope && !exceedsPermissions)
    coverage.count("rejected with a wider scope than the issuer")
  if (expected !== "made") return
  if (issuer.permissions.length < PERMISSIONS.length) coverage.count("issued by a credential with some permissions")
  if (issuer.bound !== null) coverage.count("issued by a bound credential")
}

/** What an issuer issues has no more permissions and no wider scope than the issuer. */
const issue = (
  which: number,
  asked: Wanted,
  how: "by any credential" | "by a credential that may issue" | "within the issuer's scope"
): Command =>
  command(`issue ${printed(asked)} by ${which}, ${how}`, async (model, driver) => {
    const mayIssue = (held: Held) => admission(held, issuing(asked.kind)) === "accepted"
    const issuer = elementAt(how === "by any credential" ? model.held : model.held.filter(mayIssue), which)
    if (issuer === undefined) return
    const shared = asked.permissions.filter((one) => issuer.permissions.includes(one))
    const wanted =
      how === "within the issuer's scope"
        ? { ...asked, permissions: shared.length === 0 ? issuer.permissions : shared }
        : asked
    const admitted = admission(issuer, issuing(wanted.kind))
    const exceedsPermissions = wanted.permissions.some((one) => !issuer.permissions.includes(one))
    const exceedsScope = issuer.bound !== null && wanted.bound !== null && wanted.bound !== issuer.bound
    const isRejected = exceedsPermissions || exceedsScope || wanted.ends === "invalid"
    const expected = admitted === "accepted" ? (isRejected ? "refused" : "made") : admitted
    const issued = await driver.make(wanted, { kind: issuer.kind, secret: issuer.made.secret })
    expectEqual(`${printed(wanted)}, asked for by ${shownAs(issuer)}, was`, outcomeOf(issued), expected)
    const isValid = wanted.ends !== "invalid"
    countIssue(model.coverage, issuer, {
      expected,
      exceedsPermissions: exceedsPermissions && isValid,
      exceedsScope: exceedsScope && isValid
    })
    if (typeof issued === "string") return
    // Without bounds of its own it has its issuer's.
    model.held.push(heldOf(wanted, wanted.bound ?? issuer.bound, issued))
  })

const revoke = (which: number): Command =>
  command(`revoke ${which}`, async (model, driver) => {
    const held = elementAt(model.held, which)
    if (held === undefined) return
    await driver.revoke(held.kind, held.made)
    model.coverage.count("revoked")
    held.isRevoked = true
  })

const wait: Command = command("wait", async (model, driver) => {
  if (driver.pass === null) return
  await driver.pass()
  for (const held of model.held) if (held.endsSoon) held.isOver = true
})

const attempt = (which: number, action: Action): Command =>
  command(`${action} with ${which}`, async (model, driver) => {
    const held = elementAt(model.held, which)
    if (held === undefined) return
    const expected = admission(held, rules[action])
    expectEqual(`${action} with ${shownAs(held)}`, await driver.attempt(held.kind, held.made.secret, action), expected)
    const isAccepted = rules[action].accepts.includes(held.kind)
    if (expected === "accepted") model.coverage.count("accepted")
    if (expected === "forbidden") model.coverage.count("rejected for a missing permission")
    if (expected === "missing") model.coverage.count("dashboard of another project not found")
    if (!isAccepted) model.coverage.count("rejected for its kind")
    else if (held.isRevoked && !held.isOver) model.coverage.count("rejected after its revocation")
    else if (held.isOver && !held.isRevoked) model.coverage.count("rejected after its expiry")
  })

const misplace = (which: number, other: ModelKind, action: Action): Command =>
  command(`${action} with ${which} in the place of ${other}`, async (model, driver) => {
    const held = elementAt(model.held, which)
    // Kinds with the same header are distinguished by the credential itself.
    const carrier = (one: ModelKind) => (one === "api_key" || one === "shareable_link" ? one : "bearer")
    if (held === undefined || carrier(held.kind) === carrier(other)) return
    expectEqual(
      `${action} with a ${held.kind} in the place of ${other}`,
      await driver.attempt(other, held.made.secret, action),
      "unauthenticated"
    )
    model.coverage.count("presented in the header of another kind")
  })

const kind = fc.constantFrom(...modelKinds)
const action = fc.constantFrom(...actions)

/** Half of them may issue credentials. */
const permissions = fc
  .tuple(fc.subarray(PERMISSIONS, { minLength: 1 }), fc.boolean())
  .map(([some, manages]) => (manages && !some.includes("keys:manage") ? [...some, "keys:manage"] : some))

const wanted: fc.Arbitrary<Wanted> = fc
  .record({
    kind,
    permissions,
    project: fc.constantFrom<0 | 1>(0, 1),
    isBound: fc.boolean(),
    ends: fc.constantFrom<Wanted["ends"]>("late", "late", "late", "soon", "soon", "soon", "invalid")
  })
  .map(({ ends, isBound, kind, permissions, project }) => ({
    kind,
    permissions,
    ends,
    bound: kind !== "api_key" && (isBound || mustBeBound(kind)) ? project : null
  }))

/** Run before every sequence: a credential of each kind, some of which expire soon and one of which may issue others. */
const setUpCommands: ReadonlyArray<Command> = [
  make({ kind: "api_key", permissions: ["dashboards:read", "keys:manage"], bound: null, ends: "soon" }),
  make({ kind: "dashboard_session", permissions: ["dashboards:read", "keys:manage"], bound: 0, ends: "late" }),
  make({ kind: "oauth2", permissions: ["dashboards:read", "calls:read"], bound: null, ends: "soon" }),
  make({ kind: "embedded_session", permissions: ["dashboards:read"], bound: 1, ends: "soon" }),
  make({ kind: "shareable_link", permissions: ["dashboards:read"], bound: 0, ends: "soon" }),
  ...[0, 1, 2, 3, 4].map((which) => attempt(which, "read the first dashboard")),
  issue(1, { kind: "embedded_session", permissions: ["dashboards:read"], bound: 1, ends: "late" }, "by any credential"),
  issue(0, { kind: "shareable_link", permissions: ["dashboards:write"], bound: 1, ends: "late" }, "by any credential")
]

const attempting = fc.tuple(fc.nat(), action).map(([which, action]) => attempt(which, action))
const issuingByHeld = fc
  .tuple(
    fc.nat(),
    wanted,
    fc.constantFrom(
      "by any credential" as const,
      "by a credential that may issue" as const,
      "within the issuer's scope" as const,
      "within the issuer's scope" as const
    )
  )
  .map((asked) => issue(...asked))

const commands: ReadonlyArray<fc.Arbitrary<Command>> = [
  ...[wanted.map(make), attempting, attempting, attempting, attempting, issuingByHeld, issuingByHeld, issuingByHeld],
  fc.nat().map(revoke),
  fc.constant(wait),
  fc.tuple(fc.nat(), kind, action).map(([which, other, action]) => misplace(which, other, action))
]

/** Fails when a driver accepts or rejects another credential than the model. Returns the coverage. */
export const checkCredentialModel = (
  driver: () => Promise<CredentialDriver>,
  options: ModelOptions
): Promise<Coverage> =>
  checkCommandSequences({
    name: "credentials are accepted as by the model",
    kinds,
    model: (coverage) => new Model(coverage),
    fixture: driver,
    setUpCommands,
    commands,
    options
  })

const DASHBOARDS = "/dashboards/dashboards/"

/** Two projects, the first of which exists already, with a dashboard each. */
export interface TwoProjects {
  readonly projects: readonly [number, number]
  readonly dashboards: readonly [number, number]
}

export const twoProjects = async (driver: Driver, first: number): Promise<TwoProjects> => {
  const made = async (path: string, json: object) => Number(at((await driver("POST", path, json)).body, "id"))
  const second = await made("/user/v1/projects/", { name: "Second" })
  return {
    projects: [first, second],
    dashboards: [
      await made(DASHBOARDS, { name: "First", project: first }),
      await made(DASHBOARDS, { name: "Second", project: second })
    ]
  }
}

/**
 * The body that issues a credential.
 *
 * @param now epoch milliseconds
 * @param soon lifetime of a credential with expiry `soon`, in seconds
 */
export const draftOf = (
  { bound, ends, kind, permissions }: Wanted,
  { projects }: TwoProjects,
  now: number,
  soon: number
): object => {
  const bounds = bound === null ? null : [{ type: "project", id: projects[bound] }]
  const expires_at = ends === "late" ? null : new Date(ends === "soon" ? now + soon * 1000 : now - 1000).toISOString()
  // A day is the longest lifetime of a token of any kind.
  const ttl = ends === "late" ? {} : { ttl: ends === "soon" ? soon : 86_401 }
  return kind === "api_key"
    ? { name: "Model", scopes: permissions, expires_at }
    : kind === "shareable_link"
      ? { name: "Model", bounds, permissions, expires_at }
      : { kind, permissions, bounds, ...ttl }
}

const TOKENS = "/user/v1/tokens/"
const KEYS = "/user/v1/api_keys/"
const LINKS = "/user/v1/shareable_links/"

const requestOf = (action: Action, dashboards: TwoProjects["dashboards"]): readonly [string, string, object?] => {
  switch (action) {
    case "list dashboards":
      return ["GET", DASHBOARDS]
    case "create a dashboard":
      return ["POST", DASHBOARDS, {}]
    case "list calls":
      return ["GET", "/observability/v1/call-logs/"]
    case "ingest a call":
      return ["POST", "/observability/v1/observe/", {}]
    case "list keys":
      return ["GET", KEYS]
    case "read the first dashboard":
      return ["GET", `${DASHBOARDS}${dashboards[0]}/`]
    case "read the second dashboard":
      return ["GET", `${DASHBOARDS}${dashboards[1]}/`]
  }
}

/** The header that carries a credential of a kind. */
const carrying = (kind: ModelKind, secret: string): Readonly<Record<string, string>> =>
  kind === "api_key"
    ? { "x-service-api-key": secret }
    : kind === "shareable_link"
      ? { "x-shareable-link": secret }
      : { authorization: `Bearer ${secret}` }

/** A server by its URL, with a key of an organization that has all permissions. */
export const httpCredentialDriver = (url: string, apiKey: string, project: number): CredentialDriver => {
  const ask = async (method: string, path: string, headers: Readonly<Record<string, string>>, json?: object) => {
    const reply = await fetch(url + path, {
      method,
      headers: { ...headers, ...(json === undefined ? {} : { "content-type": "application/json" }) },
      ...(json === undefined ? {} : { body: JSON.stringify(json) })
    })
    const text = await reply.text()
    const body: unknown = text === "" ? null : JSON.parse(text)
    return { status: reply.status, body, text }
  }
  const own = { "x-service-api-key": apiKey }
  let known: Promise<TwoProjects> | undefined
  const fixture = () => (known ??= twoProjects(httpDriver([url], apiKey), project))
  const field = (body: unknown, name: string): string | number => {
    const value: unknown = typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined
    return typeof value === "number" ? value : String(value)
  }
  const subjects = (kind: ModelKind) =>
    kind === "api_key"
      ? ([KEYS, "api_key", "id"] as const)
      : kind === "shareable_link"
        ? ([LINKS, "token", "id"] as const)
        : ([TOKENS, "token", "jti"] as const)
  return {
    // The time of a server cannot be advanced: what expires soon there expires after the sequence.
    pass: null,
    make: async (wanted, issuer) => {
      const [path, secret, name] = subjects(wanted.kind)
      const headers = issuer === undefined ? own : carrying(issuer.kind, issuer.secret)
      const json = draftOf(wanted, await fixture(), Date.now(), 3600)
      const { body, status, text } = await ask("POST", path, headers, json)
      if (status === 400) return "refused"
      if (status === 401) return "unauthenticated"
      if (status === 403) return "forbidden"
      if (status !== 201) throw new Error(`POST ${path} answered ${status} ${text}`)
      return { secret: String(field(body, secret)), name: field(body, name) }
    },
    revoke: async (kind, { name }) => {
      const { status, text } =
        kind === "api_key"
          ? await ask("DELETE", `${KEYS}${name}/`, own)
          : kind === "shareable_link"
            ? await ask("DELETE", `${LINKS}${name}/`, own)
            : await ask("POST", `${TOKENS}revoke/`, own, { jti: name })
      if (status !== 204) throw new Error(`A revocation answered ${status} ${text}`)
    },
    attempt: async (kind, secret, action) => {
      const [method, path, json] = requestOf(action, (await fixture()).dashboards)
      const { status, text } = await ask(method, path, carrying(kind, secret), json)
      if (status === 401) return "unauthenticated"
      if (status === 403) return "forbidden"
      if (status === 404) return "missing"
      if (status !== 200 && status !== 400) throw new Error(`${action} answered ${status} ${text}`)
      return "accepted"
    }
  }
}
