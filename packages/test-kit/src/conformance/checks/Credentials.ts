import { setTimeout as sleep } from "node:timers/promises"
import { credentialKinds, type Fixture, PATHS, PERMISSIONS } from "../Fixture.js"
import type { Reply } from "../Client.js"
import {
  bodyOf,
  expectDetail,
  expectEqual,
  expectFieldErrors,
  expectNoBody,
  expectOnlyFieldErrors,
  expectStatus,
  expectTrue,
  Mismatch
} from "../Expect.js"
import { checksOf } from "../Check.js"
import { at, listAt } from "../../Documents.js"
import { CLOCK_TOLERANCE } from "./CredentialSupport.js"
import { type Endpoint, endpoints } from "./CredentialEndpoints.js"
import { acceptedStatus, present, PRESENTATIONS, shortLivedCredentials } from "./ShortLivedCredentials.js"

const request = (fixture: Fixture, { method, path }: Endpoint, headers: Readonly<Record<string, string>>) =>
  fixture.ask(method, path, { key: null, headers, ...(method === "GET" ? {} : { json: {} }) })

/** Milliseconds until every process of a server knows what one of them revoked. Source: docs/http.md, Several processes. */
const PROPAGATION_TIME = 5000

/** 401 with a sentence and the ways in. Source: docs/http.md, Errors; RFC 9110, 15.5.2. */
const expectRejected = (what: string, reply: Reply): void => {
  expectDetail(reply, 401)
  expectTrue(`${what} is answered 401 without WWW-Authenticate`, reply.headers.has("www-authenticate"))
}

