import { type CredentialKind, type Operation, type OperationRule, operations, SigningKeys } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createHmac } from "node:crypto"
import { describe, expect, it } from "vitest"
import { endpoints } from "../../src/routes/index.js"
import { at, isNode, textAt } from "../support/Contract.js"
import { serverForBlock, type Tenant, type TestServer } from "../support/TestServer.js"
import { ask } from "../support/Access.js"
import { API_KEYS, LINKS, OBSERVE, TOKENS } from "../support/paths.js"

/** The interface's own table (interface, Authentication), written down once more so that both have to change. */
const INTERFACE: ReadonlyArray<readonly [route: string, accepts: ReadonlyArray<CredentialKind>]> = [
  ["POST /repohost/checkout-token/", ["api_key"]],
  ["POST /observability/v1/observe/", ["api_key"]],
  ["PATCH /dashboards/widgets/:id/", ["api_key"]],
  ["POST /dashboards/dashboards/", ["api_key", "oauth2", "embedded_session", "shareable_link", "dashboard_session"]],
  ["POST /test_framework/v2/scenarios/validate_scenarios_json/", ["api_key", "oauth2", "dashboard_session"]],
  [
    "POST /test_framework/v1/results/bulk_delete/",
    ["api_key", "oauth2", "embedded_session", "shareable_link", "dashboard_session"]
  ],
  [
    "POST /test_framework/v1/results/:id/delete_runs/",
    ["api_key", "oauth2", "embedded_session", "shareable_link", "dashboard_session"]
  ]
]

/** What is there for everybody. Source: docs/access.md. */
const OPEN: ReadonlySet<string> = new Set([
  "/test_framework/v2/scenarios/json_schema/",
  "/user/v1/session/",
  // Its URL is signed.
  "/observability/v1/recordings/"
])

/** Operations that have no endpoint, and why. */
const WITHOUT_ENDPOINT: Partial<Record<Operation, string>> = {}

const KINDS = ["api_key", "oauth2", "dashboard_session", "embedded_session", "agent_session", "shareable_link"] as const

type Kind = (typeof KINDS)[number]

const carry = (kind: Kind, secret: string): Readonly<Record<string, string>> =>
  kind === "api_key"
    ? { "x-service-api-key": secret }
    : kind === "shareable_link"
      ? { "x-shareable-link": secret }
      : { authorization: `Bearer ${secret}` }

/** A credential of each kind; those that have to be bound are bound to the project, and all may do everything. */
const credentials = async (server: TestServer, { agent, key, project }: Tenant) => {
  const everything = [...new Set(Object.values(operations).map(({ needs }) => needs))]
  const within = [{ type: "project", id: project }]
  const token = async (kind: Kind, bounds: unknown) =>
    textAt((await server.send("POST", TOKENS, { key, json: { kind, bounds, permissions: everything } })).json, "token")
  const link = await server.send("POST", LINKS, { key, json: { name: "L", bounds: within, permissions: everything } })
  return {
    api_key: key,
    oauth2: await token("oauth2", null),
    dashboard_session: await token("dashboard_session", null),
    embedded_session: await token("embedded_session", within),
    agent_session: await token("agent_session", [{ type: "agent", id: agent }]),
    shareable_link: textAt(link.json, "token")
  } satisfies Record<Kind, string>
}

const accepts = (operation: Operation): ReadonlyArray<CredentialKind> => operations[operation].accepts

/** The session that an operation asks for beside the key. */
const besides = (operation: Operation, session: string): Readonly<Record<string, string>> => {
  const rule: OperationRule = operations[operation]
  return rule.additionalCredential === undefined ? {} : carry(rule.additionalCredential, session)
}

