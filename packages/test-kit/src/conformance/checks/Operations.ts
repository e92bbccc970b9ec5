/** What holds for every operation of the OpenAPI document, whichever those are. */
import { type CredentialKind, credentialKinds, type Fixture, PATHS } from "../Fixture.js"
import type { Reply } from "../Client.js"
import { type DocumentedOperation, documentedOperations } from "../Document.js"
import { expectDetail, expectEqual, expectStatus, expectTrue, Mismatch, Skipped } from "../Expect.js"
import { checksOf } from "../Check.js"
import { endpoints } from "./CredentialEndpoints.js"

type Headers = Readonly<Record<string, string>>

/** A request for what is not there, with an empty body. */
const request = (fixture: Fixture, { hasBody, method, path }: DocumentedOperation, headers: Headers): Promise<Reply> =>
  fixture.ask(method, path, { key: null, headers, ...(hasBody ? { json: {} } : {}) })

const nameOf = ({ method, template }: DocumentedOperation): string => `${method} ${template}`

/** The operations that take credentials of this interface. */
const authenticated = async (fixture: Fixture): Promise<ReadonlyArray<DocumentedOperation>> =>
  (await documentedOperations(fixture)).filter(({ accepts }) => accepts.length > 0)

const besides = async (fixture: Fixture, { additional }: DocumentedOperation): Promise<Headers> =>
  additional === undefined ? {} : fixture.credential(additional)

/** 401 and how to authenticate; an exporter of spans gets the error in its own encoding. */
const expectUnauthenticated = (what: string, reply: Reply): void => {
  if (reply.status !== 401) throw new Mismatch(`${what} answered ${reply.status} ${reply.text}; expected 401`)
  expectTrue(`${what} is answered 401 without WWW-Authenticate`, reply.headers.has("www-authenticate"))
}

/** Let in: a body that lacks everything, or a thing that is not there, is found out afterwards. */
const isLetIn = ({ status }: Reply): boolean => status !== 401 && status < 500

const secretOf = (headers: Headers): readonly [name: string, value: string] => Object.entries(headers)[0] ?? ["", ""]

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/** The secret with each other last character. Those of base64 often decode to the same bytes. */
const withOtherEnds = (secret: string): ReadonlyArray<string> =>
  [...ALPHABET].filter((end) => !secret.endsWith(end)).map((end) => `${secret.slice(0, -1)}${end}`)

/** One of them, another one for each operation. */
const withOtherEnd = (secret: string, position: number): string => {
  const others = withOtherEnds(secret)
  return others[position % others.length] ?? ""
}

const ofKinds: ReadonlyArray<CredentialKind> = ["api_key", "shareable_link", "oauth2", "dashboard_session"]

const acceptsExactly = async (fixture: Fixture, kind: CredentialKind): Promise<void> => {
  const held = await fixture.credential(kind)
  for (const operation of await authenticated(fixture)) {
    const isAdditional = kind === operation.additional
    const headers = isAdditional ? held : { ...(await besides(fixture, operation)), ...held }
    const reply = await request(fixture, operation, headers)
    const what = `${kind} at ${nameOf(operation)}`
    if (!operation.accepts.includes(kind)) expectUnauthenticated(what, reply)
    else if (!isLetIn(reply)) throw new Mismatch(`${what} answered ${reply.status} ${reply.text}; it is listed there`)
  }
}

const isOfInterface = (operation: DocumentedOperation): boolean =>
  endpoints.some(({ method, path }) => method === operation.method && path === operation.path)

