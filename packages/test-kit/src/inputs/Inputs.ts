/**
 * Valid inputs that create or update resources, by subject, and invalid values of their fields with the paths of the errors.
 * References are not resolved: any id is valid.
 */
import { allPermissions, Channel, EvalType, Filters, LanguageCode } from "@earshot/core"
import * as fc from "fast-check"
import * as CatalogArbitraries from "../catalog/CatalogArbitraries.js"
import { arbitraryEvaluatorInput } from "../evaluators/EvaluatorArbitraries.js"
import { filter } from "../filters/FilterArbitraries.js"
import { type Property, property, expectEqual, expectEvery, expectIncludes } from "../Property.js"
import {
  flaw,
  type Input,
  type InputFlaw,
  type InputSubject,
  type InvalidInput,
  ofChoice,
  ofId,
  ofName,
  ofRequiredId,
  ofText
} from "./Flaws.js"
import { requests } from "./Requests.js"

const name = CatalogArbitraries.name(80)
const id = fc.integer({ min: 1, max: 1_000_000 })

const metricCommon = {
  agent: id,
  name: CatalogArbitraries.name(),
  description: CatalogArbitraries.text(80),
  audio_enabled: fc.boolean(),
  prompt: CatalogArbitraries.name(80),
  evaluation_trigger: fc.constantFrom("always", "automatic"),
  configuration: fc.constantFrom(null, {}, { max_silence_s: 2.5 }, { phrases: ["goodbye"] }),
  display_order: fc.nat({ max: 1000 })
}

const metric: fc.Arbitrary<Input> = fc.oneof(
  fc.record({
    ...metricCommon,
    type: fc.constant("llm_judge"),
    eval_type: fc.constantFrom(...EvalType.literals.filter((one) => one !== "enum"))
  }),
  fc.record({
    ...metricCommon,
    type: fc.constant("llm_judge"),
    eval_type: fc.constant("enum"),
    enum_values: fc.constantFrom<unknown>(["good", "bad"], { good: "It went well", bad: "It did not" })
  }),
  fc.record({
    ...metricCommon,
    type: fc.constant("custom_code"),
    eval_type: fc.constant("numeric"),
    custom_code: fc.constant("return 1")
  })
)

const ids = fc.uniqueArray(id, { maxLength: 4 })

const bulkUpdate: fc.Arbitrary<Input> = fc
  .record(
    {
      scenarios: fc.uniqueArray(id, { minLength: 1, maxLength: 5 }),
      project: id,
      agent: id,
      metrics: fc.tuple(ids, ids),
      tools: fc.tuple(ids, ids),
      personality: id,
      test_profile: id,
      append_instruction: CatalogArbitraries.text(80),
      first_message: CatalogArbitraries.text(80),
      phone_number: id,
      folder_path: fc.constantFrom("", "a", "a.b"),
      max_duration: fc.integer({ min: 1, max: 86_400 })
    },
    { requiredKeys: ["scenarios", "project"] }
  )
  .map(({ metrics = [[], []], tools = [[], []], ...rest }) => ({
    ...rest,
    metric_ids_to_add: metrics[0],
    // An id in both lists is an error.
    metric_ids_to_remove: metrics[1].filter((one) => !metrics[0].includes(one)),
    tool_ids_to_add: tools[0],
    tool_ids_to_remove: tools[1].filter((one) => !tools[0].includes(one))
  }))

const bound = fc.record({ type: fc.constantFrom("project", "agent", "dashboard"), id })
const permissions = fc.subarray([...allPermissions], { minLength: 1 })

const ofBounds: ReadonlyArray<InputFlaw> = [
  flaw("an unknown type", "bounds[0].type", [{ type: "color", id: 1 }], "bounds"),
  flaw("no id", "bounds[0].id", [{ type: "project" }], "bounds"),
  flaw("none at all", "bounds", []),
  flaw("a text", "bounds", "all")
]

