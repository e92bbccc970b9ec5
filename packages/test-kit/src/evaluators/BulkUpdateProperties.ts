/** Properties of the plan of a bulk update. Source: interface, E4; docs/evaluators.md. */
import {
  AgentId,
  type BulkPlan,
  type BulkTarget,
  EvaluatorId,
  type FieldErrors,
  FolderId,
  type Found,
  MetricId,
  PhoneNumberId,
  ProjectId,
  type References,
  TestProfileId,
  ToolId
} from "@earshot/core"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { expectEqual, type Property, property, expectOrdered, expectIncludes } from "../Property.js"

/** A request, its references as found, and the existing evaluators. */
export type PlanBulkUpdate = (
  input: unknown,
  found: References,
  targets: ReadonlyArray<BulkTarget>
) => Either.Either<BulkPlan, FieldErrors.FieldErrors>

const projectId = ProjectId.make(1)
const elsewhere = ProjectId.make(2)
const ids = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

const every = <Id extends number>(make: (id: number) => Id, project = projectId): ReadonlyMap<Id, Found<Id>> =>
  new Map(ids(6).map((id) => [make(id), { id: make(id), projectId: project }]))

/** A project in which the ids 1 to 6 of every kind exist. */
const found: References = {
  projectId,
  agent: { id: AgentId.make(7), projectId },
  project: projectId,
  personality: "enabled",
  testProfile: { id: TestProfileId.make(8), projectId },
  phoneNumbers: every((id) => PhoneNumberId.make(id)),
  metrics: every((id) => MetricId.make(id)),
  tools: every((id) => ToolId.make(id)),
  folderId: FolderId.make(9),
  folderErrors: {}
}

const targets: ReadonlyArray<BulkTarget> = ids(6).map((id) => ({
  id: EvaluatorId.make(id),
  projectId,
  scenarioType: "instruction",
  instructionsLength: 10
}))

const some = fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 6 })

/** Two disjoint lists of ids. */
const apart = fc.tuple(some, some).map(([add, remove]) => ({ add, remove: remove.filter((id) => !add.includes(id)) }))

interface Asked {
  readonly input: Readonly<Record<string, unknown>>
  readonly scenarios: ReadonlyArray<number>
  readonly metrics: { readonly add: ReadonlyArray<number>; readonly remove: ReadonlyArray<number> }
  readonly tools: { readonly add: ReadonlyArray<number>; readonly remove: ReadonlyArray<number> }
}

const fields = fc.record(
  {
    agent: fc.constant(7),
    personality: fc.constant(3),
    test_profile: fc.constant(8),
    append_instruction: fc.constantFrom("", " More.", "😀"),
    first_message: fc.constantFrom("", "Hello?"),
    // The two fields of the number are kept in sync.
    number: fc
      .record({
        id: fc.constantFrom(1, 2),
        names: fc.subarray(["phone_number", "inbound_phone_number"], { minLength: 1 })
      })
      .map(({ id, names }) => Object.fromEntries(names.map((name) => [name, id]))),
    folder_path: fc.constantFrom("", "a.b"),
    max_duration: fc.integer({ min: 1, max: 3600 })
  },
  { requiredKeys: [] }
)

/** A valid request. */
const asked: fc.Arbitrary<Asked> = fc
  .record({
    scenarios: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 6 }),
    metrics: apart,
    tools: apart,
    fields
  })
  .map(({ fields: { number, ...rest }, metrics, scenarios, tools }) => ({
    scenarios,
    metrics,
    tools,
    input: {
      scenarios,
      project: 1,
      metric_ids_to_add: metrics.add,
      metric_ids_to_remove: metrics.remove,
      tool_ids_to_add: tools.add,
      tool_ids_to_remove: tools.remove,
      ...rest,
      ...number
    }
  }))

/** An error in one field, and its path. */
const flaws: ReadonlyArray<readonly [wrong: object, path: string]> = [
  [{ scenarios: [] }, "scenarios"],
  [{ scenarios: [1, 99] }, "scenarios"],
  [{ metric_ids_to_add: [99], metric_ids_to_remove: [] }, "metric_ids_to_add"],
  [{ metric_ids_to_add: [], metric_ids_to_remove: [99] }, "metric_ids_to_remove"],
  [{ metric_ids_to_add: [1, 2], metric_ids_to_remove: [2] }, "metric_ids_to_remove"],
  [{ tool_ids_to_add: [99], tool_ids_to_remove: [] }, "tool_ids_to_add"],
  [{ tool_ids_to_add: [], tool_ids_to_remove: [99] }, "tool_ids_to_remove"],
  [{ tool_ids_to_add: [3], tool_ids_to_remove: [3] }, "tool_ids_to_remove"],
  [{ personality: "x" }, "personality"],
  [{ max_duration: 0 }, "max_duration"],
  [{ first_message: "a\0" }, "first_message"],
  [{ append_instruction: "x".repeat(200_001) }, "append_instruction"],
  [{ dynamic_variable_values: {} }, "dynamic_variable_values"],
  [{ phone_number: 99, inbound_phone_number: undefined }, "phone_number"],
  [{ phone_number: undefined, inbound_phone_number: 99 }, "inbound_phone_number"],
  [{ phone_number: 1, inbound_phone_number: 2 }, "inbound_phone_number"],
  [{ phone_number: 6, inbound_phone_number: 5 }, "inbound_phone_number"]
]
const flaw = fc.constantFrom(...flaws)

