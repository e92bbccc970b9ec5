import { Checkouts } from "@earshot/core"
import { CheckoutKit, TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll, describe, expect, it } from "vitest"
import { textAt } from "../support/Contract.js"
import { makeServer, sessionOf, bearer, dump, forms } from "../support/CheckoutServer.js"
import { CHECKOUTS, CONNECTIONS, TOKENS } from "../support/paths.js"

describe.each(TestEngine.databases)("remote code hosts on %s", async (database) => {
  const scope = Effect.runSync(Scope.make())
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const github = await Effect.runPromise(Scope.extend(CheckoutKit.fakeGitHub(), scope))
  const gitlab = await Effect.runPromise(Scope.extend(CheckoutKit.fakeGitLab, scope))
  const { server } = await makeServer(database)
  const tenant = await server.tenant()
  const { key } = tenant
  const session = await sessionOf(server, tenant)
  const drafts = {
    github: {
      host: "github",
      settings: {
        base_url: github.url,
        app_id: github.appId,
        installation_id: github.installationId,
        owner: github.owner.toLowerCase()
      },
      secret: github.privateKey
    },
    gitlab: {
      host: "gitlab",
      settings: { base_url: gitlab.url, namespace: gitlab.namespace },
      secret: gitlab.accessToken
    }
  }
  const connect = async (host: keyof typeof drafts): Promise<string> => {
    const made = await server.send("POST", CONNECTIONS, { key, json: drafts[host] })
    expect(made.status, made.text).toBe(201)
    return `${CONNECTIONS}${textAt(made.json, "id")}/`
  }
  const activate = async (host: keyof typeof drafts): Promise<string> => {
    const path = await connect(host)
    expect((await server.send("POST", `${path}activate/`, { key })).status).toBe(200)
    return path
  }
  const checkout = (token = session.token) =>
    server.send("POST", CHECKOUTS, { key, headers: bearer(token), json: { repo: "web" } })
  const endDue = () => server.run(Effect.flatMap(Checkouts, (checkouts) => checkouts.releaseDue))
  const later = (seconds: number) =>
    server.run(TestEngine.execute(`UPDATE checkout_grants SET next_attempt_ms = next_attempt_ms - ${seconds * 1000}`))
  const expire = () => server.run(TestEngine.execute(`UPDATE checkout_grants SET expires_ms = ${Date.now() - 1}`))

  it("are asked for a new token on every request", async () => {
    await activate("github")
    const counted = () => github.requests.filter(({ method }) => method === "POST").length
    const before = counted()
    const tokens = new Set([textAt((await checkout()).json, "token"), textAt((await checkout()).json, "token")])
    expect([tokens.size, counted() - before]).toEqual([2, 2])
    github.repositories.delete("web")
    expect((await checkout()).status).toBe(404)
    github.repositories.add("web")
    const answer = await checkout()
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"])
    expect(answer.json).toMatchObject({ full_name: "Harbor-Dental/web", username: "x-access-token" })
  })

  it("are reported with 502 when they fail, without quoting their response", async () => {
    const responseText = "text-of-the-host"
    for (const [outcome, detail, retryAfter] of [
      [
        { status: 401, body: { message: responseText } },
        "The code host refuses the connection's credential (HTTP 401).",
        null
      ],
      [
        { status: 403, body: { message: responseText } },
        "The code host forbids this to the connection (HTTP 403).",
        null
      ],
      [
        { status: 404, body: { message: responseText } },
        "The app's installation was removed. Install the app again, and create another connection.",
        null
      ],
      [{ status: 500, body: responseText }, "The code host answered HTTP 500.", null],
      [{ status: 429, headers: { "retry-after": "17" } }, "The code host's rate limit is exceeded (HTTP 429).", "17"],
      ["hangs", "The code host took longer than 2 seconds.", null],
      ["cut", "The code host cannot be reached (ECONNRESET).", null]
    ] as const) {
      github.fail("POST", "/app/installations/", outcome)
      const answer = await checkout()
      expect([answer.status, answer.json, answer.headers.get("retry-after")]).toEqual([502, { detail }, retryAfter])
      expect(answer.headers.get("cache-control")).toBe("no-store")
      github.recover()
    }
    github.fail("POST", "/app/installations/", { status: 422, body: { message: responseText } })
    github.repositories.delete("web")
    expect((await checkout()).status).toBe(404)
    github.repositories.add("web")
    github.recover()
    expect((await checkout()).status).toBe(200)
    expect(server.logs()).not.toContain(responseText)
  })

  it("are tested on demand and before activation, and a failed activation changes nothing", async () => {
    const path = await connect("gitlab")
    gitlab.fail("GET", "/api/v4/personal", { status: 401 })
    const tested = await server.send("POST", `${path}test/`, { key })
    expect([tested.status, tested.json]).toMatchObject([
      200,
      { state: "inactive", test_error: "The code host refuses the connection's credential (HTTP 401)." }
    ])
    expect((await server.send("POST", `${path}activate/`, { key })).status).toBe(502)
    expect((await checkout()).json).toMatchObject({ full_name: "Harbor-Dental/web" })
    gitlab.recover()
    expect((await server.send("POST", `${path}activate/`, { key })).json).toMatchObject({
      state: "active",
      test_error: null
    })
    expect((await checkout()).json).toMatchObject({ full_name: "Harbor/dental/web", username: "oauth2" })
    const states = (await server.send("GET", CONNECTIONS, { key })).json
    expect(JSON.stringify(states).match(/"state":"active"/g)).toHaveLength(1)
  })

  it("are told to revoke their tokens when the session or connection is revoked or the hour is over", async () => {
    for (const host of ["github", "gitlab"] as const) {
      const fake = host === "github" ? github : gitlab
      const path = await activate(host)
      await endDue()
      const before = fake.tokens.size
      const own = await sessionOf(server, tenant)
      expect((await checkout(own.token)).status).toBe(200)
      expect((await checkout()).status).toBe(200)
      expect(fake.tokens.size).toBe(before + 2)
      expect(await endDue()).toEqual({ released: 0, failed: 0 })
      await server.send("POST", `${TOKENS}revoke/`, { key, json: { jti: own.jti } })
      expect(await endDue()).toEqual({ released: 1, failed: 0 })
      expect(fake.tokens.size).toBe(before + 1)

      await expire()
      fake.fail("DELETE", "/", { status: 500 })
      expect((await endDue()).failed).toBeGreaterThan(0)
      fake.recover()
      // It is left alone for a while.
      expect(await endDue()).toEqual({ released: 0, failed: 0 })
      await later(20)
      expect((await endDue()).released).toBeGreaterThan(0)
      expect(fake.tokens.size).toBe(0)

      // A host that is down while its connection is revoked gives the keys back once it is up.
      expect((await checkout()).status).toBe(200)
      fake.fail("DELETE", "/", "cut")
      expect((await server.send("DELETE", path, { key })).status).toBe(204)
      expect((await server.send("DELETE", path, { key })).status).toBe(204)
      expect((await checkout()).status).toBe(409)
      expect((await server.send("POST", `${path}activate/`, { key })).status).toBe(409)
      expect((await server.send("POST", `${path}test/`, { key })).status).toBe(409)
      const sealed = () =>
        server.run(
          TestEngine.execute(
            `SELECT id FROM code_connections WHERE revoked_ms IS NOT NULL AND sealed_secret IS NOT NULL`
          )
        )
      expect(await sealed()).toHaveLength(1)
      fake.recover()
      await later(20)
      expect(await endDue()).toEqual({ released: 1, failed: 0 })
      expect([fake.tokens.size, await sealed()]).toEqual([0, []])
    }
  })

  it("that fail repeatedly are retried with a delay that does not delay other hosts' revocations", async () => {
    const path = await activate("gitlab")
    for (let n = 0; n < 12; n++) expect((await checkout()).status).toBe(200)
    await activate("github")
    expect(gitlab.tokens.size).toBe(0)
    for (let n = 0; n < 12; n++) expect((await checkout()).status).toBe(200)
    await expire()
    github.fail("DELETE", "/", "cut")
    const asked = () => github.requests.filter(({ method }) => method === "DELETE").length
    const before = asked()
    const other = await server.tenant()
    const theirs = await server.send("POST", CONNECTIONS, { key: other.key, json: drafts.gitlab })
    await server.send("POST", `${CONNECTIONS}${textAt(theirs.json, "id")}/activate/`, { key: other.key })
    const token = (await sessionOf(server, other)).token
    const made = await server.send("POST", CHECKOUTS, { key: other.key, headers: bearer(token), json: { repo: "web" } })
    expect(made.status).toBe(200)
    await expire()
    expect(await endDue()).toEqual({ released: 1, failed: 12 })
    expect(asked() - before).toBeLessThan(12)
    expect(gitlab.tokens.size).toBe(0)
    github.recover()
    await later(1000)
    expect(await endDue()).toEqual({ released: 12, failed: 0 })
    expect(github.tokens.size).toBe(0)
    await server.send("DELETE", path, { key })
  })

  it("store the secret of a connection only encrypted", async () => {
    await activate("gitlab")
    await checkout()
    const path = await activate("github")
    const made = await checkout()
    const shown = [
      (await server.send("GET", CONNECTIONS, { key })).text,
      (await server.send("GET", path, { key })).text,
      server.logs(),
      await dump(server)
    ]
    const lines = github.privateKey.split("\n").slice(1, -2)
    for (const text of shown) {
      for (const secret of [...lines, gitlab.accessToken, textAt(made.json, "token"), session.token]) {
        for (const form of forms(secret)) expect(text.includes(form)).toBe(false)
      }
    }
  })

  it("require permission to manage connections and report all errors of their settings at once", async () => {
    const post = async (json: unknown) => {
      const answer = await server.send("POST", CONNECTIONS, { key, json })
      return [answer.status, answer.json]
    }
    expect(await post({})).toEqual([400, { host: ["This field is required."] }])
    expect(await post({ host: "svn" })).toEqual([
      400,
      { host: ['"svn" is not a valid choice. Choose from github, gitlab, local.'] }
    ])
    expect(await post({ host: "local", settings: { directory: "/" }, secret: "x" })).toEqual([
      400,
      { settings: ["A local connection has no settings."], secret: ["A local connection has no secret."] }
    ])
    expect(
      await post({ host: "gitlab", settings: { base_url: "http://10.0.0.1", namespace: "a" }, secret: "t" })
    ).toEqual([400, { "settings.base_url": [expect.stringContaining("Use https")] }])
    const scoped = await server.send("POST", "/user/v1/api_keys/", {
      key,
      json: { name: "K", scopes: ["checkouts:create"] }
    })
    const little = textAt(scoped.json, "api_key")
    expect((await server.send("GET", CONNECTIONS, { key: little })).status).toBe(403)
    const other = await server.tenant()
    const path = await connect("github")
    for (const [method, at] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "test/"],
      ["POST", "activate/"]
    ] as const) {
      expect((await server.send(method, path + at, { key: other.key })).status).toBe(404)
    }
  })
})