export const operations = checksOf("operations", {
  documented: [
    "the document has the endpoints of the interface with the credentials that the interface lists, and each operation once",
    async (fixture) => {
      const all = await documentedOperations(fixture)
      const names = all.map(({ name }) => name)
      expectEqual("operations with the same name", names.length - new Set(names).size, 0)
      for (const { accepts, method, name, path } of endpoints) {
        const found = all.find((one) => one.method === method && one.path === path)
        if (found === undefined) throw new Mismatch(`${name}, ${method} ${path}, is not in the document`)
        expectEqual(`the credentials of ${name} in the document`, [...found.accepts].sort(), [...accepts].sort())
      }
    }
  ],
  none: [
    "every operation answers 401 without a credential, except those that the document shows as public",
    async (fixture) => {
      for (const operation of await documentedOperations(fixture)) {
        const reply = await request(fixture, operation, {})
        if (operation.accepts.length > 0) expectUnauthenticated(nameOf(operation), reply)
        else if (operation.isPublic) expectTrue(`${nameOf(operation)} answered ${reply.status}`, reply.status < 500)
        // Signed requests: what is not signed is rejected, or its address is not known.
        else expectStatus(reply, 401, 404)
      }
    }
  ],
  ...Object.fromEntries(
    credentialKinds.map((kind) => [
      kind,
      [
        `accepts ${kind} at the operations whose document lists it, and answers 401 at all others`,
        (fixture: Fixture) => acceptsExactly(fixture, kind)
      ] as const
    ])
  ),
  "last-character": [
    "rejects a credential that was just used with any other last character, at every operation",
    async (fixture) => {
      for (const kind of ofKinds) {
        const [name, secret] = secretOf(await fixture.credential(kind))
        expectStatus(await fixture.get(PATHS.dashboards, { key: null, headers: { [name]: secret } }), 200)
        for (const other of withOtherEnds(secret)) {
          const reply = await fixture.get(PATHS.dashboards, { key: null, headers: { [name]: other } })
          expectUnauthenticated(`${kind} with another last character`, reply)
        }
      }
      const [name, secret] = secretOf(await fixture.credential("api_key"))
      for (const [position, operation] of (await authenticated(fixture)).entries()) {
        const headers = { ...(await besides(fixture, operation)), [name]: withOtherEnd(secret, position) }
        expectUnauthenticated(nameOf(operation), await request(fixture, operation, headers))
      }
    }
  ],
  scopes: [
    "every operation answers 403 to a key without a permission that its document lists, and lets in a key with these alone",
    async (fixture) => {
      const all = (await authenticated(fixture)).filter(
        // The interface's endpoints have a check that does not depend on the document.
        (one) => one.permissions.length > 0 && one.accepts.includes("api_key") && !isOfInterface(one)
      )
      if (all.length === 0) throw new Skipped("the document lists no permissions (x-permissions)")
      const known = [...new Set(all.flatMap(({ permissions }) => permissions))]
      const keys = new Map<string, string>()
      const keyOf = async (scopes: ReadonlyArray<string>): Promise<Headers> => {
        const name = scopes.join()
        const key = keys.get(name) ?? String((await fixture.make(PATHS.keys, { name: "Scoped", scopes })).api_key)
        keys.set(name, key)
        return { "x-service-api-key": key }
      }
      for (const operation of all) {
        const additional = await besides(fixture, operation)
        for (const missing of operation.permissions) {
          const others = known.filter((one) => one !== missing)
          const rejected = await request(fixture, operation, { ...additional, ...(await keyOf(others)) })
          if (rejected.status !== 403)
            throw new Mismatch(`${nameOf(operation)} answered ${rejected.status} without ${missing}`)
        }
        const reply = await request(fixture, operation, { ...additional, ...(await keyOf(operation.permissions)) })
        expectTrue(
          `${nameOf(operation)} answered ${reply.status} to a key with ${operation.permissions.join(" and ")}`,
          isLetIn(reply) && reply.status !== 403
        )
      }
    }
  ],
  unknown: [
    "every operation on one thing answers 404 to an id that nothing has, and to what is no id",
    async (fixture) => {
      for (const operation of await authenticated(fixture)) {
        if (!operation.template.includes("{id}") || operation.additional !== undefined) continue
        for (const id of [String(fixture.unknownId), "0", "x"]) {
          const path = operation.template.replace("{id}", id)
          const reply = await fixture.ask(operation.method, path, operation.hasBody ? { json: {} } : {})
          if (operation.hasInput) expectStatus(reply, 404, 400)
          else expectDetail(reply, 404)
        }
      }
    }
  ]
})
