import {
  Credits,
  encodeValidatedSuite,
  planSuite,
  type PlanRequest,
  parseSuite,
  standardPrices,
  suiteJsonSchema
} from "@earshot/core"
import { SuiteKit } from "@earshot/test-kit"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { hasFieldErrors } from "../../src/kernel/FieldErrors.js"
import { MetricId, TestProfileId, ToolId } from "../../src/kernel/Ids.js"
import { closestName } from "../../src/kernel/ClosestName.js"

const request: PlanRequest = { channel: "voice", name: null, providerData: null, only: { keys: [], tags: [] } }

const planOf = (document: unknown, asked: Partial<PlanRequest> = {}, fixture = SuiteKit.fixture) =>
  planSuite(parseSuite(document), { ...request, ...asked }, fixture, standardPrices)

const errorsOf = (document: unknown, asked: Partial<PlanRequest> = {}, fixture = SuiteKit.fixture) =>
  Either.match(planOf(document, asked, fixture), { onLeft: (errors) => errors, onRight: () => ({}) })

const scenario = { key: "a", name: "A", type: "instruction", instructions: "Ask." }

const suite = (...scenarios: ReadonlyArray<object>) => ({
  version: "1",
  suite: { name: "Smoke" },
  scenarios: scenarios.length === 0 ? [scenario] : scenarios
})

describe("plan of a suite", () => {
  const plan: SuiteKit.PlanDocument = (document, ...rest) => planSuite(parseSuite(document), ...rest)
  for (const { check, name } of SuiteKit.suiteProperties(plan, standardPrices)) it(name, check)

  it("has the fields of the interface, merged with the defaults", () => {
    const document = {
      version: "1",
      suite: { name: "Smoke", description: "" },
      agent_id: 7,
      defaults: {
        frequency: 3,
        concurrency_limit: 2,
        max_duration: 90,
        metrics: ["latency_ms"],
        personality: "Patient",
        test_profile: 21,
        tags: ["nightly"]
      },
      scenarios: [
        { ...scenario, metrics: ["politeness", 1], tags: ["nightly", "new"], tools: ["keypad"] },
        {
          key: "b",
          name: "B",
          type: "conditional_actions",
          conditional_actions: {
            role: "",
            conditions: [{ id: 0, condition: "FIRST_MESSAGE", action: "Hi <endcall />" }]
          },
          frequency: 1,
          max_duration: 1,
          personality: { name: "Calm" },
          test_profile: null
        }
      ]
    }
    const plan = Either.getOrThrow(planOf(document))
    expect(plan.concurrencyLimit).toBe(2)
    expect(encodeValidatedSuite(plan)).toEqual({
      dry_run: true,
      valid: true,
      plan: {
        agent_id: 7,
        project_id: 3,
        channel: "voice",
        suite_name: "Smoke",
        scenario_count: 2,
        total_runs: 4,
        // 3 x (90 s at 5 a minute + 0.05) + 1 second, rounded half up.
        estimated_cost: "22.733333",
        runnable: false,
        not_runnable_reason: "The agent has no voice endpoint: set voice_endpoint to run it by voice.",
        scenarios: [
          {
            key: "a",
            name: "A",
            type: "instruction",
            frequency: 3,
            metric_ids: [1, 2],
            tags: ["nightly", "new"],
            personality: { mode: "name", id: 11, name: "Patient" },
            test_profile: { mode: "id", id: 21 },
            estimated_cost: "22.650000"
          },
          {
            key: "b",
            name: "B",
            type: "conditional_actions",
            frequency: 1,
            metric_ids: [1],
            tags: ["nightly"],
            personality: { mode: "inline", id: null, name: "Calm" },
            test_profile: null,
            estimated_cost: "0.083333"
          }
        ]
      }
    })
  })

  it("gives runs the fields of the scenario, or else the defaults", () => {
    const { scenarios } = Either.getOrThrow(
      planOf({
        ...suite(
          { ...scenario, tools: ["calendar", 31, "keypad"], personality: 12, test_profile: "Bob" },
          {
            ...scenario,
            key: "b",
            language: null,
            personality: { name: "Calm", language: "fr", description: "Never in a hurry." },
            test_profile: { name: "Eve", information: { age: 40 } }
          },
          { ...scenario, key: "c", language: "de", personality: null }
        ),
        defaults: { language: "nl", personality: "Patient", test_profile: null }
      })
    )
    const kept = scenarios.map(({ language, personality, testProfile, toolIds }) => ({
      language,
      personality,
      testProfile,
      toolIds
    }))
    expect(kept).toEqual([
      {
        language: "nl",
        personality: { mode: "id", id: 12, name: "Hurried", language: "de", description: "" },
        testProfile: { mode: "name", id: 22, name: "Bob", information: null },
        toolIds: [32, 31]
      },
      {
        language: null,
        personality: { mode: "inline", id: null, name: "Calm", language: "fr", description: "Never in a hurry." },
        testProfile: { mode: "inline", id: null, name: "Eve", information: { age: 40 } },
        toolIds: []
      },
      { language: "de", personality: null, testProfile: null, toolIds: [] }
    ])
  })

  it("costs 25 credits for a voice run of the default duration and 10 for a text run", () => {
    expect(Credits.format(Either.getOrThrow(planOf(suite())).estimatedCost)).toBe("25.000000")
    expect(Credits.format(Either.getOrThrow(planOf(suite(), { channel: "text" })).estimatedCost)).toBe("10.000000")
  })

  it("prefers the name of the request over that of the suite", () => {
    expect(Either.getOrThrow(planOf(suite(), { name: "Tonight" })).suiteName).toBe("Tonight")
    expect(Either.getOrThrow(planOf(suite())).suiteName).toBe("Smoke")
  })
})

