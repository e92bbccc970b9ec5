/** E1. */
import { at, listAt } from "../../Documents.js"
import { type Check, checksOf } from "../Check.js"
import {
  bodyOf,
  expectDetail,
  expectFaults,
  expectFaultWithin,
  expectOnlyFaults,
  expectSame,
  expectShape,
  expectStatus,
  expectTrue,
  faultsOf,
  int,
  list,
  matching,
  shown,
  text
} from "../Expect.js"
import { PATHS, suiteOf, type World } from "../World.js"

const CHANNELS = ["voice", "text", "provider_f", "provider_e_v2", "provider_d_v2"]

const credits = matching(/^\d+\.\d{6}$/, "credits with six decimals")

const planOf = async (world: World, body: object) => {
  const answer = bodyOf(await world.post(PATHS.validate, { agent_id: await world.agent(), ...body }), 200)
  expectSame("dry_run and valid", [answer.dry_run, answer.valid], [true, true])
  return answer.plan
}

/** Millionths of credits. */
const micros = (plan: unknown): bigint => BigInt(String(at(plan, "estimated_cost")).replace(".", ""))

const many = <A>(count: number, one: (at: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, at) => one(at))

/** Metrics, and tools, that a scenario may have. Source: docs/suites.md, The spec. */
const MOST_REFERENCES = 64

const withDefaults = (defaults: object) => ({ ...suiteOf(1), defaults })

/** Source: docs/suites.md, The spec: up to how much is taken of what, where one more is told, and a spec with so much. */
const specLimits: ReadonlyArray<readonly [field: string, most: number, path: string, spec: (size: number) => unknown]> =
  [
    [
      "scenarios",
      200,
      "scenarios",
      (size) => ({
        ...suiteOf(1),
        scenarios: many(size, (position) => at(suiteOf(1, { key: `key-${position}` }), "scenarios", 0))
      })
    ],
    ["frequency", 100, "scenarios[0].frequency", (size) => suiteOf(size)],
    ["max_duration", 86_400, "scenarios[0].max_duration", (size) => suiteOf(1, { max_duration: size })],
    ["tags", 32, "scenarios[0].tags", (size) => suiteOf(1, { tags: many(size, (at) => `tag-${at}`) })],
    ["a tag", 64, "scenarios[0].tags[0]", (size) => suiteOf(1, { tags: ["x".repeat(size)] })],
    ["key", 128, "scenarios[0].key", (size) => suiteOf(1, { key: "x".repeat(size) })],
    ["a scenario's name", 80, "scenarios[0].name", (size) => suiteOf(1, { name: "x".repeat(size) })],
    ["suite.name", 255, "suite.name", (size) => ({ ...suiteOf(1), suite: { name: "x".repeat(size) } })],
    ["concurrency_limit", 100, "defaults.concurrency_limit", (size) => withDefaults({ concurrency_limit: size })],
    ["frequency of all", 100, "defaults.frequency", (size) => withDefaults({ frequency: size })]
  ]

