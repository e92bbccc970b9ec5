/**
 * A reference model of credentials: who made what with which permissions, what was revoked, and who is let in for that.
 * Source: interface, Authentication; design, section 3.
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

/** A credential that a door made: what shows it, and what names it for revocation. */
export interface Made {
  readonly secret: string
  readonly name: string | number
}

export type Admission = "let in" | "unauthenticated" | "forbidden" | "missing"

/** What a caller may try. There is a dashboard in each of two projects. */
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

/** A credential that is asked for. */
export interface Wanted {
  readonly kind: ModelKind
  /** What it may do, and no more. */
  readonly permissions: ReadonlyArray<string>
  /** The only project that it reaches, or null for no bound of its own; embedded sessions and links have one. */
  readonly bound: 0 | 1 | null
  /** Later than anything in a walk, before `pass` is over, or an end that no credential of the kind may have. */
  readonly ends: "late" | "soon" | "as none may"
}

/** Who shows a credential, and of which kind. */
export interface Shown {
  readonly kind: ModelKind
  readonly secret: string
}

export type Issued = Made | "refused" | "unauthenticated" | "forbidden"

/** A way to an engine on which nothing else changes credentials. */
export interface CredentialDriver {
  /** Makes a credential, by somebody who may do everything unless an issuer is named. */
  readonly make: (wanted: Wanted, issuer?: Shown) => Promise<Issued>
  readonly revoke: (kind: ModelKind, made: Made) => Promise<void>
  /** Tries something, with a body that is at fault where it takes one, so that nothing is made. */
  readonly attempt: (kind: ModelKind, secret: string, action: Action) => Promise<Admission>
  /** Lets pass what a credential that ends soon lives; null where nobody can, and then no walk waits. */
  readonly pass: (() => Promise<void>) | null
}

interface Rule {
  readonly needs: string
  readonly accepts: ReadonlyArray<ModelKind>
  /** Whether it is out of reach for what is bound to a project. */
  readonly whole?: true
  /** The project that it lies in, where it is a thing. */
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

/** What it takes to make a credential; keys are of the whole organisation. */
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
  return bound === null || rule.project === undefined || rule.project === bound ? "let in" : "missing"
}

/** What has to happen on walks, or they say nothing of it. */
const kinds = [
  "made",
  "refused for an end that none may have",
  "revoked",
  "let in",
  "not let in where its kind is not accepted",
  "not let in after it was revoked",
  "not let in after its end",
  "not let in for what it may not do",
  "the dashboard of another project than it is bound to missing",
  "issued by one that is not all-powerful",
  "issued by one that is bound",
  "more permissions than the issuer's refused",
  "a wider reach than the issuer's refused",
  "nothing issued by one that may not",
  "nothing issued by one that is revoked or over",
  "another one's place"
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
    expectEqual(`making ${printed(wanted)} was`, outcomeOf(issued), wanted.ends === "as none may" ? "refused" : "made")
    model.coverage.count(typeof issued === "string" ? "refused for an end that none may have" : "made")
    if (typeof issued !== "string") model.held.push(heldOf(wanted, wanted.bound, issued))
  })

const shownAs = ({ bound, isOver, isRevoked, kind, permissions }: Held) =>
  `a ${isRevoked ? "revoked " : ""}${isOver ? "run out " : ""}${kind} of ${permissions.join(", ")}${
    bound === null ? "" : ` in project ${bound}`
  }`

/** What somebody issues holds no more than they do, in what it may do and in what it reaches. */
const issue = (which: number, asked: Wanted, how: "by anybody" | "by an issuer" | "within what it holds"): Command =>
  command(`issue ${printed(asked)} by ${which}, ${how}`, async (model, driver) => {
    const mayIssue = (held: Held) => admission(held, issuing(asked.kind)) === "let in"
    const issuer = elementAt(how === "by anybody" ? model.held : model.held.filter(mayIssue), which)
    if (issuer === undefined) return
    const shared = asked.permissions.filter((one) => issuer.permissions.includes(one))
    const wanted =
      how === "within what it holds"
        ? { ...asked, permissions: shared.length === 0 ? issuer.permissions : shared }
        : asked
    const admitted = admission(issuer, issuing(wanted.kind))
    const exceeds = wanted.permissions.some((one) => !issuer.permissions.includes(one))
    const reachesOut = issuer.bound !== null && wanted.bound !== null && wanted.bound !== issuer.bound
    const isRefused = exceeds || reachesOut || wanted.ends === "as none may"
    const expected = admitted === "let in" ? (isRefused ? "refused" : "made") : admitted
    const issued = await driver.make(wanted, { kind: issuer.kind, secret: issuer.made.secret })
    expectEqual(`${printed(wanted)}, asked for by ${shownAs(issuer)}, was`, outcomeOf(issued), expected)
    if (expected === "forbidden") model.coverage.count("nothing issued by one that may not")
    if (issuer.isOver || issuer.isRevoked) model.coverage.count("nothing issued by one that is revoked or over")
    if (expected === "refused" && wanted.ends !== "as none may") {
      if (exceeds && !reachesOut) model.coverage.count("more permissions than the issuer's refused")
      if (reachesOut && !exceeds) model.coverage.count("a wider reach than the issuer's refused")
    }
    if (typeof issued === "string") return
    if (issuer.permissions.length < PERMISSIONS.length) model.coverage.count("issued by one that is not all-powerful")
    if (issuer.bound !== null) model.coverage.count("issued by one that is bound")
    // What says nothing of its reach has its issuer's.
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
    if (expected === "let in") model.coverage.count("let in")
    if (expected === "forbidden") model.coverage.count("not let in for what it may not do")
    if (expected === "missing") model.coverage.count("the dashboard of another project than it is bound to missing")
    if (!isAccepted) model.coverage.count("not let in where its kind is not accepted")
    else if (held.isRevoked && !held.isOver) model.coverage.count("not let in after it was revoked")
    else if (held.isOver && !held.isRevoked) model.coverage.count("not let in after its end")
  })

