import {
  type Actor,
  authorize,
  hostActor,
  hostPermit,
  type Operation,
  operations,
  OrganizationId,
  type Permit,
  isInScope,
  UserId
} from "@earshot/core"
import { AccessKit, CatalogKit } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const organizationId = OrganizationId.make(1)
const permit = Either.getOrThrow(authorize(hostActor(organizationId), "projects.create"))

const hostActorWith = (more: Partial<Actor>): Actor => ({ ...hostActor(organizationId), ...more })

const isOperation = (name: string): name is Operation => Object.hasOwn(operations, name)
const allOperations = Object.keys(operations).filter(isOperation)

/** What stores and use cases ask for; the tests below are for the compiler. */
const write = (given: Permit<"catalog:write">): Permit => given

describe("a permit", () => {
  it("is granted to the host for every operation", () => {
    fc.assert(
      fc.property(fc.constantFrom(...allOperations), (operation) => {
        expect(Effect.runSync(hostPermit(organizationId, operation))).toMatchObject({ organizationId, bounds: null })
      }),
      { numRuns: 300 }
    )
  })

  it("is accepted by stores for the permission that it was granted for", () => {
    expect(write(permit)).toBe(permit)
    const reading = Either.getOrThrow(authorize(hostActor(organizationId), "projects.read"))
    // @ts-expect-error -- a permit to read is none to write
    write(reading)
  })

  it("does not compile when built from an object literal, a spread or an actor, and cannot be changed", () => {
    // @ts-expect-error -- an object literal is no permit
    write({ organizationId, userId: null, bounds: null })
    // @ts-expect-error -- a spread of a permit is no permit
    write({ ...permit, organizationId: OrganizationId.make(2) })
    // @ts-expect-error -- nor is one with wider bounds
    write({ ...permit, bounds: null })
    // @ts-expect-error -- nor an actor
    write(hostActor(organizationId))
    // @ts-expect-error -- and it stays as it is
    const change = () => (permit.organizationId = OrganizationId.make(2))
    expect(change).toBeTypeOf("function")
  })
})

describe("authorization", () => {
  const actor: Actor = {
    organizationId: OrganizationId.make(3),
    userId: UserId.make(4),
    credential: "oauth2",
    credentialId: "oauth2:abc",
    permissions: new Set(["catalog:read"]),
    bounds: [{ type: "agent", id: 5 }]
  }

  it("makes a permit with the caller's organization, user and resource scopes", () => {
    expect(Either.getOrThrow(authorize(actor, "agents.read"))).toMatchObject({
      organizationId: 3,
      userId: 4,
      bounds: [{ type: "agent", id: 5 }]
    })
  })

  it("reports a credential that is not accepted before a missing permission", () => {
    const errorOf = (caller: Actor, operation: Operation) =>
      Either.getOrThrow(Either.flip(authorize(caller, operation)))
    const unlisted = errorOf(actor, "calls.ingest")
    expect([unlisted._tag, unlisted.message]).toEqual(["Unauthenticated", "This credential is not accepted here."])
    const lacking = errorOf(actor, "agents.update")
    expect([lacking._tag, lacking.message]).toEqual([
      "Forbidden",
      "You do not have permission to perform this action (needs catalog:write)."
    ])
    expect(errorOf(hostActorWith({ permissions: new Set() }), "agents.update")._tag).toBe("Forbidden")
  })

  it("requires an agent session in addition to the key for checkouts, and none of the host", () => {
    const key = hostActorWith({ credential: "api_key" })
    expect(Either.isLeft(authorize(key, "checkouts.create"))).toBe(true)
    expect(Either.isRight(authorize({ ...key, additionalCredential: "agent_session" }, "checkouts.create"))).toBe(true)
    expect(Either.isLeft(authorize(hostActorWith({ credential: "agent_session" }), "checkouts.create"))).toBe(true)
    expect(Either.isRight(authorize(hostActorWith({}), "checkouts.create"))).toBe(true)
    expect(Either.isRight(authorize({ ...key, additionalCredential: "agent_session" }, "agents.read"))).toBe(true)
  })
})

describe("resource scopes", () => {
  const properties = AccessKit.resourceScopeProperties((bounds, place) =>
    isInScope(CatalogKit.permit(organizationId, "projects.read", bounds), place)
  )
  for (const { check, name } of properties) it(name, check)

  it("forbid operations on the whole organization for a credential with an empty list of scopes", () => {
    expect(authorize({ ...hostActor(organizationId), bounds: [] }, "projects.create")).toMatchObject({
      left: { _tag: "Forbidden" }
    })
  })
})