/** References of a request that are invalid under `path`. */
const findings: ReadonlyArray<readonly [wrong: string, named: object, found: Partial<References>, path: string]> = [
  ["a personality that is not enabled", { personality: 3 }, { personality: "not enabled" }, "personality"],
  ["a personality that is not there", { personality: 3 }, { personality: "unknown" }, "personality"],
  ["a test profile that is not there", { test_profile: 8 }, { testProfile: null }, "test_profile"],
  [
    "a test profile of another project",
    { test_profile: 8 },
    { testProfile: { id: TestProfileId.make(8), projectId: elsewhere } },
    "test_profile"
  ],
  ["an agent that is not there", { agent: 7 }, { agent: null }, "agent"],
  [
    "an agent of another project than the one that is named",
    { agent: 7 },
    { agent: { id: AgentId.make(7), projectId: elsewhere } },
    "agent"
  ],
  ["a project that is not there", { agent: 7 }, { project: null }, "project"],
  [
    "a number of another project",
    { phone_number: 2, inbound_phone_number: undefined },
    { phoneNumbers: every((id) => PhoneNumberId.make(id), elsewhere) },
    "phone_number"
  ],
  [
    "a number of another project, by its deprecated name",
    { phone_number: undefined, inbound_phone_number: 2 },
    { phoneNumbers: every((id) => PhoneNumberId.make(id), elsewhere) },
    "inbound_phone_number"
  ],
  ...(["metric", "tool"] as const).flatMap((what) =>
    ([1, 0] as const).map((adds) => {
      const [one, other] = adds === 1 ? ["add", "remove"] : ["remove", "add"]
      return [
        `a ${what} of another project to ${one}`,
        { [`${what}_ids_to_${one}`]: [3], [`${what}_ids_to_${other}`]: [] },
        what === "metric"
          ? { metrics: every((id) => MetricId.make(id), elsewhere) }
          : { tools: every((id) => ToolId.make(id), elsewhere) },
        `${what}_ids_to_${one}`
      ] as const
    })
  ),
  ["a folder that is not there", { folder_path: "a.b" }, { folderErrors: { folder_path: ["No."] } }, "folder_path"]
]

/** Anything found for references that a request does not have. */
const idle: fc.Arbitrary<Partial<References>> = fc.record(
  {
    personality: fc.constantFrom("enabled" as const, "not enabled" as const, "unknown" as const),
    testProfile: fc.constantFrom(null, { id: TestProfileId.make(8), projectId: elsewhere }),
    agent: fc.constant(null),
    folderId: fc.constant(null),
    phoneNumbers: fc.constantFrom(
      new Map(),
      every((id) => PhoneNumberId.make(id), elsewhere)
    )
  },
  { requiredKeys: [] }
)

/** The errors of a request, by path; none where it is planned. */
const errorsOf = (planned: Either.Either<BulkPlan, FieldErrors.FieldErrors>): ReadonlyArray<string> =>
  Either.match(planned, { onLeft: (errors) => Object.keys(errors), onRight: () => [] })