export const suites: ReadonlyArray<Check> = checksOf("E1", {
  "answered-200": [
    "a valid spec is answered with 200, dry_run, valid and the plan with its case count and estimated cost",
    async (world) => {
      const plan = await planOf(world, { spec: suiteOf(3), name: "Tonight", channel: "text" })
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
      expectSame(
        "what is planned",
        ["agent_id", "channel", "suite_name", "scenario_count", "total_runs"].map((name) => at(plan, name)),
        [await world.agent(), "text", "Tonight", 1, 3]
      )
    }
  ],
  price: [
    "n times as many runs cost exactly n times as much, and a suite costs what its scenarios do",
    async (world) => {
      const one = micros(await planOf(world, { spec: suiteOf(1, { max_duration: 61 }) }))
      const seven = micros(await planOf(world, { spec: suiteOf(7, { max_duration: 61 }) }))
      expectSame("the price of seven runs", String(seven), String(one * 7n))
      const { scenarios, ...spec } = suiteOf(1)
      const [scenario] = listAt(scenarios)
      const both = await planOf(world, {
        spec: { ...spec, scenarios: [scenario, { ...Object(scenario), key: "b", frequency: 4 }] }
      })
      const each = listAt(both, "scenarios").map(micros)
      expectSame("the sum", String(micros(both)), String(each.reduce((sum, cost) => sum + cost, 0n)))
      expectSame("the runs", at(both, "total_runs"), 5)
    }
  ],
  "nothing-created": [
    "validating creates nothing and places no calls",
    async (world) => {
      const seen = async () => [
        at((await world.get(`${PATHS.results}?limit=1`)).json, "results"),
        (await world.get(PATHS.capacity)).json,
        at((await world.get(`${PATHS.personalities}?limit=200`)).json, "results"),
        at((await world.get(`${PATHS.profiles}?limit=200`)).json, "results")
      ]
      const before = await seen()
      await planOf(world, {
        spec: suiteOf(2, { personality: { name: "Nobody yet" }, test_profile: { name: "Nor this", information: {} } })
      })
      expectSame("what is there afterwards", await seen(), before)
    }
  ],
  encodings: [
    "a spec is taken from JSON, a form and multipart, as a document, its text or a .json file, and is the same plan",
    async (world) => {
      const agent_id = await world.agent()
      const spec = suiteOf(2)
      const written = JSON.stringify(spec)
      const asked = { agent_id, channel: "text" }
      const plan = await planOf(world, { spec, ...asked })
      const file = new Blob([written], { type: "application/json" })
      const ways = [
        { json: { spec: written, ...asked } },
        { form: { spec, ...asked } },
        { multipart: { spec: written, ...asked } },
        { multipart: { file: new File([file], "suite.json"), ...asked } }
      ]
      for (const way of ways) {
        const answer = bodyOf(await world.ask("POST", PATHS.validate, way), 200)
        expectSame(`the plan of ${Object.keys(way).join()}`, answer.plan, plan)
      }
    }
  ],
  "spec-or-file": [
    "spec or file is required, and not both; what is no document is a fault",
    async (world) => {
      const agent_id = await world.agent()
      expectFaults(await world.post(PATHS.validate, { agent_id }), "spec", "file")
      const both = { agent_id, spec: suiteOf(1), file: JSON.stringify(suiteOf(1)) }
      expectOnlyFaults(await world.post(PATHS.validate, both), "file")
      for (const spec of [7, true, [], "{", "[]", "version: 1"]) {
        expectOnlyFaults(await world.post(PATHS.validate, { agent_id, spec }), "spec")
      }
    }
  ],
  name: [
    "name has at most 255 characters and is the spec's unless given",
    async (world) => {
      const spec = suiteOf(1)
      const agent_id = await world.agent()
      expectSame("suite_name", at(await planOf(world, { spec }), "suite_name"), "Conformance")
      for (const name of ["x".repeat(255), "😀".repeat(255)]) {
        expectSame("suite_name", at(await planOf(world, { spec, name }), "suite_name"), name)
      }
      for (const name of ["x".repeat(256), "😀".repeat(256), 5]) {
        expectOnlyFaults(await world.post(PATHS.validate, { agent_id, spec, name }), "name")
      }
    }
  ],
  channels: [
    "channel is one of five, voice unless given, and one that the agent does not support is a fault",
    async (world) => {
      const spec = suiteOf(1)
      const agent_id = await world.agent()
      expectSame("the channel", at(await planOf(world, { spec }), "channel"), "voice")
      const project = await world.project()
      for (const channel of CHANNELS) {
        const agent = await world.makeId(PATHS.agents, { project, name: channel, supported_channels: [channel] })
        for (const asked of CHANNELS) {
          const reply = await world.post(PATHS.validate, { agent_id: agent, spec, channel: asked })
          if (asked === channel) expectSame("the channel", at(bodyOf(reply, 200), "plan", "channel"), channel)
          else expectOnlyFaults(reply, "channel")
        }
      }
      for (const channel of ["fax", "VOICE", 5]) {
        expectOnlyFaults(await world.post(PATHS.validate, { agent_id, spec, channel }), "channel")
      }
    }
  ],
  agent: [
    "the request's agent_id wins over the spec's, one of them is required, and an unknown one is a fault",
    async (world) => {
      const agent_id = await world.agent()
      const named = { ...suiteOf(1), agent_id }
      expectSame(
        "the agent",
        at(bodyOf(await world.post(PATHS.validate, { spec: named }), 200), "plan", "agent_id"),
        agent_id
      )
      const wrong = { ...named, agent_id: world.nobody }
      expectSame("the agent", at(await planOf(world, { spec: wrong }), "agent_id"), agent_id)
      expectFaults(await world.post(PATHS.validate, { spec: wrong }), "agent_id")
      expectFaults(await world.post(PATHS.validate, { spec: suiteOf(1) }), "agent_id")
      for (const other of [world.nobody, "x", -1]) {
        expectFaults(await world.post(PATHS.validate, { spec: named, agent_id: other }), "agent_id")
      }
    }
  ],
  "every-fault": [
    "metrics, personalities, profiles, tags, keys and everything else that is wrong is told at once, under its path",
    async (world) => {
      const spec = {
        ...suiteOf(1, {
          metrics: ["no_such_metric"],
          personality: world.nobody,
          test_profile: "No such profile",
          tags: ["x".repeat(65)],
          frequency: 0
        }),
        colour: "red"
      }
      const reply = await world.post(PATHS.validate, { agent_id: await world.agent(), spec, channel: "fax" })
      expectFaults(
        reply,
        "colour",
        "channel",
        "scenarios[0].metrics[0]",
        "scenarios[0].personality",
        "scenarios[0].test_profile",
        "scenarios[0].tags[0]",
        "scenarios[0].frequency"
      )
    }
  ],
  "evaluator-name": [
    "a scenario's name has at most 80 characters",
    async (world) => {
      const agent_id = await world.agent()
      await planOf(world, { spec: suiteOf(1, { name: "😀".repeat(80) }) })
      for (const name of ["x".repeat(81), "", null, 5]) {
        const reply = await world.post(PATHS.validate, { agent_id, spec: suiteOf(1, { name }) })
        expectOnlyFaults(reply, "scenarios[0].name")
      }
    }
  ],
  limits: [
    "lists, texts and numbers of a spec are taken up to their limits, and one more is a fault under its path",
    async (world) => {
      const agent_id = await world.agent()
      for (const [field, most, path, spec] of specLimits) {
        const right = await world.post(PATHS.validate, { agent_id, spec: spec(most) })
        expectTrue(`${field} of ${most} answered ${right.status} ${shown(right.text)}`, right.status === 200)
        expectFaultWithin(await world.post(PATHS.validate, { agent_id, spec: spec(most + 1) }), path)
      }
    }
  ],
  references: [
    "a scenario has up to 64 metrics and 64 tools, the defaults' counted, and one more is a fault under its path",
    async (world) => {
      const [agent_id, project] = [await world.agent(), await world.project()]
      const made = async (make: (position: number) => Promise<number>) => {
        const ids: Array<number> = []
        for (let position = 0; position <= MOST_REFERENCES; position++) ids.push(await make(position))
        return ids
      }
      const metrics = await made((position) =>
        world.makeId(PATHS.metrics, {
          agent: agent_id,
          name: `Asks ${position}`,
          type: "llm_judge",
          eval_type: "binary",
          prompt: "Does the agent ask?"
        })
      )
      const tools = await made((position) => world.makeId(PATHS.tools, { project, name: `Tool ${position}` }))
      const most = { metrics: metrics.slice(1), tools: tools.slice(1) }
      await planOf(world, { spec: suiteOf(1, most) })
      const plan = (spec: object) => world.post(PATHS.validate, { agent_id, spec })
      expectFaultWithin(await plan(suiteOf(1, { metrics })), "scenarios[0].metrics")
      expectFaultWithin(await plan(suiteOf(1, { tools })), "scenarios[0].tools")
      const joined = { ...suiteOf(1, most), defaults: { metrics: metrics.slice(0, 1) } }
      expectFaultWithin(await plan(joined), "scenarios[0].metrics")
    }
  ],
  required: [
    "what counts runs, calls or seconds is 1 or more, and a suite has a scenario",
    async (world) => {
      const agent_id = await world.agent()
      for (const field of ["frequency", "max_duration"]) {
        const reply = await world.post(PATHS.validate, { agent_id, spec: suiteOf(1, { [field]: 0 }) })
        expectOnlyFaults(reply, `scenarios[0].${field}`)
      }
      const none = await world.post(PATHS.validate, { agent_id, spec: { ...suiteOf(1), scenarios: [] } })
      expectOnlyFaults(none, "scenarios")
      const idle = await world.post(PATHS.validate, { agent_id, spec: withDefaults({ concurrency_limit: 0 }) })
      expectOnlyFaults(idle, "defaults.concurrency_limit")
      const twice = await world.post(PATHS.validate, {
        agent_id,
        spec: { ...suiteOf(1), scenarios: [1, 2].flatMap(() => listAt(suiteOf(1), "scenarios")) }
      })
      expectOnlyFaults(twice, "scenarios[1].key")
    }
  ],
  "provider-data": [
    "provider_e_data and provider_d_data are objects of this run alone",
    async (world) => {
      const agent_id = await world.agent()
      for (const field of ["provider_e_data", "provider_d_data"]) {
        for (const wrong of [5, "x", [1]]) {
          expectFaultWithin(await world.post(PATHS.validate, { agent_id, spec: suiteOf(1), [field]: wrong }), field)
        }
      }
    }
  ],
  hostile: [
    "whatever a spec holds is a plan or faults",
    async (world) => {
      const agent_id = await world.agent()
      // Whether the body or the spec is what is nested too deeply is the server's to say.
      const deep: unknown = JSON.parse(`${"[".repeat(400)}${"]".repeat(400)}`)
      expectStatus(await world.post(PATHS.validate, { agent_id, spec: suiteOf(1, { instructions: deep }) }), 400)
      for (const instructions of ["a\0b", "\ud800", 1e300, { toString: "x" }]) {
        const reply = await world.post(PATHS.validate, { agent_id, spec: suiteOf(1, { instructions }) })
        expectTrue("no fault is told", faultsOf(reply).length > 0)
      }
      const proto = `{"version":"1","__proto__":{"x":1},"suite":{"name":"x"},"scenarios":[]}`
      expectStatus(await world.post(PATHS.validate, { agent_id, spec: proto }), 400)
      expectDetail(await world.get(PATHS.validate), 405)
    }
  ]
})