describe("errors of a suite", () => {
  it("are reported all at once, by path, with the closest known name", () => {
    expect(
      errorsOf(
        {
          version: 1,
          suite: { nam: "x" },
          agent: 7,
          defaults: { personality: "patient", metrics: ["latencyms"] },
          scenarios: [
            { ...scenario, metrics: ["politenes", 99, "silence", 4], test_profile: "Anne", tools: ["keyboard"] },
            { key: "a", name: "", type: "instuction", frequency: 0, personality: "Twin" },
            { key: "c", name: "C", type: "conditional_actions", instructions: "{" },
            7
          ]
        },
        { channel: "provider_f" }
      )
    ).toEqual({
      agent: ["Unknown field."],
      version: ['Must be "1".'],
      "suite.nam": ['Unknown field; did you mean "name"?'],
      "suite.name": ["This field is required."],
      channel: ["This agent does not support provider_f; it supports voice, text, provider_e_v2."],
      "defaults.metrics[0]": ['No metric with slug "latencyms"; did you mean "latency_ms"?'],
      "defaults.personality": ['No enabled personality named "patient"; did you mean "Patient"?'],
      "scenarios[0].metrics[0]": ['No metric with slug "politenes"; did you mean "politeness"?'],
      "scenarios[0].metrics[1]": ['Invalid pk "99" - object does not exist.'],
      "scenarios[0].metrics[2]": ['The metric "silence" is not enabled for simulation.'],
      "scenarios[0].metrics[3]": ['The metric "silence" is not enabled for simulation.'],
      "scenarios[0].test_profile": ['No test profile named "Anne"; did you mean "Ann"?'],
      "scenarios[0].tools[0]": ['No tool named "keyboard".'],
      "scenarios[1].key": ["scenarios[0] has this key already; keys are unique."],
      "scenarios[1].name": ["This field may not be blank."],
      "scenarios[1].type": ['"instuction" is not a valid choice; did you mean "instruction"?'],
      "scenarios[1].frequency": ["Ensure this value is greater than or equal to 1."],
      "scenarios[1].personality": ['2 enabled personalities are named "Twin"; refer to one by id.'],
      "scenarios[2].instructions": ["Instructions of conditional actions must be valid JSON."],
      "scenarios[3]": ["Expected an object."]
    })
  })

  it("include personalities that are not enabled or do not exist", () => {
    expect(errorsOf(suite({ ...scenario, personality: 19 }))).toEqual({
      "scenarios[0].personality": ["The personality 19 is not enabled for this project."]
    })
    expect(errorsOf(suite({ ...scenario, personality: 12345 }))).toEqual({
      "scenarios[0].personality": ['Invalid pk "12345" - object does not exist.']
    })
  })

  it("include ambiguous names", () => {
    const [metric] = SuiteKit.fixture.metrics
    const fixture = {
      ...SuiteKit.fixture,
      metrics: metric === undefined ? [] : [metric, { ...metric, id: MetricId.make(6) }],
      testProfiles: [21, 22, 23].map((id) => ({ id: TestProfileId.make(id), name: "Ann" })),
      tools: [31, 32].map((id) => ({ id: ToolId.make(id), name: "keypad" }))
    }
    expect(
      errorsOf(suite({ ...scenario, metrics: ["latency_ms"], test_profile: "Ann", tools: ["keypad"] }), {}, fixture)
    ).toEqual({
      "scenarios[0].metrics[0]": ['2 metrics have the slug "latency_ms"; refer to one by id.'],
      "scenarios[0].test_profile": ['3 test profiles are named "Ann"; refer to one by id.'],
      "scenarios[0].tools[0]": ['2 tools are named "keypad"; refer to one by id.']
    })
  })

  it("quote names of up to 60 characters and cut longer ones between characters", () => {
    const names = ["x".repeat(60), "y".repeat(61), "😀".repeat(40)]
    expect(errorsOf(suite({ ...scenario, tools: names }))).toEqual({
      "scenarios[0].tools[0]": [`No tool named "${"x".repeat(60)}".`],
      "scenarios[0].tools[1]": [`No tool named "${"y".repeat(57)}...".`],
      "scenarios[0].tools[2]": [`No tool named "${"😀".repeat(30)}...".`]
    })
  })

  it("suggest a name for the first 200 distinct unknown names, wherever these occur", () => {
    const wrong = Array.from({ length: 201 }, (_, n) => `international_latency_${n.toString(36).padStart(2, "0")}`)
    const fixture = { ...SuiteKit.fixture, tools: [{ id: ToolId.make(31), name: "international_latency_ms" }] }
    // A suite has 200 scenarios at most, so that the last two names stand beside the one before.
    const tools = wrong.slice(0, 199).map((name) => [name])
    const scenarios = [...tools, [...wrong.slice(199), wrong[0]]].map((names, n) => ({
      ...scenario,
      key: `k${n}`,
      tools: names
    }))
    const guessed = 'did you mean "international_latency_ms"?'
    const sentences = Object.entries(errorsOf(suite(...scenarios), {}, fixture))
    expect(sentences).toHaveLength(202)
    expect(sentences.filter(([, messages]) => !String(messages).endsWith(guessed)).map(([path]) => path)).toEqual([
      "scenarios[199].tools[1]"
    ])
  })

  it("include cycles of conditions and unknown tags", () => {
    const conditions = [
      { id: 0, condition: "FIRST_MESSAGE", action: "Hi" },
      { id: 1, condition: 2, action: "<whisper>psst</whisper>" },
      { id: 2, condition: 1, action: "x" }
    ]
    const errors = errorsOf(
      suite({ key: "a", name: "A", type: "conditional_actions", conditional_actions: { role: "", conditions } })
    )
    expect(errors).toEqual({
      "scenarios[0].conditional_actions.conditions[1].action": ["Unknown tag <whisper>.", "Unknown tag </whisper>."],
      "scenarios[0].conditional_actions.conditions[1].condition": ["Conditions refer to each other in a cycle."],
      "scenarios[0].conditional_actions.conditions[2].condition": ["Conditions refer to each other in a cycle."]
    })
  })

  it("include exceeded limits, counting the items of the defaults", () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => `t${n}`)
    expect(errorsOf(suite(...Array.from({ length: 201 }, (_, n) => ({ ...scenario, key: `k${n}` }))))).toEqual({
      scenarios: ["Ensure this field has no more than 200 elements."]
    })
    expect(errorsOf({ ...suite(), scenarios: [] })).toEqual({
      scenarios: ["Ensure this field has at least 1 elements."]
    })
    expect(errorsOf({ ...suite({ ...scenario, tags: many(32) }), defaults: { tags: ["more"] } })).toEqual({
      "scenarios[0].tags": ["Ensure this field has no more than 32 elements. Those of the defaults count too."]
    })
    const [metric] = SuiteKit.fixture.metrics
    const metrics = many(65).flatMap((slug, n) =>
      metric === undefined ? [] : [{ ...metric, id: MetricId.make(n + 1), slug }]
    )
    const asked = { ...suite({ ...scenario, metrics: many(64) }), defaults: { metrics: ["t64"] } }
    expect(errorsOf(asked, {}, { ...SuiteKit.fixture, metrics })).toEqual({
      "scenarios[0].metrics": ["Ensure this field has no more than 64 elements. Those of the defaults count too."]
    })
    expect(errorsOf({ ...asked, defaults: { metrics: ["t0"] } }, {}, { ...SuiteKit.fixture, metrics })).toEqual({})
    expect(errorsOf(suite({ ...scenario, tags: many(33) }))).toEqual({
      "scenarios[0].tags": ["Ensure this field has no more than 32 elements."]
    })
    expect(errorsOf(suite({ ...scenario, name: "x".repeat(81), key: "x".repeat(129) }))).toEqual({
      "scenarios[0].name": ["Ensure this field has no more than 80 characters."],
      "scenarios[0].key": ["Ensure this field has no more than 128 characters."]
    })
  })

  it("include instructions that do not fit the scenario type", () => {
    const actions = { role: "", conditions: [{ id: 0, condition: "FIRST_MESSAGE", action: "Hi" }] }
    expect(errorsOf(suite({ ...scenario, conditional_actions: actions }))).toEqual({
      "scenarios[0].conditional_actions": ["Only scenarios of the type conditional_actions have these."]
    })
    expect(errorsOf(suite({ ...scenario, type: "conditional_actions", conditional_actions: actions }))).toEqual({
      "scenarios[0].conditional_actions": ["Give instructions or conditional_actions, not both."]
    })
    expect(errorsOf(suite({ key: "a", name: "A", type: "conditional_actions" }))).toEqual({
      "scenarios[0].conditional_actions": ["This field is required."]
    })
    expect(errorsOf(suite({ key: "a", name: "A", type: "instruction" }))).toEqual({
      "scenarios[0].instructions": ["This field is required."]
    })
  })
})

