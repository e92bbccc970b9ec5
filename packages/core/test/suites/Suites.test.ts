import {
  Agents,
  encodeValidatedSuite,
  Metrics,
  Personalities,
  Suites,
  TestProfiles,
  Tools,
  Upload,
  ValidationFailed,
  untrusted
} from "@earshot/core"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, layer } from "@effect/vitest"
import { TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import { stringify } from "yaml"

const scenario = { key: "books", name: "Books a table", type: "instruction", instructions: "Ask for a table." }

/** An organization with an agent that specs can refer to. */
const tested = Effect.gen(function* () {
  const owner = yield* TestEngine.fixture
  const as = TestEngine.as(owner.actor)
  const project = owner.project.id
  const personalities = yield* Personalities
  const patient = yield* as(personalities.create({ project, name: "Patient", language: "en" }))
  const rude = yield* as(personalities.create({ project, name: "Rude", language: "de" }))
  yield* as(personalities.enable(project, { personalities: patient.id }))
  const ann = yield* as((yield* TestProfiles).create({ project, name: "Ann" }))
  yield* as((yield* Tools).create({ project, name: "keypad" }))
  const off = yield* as(
    (yield* Metrics).create({
      agent: owner.agent.id,
      name: "Off",
      type: "llm_judge",
      eval_type: "binary",
      prompt: "Was it?",
      simulation_enabled: false
    })
  )
  const suites = yield* Suites
  const errorsOf = (input: unknown) =>
    as(suites.validate(untrusted(input))).pipe(
      Effect.flip,
      Effect.map((error) => (error instanceof ValidationFailed ? error.errors : error))
    )
  const spec = (own: object = {}, top: object = {}) => ({
    version: "1",
    suite: { name: "Smoke" },
    agent_id: owner.agent.id,
    scenarios: [{ ...scenario, ...own }],
    ...top
  })
  return { ...owner, as, patient, rude, ann, off, suites, errorsOf, spec }
})

const upload = (text: string, filename = "suite.json") => new Upload(Buffer.from(text), "application/json", filename)

for (const database of TestEngine.databases) {
  layer(TestEngine.layer(database), { timeout: "2 minutes" })(`suite validation on ${database}`, (it) => {
    it.effect("returns the same plan for a spec as object, text or file", () =>
      Effect.gen(function* () {
        const { agent, ann, as, patient, project, spec, suites } = yield* tested
        const document = spec({
          metrics: ["latency_ms"],
          personality: "Patient",
          test_profile: "Ann",
          tools: ["keypad"],
          tags: ["smoke"],
          frequency: 2
        })
        const text = JSON.stringify(document)
        const plan = yield* as(suites.validate({ spec: document }))
        expect(encodeValidatedSuite(plan)).toMatchObject({
          dry_run: true,
          valid: true,
          plan: {
            agent_id: agent.id,
            project_id: project.id,
            channel: "voice",
            suite_name: "Smoke",
            scenario_count: 1,
            total_runs: 2,
            estimated_cost: "50.000000",
            scenarios: [
              {
                key: "books",
                personality: { mode: "name", id: patient.id, name: "Patient" },
                test_profile: { mode: "name", id: ann.id }
              }
            ]
          }
        })
        for (const input of [
          { spec: text },
          { file: text },
          { file: upload(text) },
          { file: `data:application/json;base64,${Buffer.from(text).toString("base64")}` },
          { file: `data:,${encodeURIComponent(text)}`, spec: null }
        ]) {
          expect(yield* as(suites.validate(input))).toEqual(plan)
        }
      })
    )

    it.effect("prefers the agent, name and channel of the request over those of the spec", () =>
      Effect.gen(function* () {
        const { agent, as, spec, suites } = yield* tested
        const plan = yield* as(
          suites.validate({
            spec: spec({}, { agent_id: 987654 }),
            agent_id: String(agent.id),
            name: "Tonight",
            channel: "text"
          })
        )
        expect([plan.agentId, plan.suiteName, plan.channel]).toEqual([agent.id, "Tonight", "text"])
      })
    )

    it.effect("reports every error of the request, the spec and its references at once", () =>
      Effect.gen(function* () {
        const { errorsOf, off, rude, spec } = yield* tested
        expect(
          yield* errorsOf({
            spec: spec({ metrics: ["latencyms", off.id], personality: rude.id, tools: ["keypads"] }, { oops: 1 }),
            name: "x".repeat(256),
            channel: "provider_e_v2",
            provider_e_data: [],
            provider_d_data: {}
          })
        ).toEqual({
          oops: ["Unknown field."],
          name: ["Ensure this field has no more than 255 characters."],
          channel: ["This agent does not support provider_e_v2; it supports voice, text."],
          provider_e_data: ["Expected an object."],
          provider_d_data: ["Only with the channel provider_d_v2."],
          "scenarios[0].metrics[0]": ['No metric with slug "latencyms"; did you mean "latency_ms"?'],
          "scenarios[0].metrics[1]": ['The metric "off" is not enabled for simulation.'],
          "scenarios[0].personality": [`The personality ${rude.id} is not enabled for this project.`],
          "scenarios[0].tools[0]": ['No tool named "keypads"; did you mean "keypad"?']
        })
      })
    )

    it.effect("accepts provider data only with its own channel", () =>
      Effect.gen(function* () {
        const { agent, as, errorsOf, spec, suites } = yield* tested
        const channels = ["voice", "text", "provider_f", "provider_e_v2", "provider_d_v2"]
        yield* as((yield* Agents).update(agent.id, untrusted({ supported_channels: channels })))
        for (const channel of channels) {
          for (const data of ["provider_e", "provider_d"]) {
            const input = { spec: spec(), channel, [`${data}_data`]: { room: "blue" } }
            if (channel === `${data}_v2`)
              expect((yield* as(suites.validate(untrusted(input)))).providerData).toEqual({ room: "blue" })
            else expect(yield* errorsOf(input)).toEqual({ [`${data}_data`]: [`Only with the channel ${data}_v2.`] })
          }
        }
      })
    )

    it.effect("requires exactly one document and an agent of the caller's organization", () =>
      Effect.gen(function* () {
        const { agent, as, errorsOf, spec, suites } = yield* tested
        const elsewhere = yield* tested
        const { agent_id: _, ...homeless } = spec()
        expect(yield* errorsOf({})).toEqual({
          spec: ["This field is required if file is not provided."],
          file: ["This field is required if spec is not provided."]
        })
        expect(yield* errorsOf({ spec: spec(), file: "{}" })).toEqual({ file: ["Give spec or file, not both."] })
        expect(yield* errorsOf({ spec: homeless })).toEqual({ agent_id: ["This field is required."] })
        expect(yield* errorsOf({ spec: spec(), agent_id: elsewhere.agent.id })).toEqual({
          agent_id: [`Invalid pk "${elsewhere.agent.id}" - object does not exist.`]
        })
        expect(yield* errorsOf({ spec: spec(), agent_id: "x" })).toEqual({ agent_id: ["A valid integer is required."] })
        expect(yield* errorsOf({ spec: [spec()] })).toEqual({ spec: ["A spec is a JSON object, not a list."] })
        expect(yield* errorsOf({ file: upload("suite: [\n", "suite.yaml") })).toEqual({
          file: [expect.stringContaining("This is not valid YAML (line 2, column 1)")]
        })
        expect(yield* errorsOf({ file: upload("{}", "suite.toml") })).toEqual({
          file: ["A spec is a .json, .yaml, .yml or .csv file."]
        })
        const asYaml = Buffer.from(stringify(spec()))
        const planOf = (file: Upload) => as(suites.validate({ file, agent_id: agent.id }))
        const plans = yield* Effect.all([
          planOf(upload(JSON.stringify(spec()))),
          planOf(new Upload(asYaml, "application/yaml", "")),
          planOf(upload(asYaml.toString(), "suite.yml"))
        ])
        expect(plans[1]).toEqual(plans[0])
        expect(plans[2]).toEqual(plans[0])
        const table = yield* planOf(upload("key,name,instructions\na,A,Ask.\nb,B,Ask.\n", "nightly.csv"))
        expect([table.suiteName, table.scenarios.map(({ key }) => key)]).toEqual(["nightly", ["a", "b"]])
        expect(yield* errorsOf({ file: "https://example.com/suite.json" })).toEqual({
          file: ["Send the file itself; URLs are not fetched."]
        })
        const large = spec({ instructions: "x".repeat(150_000) })
        const tooLarge = {
          ...large,
          scenarios: Array.from({ length: 8 }, (_, n) => ({ ...large.scenarios[0], key: `k${n}` }))
        }
        expect(yield* errorsOf({ file: upload(JSON.stringify(tooLarge)) })).toEqual({
          file: ["Ensure this file has no more than 1048576 bytes."]
        })
        expect(yield* errorsOf({ spec: tooLarge })).toEqual({
          spec: ["Ensure this document has no more than 1048576 bytes."]
        })
        for (const input of [null, [], "x", 7]) expect(yield* errorsOf(input)).toHaveProperty("non_field_errors")
      })
    )

    it.effect("reports text that no database can store under its path, with all other errors", () =>
      Effect.gen(function* () {
        const { agent, errorsOf, spec } = yield* tested
        expect(yield* errorsOf({ spec: spec({ name: "a\0b", tags: ["ok", "\ud800"] }, { oops: 1 }) })).toEqual({
          oops: ["Unknown field."],
          "scenarios[0].name": ["Null characters are not allowed."],
          "scenarios[0].tags[1]": ["Lone surrogate characters are not allowed."]
        })
        expect(yield* errorsOf({ spec: JSON.parse('{"__proto__": 1}'), agent_id: agent.id })).toEqual({
          spec: ['The key "__proto__" is not allowed.'],
          version: ["This field is required."],
          suite: ["This field is required."],
          scenarios: ["This field is required."]
        })
        const information = '{"x": 1e400, "y": [9007199254740993], "__proto__": 1}'
        const file = JSON.stringify(spec({ test_profile: { name: "New", information: 0 } }))
        expect(
          yield* errorsOf({ file: upload(file.replace('"information":0', `"information":${information}`)) })
        ).toEqual({
          "scenarios[0].test_profile.information": ['The key "__proto__" is not allowed.'],
          "scenarios[0].test_profile.information.x": ["Ensure numbers are within ±1.8e308."],
          "scenarios[0].test_profile.information.y[0]": ["Ensure integers are within 2^53 - 1."]
        })
        const deep = Array.from({ length: 70 }).reduce<unknown>((inner) => [inner], 1)
        expect(yield* errorsOf({ spec: spec({ name: deep, key: "\0" }) })).toEqual({
          spec: ["Ensure this value is nested no deeper than 64 levels."]
        })
      })
    )

    it.effect("reports duplicate keys with all other errors", () =>
      Effect.gen(function* () {
        const { errorsOf, spec } = yield* tested
        const twice = JSON.stringify(spec({ frequency: 0 })).replace('"key":', '"key":"first","key":')
        for (const input of [{ spec: twice }, { file: upload(twice) }]) {
          const invalidFields = yield* errorsOf({ ...input, channel: "sms" })
          expect(Object.keys(invalidFields).toSorted()).toEqual([
            "channel",
            "scenarios[0].frequency",
            "scenarios[0].key"
          ])
        }
      })
    )

    it.effect("creates no result and no run", () =>
      Effect.gen(function* () {
        const { as, errorsOf, spec, suites } = yield* tested
        const sql = yield* SqlClient
        const counts = Effect.gen(function* () {
          const tables =
            database === "sqlite"
              ? yield* sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`
              : yield* sql<{ name: string }>`SELECT table_name AS name FROM information_schema.tables
                  WHERE table_schema = 'public'`
          return yield* Effect.forEach(tables, ({ name }) =>
            Effect.map(sql<{ n: number }>`SELECT count(*) AS n FROM ${sql(name)}`, ([row]) => [name, row?.n])
          )
        })
        const before = yield* counts
        yield* as(suites.validate({ spec: spec({ personality: { name: "New" }, test_profile: { name: "New" } }) }))
        yield* errorsOf({ spec: spec({ personality: "New" }) })
        expect(yield* counts).toEqual(before)
      })
    )
  })
}
