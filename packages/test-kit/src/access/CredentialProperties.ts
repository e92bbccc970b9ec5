/**
 * Credentials from their issue to their end, whatever keeps them: who may issue which, who is let in by them, and where
 * a checkout takes two. Source: interface, Authentication.
 */
import {
  type Actor,
  allPermissions,
  type ResourceScope,
  type CredentialKind,
  LIFETIMES,
  type Operation,
  type Permission,
  type Presented,
  TokenKind
} from "@earshot/core"
import * as fc from "fast-check"
import {
  type AsyncProperty,
  asyncProperty,
  expectEqual,
  expectUnequal,
  expectPresent,
  expectEvery,
  once
} from "../Property.js"

export type IssuedKind = Exclude<CredentialKind, "host">

/** What is asked for where a credential is issued. */
export interface Wanted {
  readonly kind: IssuedKind
  readonly permissions: ReadonlyArray<Permission>
  /** API keys have none. */
  readonly bounds: Actor["bounds"]
  /** Its lifetime; null for the default of its kind. */
  readonly seconds: number | null
}

/** The issued credential, or the sorted paths of the field errors; none where issuing is forbidden. */
export type IssueAnswer = { readonly presented: Presented } | { readonly rejected: ReadonlyArray<string> }

/** Issues an organization's credentials. */
export interface CredentialIssuer {
  readonly project: number
  readonly agent: number
  /** Issues as somebody who may do this much within these bounds; `keys:manage` is added. */
  readonly issue: (issuer: Pick<Actor, "permissions" | "bounds">, wanted: Wanted) => Promise<IssueAnswer>
}

/** Two organizations on one engine, and a clock that stands still. */
export interface CredentialFixture {
  readonly mine: CredentialIssuer
  readonly theirs: CredentialIssuer
  /** The caller, or null where it is not let in. */
  readonly admit: (
    operation: Operation,
    presented: Presented
  ) => Promise<Pick<Actor, "permissions" | "bounds" | "organizationId"> | null>
  readonly wait: (seconds: number) => Promise<void>
}

const everything: Pick<Actor, "permissions" | "bounds"> = { permissions: new Set(allPermissions), bounds: null }

const kinds: ReadonlyArray<IssuedKind> = ["api_key", "shareable_link", ...TokenKind.literals]
const kind = fc.constantFrom(...kinds)
/** An agent session authorizes nothing by itself. */
const aloneKind = fc.constantFrom(...kinds.filter((one) => one !== "agent_session"))

/** Bounds to the resources of an issuer, by name. */
const inBounds = fc.option(fc.subarray(["project", "agent"] as const, { minLength: 1 }))
type InBounds = ReadonlyArray<"project" | "agent"> | null
const boundsAt = (issuer: CredentialIssuer, names: InBounds): ReadonlyArray<ResourceScope> | null =>
  names?.map((type) => ({ type, id: issuer[type] })) ?? null

const presentedOf = async (issuer: CredentialIssuer, wanted: Wanted): Promise<Presented> => {
  const answer = await issuer.issue(everything, wanted)
  if ("presented" in answer) return answer.presented
  throw new Error(`${wanted.kind} was rejected for an issuer with every permission: ${answer.rejected.join(", ")}`)
}

const boundsFor = (issuer: CredentialIssuer, of: IssuedKind): ReadonlyArray<ResourceScope> | null =>
  of === "api_key" ? null : boundsAt(issuer, ["agent"])

const sorted = (all: Iterable<string>): ReadonlyArray<string> => [...all].sort()
const printed = (all: Actor["bounds"]) => all && sorted(all.map(({ id, type }) => `${type} ${id}`))