describe("JSON Schema of suites", () => {
  const validate = new Ajv2020({ strict: false }).compile(suiteJsonSchema)

  it("accepts what the parser accepts", () => {
    fc.assert(
      fc.property(SuiteKit.suite, (document) => {
        expect(parseSuite(document).errors).toEqual({})
        expect(validate(document)).toBe(true)
      })
    )
  })

  it("rejects exactly the generated documents that the parser rejects", () => {
    fc.assert(
      fc.property(SuiteKit.damagedSuite, (document) => {
        const { errors } = parseSuite(document)
        if (!hasFieldErrors(errors)) expect(validate(document), JSON.stringify(document)).toBe(true)
        // What a schema cannot say: these sentences are the reader's own.
        const own = Object.values(errors)
          .flat()
          .every((messages) =>
            /unique|Ids count up|circle|No condition has|FIRST_MESSAGE|tag|2\^53|well formed|positive/.test(messages)
          )
        if (hasFieldErrors(errors) && !own) expect(validate(document), JSON.stringify([document, errors])).toBe(false)
      }),
      { numRuns: 150 }
    )
  })
})

describe("closest name", () => {
  const known = ["latency_ms", "politeness", "talk_ratio"]

  it("is one that differs in few characters", () => {
    expect(closestName("latencyms", known)).toBe("latency_ms")
    expect(closestName("LATENCY_MS", known)).toBe("latency_ms")
    expect(closestName("latnecy_ms", known)).toBe("latency_ms")
    expect(closestName("weather", known)).toBeUndefined()
    expect(closestName("", known)).toBeUndefined()
    expect(closestName("x".repeat(1000), ["x".repeat(999)])).toBeUndefined()
  })

  it("of a known name is the name itself", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 20 }), { minLength: 1 }), (names) =>
        names.every((name) => closestName(name, names)?.toLowerCase() === name.toLowerCase())
      )
    )
  })
})
