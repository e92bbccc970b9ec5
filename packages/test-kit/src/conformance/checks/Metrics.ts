/** E11 and E12. */
import {
  any,
  bodyOf,
  bool,
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
  type Kind,
  list,
  matching,
  oneOf,
  orNull,
  shortText,
  text
} from "../Expect.js"
import { type Fixture, PATHS } from "../Fixture.js"
import { checksOf } from "../Check.js"
import { at, listAt } from "../../Documents.js"

const TYPES = ["basic", "custom_prompt", "custom_code", "llm_judge"]

const EVAL_TYPES = ["binary", "continuous_qualitative", "numeric", "enum"]

const TRIGGERS = ["always", "automatic", "custom"]

/** Source: interface, Metric (predefined list item). */
const predefinedShape: Readonly<Record<string, Kind>> = {
  id: int,
  name: shortText(255),
  description: text,
  code: text,
  slug: matching(/^[a-z0-9]+(_[a-z0-9]+)*$/, "a name in snake_case"),
  type: oneOf(...TYPES),
  eval_type: oneOf(...EVAL_TYPES),
  audio_enabled: bool,
  prompt: text,
  function_name: text,
  enum_values: any,
  custom_code: text,
  simulation_enabled: bool,
  observability_enabled: bool,
  configuration: any,
  cost: matching(/^-?\d{0,4}(?:\.\d{0,6})?$/, "a decimal of at most 4 and 6 digits"),
  evaluation_trigger: oneOf(...TRIGGERS),
  evaluation_trigger_prompt: text,
  category: orNull(oneOf("Speech Quality", "Conversation Quality", "Accuracy", "Customer Experience")),
  sub_category: text,
  organization: int
}

/** Source: interface, Metric (per-agent). */
const metricShape: Readonly<Record<string, Kind>> = {
  id: int,
  agent: int,
  name: shortText(255),
  description: text,
  type: oneOf(...TYPES),
  eval_type: oneOf(...EVAL_TYPES, "binary_workflow_adherence"),
  enum_values: any,
  audio_enabled: bool,
  prompt: text,
  evaluation_trigger: oneOf(...TRIGGERS),
  evaluation_trigger_prompt: text,
  priority_assignment_prompt: text,
  configuration: any,
  display_order: int,
  overall_score: any,
  total_score: any,
  knowledge_base_files: list,
  observability_enabled: bool,
  simulation_enabled: bool,
  function_name: text,
  custom_code: text,
  service_defined_metric_code: any,
  reviews: any
}

const aMetric = async (fixture: Fixture, fields: Readonly<Record<string, unknown>> = {}) => {
  const made = await fixture.make(PATHS.metrics, {
    agent: await fixture.agent(),
    name: "Offers a call-back",
    type: "llm_judge",
    eval_type: "binary",
    prompt: "Does the agent offer a call-back?",
    // Other checks deliver calls to this agent, and a language model's answers cost.
    observability_enabled: false,
    ...fields
  })
  return { made, path: `${PATHS.metrics}${String(made.id)}/` }
}

export const predefinedMetrics = checksOf("E11", {
  listed: [
    "the predefined metrics are one array, each with all its fields, slugs and codes unique",
    async (fixture) => {
      const reply = await fixture.get(PATHS.predefined)
      expectStatus(reply, 200)
      const all = listAt(reply.json)
      expectTrue("the answer is no array, or an empty one", all.length > 0)
      for (const metric of all) expectShape("a metric", metric, predefinedShape)
      for (const field of ["id", "slug", "code"]) {
        expectSame(`different values of ${field}`, new Set(all.map((metric) => at(metric, field))).size, all.length)
      }
      for (const metric of all) {
        expectTrue("a slug of more than 255 characters", String(at(metric, "slug")).length <= 255)
      }
    }
  ]
})