export const credentials = checksOf("credentials", {
  none: [
    "every endpoint answers 401 with a detail and WWW-Authenticate without a credential",
    async (fixture) => {
      for (const endpoint of endpoints) expectRejected(endpoint.name, await request(fixture, endpoint, {}))
    }
  ],
  wrong: [
    "every endpoint answers 401 with WWW-Authenticate to an unknown or malformed key, token or link",
    async (fixture) => {
      const link = (await fixture.credential("shareable_link"))["x-shareable-link"] ?? ""
      const [last, other] = link.endsWith("a") ? ["a", "b"] : [link.slice(-1), "a"]
      expectTrue("the link is empty", last !== "")
      const wrong = ["ear_wrong", "x", "x".repeat(2000), "null", "' OR 1=1 --"]
      const presented: ReadonlyArray<Readonly<Record<string, string>>> = [
        ...wrong.map((key) => ({ "x-service-api-key": key })),
        ...["x", "a.b.c", "null", "x".repeat(2000)].map((token) => ({ authorization: `Bearer ${token}` })),
        ...["earlink_wrong", "x", `${link.slice(0, -1)}${other}`, link.toUpperCase(), `${link}${link}`].map((one) => ({
          "x-shareable-link": one
        }))
      ]
      const session = await fixture.credential("agent_session")
      for (const endpoint of endpoints) {
        const additional = endpoint.additional === undefined ? {} : session
        for (const headers of presented) {
          expectRejected(endpoint.name, await request(fixture, endpoint, { ...additional, ...headers }))
        }
      }
    }
  ],
  "duplicate-keys": [
    "every endpoint answers 401 to a valid key beside another one",
    async (fixture) => {
      const key = (await fixture.credential("api_key"))["x-service-api-key"] ?? ""
      const session = await fixture.credential("agent_session")
      for (const endpoint of endpoints) {
        const headers = endpoint.additional === undefined ? {} : session
        const json = endpoint.method === "GET" ? {} : { json: {} }
        for (const keys of [
          [key, key],
          [key, "ear_wrong"],
          ["ear_wrong", key]
        ]) {
          const lines = { "x-service-api-key": keys }
          expectDetail(await fixture.ask(endpoint.method, endpoint.path, { key: null, headers, lines, ...json }), 401)
        }
      }
    }
  ],
  ...Object.fromEntries(
    credentialKinds.map((kind) => [
      kind,
      [
        `accepts ${kind} where the interface lists it, and answers 401 elsewhere`,
        async (fixture: Fixture) => {
          const held = await fixture.credential(kind)
          for (const endpoint of endpoints) {
            const additional = endpoint.additional === undefined ? {} : await fixture.credential(endpoint.additional)
            const isAdditional = kind === endpoint.additional
            const reply = await request(fixture, endpoint, isAdditional ? held : { ...additional, ...held })
            if (!endpoint.accepts.includes(kind)) expectRejected(endpoint.name, reply)
            else if (![200, 201, 204, 400, 404, 409].includes(reply.status))
              throw new Mismatch(
                `${kind} at ${endpoint.name} answered ${reply.status} ${reply.text}; it is listed there`
              )
          }
        }
      ] as const
    ])
  ),
  schemes: [
    "accepts a token only after Bearer, and each credential only in its own header",
    async (fixture) => {
      const { authorization = "" } = await fixture.credential("oauth2")
      const bare = authorization.slice("Bearer ".length)
      const apiKey = (await fixture.credential("api_key"))["x-service-api-key"] ?? ""
      const status = async (headers: Readonly<Record<string, string>>) =>
        (await fixture.get(PATHS.dashboards, { key: null, headers })).status
      expectEqual("the status of Bearer", await status({ authorization: `bearer ${bare}` }), 200)
      for (const scheme of ["Basic", "Token", "Foobar"]) {
        expectEqual(`the status of ${scheme}`, await status({ authorization: `${scheme} ${bare}` }), 401)
      }
      expectEqual("the status of a key as a token", await status({ authorization: `Bearer ${apiKey}` }), 401)
      expectEqual("the status of a token as a key", await status({ "x-service-api-key": bare }), 401)
      expectEqual("the status of a key as a link", await status({ "x-shareable-link": apiKey }), 401)
      expectEqual(
        "the status of a wrong key with a right token",
        await status({ "x-service-api-key": "ear_wrong", authorization }),
        401
      )
    }
  ],
  forged: [
    "rejects a modified token",
    async (fixture) => {
      const { authorization = "" } = await fixture.credential("oauth2")
      const [head = "", body = "", signature = ""] = authorization.slice("Bearer ".length).split(".")
      const print = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
      const claims: unknown = JSON.parse(Buffer.from(body, "base64url").toString())
      const changed: unknown = Object.assign(Object(claims), { org: Number(at(claims, "org")) + 1 })
      const forged = [
        `${head}.${body}.`,
        `${head}.${print(changed)}.${signature}`,
        `${print({ alg: "none" })}.${body}.`,
        `${head}.${body}.${signature.slice(0, -4)}AAAA`
      ]
      for (const token of forged) {
        expectDetail(
          await fixture.get(PATHS.dashboards, { key: null, headers: { authorization: `Bearer ${token}` } }),
          401
        )
      }
    }
  ],
  revoked: [
    "rejects revoked credentials of every kind: at once with one process, after five seconds with several",
    async (fixture) => {
      const all = await shortLivedCredentials(fixture)
      for (const one of all) expectStatus(await present(fixture, one), acceptedStatus(one))
      for (const one of all) expectNoBody(await one.revoke(), 204)
      if ((fixture.limits.processes ?? 1) > 1) await sleep(PROPAGATION_TIME)
      for (const one of all) {
        for (let time = 1; time <= PRESENTATIONS; time++) {
          const reply = await present(fixture, one)
          if (reply.status !== 401)
            throw new Mismatch(`${one.kind}, revoked and presented ${time} times, answered ${reply.status}`)
          expectRejected(one.kind, reply)
        }
      }
    }
  ],
  expired: [
    "accepts credentials of every kind until they expire, and rejects them from then on",
    async (fixture) => {
      const all = await shortLivedCredentials(fixture, 2)
      for (const one of all) {
        const until = Date.parse(String(one.expiresAt))
        expectTrue(
          `${one.kind} expires at ${String(one.expiresAt)}, and was asked to in two seconds`,
          until - Date.now() < 10_000
        )
        const reply = await present(fixture, one)
        // A server that is slow today may have come to the end of it already.
        if (Date.now() < until - CLOCK_TOLERANCE) expectStatus(reply, acceptedStatus(one))
      }
      const ends = all.map(({ expiresAt }) => Date.parse(String(expiresAt)))
      await sleep(Math.max(0, ...ends) - Date.now() + CLOCK_TOLERANCE)
      for (const one of all) expectRejected(one.kind, await present(fixture, one))
    }
  ],
  scopes: [
    "every endpoint answers 403 to a key without the scope it needs, and accepts a key with that scope alone",
    async (fixture) => {
      const scoped = async (...scopes: ReadonlyArray<string>) =>
        String((await fixture.make(PATHS.keys, { name: "Scoped", scopes })).api_key)
      const needed = [...new Set(endpoints.map(({ needs }) => needs))]
      for (const scope of needed) {
        const [without, alone] = [await scoped(...PERMISSIONS.filter((one) => one !== scope)), await scoped(scope)]
        for (const endpoint of endpoints.filter(({ needs }) => needs === scope)) {
          const additional = endpoint.additional === undefined ? {} : await fixture.credential(endpoint.additional)
          expectDetail(await request(fixture, endpoint, { ...additional, "x-service-api-key": without }), 403)
          const reply = await request(fixture, endpoint, { ...additional, "x-service-api-key": alone })
          expectTrue(
            `${endpoint.name} answers ${reply.status} to a key with ${scope}`,
            reply.status < 500 && reply.status !== 401 && reply.status !== 403
          )
        }
      }
      const reader = await scoped("dashboards:read", "calls:read")
      expectStatus(await fixture.get(PATHS.dashboards, { key: reader }), 200)
      expectDetail(await fixture.get(PATHS.keys, { key: reader }), 403)
      const manager = await scoped("keys:manage")
      expectFieldErrors(await fixture.post(PATHS.keys, { name: "More", scopes: ["all"] }, { key: manager }), "scopes")
    }
  ],
  bounds: [
    "a link reads only what it is bound to, and changes and deletes nothing unless granted",
    async (fixture) => {
      const [shown, hidden] = [await fixture.dashboard({ name: "Shown" }), await fixture.dashboard({ name: "Hidden" })]
      const widget = await fixture.makeId(PATHS.widgets, { dashboard: shown, chart_type: "stat" })
      const link = await fixture.make(PATHS.links, { name: "Board", bounds: [{ type: "dashboard", id: shown }] })
      const headers = { "x-shareable-link": String(link.token) }
      const status = async (method: string, path: string, json?: object) =>
        (await fixture.ask(method, path, { key: null, headers, ...(json === undefined ? {} : { json }) })).status
      expectEqual("the status of what is shown", await status("GET", `${PATHS.dashboards}${shown}/`), 200)
      expectEqual("the status of its widget's data", await status("GET", `${PATHS.widgets}${widget}/data/`), 200)
      expectEqual("the status of what is not", await status("GET", `${PATHS.dashboards}${hidden}/`), 404)
      expectEqual("the status of a patch", await status("PATCH", `${PATHS.dashboards}${shown}/`, { name: "x" }), 403)
      expectEqual("the status of a deletion", await status("DELETE", `${PATHS.dashboards}${shown}/`), 403)
      expectEqual("the status of the calls", await status("GET", PATHS.calls), 401)
      const listed = bodyOf(await fixture.get(PATHS.dashboards, { key: null, headers }), 200)
      expectEqual(
        "what is listed",
        listAt(listed, "results").map((one) => at(one, "id")),
        [shown]
      )
    }
  ],
  "bounds-project": [
    "an embedded session and a link bound to a project cannot access another project's dashboards",
    async (fixture) => {
      const [inside, project] = [await fixture.dashboard(), await fixture.makeId(PATHS.projects, { name: "Elsewhere" })]
      const outside = await fixture.dashboard({ project })
      for (const kind of ["embedded_session", "shareable_link"] as const) {
        const request = { key: null, headers: await fixture.credential(kind) }
        const thing = `${PATHS.dashboards}${outside}/`
        expectStatus(await fixture.get(`${PATHS.dashboards}${inside}/`, request), 200)
        expectDetail(await fixture.get(thing, request), 404)
        expectDetail(await fixture.patch(thing, { name: "Mine" }, request), 404)
        expectDetail(await fixture.ask("DELETE", thing, request), 404)
        expectOnlyFieldErrors(await fixture.post(PATHS.dashboards, { name: "x", project }, request), "project")
        const listed = listAt(bodyOf(await fixture.get(`${PATHS.dashboards}?limit=200`, request), 200), "results")
        expectTrue(
          `a dashboard of another project is listed for ${kind}`,
          listed.every((one) => at(one, "id") !== outside)
        )
      }
      expectEqual("the dashboard", bodyOf(await fixture.get(`${PATHS.dashboards}${outside}/`), 200).name, "Conformance")
    }
  ],
  "other-organization": [
    "another organization's entities do not exist: 404 for ids in paths, 400 for ids in bodies, absent from lists",
    async (fixture) => {
      const { other } = fixture
      const project = await fixture.project()
      const dashboard = await fixture.dashboard()
      const widget = await fixture.makeId(PATHS.widgets, { dashboard, chart_type: "stat" })
      const call = Number((await fixture.ingest({ call_id: fixture.callId() })).id)
      const evaluator = await fixture.evaluator()
      const metric = await fixture.numericMetric()
      const agent = await fixture.agent()
      const add = async (path: string, fields: object) =>
        `${path}${await fixture.makeId(path, { project, name: "Mine", ...fields })}/`
      const things = [
        `${PATHS.dashboards}${dashboard}/`,
        `${PATHS.widgets}${widget}/`,
        `${PATHS.calls}${call}/`,
        `${PATHS.evaluators}${evaluator}/`,
        `${PATHS.metrics}${metric}/`,
        `${PATHS.projects}${project}/`,
        `${PATHS.agents}${agent}/`,
        await add(PATHS.tools, {}),
        await add(PATHS.folders, { path: `conformance_${fixture.run}` }),
        await add(PATHS.personalities, { language: "en" }),
        await add(PATHS.profiles, { information: {} }),
        await add(PATHS.numbers, { number: "+15550141" })
      ]
      for (const thing of things) {
        expectDetail(await other.ask("GET", thing), 404)
        expectDetail(await other.ask("PATCH", thing, { json: { name: "Mine" } }), 404)
        expectDetail(await other.ask("DELETE", thing), 404)
        expectStatus(await fixture.get(thing), 200)
        const list = thing.replace(/\d+\/$/, "")
        const ids = listAt(bodyOf(await other.ask("GET", `${list}?limit=200`), 200), "results")
        const id = Number(/(\d+)\/$/.exec(thing)?.[1])
        expectTrue(`${list} shows ${id} to another organization`, !ids.some((one) => at(one, "id") === id))
      }
      const asked = async (path: string, json: object) => other.ask("POST", path, { json })
      expectOnlyFieldErrors(await asked(PATHS.observe, { call_id: "x", agent }), "agent")
      expectOnlyFieldErrors(await asked(PATHS.dashboards, { name: "x", project }), "project")
      expectOnlyFieldErrors(await asked(PATHS.widgets, { dashboard, chart_type: "stat" }), "dashboard")
      expectFieldErrors(await asked(PATHS.bulkUpdate, { scenarios: [evaluator], project }), "project")
      expectDetail(await asked(`${PATHS.projects}${project}/enable_personalities/`, { personalities: "all" }), 404)
    }
  ]
})