const ofFilters: ReadonlyArray<InputFlaw> = [
  flaw("an unknown operator", "filters.op", { field: "duration", op: "near", value: 1 }, "filters"),
  flaw("a text", "filters", "today")
]

const named = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Input> =>
  fc.record({ name: CatalogArbitraries.name(), ...fields })

export const subjects = {
  ...requests,
  project: { valid: named({ description: CatalogArbitraries.text(200) }), flaws: ofName("name", 255) },
  agent: {
    valid: fc.tuple(CatalogArbitraries.agentDraft, id).map(([draft, project]): Input => ({ ...draft, project })),
    flaws: [
      ...ofName("name", 255),
      ...ofRequiredId("project"),
      flaw("no channels", "supported_channels", []),
      flaw("an unknown channel", "supported_channels[1]", [Channel.literals[0], "smoke"], "supported_channels"),
      flaw("an address that is none", "chat_endpoint.url", { url: "x", kind: "webhook" }, "chat_endpoint"),
      flaw("an unknown kind", "chat_endpoint.kind", { url: "https://a.example", kind: "fax" }, "chat_endpoint"),
      flaw("no WebSocket", "voice_endpoint.url", { url: "https://a.example" }, "voice_endpoint"),
      flaw(
        "an unknown protocol",
        "voice_endpoint.protocol",
        { url: "wss://a.example", protocol: "sip" },
        "voice_endpoint"
      ),
      flaw("no token", "voice_endpoint.auth_token", { url: "wss://a.example", auth_token: "" }, "voice_endpoint")
    ]
  },
  personality: {
    valid: named({
      project: id,
      language: fc.constantFrom(...LanguageCode.literals),
      voice_behavior: fc.option(CatalogArbitraries.voiceBehaviorInput)
    }),
    flaws: [
      ...ofName("name", 255),
      ...ofRequiredId("project"),
      ...ofChoice("language"),
      flaw("nothing", "language", undefined),
      ...ofText("description", 10_000),
      flaw("a text", "voice_behavior", "rude"),
      flaw("a pace of nothing", "voice_behavior.pace", { pace: 0 }, "voice_behavior"),
      flaw(
        "more often than always",
        "voice_behavior.interrupts.probability",
        { interrupts: { probability: 2 } },
        "voice_behavior"
      ),
      flaw(
        "a blank phrase",
        "voice_behavior.interrupts.phrases[0]",
        { interrupts: { phrases: [" "] } },
        "voice_behavior"
      ),
      flaw("a silence of no length", "voice_behavior.silences.seconds", { silences: {} }, "voice_behavior"),
      flaw("noise beyond full scale", "voice_behavior.line.noise_db", { line: { noise_db: 3 } }, "voice_behavior")
    ]
  },
  test_profile: {
    valid: named({
      project: id,
      agent: fc.option(id),
      information: fc.constantFrom<unknown>({}, { main_agent_variables: { name: "Ann" } }, { caller: { mood: "calm" } })
    }),
    flaws: [...ofName("name", 255), ...ofRequiredId("project"), ...ofId("agent"), flaw("a text", "information", "Ann")]
  },
  phone_number: {
    valid: fc.record({ project: id, number: fc.stringMatching(/^\+1555\d{7}$/), name }),
    flaws: [...ofName("number", 100), ...ofRequiredId("project"), ...ofText("name", 255)]
  },
  tool: {
    valid: named({
      project: id,
      description: CatalogArbitraries.text(80),
      parameters: fc.constantFrom({}, { type: "object" })
    }),
    flaws: [
      ...ofName("name", 255),
      ...ofRequiredId("project"),
      flaw("a list", "parameters", []),
      flaw("an integer beyond 2^53", "parameters", { n: 2 ** 60 })
    ]
  },
  metric: {
    valid: metric,
    flaws: [
      ...ofName("name", 255),
      ...ofChoice("type"),
      ...ofChoice("eval_type"),
      ...ofId("agent"),
      ...ofText("prompt", 50_000),
      ...ofChoice("evaluation_trigger"),
      flaw("a word", "audio_enabled", "perhaps"),
      flaw("below 0", "display_order", -1)
    ]
  },
  evaluator: {
    valid: fc.tuple(arbitraryEvaluatorInput, id).map(([input, agent]): Input => ({ ...input, agent })),
    flaws: [
      ...ofName("name", 80),
      ...ofRequiredId("agent"),
      ...ofChoice("scenario_type"),
      ...ofChoice("scenario_language"),
      ...ofText("first_message", 20_000),
      ...ofId("personality"),
      ...ofId("test_profile"),
      flaw("a removed field", "dynamic_variable_values", {}),
      flaw("no time at all", "max_duration", 0),
      flaw("more than a day", "max_duration", 86_401),
      flaw("a blank tag", "tags[1]", ["a", " "], "tags"),
      flaw("a tag that is a number", "tags[0]", [1], "tags"),
      flaw(
        "33 tags",
        "tags",
        Array.from({ length: 33 }, (_, at) => String(at))
      )
    ]
  },
  bulk_update: {
    valid: bulkUpdate,
    flaws: [
      flaw("nothing", "scenarios", undefined),
      flaw("none", "scenarios", []),
      flaw("a word among ids", "scenarios[1]", [1, "one"], "scenarios"),
      ...ofId("agent"),
      ...ofId("project"),
      ...ofId("personality"),
      ...ofText("append_instruction", 200_000),
      ...ofText("first_message", 20_000),
      flaw("a removed field", "dynamic_variable_values", null),
      flaw("no time at all", "max_duration", 0),
      {
        wrong: "a metric to add and to remove",
        patch: { metric_ids_to_add: [3, 4], metric_ids_to_remove: [4] },
        path: "metric_ids_to_remove"
      },
      {
        wrong: "a tool to add and to remove",
        patch: { tool_ids_to_add: [3], tool_ids_to_remove: [3] },
        path: "tool_ids_to_remove"
      }
    ]
  },
  dashboard: {
    valid: named({ project: id, filters: filter.map(Filters.encode) }),
    flaws: [...ofName("name", 255), ...ofRequiredId("project"), ...ofFilters]
  },
  dashboard_patch: {
    valid: fc.record(
      { name: CatalogArbitraries.name(), project: id, filters: filter.map(Filters.encode) },
      { requiredKeys: [] }
    ),
    flaws: [
      // A missing field is unchanged.
      ...ofName("name", 255).filter(({ wrong }) => wrong !== "nothing"),
      ...ofId("project"),
      ...ofFilters
    ]
  },
  folder: {
    valid: fc.record({ project: id, path: fc.constantFrom("a", "a.b", "Über uns.x") }),
    flaws: [
      ...ofRequiredId("project"),
      flaw("nothing", "path", undefined),
      flaw("null", "path", null),
      flaw("a list", "path", ["a", "b"]),
      flaw("NUL", "path", "a\0"),
      flaw("half a character", "path", "\ud800a")
    ]
  },
  code_connection: {
    valid: fc.record(
      {
        host: fc.constantFrom("github", "gitlab", "local"),
        name,
        settings: fc.constantFrom({}, { owner: "harbor" }),
        secret: fc.constantFrom(null, "", "a secret")
      },
      { requiredKeys: ["host"] }
    ),
    flaws: [
      ...ofName("host", 50),
      ...ofText("name", 255),
      ...ofText("secret", 20_000),
      flaw("a list", "settings", []),
      flaw("an integer beyond 2^53", "settings", { n: 2 ** 60 })
    ]
  },
  review: {
    valid: fc.record(
      {
        success: fc.option(fc.boolean()),
        is_reviewed: fc.boolean(),
        feedback: fc.option(CatalogArbitraries.text(80)),
        dropoff_point: CatalogArbitraries.text(80),
        topic: CatalogArbitraries.text(80)
      },
      { requiredKeys: [] }
    ),
    flaws: [
      flaw("a word", "success", "perhaps"),
      flaw("null", "is_reviewed", null),
      ...ofChoice("status"),
      flaw("a character too many", "topic", "x".repeat(1001)),
      flaw("a character too many", "dropoff_point", "x".repeat(1001)),
      flaw("NUL", "feedback", "\0")
    ]
  },
  api_key: {
    valid: named({ scopes: permissions }),
    flaws: [
      ...ofName("name", 255),
      flaw("an unknown scope", "scopes[1]", ["calls:read", "calls:dream"], "scopes"),
      flaw("none", "scopes", []),
      flaw("a word", "expires_at", "tomorrow")
    ]
  },
  token: {
    valid: fc.record({
      kind: fc.constantFrom("oauth2", "dashboard_session"),
      permissions,
      ttl: fc.integer({ min: 1, max: 3600 }),
      bounds: fc.option(fc.array(bound, { minLength: 1, maxLength: 3 }))
    }),
    flaws: [
      ...ofChoice("kind"),
      flaw("nothing", "kind", undefined),
      flaw("an unknown permission", "permissions[0]", ["dream"], "permissions"),
      flaw("no time at all", "ttl", 0),
      ...ofBounds
    ]
  },
  shareable_link: {
    valid: fc.record({ name, bounds: fc.array(bound, { minLength: 1, maxLength: 3 }), permissions }),
    flaws: [flaw("nothing", "bounds", undefined), ...ofBounds, ...ofText("name", 255)]
  },
  user: {
    valid: fc.record({ email: fc.constantFrom("ada@example.com", "b@example.org"), name }),
    flaws: [flaw("nothing", "email", undefined), flaw("no address", "email", "ada"), ...ofText("name", 255)]
  }
} as const satisfies Readonly<Record<string, InputSubject>>

