import { describe, expect, it } from "vitest"
import { at } from "../support/Contract.js"
import { withServer } from "../support/Operation.js"
import { serverForBlock, type TestServer } from "../support/TestServer.js"

const SESSION = "/user/v1/session/"
const CALLS = "/observability/v1/call-logs/"
const PROJECTS = "/user/v1/projects/"

const cookieOf = (headers: Headers): string => headers.get("set-cookie") ?? ""

/** What a browser sends back of a Set-Cookie header. */
const sent = (setCookie: string): string => setCookie.split(";")[0] ?? ""

const signIn = async (server: TestServer, json: unknown, headers: Record<string, string> = {}) =>
  server.send("POST", SESSION, { json, headers })

describe("a session", async () => {
  const server = await serverForBlock()
  const tenant = await server.tenant()
  const signedIn = async () => sent(cookieOf((await signIn(server, { api_key: tenant.key })).headers))
  const sameOrigin = { "sec-fetch-site": "same-origin" }

  it("begins with an API key, in a cookie that scripts cannot read, and is read and ended by it", async () => {
    const started = await signIn(server, { api_key: tenant.key })
    expect(started.status).toBe(201)
    expect(started.text).not.toContain("earsession_")
    expect(started.json).toMatchObject({ organization: tenant.organization, user: null })
    const setCookie = cookieOf(started.headers)
    expect(setCookie).toMatch(
      new RegExp(`^earshot_session_${server.port}=earsession_\\w+; Path=/; HttpOnly; SameSite=Strict; Expires=.* GMT$`)
    )
    const cookie = sent(setCookie)
    expect((await server.send("GET", SESSION, { headers: { cookie } })).json).toEqual(started.json)
    expect((await server.send("GET", CALLS, { headers: { cookie } })).status).toBe(200)

    const out = await server.send("DELETE", SESSION, { headers: { cookie, ...sameOrigin } })
    expect([out.status, cookieOf(out.headers)]).toEqual([
      204,
      `earshot_session_${server.port}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`
    ])
    expect((await server.send("GET", SESSION, { headers: { cookie } })).status).toBe(401)
    expect((await server.send("GET", CALLS, { headers: { cookie } })).status).toBe(401)
    expect((await server.send("DELETE", SESSION)).status).toBe(204)
  })

  it("begins with a sign-in link once", async () => {
    const link = await server.send("POST", "/user/v1/sign_in_links/", { key: tenant.key, json: {} })
    expect(link.status).toBe(201)
    const token = String(at(link.json, "token"))
    expect(at(link.json, "path")).toBe(`/app/login#link=${token}`)
    expect((await signIn(server, { link: token })).status).toBe(201)
    const again = await signIn(server, { link: token })
    expect([again.status, again.json]).toEqual([
      401,
      { detail: "This sign-in link is invalid, expired or already used." }
    ])
    expect(again.headers.get("www-authenticate")).toBe('ApiKey realm="earshot"')
  })

  it("is used for changes only by pages of this server", async () => {
    const cookie = await signedIn()
    const create = async (headers: Record<string, string>) =>
      (await server.send("POST", PROJECTS, { json: { name: "P" }, headers: { cookie, ...headers } })).status
    const own = { origin: server.url }
    expect(await create(sameOrigin)).toBe(201)
    expect(await create(own)).toBe(201)
    for (const headers of [
      {},
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { ...own, "sec-fetch-site": "same-site" },
      { origin: "http://127.0.0.1:1" },
      { origin: "https://evil.example" },
      { origin: "null" }
    ]) {
      expect(await create(headers), JSON.stringify(headers)).toBe(401)
    }
  })

  it("is not read for pages of other origins either", async () => {
    const cookie = await signedIn()
    const read = async (headers: Record<string, string>) =>
      (await server.send("GET", CALLS, { headers: { cookie, ...headers } })).status
    expect(await read({})).toBe(200)
    expect(await read({ "sec-fetch-site": "none" })).toBe(200)
    expect(await read({ "sec-fetch-site": "same-site" })).toBe(401)
    expect(await read({ origin: "https://evil.example" })).toBe(401)
  })

  it("is not begun by pages of other origins", async () => {
    const answer = await signIn(server, { api_key: tenant.key }, { origin: "https://evil.example" })
    expect(answer.status).toBe(403)
    expect(answer.headers.get("set-cookie")).toBe(null)
  })

  it("yields to other credentials of the request, and replaces the one before", async () => {
    const cookie = await signedIn()
    const wrong = await server.send("GET", CALLS, { key: "ear_wrong", headers: { cookie } })
    expect(wrong.status).toBe(401)
    const next = sent(cookieOf((await signIn(server, { api_key: tenant.key }, { cookie, ...sameOrigin })).headers))
    expect((await server.send("GET", CALLS, { headers: { cookie } })).status).toBe(401)
    expect((await server.send("GET", CALLS, { headers: { cookie: next } })).status).toBe(200)
  })

  it("ignores cookies that are none of its own", async () => {
    const cookie = await signedIn()
    const value = cookie.split("=")[1] ?? ""
    for (const other of ["", "=", ";;", `earshot_session=${value}`, `x${cookie}`, `earshot_session_${server.port}=x`]) {
      expect((await server.send("GET", CALLS, { headers: { cookie: other } })).status, other).toBe(401)
    }
    expect((await server.send("GET", CALLS, { headers: { cookie: `a=b; ${cookie} ; c=d` } })).status).toBe(200)
  })

  it("reports what is missing in the request that begins it", async () => {
    expect((await signIn(server, {})).json).toEqual({ api_key: ["This field is required."] })
    expect((await signIn(server, { api_key: "ear_wrong" })).status).toBe(401)
  })
})

describe("a session behind a proxy with TLS", () => {
  it("has a cookie of this host alone", async () => {
    await withServer({ trustProxy: true }, async (server) => {
      const { key } = await server.tenant()
      const secure = { "x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.1" }
      const setCookie = cookieOf((await signIn(server, { api_key: key }, secure)).headers)
      expect(setCookie).toMatch(/^__Host-earshot_session=earsession_\w+; Path=\/; HttpOnly; SameSite=Strict; Secure; /)
      const cookie = sent(setCookie)
      expect((await server.send("GET", CALLS, { headers: { cookie, ...secure } })).status).toBe(200)
      expect((await server.send("GET", CALLS, { headers: { cookie } })).status).toBe(401)
    })
  })
})