const misplace = (which: number, other: ModelKind, action: Action): Command =>
  command(`${action} with ${which} in the place of ${other}`, async (model, driver) => {
    const held = elementAt(model.held, which)
    // What is carried alike is told apart by itself.
    const carrier = (one: ModelKind) => (one === "api_key" || one === "shareable_link" ? one : "bearer")
    if (held === undefined || carrier(held.kind) === carrier(other)) return
    expectEqual(
      `${action} with a ${held.kind} in the place of ${other}`,
      await driver.attempt(other, held.made.secret, action),
      "unauthenticated"
    )
    model.coverage.count("another one's place")
  })

const kind = fc.constantFrom(...modelKinds)
const action = fc.constantFrom(...actions)

/** Half of them may pass on what they may do. */
const permissions = fc
  .tuple(fc.subarray(PERMISSIONS, { minLength: 1 }), fc.boolean())
  .map(([some, manages]) => (manages && !some.includes("keys:manage") ? [...some, "keys:manage"] : some))

const wanted: fc.Arbitrary<Wanted> = fc
  .record({
    kind,
    permissions,
    project: fc.constantFrom<0 | 1>(0, 1),
    isBound: fc.boolean(),
    ends: fc.constantFrom<Wanted["ends"]>("late", "late", "late", "soon", "soon", "soon", "as none may")
  })
  .map(({ ends, isBound, kind, permissions, project }) => ({
    kind,
    permissions,
    ends,
    bound: kind !== "api_key" && (isBound || mustBeBound(kind)) ? project : null
  }))

/** What every walk begins with: one of each kind, of which some end soon and one may pass on what it reaches. */
const beginning: ReadonlyArray<Command> = [
  make({ kind: "api_key", permissions: ["dashboards:read", "keys:manage"], bound: null, ends: "soon" }),
  make({ kind: "dashboard_session", permissions: ["dashboards:read", "keys:manage"], bound: 0, ends: "late" }),
  make({ kind: "oauth2", permissions: ["dashboards:read", "calls:read"], bound: null, ends: "soon" }),
  make({ kind: "embedded_session", permissions: ["dashboards:read"], bound: 1, ends: "soon" }),
  make({ kind: "shareable_link", permissions: ["dashboards:read"], bound: 0, ends: "soon" }),
  ...[0, 1, 2, 3, 4].map((which) => attempt(which, "read the first dashboard")),
  issue(1, { kind: "embedded_session", permissions: ["dashboards:read"], bound: 1, ends: "late" }, "by anybody"),
  issue(0, { kind: "shareable_link", permissions: ["dashboards:write"], bound: 1, ends: "late" }, "by anybody")
]

const attempting = fc.tuple(fc.nat(), action).map(([which, action]) => attempt(which, action))
const issuingByHeld = fc
  .tuple(
    fc.nat(),
    wanted,
    fc.constantFrom(
      "by anybody" as const,
      "by an issuer" as const,
      "within what it holds" as const,
      "within what it holds" as const
    )
  )
  .map((asked) => issue(...asked))

const commands: ReadonlyArray<fc.Arbitrary<Command>> = [
  ...[wanted.map(make), attempting, attempting, attempting, attempting, issuingByHeld, issuingByHeld, issuingByHeld],
  fc.nat().map(revoke),
  fc.constant(wait),
  fc.tuple(fc.nat(), kind, action).map(([which, other, action]) => misplace(which, other, action))
]

/** Fails when a door lets in whom the model does not, or the other way round. Answers what happened on the walks. */
export const checkCredentialModel = (
  driver: () => Promise<CredentialDriver>,
  options: ModelOptions
): Promise<Coverage> =>
  checkCommandSequences({
    name: "credentials let in whom the model lets in",
    kinds,
    model: (coverage) => new Model(coverage),
    fixture: driver,
    setUpCommands: beginning,
    commands,
    options
  })

const DASHBOARDS = "/dashboards/dashboards/"

/** Two projects, the first of which is there already, and a dashboard in each. */
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
 * The body that asks for a credential.
 *
 * @param now epoch milliseconds
 * @param soon seconds that one lives which ends soon
 */
export const draftOf = (
  { bound, ends, kind, permissions }: Wanted,
  { projects }: TwoProjects,
  now: number,
  soon: number
): object => {
  const bounds = bound === null ? null : [{ type: "project", id: projects[bound] }]
  const expires_at = ends === "late" ? null : new Date(ends === "soon" ? now + soon * 1000 : now - 1000).toISOString()
  // A day is the longest that a token of any kind lives.
  const ttl = ends === "late" ? {} : { ttl: ends === "soon" ? soon : 86_401 }
  return kind === "api_key"
    ? { name: "Walk", scopes: permissions, expires_at }
    : kind === "shareable_link"
      ? { name: "Walk", bounds, permissions, expires_at }
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

/** A server by its URL, and a key of an organisation there that may do everything. */
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
    // Nobody lets time pass on a server: what ends soon there ends after the walk.
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
      return "let in"
    }
  }
}