describe("credentials", async () => {
  const server = await serverForBlock()

  it("cover every operation by an endpoint and every endpoint by an operation", () => {
    const served = endpoints.flatMap(({ operation }) => (operation === null ? [] : [operation]))
    expect(new Set(served).size).toBe(served.length)
    expect(new Set(endpoints.map(({ id }) => id)).size).toBe(endpoints.length)
    for (const operation of Object.keys(operations)) {
      const isServed = served.some((one) => one === operation)
      expect(isServed || operation in WITHOUT_ENDPOINT, operation).toBe(true)
      expect(isServed && operation in WITHOUT_ENDPOINT, operation).toBe(false)
    }
    for (const { operation, path } of endpoints) expect(operation === null, path).toBe(OPEN.has(path))
    for (const rule of Object.values<OperationRule>(operations)) expect(rule.accepts.length).toBeGreaterThan(0)
    for (const [route, kinds] of INTERFACE) {
      const operation = endpoints.find(({ method, path }) => `${method} ${path}` === route)?.operation ?? null
      expect(operation === null ? [] : [...accepts(operation)].sort(), route).toEqual([...kinds].sort())
    }
  })

  it("are accepted at each endpoint exactly as the interface lists their kinds", async () => {
    const held = await credentials(server, await server.tenant())
    for (const endpoint of endpoints) {
      const { operation } = endpoint
      if (operation === null) continue
      for (const kind of KINDS) {
        const { json, status } = await ask(server, endpoint, {
          headers: { ...(kind === "api_key" ? besides(operation, held.agent_session) : {}), ...carry(kind, held[kind]) }
        })
        const isAccepted = accepts(operation).includes(kind)
        const where = `${kind} at ${endpoint.method} ${endpoint.path}: ${status}`
        // A bad request or a missing thing: the caller was let in.
        if (isAccepted) expect([200, 201, 400, 404, 204], where).toContain(status)
        else expect(status, `${where} ${JSON.stringify(json)}`).toBe(401)
      }
    }
  })

  it("are required with 401 and WWW-Authenticate before the body is read or a resource is looked up", async () => {
    for (const endpoint of endpoints) {
      if (OPEN.has(endpoint.path)) continue
      const { headers, json, status } = await ask(server, endpoint, {})
      expect([status, json], endpoint.path).toEqual([401, { detail: "Authentication credentials were not provided." }])
      expect(headers.get("www-authenticate")).toMatch(/^(ApiKey|Bearer) realm="earshot"/)
    }
    const large = await server.send("POST", OBSERVE, { headers: { "content-type": "text/plain" }, body: "{" })
    expect(large.status).toBe(401)
  })

  it("of kind API key allow exactly what their scopes allow", async () => {
    const tenant = await server.tenant()
    const { key } = tenant
    const { agent_session: session } = await credentials(server, tenant)
    const needs = [...new Set(Object.values(operations).map((rule) => rule.needs))]
    const scoped = async (scopes: ReadonlyArray<string>) =>
      textAt((await server.send("POST", API_KEYS, { key, json: { name: "Scoped", scopes } })).json, "api_key")
    const keys = new Map<string, readonly [only: string, without: string]>()
    for (const need of needs) {
      keys.set(need, [await scoped([need]), await scoped(needs.filter((other) => other !== need))])
    }
    for (const endpoint of endpoints) {
      if (endpoint.operation === null) continue
      const need = operations[endpoint.operation].needs
      const [only = "", without = ""] = keys.get(need) ?? []
      const headers = besides(endpoint.operation, session)
      const { alsoNeeds }: OperationRule = operations[endpoint.operation]
      const { status } = await ask(server, endpoint, { key: only, headers })
      if (alsoNeeds === undefined) expect(status, endpoint.id).not.toBe(403)
      else expect(status, endpoint.id).toBe(403)
      const rejected = await ask(server, endpoint, { key: without, headers })
      expect([rejected.status, rejected.json], endpoint.id).toEqual([
        403,
        { detail: `You do not have permission to perform this action (needs ${need}).` }
      ])
    }
    const tooMuch = await server.send("POST", API_KEYS, {
      key: await scoped(["keys:manage"]),
      json: { name: "N", scopes: ["all"] }
    })
    expect([tooMuch.status, Object.keys(Object(tooMuch.json))]).toEqual([400, ["scopes"]])
  })

  it("are rejected with the same message whether unknown, malformed, revoked or expired", async () => {
    const { key } = await server.tenant()
    const make = async (fields: object) =>
      (await server.send("POST", API_KEYS, { key, json: { name: "K", ...fields } })).json
    const revoked = await make({})
    const path = `${API_KEYS}${textAt(revoked, "id")}/`
    expect((await server.send("GET", API_KEYS, { key: textAt(revoked, "api_key") })).status).toBe(200)
    expect((await server.send("DELETE", path, { key })).status).toBe(204)
    expect((await server.send("DELETE", path, { key })).status).toBe(204)
    const brief = await make({ expires_at: new Date(Date.now() + 3_600_000).toISOString() })
    await server.run(
      TestEngine.execute(`UPDATE api_keys SET expires_ms = ${Date.now() - 1} WHERE expires_ms IS NOT NULL`)
    )

    const last = key.endsWith("0") ? "1" : "0"
    const wrong = [
      textAt(revoked, "api_key"),
      textAt(brief, "api_key"),
      key.slice(0, -1) + last,
      "ear_",
      "x".repeat(8000)
    ]
    for (const secret of [...wrong, key.toUpperCase(), `${key} ${key}`, `${key}, ${key}`]) {
      const { json, status } = await server.send("GET", API_KEYS, { key: secret })
      expect([status, json], secret.slice(0, 80)).toEqual([401, { detail: "Invalid credentials." }])
    }
    expect((await make({ expires_at: "2001-01-01" })) as object).toHaveProperty("expires_at")
    // The list shows hints, never secrets.
    const { text } = await server.send("GET", API_KEYS, { key })
    for (const secret of [key, ...wrong.slice(0, 2)]) expect(text).not.toContain(secret)
  })

  it("are not accepted in the wrong header, and a valid one does not make up for an invalid one", async () => {
    const held = await credentials(server, await server.tenant())
    const path = "/dashboards/dashboards/"
    const status = async (headers: Readonly<Record<string, string>>) =>
      (await server.send("GET", path, { headers })).status
    expect(await status({ authorization: `bearer ${held.oauth2}` })).toBe(200)
    for (const scheme of ["Basic", "Foobar", "Token", ""]) {
      expect(await status({ authorization: `${scheme} ${held.oauth2}`.trim() }), scheme).toBe(401)
    }
    expect(await status({ authorization: `Bearer ${held.api_key}` })).toBe(401)
    expect(await status({ "x-service-api-key": held.oauth2 })).toBe(401)
    expect(await status({ "x-shareable-link": held.api_key })).toBe(401)
    expect(await status({ "x-service-api-key": "ear_wrong", authorization: `Bearer ${held.oauth2}` })).toBe(401)
  })

  it("are rejected if they are forged, from another server, or expired", async () => {
    const tenant = await server.tenant()
    const path = "/user/v1/projects/"
    const { json } = await server.send("POST", TOKENS, { key: tenant.key, json: { kind: "oauth2" } })
    const token = textAt(json, "token")
    const [head = "", body = "", signature = ""] = token.split(".")
    const parse = (part: string): object => {
      const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString())
      return isNode(value) ? value : {}
    }
    const secret = await server.run(
      Effect.flatMap(SigningKeys, (keys) => Effect.map(keys.current, ({ secret }) => Redacted.value(secret)))
    )
    const print = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
    const sign = (header: object, claims: object, key: string | Buffer = Buffer.from(secret, "base64url")) => {
      const signed = `${print(header)}.${print(claims)}`
      return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`
    }
    const header = parse(head)
    const claims = parse(body)
    const status = async (bearer: string) =>
      (await server.send("GET", path, { headers: { authorization: `Bearer ${bearer}` } })).status
    expect(await status(token)).toBe(200)
    expect(await status(sign(header, claims))).toBe(200)

    const now = Math.floor(Date.now() / 1000)
    const without = (name: string) => Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name))
    const forged: Readonly<Record<string, string>> = {
      "no signature": `${head}.${body}.`,
      "the algorithm none": `${print({ ...header, alg: "none" })}.${body}.`,
      "the algorithm None": `${print({ ...header, alg: "None" })}.${body}.${signature}`,
      "another key": sign(header, claims, "guess"),
      "the key's name as the key": sign(header, claims, textAt(header, "kid")),
      "an empty key": sign(header, claims, ""),
      "HS512 in the header": sign({ ...header, alg: "HS512" }, claims),
      "RS256 in the header, signed with what is public of it": sign(
        { ...header, alg: "RS256" },
        claims,
        textAt(header, "kid")
      ),
      "an unknown key": sign({ ...header, kid: "../../../etc/passwd" }, claims),
      "a key of its own": sign({ ...header, jwk: { kty: "oct", k: "Z3Vlc3M" } }, claims, "guess"),
      "a critical extension": sign({ ...header, crit: ["exp"] }, claims),
      "another type": sign({ ...header, typ: "JWT" }, claims),
      "another kind's type": sign({ ...header, typ: "earshot.dashboard_session+jwt" }, claims),
      "another kind's audience": sign(header, { ...claims, aud: "earshot:dashboard_session" }),
      "another issuer": sign(header, { ...claims, iss: "somebody" }),
      expired: sign(header, { ...claims, exp: now - 1 }),
      "issued long ago": sign(header, { ...claims, iat: now - 10 * 86_400 }),
      "issued in the future": sign(header, { ...claims, iat: now + 3_600 }),
      "an organization that is no number": sign(header, { ...claims, org: "1 OR 1=1" }),
      "changed claims": `${head}.${print({ ...claims, org: 1 })}.${signature}`,
      "no JSON": `${head}.${Buffer.from("{").toString("base64url")}.${signature}`,
      "one part": head,
      "five parts": `${token}.a.b`,
      "far too long": `${head}.${"A".repeat(12_000)}.${signature}`,
      ...Object.fromEntries(
        ["iss", "aud", "exp", "iat", "jti", "org", "permissions"].map((name) => [
          `no ${name}`,
          sign(header, without(name))
        ])
      )
    }
    for (const [what, bearer] of Object.entries(forged)) expect(await status(bearer), what).toBe(401)

    expect(
      (await server.send("POST", `${TOKENS}revoke/`, { key: tenant.key, json: { jti: at(json, "jti") } })).status
    ).toBe(204)
    expect(await status(token)).toBe(401)
  })
})
