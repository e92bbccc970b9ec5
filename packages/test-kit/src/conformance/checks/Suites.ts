/** E1: the request, its plan and its price. */
import {
  bodyOf,
  expectFieldErrors,
  expectOnlyFieldErrors,
  expectEqual,
  expectShape,
  int,
  list,
  matching,
  Skipped,
  text
} from "../Expect.js"
import { at, listAt } from "../../Documents.js"
import { checksOf } from "../Check.js"
import { PATHS, suiteOf } from "../Fixture.js"
import { planOf } from "./SuiteSupport.js"

const CHANNELS = ["voice", "text", "provider_f", "provider_e_v2", "provider_d_v2"]

const credits = matching(/^\d+\.\d{6}$/, "credits with six decimals")

/** Millionths of credits. */
const micros = (plan: unknown): bigint => BigInt(String(at(plan, "estimated_cost")).replace(".", ""))

export const suites = checksOf("E1", {
  "answered-200": [
    "answers 200 with dry_run, valid and the plan, with its case count and estimated cost",
    async (fixture) => {
      const plan = await planOf(fixture, { spec: suiteOf(3), name: "Tonight", channel: "text" })
      expectShape("the plan", plan, {
        agent_id: int,
        project_id: int,
        channel: text,
        suite_name: text,
        scenario_count: int,
        total_runs: int,
        estimated_cost: credits,
        scenarios: list
      })
      expectEqual(
        "what is planned",
        ["agent_id", "channel", "suite_name", "scenario_count", "total_runs"].map((name) => at(plan, name)),
        [await fixture.agent(), "text", "Tonight", 1, 3]
      )
    }
  ],
  price: [
    "the price is proportional to the number of runs, and the sum over the scenarios",
    async (fixture) => {
      const one = micros(await planOf(fixture, { spec: suiteOf(1, { max_duration: 61 }) }))
      const seven = micros(await planOf(fixture, { spec: suiteOf(7, { max_duration: 61 }) }))
      expectEqual("the price of seven runs", String(seven), String(one * 7n))
      const { scenarios, ...spec } = suiteOf(1)
      const [scenario] = listAt(scenarios)
      const both = await planOf(fixture, {
        spec: { ...spec, scenarios: [scenario, { ...Object(scenario), key: "b", frequency: 4 }] }
      })
      const each = listAt(both, "scenarios").map(micros)
      expectEqual("the sum", String(micros(both)), String(each.reduce((sum, cost) => sum + cost, 0n)))
      expectEqual("the runs", at(both, "total_runs"), 5)
    }
  ],
  "nothing-created": [
    "validation creates nothing and places no calls",
    async (fixture) => {
      const seen = async () => [
        at((await fixture.get(`${PATHS.results}?limit=1`)).json, "results"),
        (await fixture.get(PATHS.capacity)).json,
        at((await fixture.get(`${PATHS.personalities}?limit=200`)).json, "results"),
        at((await fixture.get(`${PATHS.profiles}?limit=200`)).json, "results")
      ]
      const before = await seen()
      await planOf(fixture, {
        spec: suiteOf(2, { personality: { name: "Nobody yet" }, test_profile: { name: "Nor this", information: {} } })
      })
      expectEqual("what is there afterwards", await seen(), before)
    }
  ],
  encodings: [
    "makes the same plan from JSON, form and multipart bodies, and from an object, a text, a .json file or a data: URI",
    async (fixture) => {
      const agent_id = await fixture.agent()
      const spec = suiteOf(2)
      const written = JSON.stringify(spec)
      const asked = { agent_id, channel: "text" }
      const plan = await planOf(fixture, { spec, ...asked })
      const file = new Blob([written], { type: "application/json" })
      const ways = [
        { json: { spec: written, ...asked } },
        { json: { file: written, ...asked } },
        { json: { file: `data:application/json,${encodeURIComponent(written)}`, ...asked } },
        { json: { file: `data:application/json;base64,${Buffer.from(written).toString("base64")}`, ...asked } },
        { form: { spec, ...asked } },
        { multipart: { spec: written, ...asked } },
        { multipart: { file: new File([file], "suite.json"), ...asked } }
      ]
      for (const way of ways) {
        const answer = bodyOf(await fixture.ask("POST", PATHS.validate, way), 200)
        expectEqual(`the plan of ${Object.keys(way).join()}`, answer.plan, plan)
      }
    }
  ],
  "spec-or-file": [
    "requires exactly one of spec and file, and a JSON object in it",
    async (fixture) => {
      const agent_id = await fixture.agent()
      expectFieldErrors(await fixture.post(PATHS.validate, { agent_id }), "spec", "file")
      const both = { agent_id, spec: suiteOf(1), file: JSON.stringify(suiteOf(1)) }
      expectOnlyFieldErrors(await fixture.post(PATHS.validate, both), "file")
      for (const spec of [7, true, [], "{", "[]"]) {
        expectOnlyFieldErrors(await fixture.post(PATHS.validate, { agent_id, spec }), "spec")
      }
      for (const file of [7, "{", "[]", "data:application/json,%7B", "data:application/json;base64,WzFd"]) {
        expectOnlyFieldErrors(await fixture.post(PATHS.validate, { agent_id, file }), "file")
      }
    }
  ],
  "json-schema": [
    "serves the JSON Schema of specs without a credential",
    async (fixture) => {
      const reply = await fixture.get(PATHS.schema, { key: null })
      if (reply.status === 404) throw new Skipped("the server hands out no schema of specs")
      expectEqual("$schema", bodyOf(reply, 200).$schema, "https://json-schema.org/draft/2020-12/schema")
    }
  ],
  name: [
    "limits name to 255 characters; default: the spec's",
    async (fixture) => {
      const spec = suiteOf(1)
      const agent_id = await fixture.agent()
      expectEqual("suite_name", at(await planOf(fixture, { spec }), "suite_name"), "Conformance")
      for (const name of ["x".repeat(255), "😀".repeat(255)]) {
        expectEqual("suite_name", at(await planOf(fixture, { spec, name }), "suite_name"), name)
      }
      for (const name of ["x".repeat(256), "😀".repeat(256), 5]) {
        expectOnlyFieldErrors(await fixture.post(PATHS.validate, { agent_id, spec, name }), "name")
      }
    }
  ],
  channels: [
    "channel is one of five (default: voice), and one that the agent supports",
    async (fixture) => {
      const spec = suiteOf(1)
      const agent_id = await fixture.agent()
      expectEqual("the channel", at(await planOf(fixture, { spec }), "channel"), "voice")
      const project = await fixture.project()
      for (const channel of CHANNELS) {
        const agent = await fixture.makeId(PATHS.agents, { project, name: channel, supported_channels: [channel] })
        for (const asked of CHANNELS) {
          const reply = await fixture.post(PATHS.validate, { agent_id: agent, spec, channel: asked })
          if (asked === channel) expectEqual("the channel", at(bodyOf(reply, 200), "plan", "channel"), channel)
          else expectOnlyFieldErrors(reply, "channel")
        }
      }
      for (const channel of ["fax", "VOICE", 5]) {
        expectOnlyFieldErrors(await fixture.post(PATHS.validate, { agent_id, spec, channel }), "channel")
      }
    }
  ],
  agent: [
    "prefers the request's agent_id over the spec's, requires one of them, and rejects an unknown one",
    async (fixture) => {
      const agent_id = await fixture.agent()
      const named = { ...suiteOf(1), agent_id }
      expectEqual(
        "the agent",
        at(bodyOf(await fixture.post(PATHS.validate, { spec: named }), 200), "plan", "agent_id"),
        agent_id
      )
      const wrong = { ...named, agent_id: fixture.unknownId }
      expectEqual("the agent", at(await planOf(fixture, { spec: wrong }), "agent_id"), agent_id)
      expectFieldErrors(await fixture.post(PATHS.validate, { spec: wrong }), "agent_id")
      expectFieldErrors(await fixture.post(PATHS.validate, { spec: suiteOf(1) }), "agent_id")
      for (const other of [fixture.unknownId, "x", -1]) {
        expectFieldErrors(await fixture.post(PATHS.validate, { spec: named, agent_id: other }), "agent_id")
      }
    }
  ],
  "provider-data": [
    "accepts provider_e_data and provider_d_data as objects, with provider_e_v2 and provider_d_v2 only",
    async (fixture) => {
      const supported_channels = ["provider_e_v2", "provider_d_v2"]
      const { agent } = await fixture.otherProject({ supported_channels })
      for (const [field, channel] of [
        ["provider_e_data", "provider_e_v2"],
        ["provider_d_data", "provider_d_v2"]
      ] as const) {
        const asked = { agent_id: agent, spec: suiteOf(1), channel }
        for (const right of [{}, { room: "a", nested: { list: [1, null] } }, null]) {
          expectEqual("the channel", at(await planOf(fixture, { ...asked, [field]: right }), "channel"), channel)
        }
        for (const wrong of [5, "x", [1]]) {
          expectOnlyFieldErrors(await fixture.post(PATHS.validate, { ...asked, [field]: wrong }), field)
        }
      }
    }
  ]
})
