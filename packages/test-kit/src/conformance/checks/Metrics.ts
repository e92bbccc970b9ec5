/** E11 and E12. */
import {
  any,
  bodyOf,
  bool,
  expectDetail,
  expectFieldErrors,
  expectFieldErrorWithin,
  expectOnlyFieldErrors,
  expectEqual,
  expectShape,
  expectStatus,
  expectTrue,
  errorPathsOf,
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
  slug: any,
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
    "lists the predefined metrics as one array, with all fields, unique slugs and codes",
    async (fixture) => {
      const reply = await fixture.get(PATHS.predefined)
      expectStatus(reply, 200)
      const all = listAt(reply.json)
      expectTrue("the answer is no array, or an empty one", all.length > 0)
      for (const metric of all) expectShape("a metric", metric, predefinedShape)
      for (const field of ["id", "slug", "code"]) {
        expectEqual(`different values of ${field}`, new Set(all.map((metric) => at(metric, field))).size, all.length)
      }
      for (const metric of all) {
        expectTrue("a slug of more than 255 characters", String(at(metric, "slug")).length <= 255)
      }
    }
  ]
})

export const metrics = checksOf("E12", {
  "answered-200": [
    "answers 200 with the whole metric to a patch, which is merged with it",
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
      expectEqual("the metric", changed, { ...made, ...fields })
      expectEqual("what is read", bodyOf(await fixture.get(path), 200), changed)
    }
  ],
  "name-limit": [
    "limits name to 255 characters",
    async (fixture) => {
      const { path } = await aMetric(fixture)
      for (const name of ["x".repeat(255), "😀".repeat(255)]) bodyOf(await fixture.patch(path, { name }), 200)
      for (const name of ["x".repeat(256), "😀".repeat(256), "", null, 5]) {
        expectOnlyFieldErrors(await fixture.patch(path, { name }), "name")
      }
    }
  ],
  "eval-types": [
    "eval_type is one of the interface's, including binary_workflow_adherence; an enum requires its values",
    async (fixture) => {
      const { path } = await aMetric(fixture)
      for (const eval_type of ["numeric", "continuous_qualitative", "binary_workflow_adherence", "binary"]) {
        expectEqual("eval_type", bodyOf(await fixture.patch(path, { eval_type }), 200).eval_type, eval_type)
      }
      expectFieldErrors(await fixture.patch(path, { eval_type: "enum", enum_values: null }), "enum_values")
      expectFieldErrors(await fixture.patch(path, { eval_type: "boolean" }), "eval_type")
    }
  ],
  "deprecated-types": [
    "rejects a change to a deprecated or unknown type",
    async (fixture) => {
      const { path } = await aMetric(fixture)
      for (const type of ["basic", "custom_prompt", "judge", null])
        expectFieldErrors(await fixture.patch(path, { type }), "type")
    }
  ],
  "enum-values": [
    "enum_values is an object whose keys are the values, or a list of texts",
    async (fixture) => {
      const { path } = await aMetric(fixture)
      for (const enum_values of [{ yes: "It is offered" }, { yes: 1, no: null }, ["yes", "no"]]) {
        const changed = bodyOf(await fixture.patch(path, { eval_type: "enum", enum_values }), 200)
        expectEqual("enum_values", changed.enum_values, enum_values)
      }
      for (const enum_values of [null, {}, [], 5, true, "yes", [1], ["yes", null], ["yes", "yes"], { " ": 1 }]) {
        expectFieldErrorWithin(await fixture.patch(path, { enum_values }), "enum_values")
      }
      expectEqual("enum_values", bodyOf(await fixture.get(path), 200).enum_values, ["yes", "no"])
    }
  ],
  agent: [
    "agent or assistant_id moves a metric within its project; unknown agents and those of other projects are rejected",
    async (fixture) => {
      const { path } = await aMetric(fixture)
      const project = await fixture.project()
      const [here, assistant_id] = [await fixture.agent(), `conformance-${fixture.run}-beside`]
      const additional = await fixture.makeId(PATHS.agents, { project, name: "Beside", assistant_id })
      const moved = async (fields: object) => {
        const { agent } = bodyOf(await fixture.patch(path, fields), 200)
        expectEqual("the agent that is read", bodyOf(await fixture.get(path), 200).agent, agent)
        return agent
      }
      expectEqual("the agent of assistant_id", await moved({ assistant_id }), additional)
      expectEqual("the agent of agent", await moved({ agent: here }), here)
      expectEqual("the agent of both", await moved({ agent: additional, assistant_id }), additional)
      const unknown = await fixture.patch(path, { assistant_id: `${assistant_id}-not` })
      expectOnlyFieldErrors(unknown, "assistant_id")
      expectOnlyFieldErrors(await fixture.patch(path, { assistant_id: 5 }), "assistant_id")
      const { agent: far } = await fixture.otherProject({ assistant_id: `conformance-${fixture.run}-far` })
      for (const agent of [far, fixture.unknownId, "x"])
        expectOnlyFieldErrors(await fixture.patch(path, { agent }), "agent")
      errorPathsOf(await fixture.patch(path, { assistant_id: `conformance-${fixture.run}-far` }))
      expectEqual("the agent", bodyOf(await fixture.get(path), 200).agent, additional)
    }
  ],
  "custom-code": [
    "requires code for a change to custom_code",
    async (fixture) => {
      const { path: without } = await aMetric(fixture)
      expectOnlyFieldErrors(await fixture.patch(without, { type: "custom_code" }), "custom_code")
      const custom_code = 'return { value: true, explanation: "Always." }'
      const { path } = await aMetric(fixture, { custom_code })
      const changed = bodyOf(await fixture.patch(path, { type: "custom_code" }), 200)
      expectEqual("the metric", [changed.type, changed.custom_code], ["custom_code", custom_code])
      const back = bodyOf(await fixture.patch(path, { type: "llm_judge" }), 200)
      expectEqual("type", back.type, "llm_judge")
    }
  ],
  "wrong-values": [
    "reports every invalid value at once and changes nothing",
    async (fixture) => {
      const { made, path } = await aMetric(fixture)
      expectOnlyFieldErrors(
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
      expectOnlyFieldErrors(await fixture.patch(path, { agent: fixture.unknownId }), "agent")
      expectEqual("the metric", bodyOf(await fixture.get(path), 200), made)
    }
  ],
  "read-only-ignored": [
    "ignores read-only and unknown fields",
    async (fixture) => {
      const { made, path } = await aMetric(fixture)
      const changed = bodyOf(await fixture.patch(path, { id: 7, overall_score: 5, reviews: 1, color: "red" }), 200)
      expectEqual("the metric", changed, made)
    }
  ],
  "json-only": [
    "answers 415 to forms, and 404 to an unknown metric",
    async (fixture) => {
      const { path } = await aMetric(fixture)
      expectDetail(await fixture.ask("PATCH", path, { form: { name: "x" } }), 415)
      expectDetail(await fixture.ask("PATCH", path, { multipart: { name: "x" } }), 415)
      expectDetail(await fixture.patch(`${PATHS.metrics}${fixture.unknownId}/`, { name: "x" }), 404)
    }
  ]
})
