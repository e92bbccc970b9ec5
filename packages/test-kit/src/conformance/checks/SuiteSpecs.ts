/** E1: the fields of a spec, their limits and references. */
import { at, listAt } from "../../Documents.js"
import { PATHS, suiteOf } from "../Fixture.js"
import { checksOf } from "../Check.js"
import {
  bodyOf,
  expectDetail,
  expectFieldErrors,
  expectFieldErrorWithin,
  expectOnlyFieldErrors,
  expectEqual,
  expectStatus,
  expectTrue,
  errorPathsOf,
  shown,
  Skipped
} from "../Expect.js"
import { planOf } from "./SuiteSupport.js"

const many = <A>(count: number, one: (at: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, at) => one(at))

/** Metrics, and tools, that a scenario may have. Source: docs/suites.md, The spec. */
const MOST_REFERENCES = 64

type Fields = Readonly<Record<string, unknown>>

const scenarioOf = (fields: Fields) => at(suiteOf(1, fields), "scenarios", 0)

const withDefaults = (defaults: object) => ({ ...suiteOf(1), defaults })

/** Bytes of a spec, as a file and as JSON. Source: docs/suites.md, The spec. */
const MOST_BYTES = 1_048_576

/** Bytes of a body that a spec of the most bytes fits into, written as a text of a JSON document too. */
const ROOM = 2 * MOST_BYTES

/** A spec that is so many bytes long as JSON: most of it is what its scenarios say. */
const specOfBytes = (bytes: number) => {
  const scenarios = (last: number) =>
    many(6, (position) =>
      scenarioOf({ key: `key-${position}`, instructions: "x".repeat(position === 5 ? last : 180_000) })
    )
  const spec = (last: number) => ({ ...suiteOf(1), scenarios: scenarios(last) })
  return spec(1 + bytes - JSON.stringify(spec(1)).length)
}

/** What a scenario of the type conditional_actions is made of. Source: interface, Conditional-actions instructions. */
const ACTIONS = {
  role: "Somebody in a hurry",
  conditions: [
    { id: 0, condition: "FIRST_MESSAGE", action: "Hello", type: "standard", fixed_message: true },
    {
      id: 1,
      condition: "The agent asks to hold",
      action: '<silence time="5" /> Go on. [laughter]',
      type: "standard",
      fixed_message: false
    },
    { id: 2, condition: 1, action: '<hold time="2" /> Bye. <endcall />', type: "action_followup", fixed_message: false }
  ]
}

/** A suite of one scenario that is played by conditional actions, said in these fields. */
const acted = (fields: Fields) => suiteOf(1, { type: "conditional_actions", instructions: undefined, ...fields })