/** @param make makes two organizations that all tries share, since a credential changes nothing about another */
export const credentialProperties = (make: () => Promise<CredentialFixture>): ReadonlyArray<AsyncProperty> => {
  const fixture = once(make)
  return [
    asyncProperty(
      "what is issued may do what was asked for, if its issuer may do all of that, and is refused else",
      [aloneKind, fc.subarray([...allPermissions]), fc.oneof(fc.constant([]), fc.subarray([...allPermissions]))],
      async (of, more, lacking) => {
        const { admit, mine } = await fixture()
        const permissions = new Set(
          allPermissions.filter((one) => one === "keys:manage" || !lacking.some((other) => other === one))
        )
        const wanted: ReadonlyArray<Permission> = [
          "dashboards:read",
          ...more.filter((one) => one !== "dashboards:read")
        ]
        const answer = await mine.issue(
          { permissions, bounds: null },
          { kind: of, permissions: wanted, bounds: boundsFor(mine, of), seconds: null }
        )
        if (!wanted.every((one) => permissions.has(one))) {
          expectEqual("rejected", answer, { rejected: [of === "api_key" ? "scopes" : "permissions"] })
        } else {
          const caller = "presented" in answer ? await admit("dashboards.list", answer.presented) : null
          expectEqual("let in with", caller && sorted(caller.permissions), sorted(wanted))
        }
      },
      25
    ),
    asyncProperty(
      "what a bound issuer issues reaches what the issuer does, or less, and is refused else",
      [aloneKind, fc.subarray(["project", "agent"] as const, { minLength: 1 }), inBounds],
      async (of, held, wanted) => {
        const { admit, mine } = await fixture()
        const bounds = of === "api_key" ? null : boundsAt(mine, wanted)
        const answer = await mine.issue(
          { ...everything, bounds: boundsAt(mine, held) },
          { kind: of, permissions: ["dashboards:read"], bounds, seconds: null }
        )
        const isHeld = ({ type }: ResourceScope) => held.some((one) => one === type)
        if ("rejected" in answer) {
          expectUnequal("bounds?.every(isHeld)", bounds?.every(isHeld), true)
          return
        }
        const caller = await admit("dashboards.list", answer.presented)
        if (caller === null) throw new Error("What was issued is not let in")
        // A token whose bounds are left away has its issuer's.
        expectEqual("reaches", printed(caller.bounds), printed(bounds ?? boundsAt(mine, held)))
        expectPresent("the bounds", caller.bounds)
        expectEvery("its bounds, which the issuer holds", caller.bounds, isHeld)
      },
      20
    ),
    asyncProperty(
      "sessions that are embedded and links are bound to something, all of which is there, an agent's session to one agent",
      [fc.constantFrom<IssuedKind>("embedded_session", "agent_session", "shareable_link"), inBounds, fc.boolean()],
      async (of, names, withForeign) => {
        const { mine, theirs } = await fixture()
        const there = boundsAt(mine, names)
        const bounds = there !== null && withForeign ? [...there, { type: "agent" as const, id: theirs.agent }] : there
        const answer = await mine.issue(everything, { kind: of, permissions: [], bounds, seconds: null })
        const isBound = of === "agent_session" ? bounds?.length === 1 && bounds[0]?.type === "agent" : bounds !== null
        const errors = [
          ...(isBound ? [] : ["bounds"]),
          ...(bounds === there ? [] : [`bounds[${there?.length ?? 0}].id`])
        ]
        expectEqual("rejected", "rejected" in answer ? answer.rejected : [], errors)
      }
    ),
    asyncProperty(
      "no token lives longer than its kind may, and any that is asked for shorter is issued",
      [
        fc.constantFrom(...TokenKind.literals),
        fc.oneof(fc.integer({ min: -2, max: 2 }), fc.integer({ max: 1_000_000 }))
      ],
      async (of, more) => {
        const { mine } = await fixture()
        const seconds = Math.max(1, LIFETIMES[of].longest + more)
        const answer = await mine.issue(everything, {
          kind: of,
          permissions: [],
          bounds: boundsFor(mine, of),
          seconds
        })
        const isTooLong = seconds > LIFETIMES[of].longest
        expectEqual("issued", "rejected" in answer ? answer.rejected : "issued", isTooLong ? ["ttl"] : "issued")
      },
      20
    ),
    asyncProperty(
      "a credential lets in until the instant at which it ends, and from then on never",
      [kind, fc.integer({ min: 1, max: 900 }), fc.integer({ min: 0, max: 100 })],
      async (of, seconds, later) => {
        const { admit, mine, wait } = await fixture()
        const key = await presentedOf(mine, {
          kind: "api_key",
          permissions: allPermissions,
          bounds: null,
          seconds: null
        })
        const it = await presentedOf(mine, {
          kind: of,
          permissions: ["dashboards:read"],
          bounds: boundsFor(mine, of),
          seconds
        })
        const isLetIn = async () =>
          (of === "agent_session"
            ? await admit("checkouts.create", { ...key, ...it })
            : await admit("dashboards.list", it)) !== null
        expectEqual("let in at first", await isLetIn(), true)
        // Tokens end at a whole second, keys and links at a millisecond.
        const before = of === "api_key" || of === "shareable_link" ? 0.001 : 1
        await wait(seconds - before)
        expectEqual("let in before the end", await isLetIn(), true)
        await wait(before)
        expectEqual("let in at the end", await isLetIn(), false)
        await wait(later)
        expectEqual("let in after the end", await isLetIn(), false)
      },
      20
    ),
    asyncProperty(
      "a checkout takes a key and an agent's session of one organization, and reaches no further than the session",
      [fc.constantFrom(...TokenKind.literals), fc.constantFrom("mine" as const, "theirs" as const)],
      async (of, whose) => {
        const { admit, mine, ...rest } = await fixture()
        const issuer = whose === "mine" ? mine : rest.theirs
        const permissions = allPermissions
        const key = await presentedOf(mine, { kind: "api_key", permissions, bounds: null, seconds: null })
        const bounds = boundsAt(issuer, ["agent"])
        const session = await presentedOf(issuer, { kind: of, permissions, bounds, seconds: null })
        expectEqual("let in by the key alone", await admit("checkouts.create", key), null)
        expectEqual("let in by the session alone", await admit("checkouts.create", session), null)
        const caller = await admit("checkouts.create", { ...key, ...session })
        if (of !== "agent_session" || whose === "theirs") expectEqual("let in by both", caller, null)
        else expectEqual("reaches", printed(caller?.bounds ?? null), printed(bounds))
      },
      16
    )
  ]
}
