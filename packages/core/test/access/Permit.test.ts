import { type Actor, authorize, hostActor, OrganizationId, type Permit, reaches } from "@earshot/core"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const organizationId = OrganizationId.make(1)
const permit = Either.getOrThrow(authorize(hostActor(organizationId), "projects.create"))

/** What stores and use cases ask for; the tests below are for the compiler. */
const write = (given: Permit<"catalog:write">): Permit => given

describe("a permit", () => {
  it("is what authorisation made, for what it was made for", () => {
    expect(write(permit)).toBe(permit)
    const reading = Either.getOrThrow(authorize(hostActor(organizationId), "projects.read"))
    // @ts-expect-error -- a permit to read is none to write
    write(reading)
  })

  /* eslint-disable @typescript-eslint/no-unsafe-class-instance-assignment -- what lint refuses too, the compiler must */
  it("cannot be put together from its parts, nor be somebody else's with a change", () => {
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
  /* eslint-enable @typescript-eslint/no-unsafe-class-instance-assignment */
})

const type = fc.constantFrom("project" as const, "agent" as const, "dashboard" as const, "result" as const)
const bound = fc.record({ type, id: fc.integer({ min: 1, max: 4 }) })
const lineage = fc.dictionary(type, fc.integer({ min: 1, max: 4 }))

const permitOf = (bounds: Actor["bounds"]) =>
  Either.getOrThrow(authorize({ ...hostActor(organizationId), bounds }, "projects.read"))

describe("reach", () => {
  it("is all of the organisation without bounds, and what lies in one of them with", () => {
    fc.assert(
      fc.property(fc.array(bound), lineage, (bounds, of) => {
        expect(reaches(permitOf(null), of)).toBe(true)
        expect(reaches(permitOf(bounds), of)).toBe(bounds.some(({ id, type }) => of[type] === id))
      })
    )
  })

  it("never is the organisation itself with bounds, even with none at all", () => {
    fc.assert(
      fc.property(fc.array(bound), (bounds) => {
        expect(reaches(permitOf(bounds), {})).toBe(false)
      })
    )
    expect(authorize({ ...hostActor(organizationId), bounds: [] }, "projects.create")).toMatchObject({
      left: { _tag: "Forbidden" }
    })
  })
})