/** Source: docs/suites.md, The spec: up to how much is taken of what, where one more is told, and a spec with so much. */
const specLimits: ReadonlyArray<readonly [field: string, most: number, path: string, spec: (size: number) => unknown]> =
  [
    [
      "scenarios",
      200,
      "scenarios",
      (size) => ({
        ...suiteOf(1),
        scenarios: many(size, (position) => scenarioOf({ key: `key-${position}` }))
      })
    ],
    ["frequency", 100, "scenarios[0].frequency", (size) => suiteOf(size)],
    ["max_duration", 86_400, "scenarios[0].max_duration", (size) => suiteOf(1, { max_duration: size })],
    ["tags", 32, "scenarios[0].tags", (size) => suiteOf(1, { tags: many(size, (at) => `tag-${at}`) })],
    ["a tag", 64, "scenarios[0].tags[0]", (size) => suiteOf(1, { tags: ["x".repeat(size)] })],
    ["key", 128, "scenarios[0].key", (size) => suiteOf(1, { key: "x".repeat(size) })],
    ["a scenario's name", 80, "scenarios[0].name", (size) => suiteOf(1, { name: "x".repeat(size) })],
    ["suite.name", 255, "suite.name", (size) => ({ ...suiteOf(1), suite: { name: "x".repeat(size) } })],
    [
      "suite.description",
      20_000,
      "suite.description",
      (size) => ({ ...suiteOf(1), suite: { name: "x", description: "x".repeat(size) } })
    ],
    ["instructions", 200_000, "scenarios[0].instructions", (size) => suiteOf(1, { instructions: "x".repeat(size) })],
    [
      "expected_outcome",
      20_000,
      "scenarios[0].expected_outcome",
      (size) => suiteOf(1, { expected_outcome: "x".repeat(size) })
    ],
    ["first_message", 20_000, "scenarios[0].first_message", (size) => suiteOf(1, { first_message: "x".repeat(size) })],
    [
      "a described personality",
      20_000,
      "scenarios[0].personality.description",
      (size) => suiteOf(1, { personality: { name: "x", description: "x".repeat(size) } })
    ],
    ["concurrency_limit", 100, "defaults.concurrency_limit", (size) => withDefaults({ concurrency_limit: size })],
    ["frequency of all", 100, "defaults.frequency", (size) => withDefaults({ frequency: size })],
    ["max_duration of all", 86_400, "defaults.max_duration", (size) => withDefaults({ max_duration: size })],
    ["tags of all", 32, "defaults.tags", (size) => withDefaults({ tags: many(size, (at) => `tag-${at}`) })],
    [
      "tags with those of all",
      32,
      "scenarios[0].tags",
      (size) => ({ ...suiteOf(1, { tags: many(size - 1, (at) => `tag-${at}`) }), defaults: { tags: ["of all"] } })
    ]
  ]