/** Properties of a planner of bulk updates. */
export const bulkUpdateProperties = (plan: PlanBulkUpdate): ReadonlyArray<Property> => [
  property("a valid request is planned for each of its evaluators once, in order", [asked], (request) => {
    const planned = plan(request.input, found, targets)
    expectEqual("the faults", errorsOf(planned), [])
    const evaluators = Either.map(planned, (one) => one.evaluators)
    expectEqual("the evaluators", Either.merge(evaluators), request.scenarios)
  }),
  property("metrics and tools are added and removed as requested, and nothing is both", [asked], (request) => {
    const { attachMetrics, attachTools, detachMetrics, detachTools } = Either.getOrThrow(
      plan(request.input, found, targets)
    )
    expectEqual(
      "what is attached and detached",
      [attachMetrics, detachMetrics, attachTools, detachTools],
      [request.metrics.add, request.metrics.remove, request.tools.add, request.tools.remove]
    )
  }),
  property("fields in the request are replaced, and missing ones are unchanged", [asked], ({ input }) => {
    const planned = Either.getOrThrow(plan(input, found, targets))
    expectEqual(
      "what is replaced",
      [
        planned.agentId,
        planned.personalityId,
        planned.testProfileId,
        planned.phoneNumberId,
        planned.firstMessage,
        planned.maxDuration,
        planned.append
      ],
      [
        input.agent,
        input.personality,
        input.test_profile,
        input.phone_number ?? input.inbound_phone_number,
        input.first_message,
        input.max_duration,
        input.append_instruction ?? ""
      ]
    )
    expectEqual("(planned.folderId === undefined)", planned.folderId === undefined, input.folder_path === undefined)
  }),
  ...findings.map(([wrong, named, other, path]) =>
    property(
      `${wrong} is a fault, and nothing is planned`,
      [asked],
      ({ input }) => {
        expectEqual("the faults", errorsOf(plan({ ...input, ...named }, { ...found, ...other }, targets)), [path])
      },
      40
    )
  ),
  property("references that a request does not have cause no errors", [asked, idle], ({ input }, other) => {
    const names = ["agent", "folder_path", "inbound_phone_number", "personality", "phone_number", "test_profile"]
    const bare = Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)))
    expectEqual("the faults", errorsOf(plan(bare, { ...found, ...other }, targets)), [])
  }),
  property("references to another project are valid where all belong to it", [asked], ({ input }) => {
    const moved: References = {
      ...found,
      projectId: elsewhere,
      agent: { id: AgentId.make(7), projectId: elsewhere },
      project: elsewhere,
      testProfile: { id: TestProfileId.make(8), projectId: elsewhere },
      phoneNumbers: every((id) => PhoneNumberId.make(id), elsewhere),
      metrics: every((id) => MetricId.make(id), elsewhere),
      tools: every((id) => ToolId.make(id), elsewhere)
    }
    const all = targets.map((one) => ({ ...one, projectId: elsewhere }))
    expectEqual("the faults", errorsOf(plan({ ...input, project: 2 }, moved, all)), [])
  }),
  property("a request with one error is not planned", [asked, flaw], ({ input }, [wrong, path]) => {
    expectIncludes(
      "errorsOf(plan({ ...input, ...wrong }, found, targets))",
      errorsOf(plan({ ...input, ...wrong }, found, targets)),
      path
    )
  }),
  property(
    "errors in several fields are all reported",
    [asked, flaw, flaw],
    ({ input }, [one, path], [other, otherPath]) => {
      const names = Object.keys(one)
      // A field has one value.
      if (Object.keys(other).some((name) => names.includes(name))) {
        return
      }
      const reported = errorsOf(plan({ ...input, ...one, ...other }, found, targets))
      expectIncludes("reported", reported, path)
      expectIncludes("reported", reported, otherPath)
    }
  ),
  property(
    "one unknown or foreign evaluator among many is an error",
    [asked, fc.nat(), fc.boolean()],
    ({ input, scenarios }, pick, isElsewhere) => {
      const lost = scenarios[pick % scenarios.length]
      const others = targets.flatMap((one) =>
        one.id !== lost ? [one] : isElsewhere ? [{ ...one, projectId: ProjectId.make(2) }] : []
      )
      expectEqual(
        "errorsOf(plan(input, found, others)).join()",
        errorsOf(plan(input, found, others)).join(),
        "scenarios"
      )
    }
  ),
  property(
    "nothing is appended where one evaluator has conditional actions",
    [asked, fc.nat()],
    ({ input, scenarios }, pick) => {
      const structured = scenarios[pick % scenarios.length]
      const mixed = targets.map((one): BulkTarget =>
        one.id === structured ? { ...one, scenarioType: "conditional_actions" } : one
      )
      const reported = errorsOf(plan({ ...input, append_instruction: "x" }, found, mixed))
      expectEqual("reported.join()", reported.join(), "append_instruction")
    }
  ),
  property("an agent or a project is required", [asked], ({ input: { agent: _, project: __, ...rest } }) => {
    const reported = errorsOf(plan(rest, { ...found, agent: null, project: null }, targets))
    expectIncludes("reported", reported, "agent")
    expectIncludes("reported", reported, "project")
  }),
  property("any input is planned or has errors", [fc.anything()], (input) => {
    const planned = plan(input, found, targets)
    if (!Either.isRight(planned)) {
      expectOrdered("errorsOf(planned).length", errorsOf(planned).length, ">", 0)
    }
  })
]
