import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { CheckoutKit, TestEngine } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"
import { textAt } from "../support/Contract.js"
import { sendRaw } from "../support/TestServer.js"
import { basic, git, makeServer, sessionOf, bearer, localTenant, dump, forms } from "../support/CheckoutServer.js"
import { CHECKOUTS, CONNECTIONS, TOKENS } from "../support/paths.js"

const fields = ["clone_url", "default_branch", "expires_at", "full_name", "permissions", "repo", "token", "username"]

describe.each(TestEngine.databases)("checkouts of local repositories on %s", async (database) => {
  const fixture = await makeServer(database)
  const { directory, server } = fixture
  const tenant = await localTenant(fixture)
  const { checkout, home, key, session } = tenant
  let clones = 0
  const target = () => join(fixture.clones, String(clones++))
  const cloneWith = (url: string, header: string, ...options: ReadonlyArray<string>) => {
    const path = target()
    return git(["clone", "--quiet", ...options, url, path], { headers: [header] }).then((outcome) => ({
      ...outcome,
      path
    }))
  }

  it("returns a token in the documented shape for every body encoding, marked no-store", async () => {
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
      const path = position === 0 ? CHECKOUTS : CHECKOUTS.slice(0, -1)
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

  it("requires an agent session of the same organization and reports what is missing or invalid", async () => {
    const other = await server.tenant()
    const foreign = await sessionOf(server, other)
    const send = (headers: Readonly<Record<string, string>>, json: unknown, apiKey: string | undefined = key) =>
      server.send("POST", CHECKOUTS, { ...(apiKey === "" ? {} : { key: apiKey }), headers, json })
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

  it("returns 404 for names that traverse directories and for repositories of other organizations", async () => {
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

  it("clones and fetches with the token in a header in every protocol version, without storing it in a file", async () => {
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

  it("stores the token in no file when the commands of docs/checkout.md are run", async () => {
    const guide = readFileSync(new URL("../../../../docs/checkout.md", import.meta.url), "utf8")
    const lines = /```sh\n(export GIT_CONFIG_COUNT[^]*?)```/.exec(guide)?.[1] ?? ""
    expect(lines).toContain('git clone "$CLONE_URL"')
    const { json } = await checkout("web")
    const token = textAt(json, "token")
    const parent = target()
    mkdirSync(parent, { recursive: true })
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

  it("rejects pushes", async () => {
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

  it("grants access to the requested repository only, whatever URL the token is sent to", async () => {
    await CheckoutKit.makeRepository(join(home, "other.git"), { a: "b" })
    const token = textAt((await checkout("web")).json, "token")
    const authorization = `Bearer ${token}`
    const organization = String(tenant.organization)
    const ask = (path: string) =>
      sendRaw(
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

  it("rejects a token as soon as it expires or its session, connection or agent is revoked or deleted", async () => {
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

  it("returns 404 for a repository that was removed after the token was issued", async () => {
    await CheckoutKit.makeRepository(join(home, "moving.git"), { a: "b" })
    const { json } = await checkout("moving")
    const [token, url] = [textAt(json, "token"), textAt(json, "clone_url")]
    renameSync(join(home, "moving.git"), join(home, "moved.git"))
    expect((await git(["ls-remote", url], { headers: [basic("x", token)] })).stderr).toContain("not found")
    expect((await checkout("moving")).status).toBe(404)
  })

  it("returns 502 before the response starts if git cannot read the repository", async () => {
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

  it("leaves one active connection when two are activated at the same time", async () => {
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

  it("writes no secret to logs or to the database", async () => {
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

  it("rejects oversized, malformed and unsupported git requests", async () => {
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

  it("serves repositories from the organization's folder only", () => {
    expect(existsSync(join(directory, String(tenant.organization)))).toBe(true)
  })
})
