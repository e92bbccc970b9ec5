import * as fc from "fast-check"
import { expectEqual } from "../Property.js"
import { asyncCommand, checkCommandSequences, elementAt, type ModelOptions } from "./CommandSequences.js"
import type { Coverage, CoverageCounter } from "./Coverage.js"
import {
  type Action,
  actions,
  admission,
  type CredentialDriver,
  type Held,
  type Issued,
  issuing,
  type Made,
  type ModelKind,
  modelKinds,
  mustBeBound,
  PERMISSIONS,
  rules,
  type Wanted
} from "./CredentialRules.js"

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