export const metrics = checksOf("E12", {
  "answered-200": [
    "a patch is answered with 200 and the whole metric, laid over what was there",
    async (fixture) => {
      const { made, path } = await aMetric(fixture)
      expectShape("the metric", made, metricShape)
      const fields = {
        name: "Calls back",
        description: "x",
        audio_enabled: true,
        prompt: "Is there a call-back?",
        type: "llm_judge",
        eval_type: "enum",
        enum_values: { yes: "It is offered", no: "It is not" },
        display_order: 3
      }
      const changed = bodyOf(await fixture.patch(path, fields), 200)
      expectShape("the metric", changed, metricShape)
      expectSame("the metric", changed, { ...made, ...fields })
      expectSame("what is read", bodyOf(await fixture.get(path), 200), changed)
    }
  ],
  "name-limit": [
    "name has at most 255 characters",
    async (fixture) => {
      const { path } = await aMetric(fixture)
      for (const name of ["x".repeat(255), "😀".repeat(255)]) bodyOf(await fixture.patch(path, { name }), 200)
      for (const name of ["x".repeat(256), "😀".repeat(256), "", null, 5]) {
        expectOnlyFaults(await fixture.patch(path, { name }), "name")
      }
    }
  ],
  "eval-types": [
    "eval_type is one of the interface's, binary_workflow_adherence among them; an enum needs its values",
    async (fixture) => {
      const { path } = await aMetric(fixture)
      for (const eval_type of ["numeric", "continuous_qualitative", "binary_workflow_adherence", "binary"]) {
        expectSame("eval_type", bodyOf(await fixture.patch(path, { eval_type }), 200).eval_type, eval_type)
      }
      expectFaults(await fixture.patch(path, { eval_type: "enum", enum_values: null }), "enum_values")
      expectFaults(await fixture.patch(path, { eval_type: "boolean" }), "eval_type")
    }
  ],
  "deprecated-types": [
    "a metric becomes none of the deprecated types, nor an unknown one",
    async (fixture) => {
      const { path } = await aMetric(fixture)
      for (const type of ["basic", "custom_prompt", "judge", null])
        expectFaults(await fixture.patch(path, { type }), "type")
    }
  ],
  "enum-values": [
    "enum_values of an enum are an object whose keys are the values, or a list of texts; anything else is a fault",
    async (fixture) => {
      const { path } = await aMetric(fixture)
      for (const enum_values of [{ yes: "It is offered" }, { yes: 1, no: null }, ["yes", "no"]]) {
        const changed = bodyOf(await fixture.patch(path, { eval_type: "enum", enum_values }), 200)
        expectSame("enum_values", changed.enum_values, enum_values)
      }
      for (const enum_values of [null, {}, [], 5, true, "yes", [1], ["yes", null], ["yes", "yes"], { " ": 1 }]) {
        expectFaultWithin(await fixture.patch(path, { enum_values }), "enum_values")
      }
      expectSame("enum_values", bodyOf(await fixture.get(path), 200).enum_values, ["yes", "no"])
    }
  ],
  agent: [
    "agent or its assistant_id moves a metric within its project; an unknown one, or another project's, is a fault",
    async (fixture) => {
      const { path } = await aMetric(fixture)
      const project = await fixture.project()
      const [here, assistant_id] = [await fixture.agent(), `conformance-${fixture.run}-beside`]
      const beside = await fixture.makeId(PATHS.agents, { project, name: "Beside", assistant_id })
      const moved = async (fields: object) => {
        const { agent } = bodyOf(await fixture.patch(path, fields), 200)
        expectSame("the agent that is read", bodyOf(await fixture.get(path), 200).agent, agent)
        return agent
      }
      expectSame("the agent of assistant_id", await moved({ assistant_id }), beside)
      expectSame("the agent of agent", await moved({ agent: here }), here)
      expectSame("the agent of both", await moved({ agent: beside, assistant_id }), beside)
      const unknown = await fixture.patch(path, { assistant_id: `${assistant_id}-not` })
      expectOnlyFaults(unknown, "assistant_id")
      expectOnlyFaults(await fixture.patch(path, { assistant_id: 5 }), "assistant_id")
      const { agent: far } = await fixture.elsewhere({ assistant_id: `conformance-${fixture.run}-far` })
      for (const agent of [far, fixture.nobody, "x"]) expectOnlyFaults(await fixture.patch(path, { agent }), "agent")
      faultsOf(await fixture.patch(path, { assistant_id: `conformance-${fixture.run}-far` }))
      expectSame("the agent", bodyOf(await fixture.get(path), 200).agent, beside)
    }
  ],
  "custom-code": [
    "a metric becomes custom_code where it has code, and otherwise custom_code is a fault",
    async (fixture) => {
      const { path: without } = await aMetric(fixture)
      expectOnlyFaults(await fixture.patch(without, { type: "custom_code" }), "custom_code")
      const custom_code = 'return { value: true, explanation: "Always." }'
      const { path } = await aMetric(fixture, { custom_code })
      const changed = bodyOf(await fixture.patch(path, { type: "custom_code" }), 200)
      expectSame("the metric", [changed.type, changed.custom_code], ["custom_code", custom_code])
      const back = bodyOf(await fixture.patch(path, { type: "llm_judge" }), 200)
      expectSame("type", back.type, "llm_judge")
    }
  ],
  "wrong-values": [
    "every wrong value is told at once, and nothing is changed",
    async (fixture) => {
      const { made, path } = await aMetric(fixture)
      expectOnlyFaults(
        await fixture.patch(path, {
          name: 5,
          description: null,
          audio_enabled: "perhaps",
          prompt: {},
          display_order: -1
        }),
        "name",
        "description",
        "audio_enabled",
        "prompt",
        "display_order"
      )
      expectOnlyFaults(await fixture.patch(path, { agent: fixture.nobody }), "agent")
      expectSame("the metric", bodyOf(await fixture.get(path), 200), made)
    }
  ],
  "read-only-ignored": [
    "read-only and unknown fields are passed over",
    async (fixture) => {
      const { made, path } = await aMetric(fixture)
      const changed = bodyOf(await fixture.patch(path, { id: 7, overall_score: 5, reviews: 1, colour: "red" }), 200)
      expectSame("the metric", changed, made)
    }
  ],
  "json-only": [
    "forms are answered with 415, and an unknown metric with 404",
    async (fixture) => {
      const { path } = await aMetric(fixture)
      expectDetail(await fixture.ask("PATCH", path, { form: { name: "x" } }), 415)
      expectDetail(await fixture.ask("PATCH", path, { multipart: { name: "x" } }), 415)
      expectDetail(await fixture.patch(`${PATHS.metrics}${fixture.nobody}/`, { name: "x" }), 404)
    }
  ]
})