export const suiteSpecs = checksOf("E1", {
  size: [
    "limits a spec to 1,048,576 bytes, as an object, a text or a file",
    async (fixture) => {
      const { bodyBytes = ROOM, uploadBytes = ROOM } = fixture.limits
      if (bodyBytes < ROOM || uploadBytes < ROOM) throw new Skipped("the server's bodies hold no spec of this size")
      const agent_id = await fixture.agent()
      const padded = (bytes: number) => JSON.stringify(suiteOf(1)).padEnd(bytes)
      const file = (bytes: number) => new File([padded(bytes)], "suite.json", { type: "application/json" })
      const ways: ReadonlyArray<readonly [field: string, request: (bytes: number) => object]> = [
        ["spec", (bytes) => ({ json: { agent_id, spec: specOfBytes(bytes) } })],
        ["spec", (bytes) => ({ json: { agent_id, spec: padded(bytes) } })],
        ["file", (bytes) => ({ json: { agent_id, file: padded(bytes) } })],
        ["file", (bytes) => ({ multipart: { agent_id, file: file(bytes) } })]
      ]
      for (const [field, request] of ways) {
        bodyOf(await fixture.ask("POST", PATHS.validate, request(MOST_BYTES)), 200)
        expectOnlyFieldErrors(await fixture.ask("POST", PATHS.validate, request(MOST_BYTES + 1)), field)
      }
    }
  ],
  version: [
    "requires version 1",
    async (fixture) => {
      const agent_id = await fixture.agent()
      for (const version of [undefined, null, "", "2", "1.0", 1, ["1"]]) {
        const reply = await fixture.post(PATHS.validate, { agent_id, spec: { ...suiteOf(1), version } })
        expectOnlyFieldErrors(reply, "version")
      }
    }
  ],
  "conditional-actions": [
    "accepts conditional actions as structure or JSON text, not both; reports an invalid part under its path",
    async (fixture) => {
      const agent_id = await fixture.agent()
      const plan = (fields: Fields) => fixture.post(PATHS.validate, { agent_id, spec: acted(fields) })
      for (const fields of [{ conditional_actions: ACTIONS }, { instructions: JSON.stringify(ACTIONS) }]) {
        const planned = at(bodyOf(await plan(fields), 200), "plan", "scenarios", 0, "type")
        expectEqual("the type of the scenario", planned, "conditional_actions")
      }
      const both = { conditional_actions: ACTIONS, instructions: JSON.stringify(ACTIONS) }
      expectOnlyFieldErrors(await plan(both), "scenarios[0].conditional_actions")
      expectOnlyFieldErrors(await plan({}), "scenarios[0].conditional_actions")
      const plain = await plan({ type: "instruction", instructions: "Hello", conditional_actions: ACTIONS })
      expectOnlyFieldErrors(plain, "scenarios[0].conditional_actions")
      const [first, ...rest] = ACTIONS.conditions
      const wrong: ReadonlyArray<readonly [fields: object, path: string]> = [
        [{ conditions: [{ ...first, id: 1 }, ...rest] }, "conditions[0].id"],
        [{ conditions: [{ ...first, condition: "It greets" }, ...rest] }, "conditions[0].condition"],
        [{ conditions: [{ ...first, action: "<laughter />" }, ...rest] }, "conditions[0].action"],
        [{ conditions: [{ ...first, type: "other" }, ...rest] }, "conditions[0].type"],
        [{ conditions: [{ ...first, fixed_message: "x" }, ...rest] }, "conditions[0].fixed_message"],
        [{ conditions: 5 }, "conditions"],
        [{ role: 5 }, "role"]
      ]
      for (const [fields, path] of wrong) {
        const messages = { ...ACTIONS, ...fields }
        expectFieldErrorWithin(
          await plan({ conditional_actions: messages }),
          `scenarios[0].conditional_actions.${path}`
        )
        const written = await plan({ instructions: JSON.stringify(messages) })
        expectFieldErrorWithin(written, `scenarios[0].instructions`)
      }
    }
  ],
  names: [
    "resolves metrics by slug or id and everything else by name or id; rejects what is not enabled or of another project or agent",
    async (fixture) => {
      const { agent, project } = await fixture.otherProject()
      const [name, stranger] = [`Named ${fixture.run}`, `Strange ${fixture.run}`]
      const inProject = async (of: number, called: string) => {
        const own = { project: of, name: called }
        const personality = await fixture.makeId(PATHS.personalities, { ...own, language: "en" })
        const [profile = 0] = await fixture.makeMany(PATHS.profiles, [{ ...own, information: {} }])
        const [tool = 0] = await fixture.makeMany(PATHS.tools, [own])
        return { personality, profile, tool }
      }
      const [ours, theirs] = [
        await inProject(project, name),
        await inProject((await fixture.otherProject()).project, stranger)
      ]
      const enabling = `${PATHS.projects}${project}/enable_personalities/`
      expectStatus(await fixture.post(enabling, { personalities: ours.personality }), 200)
      const question = { agent, name, type: "llm_judge", eval_type: "binary", prompt: "Does the agent ask?" }
      const [metric = 0, silent = 0] = await fixture.makeMany(PATHS.metrics, [
        question,
        { ...question, simulation_enabled: false }
      ])
      const simulated = listAt((await fixture.get(PATHS.predefined)).json).find(
        (one) => at(one, "simulation_enabled") === true
      )
      if (simulated === undefined) throw new Skipped("no predefined metric is enabled for simulation")
      const plan = (fields: Fields) => fixture.post(PATHS.validate, { agent_id: agent, spec: suiteOf(1, fields) })
      const planned = async (fields: Fields) => at(bodyOf(await plan(fields), 200), "plan", "scenarios", 0)

      for (const personality of [ours.personality, name]) {
        expectEqual("the personality", at(await planned({ personality }), "personality", "id"), ours.personality)
      }
      for (const test_profile of [ours.profile, name]) {
        expectEqual("the test profile", at(await planned({ test_profile }), "test_profile", "id"), ours.profile)
      }
      const described = { personality: { name: "Nobody yet" }, test_profile: { name: "Nor this", information: {} } }
      const inline = await planned(described)
      expectEqual(
        "what is described",
        [at(inline, "personality", "id"), at(inline, "test_profile", "id")],
        [null, null]
      )
      const none = await planned({ personality: null, test_profile: null })
      expectEqual("what is none", [at(none, "personality"), at(none, "test_profile")], [null, null])
      for (const tool of [ours.tool, name]) await planned({ tools: [tool] })
      const metrics = listAt(await planned({ metrics: [metric, at(simulated, "slug")] }), "metric_ids")
      expectEqual("the metrics", [metrics.includes(metric), metrics.length], [true, 2])

      for (const personality of [theirs.personality, stranger]) {
        expectOnlyFieldErrors(await plan({ personality }), "scenarios[0].personality")
      }
      for (const test_profile of [theirs.profile, stranger]) {
        expectOnlyFieldErrors(await plan({ test_profile }), "scenarios[0].test_profile")
      }
      for (const tool of [theirs.tool, stranger])
        expectOnlyFieldErrors(await plan({ tools: [tool] }), "scenarios[0].tools[0]")
      for (const one of [silent, await fixture.numericMetric(), "no_such_metric"]) {
        expectOnlyFieldErrors(await plan({ metrics: [metric, one] }), "scenarios[0].metrics[1]")
      }
    }
  ],
  defaults: [
    "applies the defaults to scenarios, and merges metrics and tags without duplicates",
    async (fixture) => {
      const { agent } = await fixture.otherProject()
      const question = { agent, type: "llm_judge", eval_type: "binary", prompt: "Does the agent ask?" }
      const [ours, theirs] = await fixture.makeMany(PATHS.metrics, [
        { ...question, name: "Ours" },
        { ...question, name: "Theirs" }
      ])
      const defaults = { frequency: 3, max_duration: 60, tags: ["nightly", "smoke"], metrics: [ours] }
      const scenario = { frequency: undefined }
      const own = { key: "b", frequency: 2, max_duration: 120, tags: ["smoke", "own"], metrics: [theirs, ours] }
      const plan = await planOf(fixture, {
        agent_id: agent,
        spec: { ...withDefaults(defaults), scenarios: [scenarioOf(scenario), scenarioOf(own)] }
      })
      const seen = (position: number) =>
        ["frequency", "tags", "metric_ids"].map((name) => {
          const value = at(plan, "scenarios", position, name)
          return Array.isArray(value) ? value.map(String).sort() : value
        })
      const ids = [String(ours), String(theirs)].sort()
      expectEqual("what says nothing", seen(0), [3, ["nightly", "smoke"], [String(ours)]])
      expectEqual("what says otherwise", seen(1), [2, ["nightly", "own", "smoke"], ids])
      const alone = (fields: Fields) => planOf(fixture, { agent_id: agent, spec: suiteOf(3, fields) })
      const minute = await alone({ max_duration: 60, metrics: [ours] })
      expectEqual("the price of a minute", at(plan, "scenarios", 0, "estimated_cost"), at(minute, "estimated_cost"))
    }
  ],
  "every-error": [
    "reports every error of a spec at once, under its path",
    async (fixture) => {
      const spec = {
        ...suiteOf(1, {
          metrics: ["no_such_metric"],
          personality: fixture.unknownId,
          test_profile: "No such profile",
          tags: ["x".repeat(65)],
          frequency: 0
        }),
        color: "red"
      }
      const reply = await fixture.post(PATHS.validate, { agent_id: await fixture.agent(), spec, channel: "fax" })
      expectFieldErrors(
        reply,
        "color",
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
    "limits a scenario's name to 80 characters",
    async (fixture) => {
      const agent_id = await fixture.agent()
      await planOf(fixture, { spec: suiteOf(1, { name: "😀".repeat(80) }) })
      for (const name of ["x".repeat(81), "", null, 5]) {
        const reply = await fixture.post(PATHS.validate, { agent_id, spec: suiteOf(1, { name }) })
        expectOnlyFieldErrors(reply, "scenarios[0].name")
      }
    }
  ],
  limits: [
    "accepts lists, texts and numbers up to their limits, and reports one above under its path",
    async (fixture) => {
      const agent_id = await fixture.agent()
      for (const [field, most, path, spec] of specLimits) {
        const right = await fixture.post(PATHS.validate, { agent_id, spec: spec(most) })
        expectTrue(`${field} of ${most} answered ${right.status} ${shown(right.text)}`, right.status === 200)
        expectFieldErrorWithin(await fixture.post(PATHS.validate, { agent_id, spec: spec(most + 1) }), path)
      }
    }
  ],
  references: [
    "limits a scenario to 64 distinct metrics, including the defaults', and 64 tools; defaults have no tools",
    async (fixture) => {
      // What is made goes with its project, and no call is ever asked these metrics: the agent gets none.
      const { agent, project } = await fixture.otherProject()
      const question = { agent, type: "llm_judge", eval_type: "binary", prompt: "Does the agent ask?" }
      const metrics = await fixture.makeMany(
        PATHS.metrics,
        many(MOST_REFERENCES + 1, (position) => ({ ...question, name: `Asks ${position}` }))
      )
      const tools = await fixture.makeMany(
        PATHS.tools,
        many(MOST_REFERENCES + 1, (position) => ({ project, name: `Tool ${position}` }))
      )
      const most = { metrics: metrics.slice(1), tools: tools.slice(1) }
      const plan = (spec: object) => fixture.post(PATHS.validate, { agent_id: agent, spec })
      const joined = (shared: object) => ({ ...suiteOf(1, most), defaults: shared })
      expectStatus(await plan(suiteOf(1, most)), 200)
      expectStatus(await plan(joined({ metrics: metrics.slice(1) })), 200)
      expectOnlyFieldErrors(await plan(suiteOf(1, { metrics })), "scenarios[0].metrics")
      expectOnlyFieldErrors(await plan(suiteOf(1, { tools })), "scenarios[0].tools")
      expectOnlyFieldErrors(await plan(withDefaults({ metrics })), "defaults.metrics")
      expectOnlyFieldErrors(await plan(joined({ metrics: metrics.slice(0, 1) })), "scenarios[0].metrics")
      expectOnlyFieldErrors(await plan(joined({ tools: tools.slice(1, 2) })), "defaults.tools")
    }
  ],
  required: [
    "requires counts and durations of at least 1, and at least one scenario",
    async (fixture) => {
      const agent_id = await fixture.agent()
      for (const field of ["frequency", "max_duration"]) {
        const reply = await fixture.post(PATHS.validate, { agent_id, spec: suiteOf(1, { [field]: 0 }) })
        expectOnlyFieldErrors(reply, `scenarios[0].${field}`)
      }
      const none = await fixture.post(PATHS.validate, { agent_id, spec: { ...suiteOf(1), scenarios: [] } })
      expectOnlyFieldErrors(none, "scenarios")
      const idle = await fixture.post(PATHS.validate, { agent_id, spec: withDefaults({ concurrency_limit: 0 }) })
      expectOnlyFieldErrors(idle, "defaults.concurrency_limit")
      const twice = await fixture.post(PATHS.validate, {
        agent_id,
        spec: { ...suiteOf(1), scenarios: [1, 2].flatMap(() => listAt(suiteOf(1), "scenarios")) }
      })
      expectOnlyFieldErrors(twice, "scenarios[1].key")
    }
  ],
  hostile: [
    "answers any spec with a plan or field errors",
    async (fixture) => {
      const agent_id = await fixture.agent()
      // Whether the body or the spec is what is nested too deeply is the server's to say.
      const deep: unknown = JSON.parse(`${"[".repeat(400)}${"]".repeat(400)}`)
      expectStatus(await fixture.post(PATHS.validate, { agent_id, spec: suiteOf(1, { instructions: deep }) }), 400)
      for (const instructions of ["a\0b", "\ud800", 1e300, { toString: "x" }]) {
        const reply = await fixture.post(PATHS.validate, { agent_id, spec: suiteOf(1, { instructions }) })
        expectTrue("no fault is told", errorPathsOf(reply).length > 0)
      }
      const proto = `{"version":"1","__proto__":{"x":1},"suite":{"name":"x"},"scenarios":[]}`
      expectStatus(await fixture.post(PATHS.validate, { agent_id, spec: proto }), 400)
      expectDetail(await fixture.get(PATHS.validate), 405)
    }
  ]
})
