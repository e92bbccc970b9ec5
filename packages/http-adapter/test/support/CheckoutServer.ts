/** Servers and tenants for tests of repository checkouts. */
import { randomBytes } from "node:crypto"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { SecretBox } from "@earshot/core"
import * as AesSecretBox from "@earshot/core/providers/AesSecretBox"
import * as CodeHosts from "@earshot/core/providers/CodeHosts"
import { CheckoutKit, TestEngine } from "@earshot/test-kit"
import * as Either from "effect/Either"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { afterAll, expect } from "vitest"
import { textAt } from "./Contract.js"
import { serverForBlock, type Tenant, type TestServer } from "./TestServer.js"
import { CHECKOUTS, CONNECTIONS, TOKENS } from "./paths.js"

export const { basic, git } = CheckoutKit

export const boxOf = (...keys: ReadonlyArray<string>): Layer.Layer<SecretBox.SecretBox> =>
  AesSecretBox.layer(Either.getOrThrow(AesSecretBox.parse(Redacted.make(keys.join(",")))))

export const makeServer = async (
  database: TestEngine.DatabaseName,
  limits: { readonly maxProcesses?: number } = {}
) => {
  const folder = CheckoutKit.temporaryFolder()
  afterAll(folder.remove)
  const listening: { url?: string } = {}
  const directory = join(folder.path, "repositories")
  mkdirSync(directory)
  const server = await serverForBlock({
    database,
    ports: {
      secretBox: boxOf(randomBytes(32).toString("base64")),
      allowHosts: ["127.0.0.1"],
      codeHosts: CodeHosts.layer({
        timeoutMillis: 2_000,
        local: { directory, publicUrl: () => listening.url, ...limits }
      })
    }
  })
  listening.url = server.url
  return { server, directory, clones: join(folder.path, "clones") }
}

export const sessionOf = async (server: TestServer, { agent, key }: Tenant, ttl?: number) => {
  const { json } = await server.send("POST", TOKENS, {
    key,
    json: { kind: "agent_session", bounds: [{ type: "agent", id: agent }], ...(ttl === undefined ? {} : { ttl }) }
  })
  return { token: textAt(json, "token"), jti: textAt(json, "jti") }
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** A tenant with a session, a folder with a repository `web`, and an active local connection. */
export const localTenant = async ({ directory, server }: Awaited<ReturnType<typeof makeServer>>) => {
  const tenant = await server.tenant()
  const { key } = tenant
  const home = join(directory, String(tenant.organization))
  await CheckoutKit.makeRepository(join(home, "web.git"), { "README.md": "The web" })
  const made = await server.send("POST", CONNECTIONS, { key, json: { host: "local", name: "Here" } })
  expect([made.status, made.json]).toEqual([201, expect.objectContaining({ host: "local", state: "inactive" })])
  const connection = `${CONNECTIONS}${textAt(made.json, "id")}/`
  const active = await server.send("POST", `${connection}activate/`, { key })
  expect([active.status, active.json]).toEqual([200, expect.objectContaining({ state: "active", test_error: null })])
  const session = await sessionOf(server, tenant)
  const checkout = async (repo: unknown, token = session.token) =>
    server.send("POST", CHECKOUTS, { key, headers: bearer(token), json: { repo } })
  return { ...tenant, home, connection, session, checkout }
}

export const dump = (server: TestServer): Promise<string> => server.run(TestEngine.dump)

/** Every form that a secret is likely to take in a text. */
export const forms = (secret: string): ReadonlyArray<string> => [
  secret,
  Buffer.from(secret).toString("base64"),
  Buffer.from(`x-access-token:${secret}`).toString("base64"),
  encodeURIComponent(secret)
]
