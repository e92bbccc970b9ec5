import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { Checkouts, CodeConnections } from "@earshot/core"
import * as AesSecretBox from "@earshot/core/providers/AesSecretBox"
import * as CodeHosts from "@earshot/core/providers/CodeHosts"
import { CheckoutKit, TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { afterAll, describe, expect, it } from "vitest"
import { at } from "./support/Contract.js"
import { raw, serving, type Tenant, type TestServer } from "./support/TestServer.js"

const { basic, git } = CheckoutKit
const E2 = "/repohost/checkout-token/"
const CONNECTIONS = "/repohost/connections/"
const TOKENS = "/user/v1/tokens/"

const folder = CheckoutKit.temporaryFolder()
afterAll(folder.remove)
const hasGit = await CheckoutKit.hasGit()

const boxOf = (...keys: ReadonlyArray<string>) =>
  AesSecretBox.layer(Either.getOrThrow(AesSecretBox.parse(Redacted.make(keys.join(",")))))

const makeServer = async (database: TestEngine.DatabaseName, limits: { readonly maxProcesses?: number } = {}) => {
  const listening: { url?: string } = {}
  const directory = join(folder.path, `${database}-${randomBytes(4).toString("hex")}`)
  mkdirSync(directory)
  const server = await serving({
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
  return { server, directory }
}

const textAt = (value: unknown, ...path: ReadonlyArray<string>): string => String(at(value, ...path))

const sessionOf = async (server: TestServer, { agent, key }: Tenant, ttl?: number) => {
  const { json } = await server.send("POST", TOKENS, {
    key,
    json: { kind: "agent_session", bounds: [{ type: "agent", id: agent }], ...(ttl === undefined ? {} : { ttl }) }
  })
  return { token: textAt(json, "token"), jti: textAt(json, "jti") }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** A tenant with a session, a folder with a repository `web`, and an active local connection. */
const localTenant = async ({ directory, server }: Awaited<ReturnType<typeof makeServer>>) => {
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
    server.send("POST", E2, { key, headers: bearer(token), json: { repo } })
  return { ...tenant, home, connection, session, checkout }
}

const dump = (server: TestServer): Promise<string> => server.run(TestEngine.dump)

/** Every form that a secret is likely to take in a text. */
const forms = (secret: string): ReadonlyArray<string> => [
  secret,
  Buffer.from(secret).toString("base64"),
  Buffer.from(`x-access-token:${secret}`).toString("base64"),
  encodeURIComponent(secret)
]

const fields = ["clone_url", "default_branch", "expires_at", "full_name", "permissions", "repo", "token", "username"]

for (const database of TestEngine.databases) {
  describe.skipIf(!hasGit)(`repositories of this machine on ${database}`, async () => {
    const fixture = await makeServer(database)
    const { directory, server } = fixture
    const tenant = await localTenant(fixture)
    const { checkout, home, key, session } = tenant
    let clones = 0
    const target = () => join(folder.path, `${database}-clone-${clones++}`)
    const cloneWith = (url: string, header: string, ...options: ReadonlyArray<string>) => {
      const path = target()
      return git(["clone", "--quiet", ...options, url, path], { headers: [header] }).then((outcome) => ({
        ...outcome,
        path
      }))
    }

    it("hands out a key as the interface's users expect it, in any encoding, never kept by anything", async () => {
      const before = Date.now()
      const asked = [
        { json: { repo: "web" } },
        { body: new URLSearchParams({ repo: "web" }) },
        {
          body: (() => {
            const form = new FormData()
            form.set("repo", "web")
            return form
          })()
        }
      ]
      const seen = new Set<string>()
      for (const [position, one] of asked.entries()) {
        const path = position === 0 ? E2 : E2.slice(0, -1)
        const answer = await server.send("POST", path, { key, headers: bearer(session.token), ...one })
        expect(answer.status, answer.text).toBe(200)
        expect(answer.headers.get("cache-control")).toBe("no-store")
        expect(Object.keys(Object(answer.json)).sort()).toEqual(fields)
        expect(answer.json).toMatchObject({
          repo: "web",
          full_name: `${tenant.organization}/web`,
          clone_url: `${server.url}/repohost/git/${tenant.organization}/web.git`,
          default_branch: "main",
          permissions: { contents: "read" }
        })
        seen.add(textAt(answer.json, "token"))
        const life = Date.parse(textAt(answer.json, "expires_at")) - before
        expect(life).toBeGreaterThan(3_500_000)
        expect(life).toBeLessThanOrEqual(3_660_000)
      }
      expect(seen.size).toBe(3)
    })

    it("asks for a session of the same organisation, and says in the interface's ways what is wrong", async () => {
      const other = await server.tenant()
      const foreign = await sessionOf(server, other)
      const send = (headers: Readonly<Record<string, string>>, json: unknown, apiKey: string | undefined = key) =>
        server.send("POST", E2, { ...(apiKey === "" ? {} : { key: apiKey }), headers, json })
      for (const [answer, status] of [
        [await send({}, { repo: "web" }), 401],
        [await send(bearer(session.token), { repo: "web" }, ""), 401],
        [await send(bearer(foreign.token), { repo: "web" }), 401],
        [await send(bearer(session.token), { repo: "web" }, other.key), 401],
        [await send(bearer(key), { repo: "web" }), 401],
        [await send(bearer(foreign.token), { repo: "web" }, other.key), 409],
        [await send(bearer(session.token), {}), 400],
        [await send(bearer(session.token), { repo: "  " }), 400],
        [await send(bearer(session.token), { repo: "web\0" }), 400],
        [await send(bearer(session.token), { repo: { name: "web" } }), 400],
        [await send(bearer(session.token), { repo: "nothing" }), 404]
      ] as const) {
        expect([answer.status, answer.text], answer.text).toEqual([status, expect.stringContaining("")])
        expect(answer.headers.get("cache-control")).toBe("no-store")
        if (status === 401) expect(answer.headers.get("www-authenticate")).toContain("Bearer")
      }
      for (const kind of ["oauth2", "dashboard_session"]) {
        const { json } = await server.send("POST", TOKENS, { key, json: { kind } })
        expect((await send(bearer(textAt(json, "token")), { repo: "web" })).status, kind).toBe(401)
      }
      const long = await server.send("POST", TOKENS, {
        key,
        json: { kind: "agent_session", bounds: [{ type: "agent", id: tenant.agent }], ttl: 901 }
      })
      expect([long.status, long.json]).toEqual([400, { ttl: ["Ensure this value is less than or equal to 900."] }])
    })

    it("knows nothing of names that would lead elsewhere, nor of another organisation's repositories", async () => {
      const other = await localTenant(fixture)
      await CheckoutKit.makeRepository(join(other.home, "theirs.git"), { secret: "theirs" })
      symlinkSync(join(other.home, "theirs.git"), join(home, "linked.git"))
      mkdirSync(join(home, "empty.git"))
      for (const name of [
        ...CheckoutKit.hostileNames,
        "theirs",
        "linked",
        "empty",
        "WEB",
        `../${other.organization}/theirs`
      ]) {
        const { status, text } = await checkout(name)
        expect([name, status], text).toEqual([name, 404])
      }
    })

    it("clones and fetches with the key in a header, in every version of the protocol, and keeps it in no file", async () => {
      const { json } = await checkout("web")
      const [token, url] = [textAt(json, "token"), textAt(json, "clone_url")]
      for (const version of ["0", "1", "2"]) {
        const path = target()
        const options = { headers: [basic("x-access-token", token)], config: { "protocol.version": version } }
        const cloned = await git(["clone", "--quiet", url, path], options)
        expect([version, cloned.code, cloned.stderr]).toEqual([version, 0, ""])
        expect(readFileSync(join(path, "README.md"), "utf8")).toBe("The web")
        await CheckoutKit.addCommit(join(home, "web.git"), { "later.txt": version })
        const fetched = await git(["pull", "--quiet"], { ...options, cwd: path })
        expect([fetched.code, fetched.stderr]).toEqual([0, ""])
        expect(readFileSync(join(path, "later.txt"), "utf8")).toBe(version)
        const config = readFileSync(join(path, ".git", "config"), "utf8")
        for (const form of forms(token)) expect(config).not.toContain(form)
      }
      expect((await cloneWith(url, `Authorization: Bearer ${token}`, "--depth=1")).code).toBe(0)
      expect((await cloneWith(url, basic("anybody", token), "--mirror")).code).toBe(0)
      expect((await git(["ls-remote", url], { headers: [basic("x", token)] })).stdout).toContain("refs/heads/main")
    })

    it("stays out of every file when docs/checkout.md is followed to the letter", async () => {
      const guide = readFileSync(new URL("../../../docs/checkout.md", import.meta.url), "utf8")
      const lines = /```sh\n(export GIT_CONFIG_COUNT[^]*?)```/.exec(guide)?.[1] ?? ""
      expect(lines).toContain('git clone "$CLONE_URL"')
      const { json } = await checkout("web")
      const token = textAt(json, "token")
      const parent = target()
      mkdirSync(parent)
      const shell = spawn("sh", ["-euc", `${lines}\ncd web && git fetch`], {
        cwd: parent,
        stdio: "ignore",
        env: {
          PATH: process.env.PATH,
          HOME: parent,
          GIT_CONFIG_NOSYSTEM: "1",
          GIT_TERMINAL_PROMPT: "0",
          CLONE_URL: textAt(json, "clone_url"),
          USERNAME: textAt(json, "username"),
          TOKEN: token
        }
      })
      expect(await new Promise((resolve) => shell.once("close", resolve))).toBe(0)
      const written = readdirSync(parent, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
      expect(written.map(({ name }) => name)).toContain("config")
      for (const file of written) {
        const text = readFileSync(join(file.parentPath, file.name), "latin1")
        for (const form of forms(token)) expect(text.includes(form), file.name).toBe(false)
      }
    })

    it("refuses to be pushed to", async () => {
      const { json } = await checkout("web")
      const [token, url] = [textAt(json, "token"), textAt(json, "clone_url")]
      const headers = [basic("x-access-token", token)]
      const { path } = await cloneWith(url, headers[0] ?? "")
      await git(["commit", "--quiet", "--allow-empty", "-m", "Mine"], { cwd: path })
      const pushed = await git(["push", "origin", "HEAD:main"], { cwd: path, headers })
      expect(pushed.code).not.toBe(0)
      expect(pushed.stderr).toContain("403")
      const address = url.slice(server.url.length)
      for (const [method, ask] of [
        ["GET", "/info/refs?service=git-receive-pack"],
        ["GET", "/info/refs"],
        ["GET", "/info/refs?service=git-upload-archive"],
        ["POST", "/git-receive-pack"]
      ] as const) {
        const answer = await fetch(server.url + address + ask, {
          method,
          headers: { authorization: (headers[0] ?? "").slice("Authorization: ".length) }
        })
        expect([ask, answer.status, await answer.json()]).toEqual([
          ask,
          403,
          { detail: "Repositories are read-only: pushing is not supported." }
        ])
      }
      for (const ask of ["/HEAD", "/objects/info/packs", "/config", "/git-upload-archive"]) {
        expect((await fetch(server.url + address + ask)).status, ask).toBe(404)
      }
    })

    it("opens the one repository it was made for and no other, whatever the URL says", async () => {
      await CheckoutKit.makeRepository(join(home, "other.git"), { a: "b" })
      const token = textAt((await checkout("web")).json, "token")
      const authorization = `Bearer ${token}`
      const organization = String(tenant.organization)
      const ask = (path: string) =>
        raw(
          server.port,
          `GET /repohost/git/${path}/info/refs?service=git-upload-pack HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`
        )
      expect(await ask(`${organization}/web.git`)).toContain("HTTP/1.1 200")
      for (const path of [
        `${organization}/other.git`,
        `${organization}/web`,
        `${organization}/web.git.git`,
        `${organization}/.git`,
        `${organization}/../${organization}/web.git`,
        `${organization}/..%2f${organization}%2fweb.git`,
        `${organization}%2fweb.git/web.git`,
        `${organization}/%2e%2e/web.git`,
        `${organization}/-web.git`,
        `${organization}/--strict.git`,
        `${organization}/web.git%00`,
        `${organization}/web.git%2f`,
        `${organization}/WEB.git`,
        `0${organization}/web.git`,
        `${organization}.0/web.git`,
        `${tenant.organization + 1}/web.git`,
        `/web.git`,
        "web.git"
      ]) {
        expect([path, (await ask(path)).slice(0, 12)]).toEqual([path, "HTTP/1.1 404"])
      }
      expect((await ask(`${organization}/%ff.git`)).slice(0, 12)).toBe("HTTP/1.1 400")
      const wrong = [
        undefined,
        "Bearer",
        "Bearer x",
        `Bearer ${token.slice(0, -1)}`,
        `Bearer ${key}`,
        "Digest x",
        `Basic ${token}`
      ]
      for (const header of wrong) {
        const answer = await fetch(
          `${server.url}/repohost/git/${organization}/web.git/info/refs?service=git-upload-pack`,
          {
            headers: header === undefined ? {} : { authorization: header }
          }
        )
        expect([header, answer.status]).toEqual([header, 401])
        expect(answer.headers.get("www-authenticate")).toBe('Basic realm="earshot"')
      }
    })

    it("ends the moment its time, its session, its connection or its agent does", async () => {
      const ends = async (end: (one: Awaited<ReturnType<typeof localTenant>>) => Promise<unknown>, status = 401) => {
        const one = await localTenant(fixture)
        const { json } = await one.checkout("web")
        const [token, url] = [textAt(json, "token"), textAt(json, "clone_url")]
        const headers = [basic("x-access-token", token)]
        const { path } = await cloneWith(url, headers[0] ?? "")
        expect((await git(["fetch"], { cwd: path, headers })).code).toBe(0)
        await end(one)
        const fetched = await git(["fetch"], { cwd: path, headers })
        expect(fetched.code).not.toBe(0)
        expect(fetched.stderr).toMatch(/could not read Username|terminal prompts disabled|Authentication failed/)
        expect((await cloneWith(url, headers[0] ?? "")).code).not.toBe(0)
        expect((await one.checkout("web")).status).toBe(status)
      }
      await ends(({ key, session }) => server.send("POST", `${TOKENS}revoke/`, { key, json: { jti: session.jti } }))
      await ends(({ connection, key }) => server.send("DELETE", connection, { key }), 409)
      await ends(({ agent, key }) => server.send("DELETE", `/test_framework/v1/agents/${agent}/`, { key }))
      // Another connection takes its place, and offers the repository as well.
      await ends(async ({ key }) => {
        const { json } = await server.send("POST", CONNECTIONS, { key, json: { host: "local" } })
        await server.send("POST", `${CONNECTIONS}${textAt(json, "id")}/activate/`, { key })
      }, 200)
      await ends(
        ({ organization }) =>
          server.run(
            TestEngine.execute(
              `UPDATE checkout_grants SET expires_ms = ${Date.now() - 1} WHERE organization_id = ${organization}`
            )
          ),
        200
      )
    })

    it("ends with the repository itself", async () => {
      await CheckoutKit.makeRepository(join(home, "moving.git"), { a: "b" })
      const { json } = await checkout("moving")
      const [token, url] = [textAt(json, "token"), textAt(json, "clone_url")]
      renameSync(join(home, "moving.git"), join(home, "moved.git"))
      expect((await git(["ls-remote", url], { headers: [basic("x", token)] })).stderr).toContain("not found")
      expect((await checkout("moving")).status).toBe(404)
    })

    it("says that a repository cannot be read where git itself cannot, before anything else is said", async () => {
      await CheckoutKit.makeRepository(join(home, "broken.git"), { a: "b" })
      const { json } = await checkout("broken")
      const url = textAt(json, "clone_url")
      writeFileSync(join(home, "broken.git", "HEAD"), "nonsense")
      for (const protocol of ["version=0", "version=2"]) {
        const answer = await fetch(`${url}/info/refs?service=git-upload-pack`, {
          headers: { ...bearer(textAt(json, "token")), "git-protocol": protocol }
        })
        expect([answer.status, await answer.json()]).toEqual([502, { detail: "The repository could not be read." }])
      }
    })

    it("is had through one connection, whichever of two that are activated at once comes last", async () => {
      const one = await localTenant(fixture)
      const another = async () => {
        const { json } = await server.send("POST", CONNECTIONS, { key: one.key, json: { host: "local" } })
        return `${CONNECTIONS}${textAt(json, "id")}/`
      }
      const paths = [await another(), await another()]
      const activate = (path: string) => server.send("POST", `${path}activate/`, { key: one.key })
      for (let round = 0; round < 10; round++) {
        await activate(one.connection)
        const answers = await Promise.all([...paths, ...paths].map(activate))
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
        const { text } = await server.send("GET", CONNECTIONS, { key: one.key })
        expect(text.match(/"state":"active"/g)).toHaveLength(1)
      }
    })

    it("leaves no secret in logs or in the database", async () => {
      const { json } = await checkout("web")
      const [token, url] = [textAt(json, "token"), textAt(json, "clone_url")]
      await cloneWith(url, basic("x-access-token", token))
      await fetch(`${url}/info/refs?service=git-upload-pack&token=${token}`, { headers: bearer(token) })
      const texts = { logs: server.logs(), database: await dump(server) }
      expect(texts.logs).toContain("/repohost/git/:organization/:repository/info/refs")
      expect(texts.database).toContain('"repository":"web"')
      for (const [name, text] of Object.entries(texts)) {
        for (const secret of [token, session.token, key]) {
          for (const form of forms(secret)) expect(text.includes(form), name).toBe(false)
        }
      }
    })

    it("takes no more of a client than a client needs", async () => {
      const { json } = await checkout("web")
      const [token, url] = [textAt(json, "token"), textAt(json, "clone_url")]
      const type = "application/x-git-upload-pack-request"
      const post = async (body: Uint8Array, headers: Readonly<Record<string, string>>) =>
        (await fetch(`${url}/git-upload-pack`, { method: "POST", body, headers: { ...bearer(token), ...headers } }))
          .status
      expect(await post(Buffer.from("0000"), { "content-type": "application/json" })).toBe(415)
      expect(await post(Buffer.from("0000"), { "content-type": type, "content-encoding": "br" })).toBe(415)
      expect(await post(Buffer.from("no gzip"), { "content-type": type, "content-encoding": "gzip" })).toBe(400)
      const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
      expect(bomb.length).toBeLessThan(100_000)
      expect(await post(bomb, { "content-type": type, "content-encoding": "gzip" })).toBe(413)
      expect(await post(randomBytes(11 * 1024 * 1024), { "content-type": type })).toBe(413)
      // What git itself does not understand ends without harm.
      for (const body of [
        "0000",
        "zzzz",
        "0009done\n",
        "0032want 0000000000000000000000000000000000000000\n00000009done\n"
      ]) {
        expect([200, 502]).toContain(await post(Buffer.from(body), { "content-type": type }))
      }
      expect((await cloneWith(url, basic("x", token))).code).toBe(0)
    })

    it("is served from the folder of the organisation alone", () => {
      expect(existsSync(join(directory, String(tenant.organization)))).toBe(true)
    })
  })
}

describe.skipIf(!hasGit)("a clone under way", async () => {
  const fixture = await makeServer("sqlite", { maxProcesses: 1 })
  const { server } = fixture

  it("is one of so many at a time, streams at its reader's pace, and ends when its reader goes", async () => {
    const { checkout, home } = await localTenant(fixture)
    const noise = Object.fromEntries(Array.from({ length: 14 }, (_, n) => [`noise-${n}`, randomBytes(1024 * 1024)]))
    await CheckoutKit.makeRepository(join(home, "large.git"), noise)
    const { json } = await checkout("large")
    const [token, url] = [textAt(json, "token"), textAt(json, "clone_url")]
    const header = basic("x-access-token", token)
    const { stdout } = await git(["ls-remote", url, "refs/heads/main"], { headers: [header] })
    const want = stdout.slice(0, 40)
    const line = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text
    const request = `${line(`want ${want} side-band-64k ofs-delta\n`)}0000${line("done\n")}`
    const controller = new AbortController()
    const slow = await fetch(`${url}/git-upload-pack`, {
      method: "POST",
      body: request,
      signal: controller.signal,
      headers: { ...bearer(token), "content-type": "application/x-git-upload-pack-request" }
    })
    expect(slow.status).toBe(200)
    const reader = slow.body!.getReader()
    await reader.read()
    // It is held, unread, and nobody else is let in meanwhile.
    const other = await fetch(`${url}/info/refs?service=git-upload-pack`, { headers: bearer(token) })
    expect([other.status, other.headers.get("retry-after")]).toEqual([503, "1"])
    controller.abort()
    let code = 1
    for (let tries = 0; tries < 100 && code !== 0; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      code = (await git(["ls-remote", url], { headers: [header] })).code
    }
    expect(code).toBe(0)
    const whole = join(folder.path, "large-clone")
    expect((await git(["clone", "--quiet", url, whole], { headers: [header] })).code).toBe(0)
    expect(existsSync(join(whole, "noise-13"))).toBe(true)
    // Nothing is left running.
    const processes = await new Promise<string>((resolve) => {
      const ps = spawn("ps", ["-eo", "args"])
      let text = ""
      ps.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()))
      ps.on("error", () => resolve(""))
      ps.on("close", () => resolve(text))
    })
    expect(processes).not.toContain(join(home, "large.git"))
    expect(server.logs()).not.toContain(token)
  })
})

describe.skipIf(!hasGit)("clones of one organisation", async () => {
  const fixture = await makeServer("sqlite", { maxProcesses: 2 })

  it("take half of the places at most, and give them back however they end", async () => {
    const { server } = fixture
    const noise = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`noise-${n}`, randomBytes(1024 * 1024)]))
    const [mine, theirs] = [await localTenant(fixture), await localTenant(fixture)]
    await CheckoutKit.makeRepository(join(mine.home, "large.git"), noise)
    const { json } = await mine.checkout("large")
    const [token, url] = [textAt(json, "token"), textAt(json, "clone_url")]
    const head = (await git(["ls-remote", url, "HEAD"], { headers: [basic("x", token)] })).stdout.slice(0, 40)
    const line = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text
    const controller = new AbortController()
    const slow = await fetch(`${url}/git-upload-pack`, {
      method: "POST",
      body: `${line(`want ${head} side-band-64k ofs-delta\n`)}0000${line("done\n")}`,
      signal: controller.signal,
      headers: { ...bearer(token), "content-type": "application/x-git-upload-pack-request" }
    })
    await slow.body!.getReader().read()
    const refs = (to: string, key: string, method = "GET") =>
      fetch(`${to}/info/refs?service=git-upload-pack`, { method, headers: bearer(key) })
    expect((await refs(url, token)).status).toBe(503)
    const other = (await theirs.checkout("web")).json
    expect((await refs(textAt(other, "clone_url"), textAt(other, "token"))).status).toBe(200)
    controller.abort()
    let status = 503
    for (let tries = 0; tries < 100 && status !== 200; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      status = (await refs(url, token)).status
    }
    expect(status).toBe(200)
    // Neither a HEAD nor a client that goes at once keeps a place.
    const address = url.slice(server.url.length)
    for (let n = 0; n < 10; n++) {
      expect([200, 503]).toContain((await refs(url, token, "HEAD")).status)
      const socket = connect(server.port, "127.0.0.1", () => {
        socket.write(
          `GET ${address}/info/refs?service=git-upload-pack HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
        )
        setTimeout(() => socket.destroy(), n)
      })
      await new Promise((resolve) => socket.once("close", resolve))
    }
    for (let tries = 0; tries < 100 && status !== 0; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      status = (await git(["ls-remote", url], { headers: [basic("x", token)] })).code
    }
    expect(status).toBe(0)
  })
})

for (const database of TestEngine.databases) {
  describe(`code hosts elsewhere on ${database}`, async () => {
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
      server.send("POST", E2, { key, headers: bearer(token), json: { repo: "web" } })
    const endDue = () => server.run(Effect.flatMap(Checkouts, (checkouts) => checkouts.releaseDue))
    const later = (seconds: number) =>
      server.run(TestEngine.execute(`UPDATE checkout_grants SET next_attempt_ms = next_attempt_ms - ${seconds * 1000}`))
    const expire = () => server.run(TestEngine.execute(`UPDATE checkout_grants SET expires_ms = ${Date.now() - 1}`))

    it("are asked at every request, and nothing they said is used again", async () => {
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
      expect(answer.json).toMatchObject({ full_name: "Harbour-Dental/web", username: "x-access-token" })
    })

    it("have their failures answered as theirs, 502, with no word of what they said", async () => {
      const said = "said-by-the-host"
      for (const [outcome, detail, retryAfter] of [
        [
          { status: 401, body: { message: said } },
          "The code host refuses the connection's credential (HTTP 401).",
          null
        ],
        [{ status: 403, body: { message: said } }, "The code host forbids this to the connection (HTTP 403).", null],
        [{ status: 404, body: { message: said } }, "The app's installation is gone.", null],
        [{ status: 500, body: said }, "The code host answered HTTP 500.", null],
        [{ status: 429, headers: { "retry-after": "17" } }, "The code host is asked too often.", "17"],
        ["hangs", "The code host took longer than 2 seconds.", null],
        ["cut", "The code host cannot be reached (ECONNRESET).", null]
      ] as const) {
        github.fail("POST", "/app/installations/", outcome)
        const answer = await checkout()
        expect([answer.status, answer.json, answer.headers.get("retry-after")]).toEqual([502, { detail }, retryAfter])
        expect(answer.headers.get("cache-control")).toBe("no-store")
        github.recover()
      }
      github.fail("POST", "/app/installations/", { status: 422, body: { message: said } })
      github.repositories.delete("web")
      expect((await checkout()).status).toBe(404)
      github.repositories.add("web")
      github.recover()
      expect((await checkout()).status).toBe(200)
      expect(server.logs()).not.toContain(said)
    })

    it("are tested on demand and before a connection becomes the active one, which stays as it is if that fails", async () => {
      const path = await connect("gitlab")
      gitlab.fail("GET", "/api/v4/personal", { status: 401 })
      const tested = await server.send("POST", `${path}test/`, { key })
      expect([tested.status, tested.json]).toMatchObject([
        200,
        { state: "inactive", test_error: "The code host refuses the connection's credential (HTTP 401)." }
      ])
      expect((await server.send("POST", `${path}activate/`, { key })).status).toBe(502)
      expect((await checkout()).json).toMatchObject({ full_name: "Harbour-Dental/web" })
      gitlab.recover()
      expect((await server.send("POST", `${path}activate/`, { key })).json).toMatchObject({
        state: "active",
        test_error: null
      })
      expect((await checkout()).json).toMatchObject({ full_name: "Harbour/dental/web", username: "oauth2" })
      const states = (await server.send("GET", CONNECTIONS, { key })).json
      expect(JSON.stringify(states).match(/"state":"active"/g)).toHaveLength(1)
    })

    it("lose the keys they gave when the session or the connection is revoked or the hour is over", async () => {
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

    it("that fail time and again are left alone for a while, and keep no other host's keys in force", async () => {
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
      const made = await server.send("POST", E2, { key: other.key, headers: bearer(token), json: { repo: "web" } })
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

    it("keep no secret of a connection anywhere but sealed", async () => {
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

    it("are named by whoever manages connections, in settings that are judged all at once", async () => {
      const post = async (json: unknown) => {
        const answer = await server.send("POST", CONNECTIONS, { key, json })
        return [answer.status, answer.json]
      }
      expect(await post({})).toEqual([400, { host: ["This field is required."] }])
      expect(await post({ host: "svn" })).toEqual([400, { host: ['"svn" is not a valid choice.'] }])
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
}

describe("keys that seal", () => {
  it("take each other's place without a secret lost, and without one nothing that needs it is taken", async () => {
    const scope = Effect.runSync(Scope.make())
    const gitlab = await Effect.runPromise(Scope.extend(CheckoutKit.fakeGitLab, scope))
    const [old, young] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")]
    const storage = TestEngine.storage("sqlite")
    const program = Effect.gen(function* () {
      const shared = yield* Layer.build(storage)
      const engineWith = (secretBox: ReturnType<typeof boxOf> | undefined) =>
        Layer.build(
          TestEngine.engine({
            allowHosts: ["127.0.0.1"],
            ...(secretBox === undefined ? {} : { secretBox })
          }).pipe(Layer.provide(Layer.succeedContext(shared)))
        )
      const draft = {
        host: "gitlab",
        settings: { base_url: gitlab.url, namespace: gitlab.namespace },
        secret: gitlab.accessToken
      }
      const first = yield* engineWith(boxOf(old))
      const fixture = yield* Effect.provide(TestEngine.fixture, first)
      const as = TestEngine.as(fixture.actor)
      const made = yield* Effect.flatMap(CodeConnections, (all) => as(all.create(draft))).pipe(Effect.provide(first))
      const tried = (engine: typeof first) =>
        Effect.flatMap(CodeConnections, (all) => as(all.test(made.id))).pipe(Effect.provide(engine))
      const reseal = (engine: typeof first) =>
        Effect.flatMap(CodeConnections, (all) => all.reseal).pipe(Effect.provide(engine))
      expect((yield* tried(first)).testError).toBeNull()

      const both = yield* engineWith(boxOf(young, old))
      expect((yield* tried(both)).testError).toBeNull()
      expect(yield* reseal(both)).toBe(1)
      expect(yield* reseal(both)).toBe(0)

      const second = yield* engineWith(boxOf(young))
      expect((yield* tried(second)).testError).toBeNull()
      expect(yield* Effect.flip(tried(first))).toMatchObject({ _tag: "StorageFailed", operation: "SecretBox.open" })
      const none = yield* engineWith(undefined)
      expect(yield* Effect.flip(tried(none))).toMatchObject({ _tag: "StorageFailed" })
      const refused = yield* Effect.flip(
        Effect.flatMap(CodeConnections, (all) => as(all.create(draft))).pipe(Effect.provide(none))
      )
      expect(refused).toMatchObject({ faults: { secret: [expect.stringContaining("EARSHOT_SECRET_KEYS")] } })
    })
    await Effect.runPromise(Effect.scoped(program))
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })
})
