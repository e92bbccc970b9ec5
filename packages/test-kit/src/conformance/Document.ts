/** The operations of the OpenAPI document that a server publishes. */
import { at, isObject, listAt } from "../Documents.js"
import { type CredentialKind, credentialKinds, type Fixture } from "./Fixture.js"
import { bodyOf, Skipped } from "./Expect.js"

/** An operation with a path that leads to nothing that there is. */
export interface DocumentedOperation {
  /** The operationId. */
  readonly name: string
  readonly method: string
  /** With unknown ids instead of parameters. */
  readonly path: string
  /** As in the document, such as `/dashboards/widgets/{id}/`. */
  readonly template: string
  /** The credentials that it accepts; without any it is for everybody, or has a protocol of its own. */
  readonly accepts: ReadonlyArray<CredentialKind>
  /** Whether it takes no credential at all. */
  readonly isPublic: boolean
  /** A session that has to come beside the key. */
  readonly additional?: CredentialKind
  /** The permissions that it needs, where the document states them. */
  readonly permissions: ReadonlyArray<string>
  readonly hasBody: boolean
  /** Whether it takes a body or a query, which may be invalid. */
  readonly hasInput: boolean
}

const METHODS = ["get", "post", "put", "patch", "delete"]

/** What parameters of paths other than ids are replaced with. */
const PARAMETERS: Readonly<Record<string, string>> = { platform: "vapi", public_id: "unknown" }

const isKind = (name: string): name is CredentialKind => credentialKinds.some((kind) => kind === name)

const operationOf = (template: string, method: string, described: unknown, unknownId: number): DocumentedOperation => {
  const alternatives = listAt(described, "security").map((one) => (isObject(one) ? Object.keys(one) : []))
  const [additional] = alternatives.flatMap((schemes) => schemes.slice(1)).filter(isKind)
  return {
    name: String(at(described, "operationId")),
    method: method.toUpperCase(),
    template,
    path: template.replace(/\{([a-z_]+)\}/g, (_, name: string) => PARAMETERS[name] ?? String(unknownId)),
    accepts: alternatives.flatMap((schemes) => schemes.slice(0, 1)).filter(isKind),
    isPublic: alternatives.length === 0,
    ...(additional === undefined ? {} : { additional }),
    permissions: listAt(described, "x-permissions").map(String),
    hasBody: at(described, "requestBody") !== undefined,
    hasInput:
      at(described, "requestBody") !== undefined ||
      listAt(described, "parameters").some((parameter) => at(parameter, "in") === "query")
  }
}

/** Every operation of the server's document; skips the check where there is no document. */
export const documentedOperations = async (fixture: Fixture): Promise<ReadonlyArray<DocumentedOperation>> => {
  const reply = await fixture.get("/openapi.json", { key: null })
  if (reply.status === 404) throw new Skipped("the server publishes no document at /openapi.json")
  const paths = at(bodyOf(reply, 200), "paths")
  if (!isObject(paths)) throw new Skipped("the document at /openapi.json has no paths")
  return Object.entries(paths).flatMap(([template, item]) =>
    METHODS.flatMap((method) => {
      const described = at(item, method)
      return described === undefined ? [] : [operationOf(template, method, described, fixture.unknownId)]
    })
  )
}
