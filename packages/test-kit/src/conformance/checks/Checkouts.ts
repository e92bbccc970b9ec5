/** E2. */
import {
  bodyOf,
  expectDetail,
  expectOnlyFieldErrors,
  expectEqual,
  expectShape,
  expectTrue,
  instant,
  type Kind,
  object,
  orNull,
  text
} from "../Expect.js"
import { checksOf } from "../Check.js"
import { PATHS } from "../Fixture.js"
import { CLOCK_TOLERANCE } from "./CredentialSupport.js"

const HOUR = 3_600_000

/** Source: docs/checkout.md, Having a key. */
const checkoutShape: Readonly<Record<string, Kind>> = {
  repo: text,
  full_name: text,
  clone_url: text,
  default_branch: orNull(text),
  username: text,
  token: text,
  expires_at: instant,
  permissions: object
}

export const checkouts = checksOf("E2", {
  session: [
    "requires a valid agent session beside the key: 401 without it",
    async (fixture) => {
      const held = await fixture.credential("api_key")
      const body = { key: null, json: { repo: "web" } }
      expectDetail(await fixture.ask("POST", PATHS.checkout, { ...body, headers: held }), 401)
      for (const kind of ["oauth2", "dashboard_session", "embedded_session"] as const) {
        const session = await fixture.credential(kind)
        expectDetail(await fixture.ask("POST", PATHS.checkout, { ...body, headers: { ...held, ...session } }), 401)
      }
      const session = await fixture.credential("agent_session")
      expectDetail(await fixture.ask("POST", PATHS.checkout, { ...body, headers: session }), 401)
      for (const wrong of ["x", "a.b.c"]) {
        const headers = { ...held, authorization: `Bearer ${wrong}` }
        expectDetail(await fixture.ask("POST", PATHS.checkout, { ...body, headers }), 401)
      }
    }
  ],
  "other-organization": [
    "answers 401 to an agent session of another organization",
    async (fixture) => {
      const { other } = fixture
      const ask = async (path: string, json: object) => bodyOf(await other.ask("POST", path, { json }), 201)
      const project = await ask(PATHS.projects, { name: `Conformance ${fixture.run}` })
      try {
        const agent = await ask(PATHS.agents, { project: project.id, name: "Conformance" })
        const bounds = [{ type: "agent", id: agent.id }]
        const { token } = await ask(PATHS.tokens, { kind: "agent_session", bounds })
        const headers = { authorization: `Bearer ${String(token)}` }
        const json = { repo: `no-such-${fixture.run}` }
        // Beside the key of its own organization it is a session like any other.
        expectDetail(await other.ask("POST", PATHS.checkout, { headers, json }), 404, 409, 502)
        expectDetail(await fixture.post(PATHS.checkout, json, { headers }), 401)
        expectDetail(
          await other.ask("POST", PATHS.checkout, { headers: await fixture.credential("agent_session"), json }),
          401
        )
      } finally {
        await other.ask("DELETE", `${PATHS.projects}${String(project.id)}/`)
      }
    }
  ],
  "answered-200": [
    "returns a temporary read token for one repository, not in a URL and with Cache-Control: no-store",
    async (fixture) => {
      const { repo } = fixture
      const headers = await fixture.credential("agent_session")
      for (const encoding of ["json", "form", "multipart"] as const) {
        const reply = await fixture.ask("POST", PATHS.checkout, { headers, [encoding]: { repo } })
        const checkout = bodyOf(reply, 200)
        expectShape("the checkout", checkout, checkoutShape)
        expectEqual("repo", checkout.repo, repo)
        expectEqual("permissions", checkout.permissions, { contents: "read" })
        expectEqual("Cache-Control", reply.headers.get("cache-control"), "no-store")
        const [token, address] = [String(checkout.token), String(checkout.clone_url)]
        expectTrue("the token is empty", token !== "")
        expectTrue(`clone_url is ${address}`, URL.canParse(address))
        const { hash, password, search, username } = new URL(address)
        expectEqual("what clone_url has of secrets", [username, password, search, hash], ["", "", "", ""])
        expectTrue("the token stands in clone_url", !address.includes(token))
        const lasts = Date.parse(String(checkout.expires_at)) - Date.now()
        expectTrue(
          `the token lasts ${lasts} ms; expected an hour at most`,
          lasts > 0 && lasts <= HOUR + CLOCK_TOLERANCE
        )
      }
      const held = await fixture.credential("api_key")
      expectDetail(await fixture.ask("POST", PATHS.checkout, { key: null, headers: held, json: { repo } }), 401)
    }
  ],
  repo: [
    "requires repo; 404 for a repository that is not connected, 409 without a connection, never cacheable",
    async (fixture) => {
      const headers = await fixture.credential("agent_session")
      for (const json of [{}, { repo: null }, { repo: "" }, { repo: 5 }]) {
        expectOnlyFieldErrors(await fixture.post(PATHS.checkout, json, { headers }), "repo")
      }
      for (const encoding of ["json", "form", "multipart"] as const) {
        const reply = await fixture.ask("POST", PATHS.checkout, {
          headers,
          [encoding]: { repo: `no-such-${fixture.run}` }
        })
        expectDetail(reply, 404, 409, 502)
        expectEqual("Cache-Control", reply.headers.get("cache-control"), "no-store")
      }
    }
  ]
})