export type SubjectName = keyof typeof subjects

/** An input of a subject with one invalid field. */
export const invalidInput = (subject: InputSubject): fc.Arbitrary<InvalidInput> =>
  fc
    .tuple(subject.valid, fc.constantFrom(...subject.flaws))
    .map(([input, one]) => ({ ...one, input: { ...input, ...one.patch } }))

/** Invalid values of distinct fields. */
const severalFlaws = ({ flaws }: InputSubject) => {
  const fieldsOf = ({ patch }: InputFlaw) => Object.keys(patch).join()
  const fields = new Set(flaws.map(fieldsOf)).size
  return fc.uniqueArray(fc.constantFrom(...flaws), {
    minLength: Math.min(2, fields),
    maxLength: Math.min(4, fields),
    selector: fieldsOf
  })
}

/** `errorsOf` returns the paths of an input's errors. */
export const inputProperties = (
  name: string,
  subject: InputSubject,
  errorsOf: (input: unknown) => ReadonlyArray<string>
): ReadonlyArray<Property> => [
  property(
    `${name}: valid inputs are accepted`,
    [subject.valid],
    (input) => {
      expectEqual("errorsOf(input).length", errorsOf(input).length, 0)
    },
    60
  ),
  property(
    `${name}: an invalid value is reported under its path`,
    [invalidInput(subject)],
    ({ input, path }) => {
      expectIncludes("errorsOf(input)", errorsOf(input), path)
    },
    150
  ),
  property(
    `${name}: every error is reported, not only the first`,
    [subject.valid, severalFlaws(subject)],
    (input, several) => {
      const errors = errorsOf(several.reduce<Input>((whole, { patch }) => ({ ...whole, ...patch }), input))
      expectEvery("several", several, ({ path }) => errors.includes(path))
    },
    100
  ),
  property(
    `${name}: any value is accepted or has errors`,
    [
      fc.oneof(
        fc.anything(),
        fc.dictionary(fc.constantFrom(...Object.keys(subject.flaws[0]?.patch ?? {}), "x"), fc.anything())
      )
    ],
    (input) => {
      expectEvery("errorsOf(input)", errorsOf(input), (path) => path !== "")
    },
    60
  )
]
