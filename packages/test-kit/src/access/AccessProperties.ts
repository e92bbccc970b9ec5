/** Who is let in where, whatever implements it. Source: interface, Authentication. */
import type { Actor, CredentialKind, OrganizationId, Permission } from "@earshot/core"
import * as fc from "fast-check"
import { interfaceTable } from "../conformance/Interface.js"
import { invariant, type Property, property, expectEqual, expectEvery, expectUnequal } from "../Property.js"
import { actor, credentialKind } from "./AccessArbitraries.js"

/** What an operation asks of its caller. */
export interface Rule {
  readonly needs: Permission
  readonly alsoNeeds?: Permission
  readonly accepts: ReadonlyArray<CredentialKind>
  readonly additionalCredential?: CredentialKind
  readonly organizationWide?: true
}

export type Decision = "let in" | "unauthenticated" | "forbidden"

export { interfaceTable }

const permissionsOf = ({ alsoNeeds, needs }: Rule): ReadonlyArray<Permission> =>
  alsoNeeds === undefined ? [needs] : [needs, alsoNeeds]

/** The table says what the interface's does; operations that an engine has not are passed over. */
export const accessTableProperties = (operations: Readonly<Record<string, Rule>>): ReadonlyArray<Property> => [
  ...Object.entries(interfaceTable).flatMap(([operation, accepts]) => {
    const rule = operations[operation]
    return rule === undefined
      ? []
      : [
          invariant(`${operation} accepts ${accepts.join(", ")}`, () => {
            expectEqual(
              "JSON.stringify([...rule.accepts].sort())",
              JSON.stringify([...rule.accepts].sort()),
              JSON.stringify([...accepts].sort())
            )
          })
        ]
  }),
  ...("checkouts.create" in operations
    ? [
        invariant("a checkout takes an agent session in addition to the key, and nothing else takes one", () => {
          expectEqual(
            'operations["checkouts.create"]?.additionalCredential',
            operations["checkouts.create"]?.additionalCredential,
            "agent_session"
          )
          expectEvery(
            "Object.entries(operations)",
            Object.entries(operations),
            ([name, { additionalCredential }]) => name === "checkouts.create" || additionalCredential === undefined
          )
        })
      ]
    : []),
  invariant("an agent's session opens nothing by itself, and every operation takes an API key", () => {
    expectEvery(
      "Object.values(operations)",
      Object.values(operations),
      ({ accepts }) => accepts.includes("api_key") && !accepts.includes("agent_session")
    )
  }),
  invariant("what others get to see by a link or an embed never manages keys, connections or jobs", () => {
    expectEvery(
      "Object.values(operations)",
      Object.values(operations),
      ({ accepts, needs }) =>
        !needs.endsWith(":manage") || !accepts.some((kind) => kind === "shareable_link" || kind === "embedded_session")
    )
  })
]

/** Whoever decides goes by the table. */
export const authorizationProperties = (
  operations: Readonly<Record<string, Rule>>,
  decide: (actor: Actor, operation: string) => Decision,
  organization: OrganizationId
): ReadonlyArray<Property> => {
  const operation = fc.constantFrom(...Object.keys(operations))
  const anybody = fc
    .tuple(actor(organization), fc.boolean())
    .map(([one, hasSession]): Actor => (hasSession ? { ...one, additionalCredential: "agent_session" } : one))
  const ruleOf = (name: string): Rule => operations[name] ?? { needs: "keys:manage", accepts: [] }
  /** The caller with a listed credential and the permissions, without bounds. */
  const admitted = (caller: Actor, name: string): Actor => {
    const { accepts, additionalCredential } = ruleOf(name)
    return {
      ...caller,
      credential: accepts[0] ?? "host",
      permissions: new Set([...caller.permissions, ...permissionsOf(ruleOf(name))]),
      bounds: null,
      ...(additionalCredential === undefined ? {} : { additionalCredential: "agent_session" })
    }
  }
  return [
    property("a credential of a kind that is not listed is as good as none", [anybody, operation], (caller, name) => {
      const { accepts, additionalCredential } = ruleOf(name)
      const isListed =
        caller.credential === "host" ||
        (accepts.includes(caller.credential) &&
          (additionalCredential === undefined || caller.additionalCredential === additionalCredential))
      if (!isListed) {
        expectEqual("decide(caller, name)", decide(caller, name), "unauthenticated")
      }
    }),
    // Every operation in every run: few need a second permission, and a draw of all of them would seldom meet one.
    property("nobody is let in without the permissions", [anybody], (caller) => {
      for (const name of Object.keys(operations)) {
        for (const missing of permissionsOf(ruleOf(name))) {
          const { permissions, ...one } = admitted(caller, name)
          const lacking: Actor = { ...one, permissions: new Set([...permissions].filter((held) => held !== missing)) }
          expectUnequal(`decide(lacking ${missing}, ${name})`, decide(lacking, name), "let in")
        }
      }
    }),
    property(
      "a caller that is bound to some things does nothing that concerns the whole organization",
      [anybody, operation],
      (caller, name) => {
        if (!(caller.bounds === null || ruleOf(name).organizationWide !== true)) {
          expectUnequal("decide(caller, name)", decide(caller, name), "let in")
        }
      }
    ),
    property(
      "a caller of a listed kind with the permissions and without bounds is let in",
      [anybody, operation],
      (caller, name) => {
        expectEqual("decide(allowed, name)", decide(admitted(caller, name), name), "let in")
      }
    ),
    property(
      "a permission more never lets a caller do less",
      [anybody, operation, credentialKind],
      (caller, name, credential) => {
        const one: Actor = { ...caller, credential }
        const more: Actor = { ...one, permissions: new Set([...one.permissions, ruleOf(name).needs]) }
        if (!(decide(one, name) !== "let in")) {
          expectEqual("decide(more, name)", decide(more, name), "let in")
        }
      }
    )
  ]
}
