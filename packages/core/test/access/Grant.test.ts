import {
  type Actor,
  allPermissions,
  resourceScopeErrors,
  expiryErrors,
  FieldErrors,
  hostActor,
  isInForce,
  OrganizationId,
  type Permission,
  permissionErrors
} from "@earshot/core"
import { AccessKit } from "@earshot/test-kit"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"
import {
  missingResourceErrors,
  resourceScopesField,
  permissionsField,
  readPermissionsOf
} from "../../src/access/Grant.js"

const issuer = (permissions: ReadonlyArray<Permission>, bounds: Actor["bounds"] = null): Actor => ({
  ...hostActor(OrganizationId.make(1)),
  permissions: new Set(permissions),
  bounds
})
const at = (millis: number) => DateTime.unsafeMake(millis)

describe("the default permissions of shared credentials", () => {
  it("are those read permissions that the issuer has", () => {
    expect(readPermissionsOf(issuer(allPermissions))).toEqual([
      "catalog:read",
      "evaluators:read",
      "calls:read",
      "recordings:read",
      "results:read",
      "credits:read",
      "dashboards:read"
    ])
    expect(readPermissionsOf(issuer(["calls:read", "calls:delete", "dashboards:write"]))).toEqual(["calls:read"])
    expect(readPermissionsOf(issuer(["keys:manage"]))).toEqual([])
  })
})

describe("granting permissions", () => {
  it("reports every permission that the issuer lacks", () => {
    const holder = issuer(["calls:read", "keys:manage"])
    expect(permissionErrors(holder, "scopes", ["calls:read"])).toEqual({})
    expect(permissionErrors(holder, "scopes", [])).toEqual({})
    expect(permissionErrors(holder, "permissions", ["calls:read", "calls:delete", "jobs:manage"])).toEqual({
      permissions: ["You cannot grant permissions that you do not have: calls:delete, jobs:manage."]
    })
  })

  it("treats `all` as every permission", () => {
    expect(permissionErrors(issuer(allPermissions), "scopes", ["all"])).toEqual({})
    expect(
      permissionErrors(issuer(allPermissions.filter((one) => one !== "keys:manage")), "scopes", ["all", "calls:read"])
    ).toEqual({ scopes: ["You cannot grant permissions that you do not have: keys:manage."] })
  })
})

describe("granting resource scopes", () => {
  const project = { type: "project", id: 1 } as const
  const agent = { type: "agent", id: 2 } as const

  it("allows any scope for an issuer without scopes", () => {
    expect(resourceScopeErrors(issuer([]), null)).toEqual({})
    expect(resourceScopeErrors(issuer([]), [project])).toEqual({})
  })

  it("reports each scope that an issuer with scopes does not have itself", () => {
    const bound = issuer([], [project, agent])
    expect(resourceScopeErrors(bound, null)).toEqual({ bounds: ["This field is required."] })
    expect(resourceScopeErrors(bound, [agent])).toEqual({})
    expect(resourceScopeErrors(bound, [agent, project])).toEqual({})
    const beyond = ["You cannot grant access to a resource outside your own scope."]
    expect(
      resourceScopeErrors(bound, [
        { type: "agent", id: 1 },
        project,
        { type: "project", id: 2 },
        { type: "result", id: 9 }
      ])
    ).toEqual({ "bounds[0]": beyond, "bounds[2]": beyond, "bounds[3]": beyond })
    expect(resourceScopeErrors(issuer([], []), [project])).toEqual({ "bounds[0]": beyond })
  })

  it("reports ids of missing resources, but not outside the issuer's own scope", () => {
    const absent = (id: number) => [`Invalid pk "${id}" - object does not exist.`]
    expect(missingResourceErrors(issuer([]), [], [])).toEqual({})
    expect(missingResourceErrors(issuer([]), [agent, project], [project, agent])).toEqual({})
    expect(
      missingResourceErrors(issuer([]), [agent, { type: "agent", id: 1 }, { type: "project", id: 2 }], [project, agent])
    ).toEqual({ "bounds[1].id": absent(1), "bounds[2].id": absent(2) })
    expect(missingResourceErrors(issuer([], [project]), [agent, project], [])).toEqual({ "bounds[1].id": absent(1) })
  })
})

describe("an expiry", () => {
  it("must be in the future", () => {
    const past = { expires_at: ["Must be in the future."] }
    expect(expiryErrors("expires_at", at(1000), at(1000))).toEqual(past)
  })
})

describe("the rules of granting and of validity", () => {
  const properties = [
    ...AccessKit.issuingProperties(
      { resourceScopeErrors: resourceScopeErrors, expiryErrors: expiryErrors, permissionErrors: permissionErrors },
      OrganizationId.make(1)
    ),
    ...AccessKit.inForceProperties(isInForce)
  ]
  for (const { check, name } of properties) it(name, check)
})

describe("the input fields of bounds and permissions", () => {
  const errorsOf = (decoded: Either.Either<unknown, FieldErrors.FieldErrors>) =>
    Either.match(decoded, { onLeft: (errors) => errors, onRight: () => ({}) })
  const bounds = (input: unknown) => errorsOf(FieldErrors.decode(resourceScopesField)(input))
  const permissions = (input: unknown) => errorsOf(FieldErrors.decode(permissionsField)(input))
  const project = { type: "project", id: 1 }

  it("accept 1 to 100 bounds of a known type with a positive id", () => {
    expect(bounds([project])).toEqual({})
    expect(bounds(Array.from({ length: 100 }, () => project))).toEqual({})
    expect(bounds([])).toEqual({ non_field_errors: ["Ensure this field has at least 1 elements."] })
    expect(bounds(Array.from({ length: 101 }, () => project))).toEqual({
      non_field_errors: ["Ensure this field has no more than 100 elements."]
    })
    expect(bounds([{ type: "organization", id: 0 }, {}])).toEqual({
      "[0].type": [expect.stringContaining('"organization" is not a valid choice. Choose from ')],
      "[0].id": ["Ensure this value is greater than or equal to 1."],
      "[1].type": ["This field is required."],
      "[1].id": ["This field is required."]
    })
  })

  it("accept up to 100 known permissions", () => {
    expect(permissions([])).toEqual({})
    expect(permissions(Array.from({ length: 100 }, () => "calls:read"))).toEqual({})
    expect(permissions(Array.from({ length: 101 }, () => "calls:read"))).toEqual({
      non_field_errors: ["Ensure this field has no more than 100 elements."]
    })
    expect(permissions(["all"])).toEqual({
      "[0]": [expect.stringContaining('"all" is not a valid choice. Choose from ')]
    })
  })
})
