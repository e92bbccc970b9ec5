import {
  AgentId,
  bulkReferenceNames,
  type BulkTarget,
  BulkUpdateInput,
  EvaluatorId,
  FieldErrors,
  FolderId,
  MetricId,
  PhoneNumberId,
  planBulkUpdate,
  ProjectId,
  parseBulkUpdate,
  type References,
  TestProfileId,
  ToolId
} from "@earshot/core"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const project = ProjectId.make(1)
const nothingFound: References = {
  projectId: project,
  agent: null,
  project,
  personality: "enabled",
  testProfile: null,
  phoneNumbers: new Map(),
  metrics: new Map(),
  tools: new Map(),
  folderId: null,
  folderErrors: {}
}
const target = (id: number, more: Partial<BulkTarget> = {}): BulkTarget => ({
  id: EvaluatorId.make(id),
  projectId: project,
  scenarioType: "instruction",
  instructionsLength: 10,
  ...more
})

const ids = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, at) => at + 1)

/** The errors of an otherwise valid request that show without looking anything up. */
const errorsOf = (input: object) => parseBulkUpdate({ scenarios: [1], project: 1, ...input }).errors

/** A request that asks for everything there is to ask for. */
const whole = {
  scenarios: [4, 2],
  agent: 7,
  project: 1,
  metric_ids_to_add: [11, 12],
  metric_ids_to_remove: [13],
  tool_ids_to_add: [21],
  tool_ids_to_remove: [22, 23],
  personality: 3,
  test_profile: 8,
  append_instruction: " More.",
  first_message: "Hello?",
  phone_number: 5,
  inbound_phone_number: "5",
  folder_path: "a.b",
  max_duration: 90
}

describe("bulk update request", () => {
  it("is parsed field by field", () => {
    const { errors, request } = parseBulkUpdate(whole)
    expect(errors).toEqual({})
    expect(request).toEqual({
      scenarios: [4, 2],
      agent: 7,
      project: 1,
      metricsToAdd: [11, 12],
      metricsToRemove: [13],
      toolsToAdd: [21],
      toolsToRemove: [22, 23],
      personality: 3,
      testProfile: 8,
      append: " More.",
      firstMessage: "Hello?",
      phoneNumber: 5,
      inboundPhoneNumber: 5,
      folderPath: "a.b",
      maxDuration: 90
    })
    expect(bulkReferenceNames(request)).toEqual({
      agent: 7,
      project: 1,
      personality: 3,
      testProfile: 8,
      phoneNumbers: [5, 5],
      metrics: [11, 12, 13],
      tools: [21, 22, 23],
      folderPath: "a.b"
    })
  })

  it("leaves missing fields undefined", () => {
    expect(parseBulkUpdate({ scenarios: [1], project: 1 })).toEqual({
      errors: {},
      request: {
        scenarios: [1],
        project: 1,
        metricsToAdd: [],
        metricsToRemove: [],
        toolsToAdd: [],
        toolsToRemove: []
      }
    })
  })

  it("requires scenarios, and an agent or a project", () => {
    expect(parseBulkUpdate({}).errors).toEqual({
      scenarios: ["This field is required."],
      agent: ["This field is required if project is not provided."],
      project: ["This field is required if agent is not provided."]
    })
    expect(parseBulkUpdate({ scenarios: [1], agent: 7 }).errors).toEqual({})
    expect(parseBulkUpdate({ scenarios: [1], project: 1 }).errors).toEqual({})
    expect(parseBulkUpdate([]).request.scenarios).toEqual([])
    expect(parseBulkUpdate({ scenarios: "all", project: 1 })).toMatchObject({
      request: { scenarios: [] },
      errors: { scenarios: ["Expected a list of items."] }
    })
  })

  it("keeps the valid items of its lists", () => {
    const lists = ["scenarios", "metric_ids_to_add", "metric_ids_to_remove", "tool_ids_to_add", "tool_ids_to_remove"]
    const { errors, request } = parseBulkUpdate({
      project: 1,
      ...Object.fromEntries(lists.map((name, at) => [name, [at + 1, "x"]]))
    })
    expect(errors).toEqual(Object.fromEntries(lists.map((name) => [`${name}[1]`, ["A valid integer is required."]])))
    expect(request).toMatchObject({
      scenarios: [1],
      metricsToAdd: [2],
      metricsToRemove: [3],
      toolsToAdd: [4],
      toolsToRemove: [5]
    })
  })

  it("accepts lists and texts up to their limits", () => {
    const lists = ["metric_ids_to_add", "metric_ids_to_remove", "tool_ids_to_add", "tool_ids_to_remove"]
    for (const [names, most] of [
      [["scenarios"], 20_000],
      [lists, 500]
    ] as const) {
      for (const name of names) {
        expect(errorsOf({ [name]: ids(most) })).toEqual({})
        expect(errorsOf({ [name]: ids(most + 1) })).toEqual({
          [name]: [`Ensure this field has no more than ${most} elements.`]
        })
      }
    }
    expect(errorsOf({ scenarios: [] })).toEqual({ scenarios: ["Ensure this field has at least 1 elements."] })
    for (const [name, most] of [
      ["append_instruction", 200_000],
      ["first_message", 20_000]
    ] as const) {
      expect(errorsOf({ [name]: "x".repeat(most) })).toEqual({})
      expect(errorsOf({ [name]: "x".repeat(most + 1) })).toEqual({
        [name]: [`Ensure this field has no more than ${most} characters.`]
      })
    }
    expect([1, 86_400].map((max_duration) => errorsOf({ max_duration }))).toEqual([{}, {}])
    expect(errorsOf({ max_duration: 0 })).toEqual({
      max_duration: ["Ensure this value is greater than or equal to 1."]
    })
    expect(errorsOf({ max_duration: 86_401 })).toEqual({
      max_duration: ["Ensure this value is less than or equal to 86400."]
    })
  })

  it("rejects an id that is added and removed, and the removed field", () => {
    expect(
      errorsOf({
        metric_ids_to_add: [1, 2, 3],
        metric_ids_to_remove: [3, 4, 1],
        tool_ids_to_add: [5],
        tool_ids_to_remove: [5, 6],
        dynamic_variable_values: {}
      })
    ).toEqual({
      metric_ids_to_remove: ["The id 3 is also in metric_ids_to_add.", "The id 1 is also in metric_ids_to_add."],
      tool_ids_to_remove: ["The id 5 is also in tool_ids_to_add."],
      dynamic_variable_values: [
        "This field was removed. Put values into test_profile.information.main_agent_variables."
      ]
    })
  })

  it("is described by the schema that it is parsed by", () => {
    const decode = FieldErrors.decode(BulkUpdateInput)
    const odd = fc.constantFrom<unknown>(null, "x", "", 0, 1, -1, 90, [1], [1, 1], [], "x".repeat(20_001), { a: 1 })
    const field = fc.constantFrom(...Object.keys(whole))
    fc.assert(
      fc.property(fc.dictionary(field, odd), (some) => {
        const input = { ...whole, ...some }
        const described = Either.match(decode(input), { onLeft: (errors) => errors, onRight: () => ({}) })
        // Only the parser checks fields against each other.
        const read = Object.entries(parseBulkUpdate(input).errors).map(([path, messages]) => [
          path,
          messages.filter((one) => !one.includes(" is also in "))
        ])
        expect(described).toEqual(Object.fromEntries(read.filter(([, messages]) => messages?.length !== 0)))
      })
    )
    expect(Either.isLeft(decode({ agent: 7 }))).toBe(true)
  })
})

describe("bulk update plan", () => {
  it("has the changes of the request in the order given", () => {
    const plan = planBulkUpdate(
      parseBulkUpdate({ scenarios: [3, "1"], agent: 7, metric_ids_to_add: [9], folder_path: "", first_message: "" }),
      {
        ...nothingFound,
        project: null,
        agent: { id: AgentId.make(7), projectId: project },
        metrics: new Map([[MetricId.make(9), { id: MetricId.make(9), projectId: project }]])
      },
      [target(1), target(3)]
    )
    expect(Either.getOrThrow(plan)).toEqual({
      evaluators: [3, 1],
      attachMetrics: [9],
      detachMetrics: [],
      attachTools: [],
      detachTools: [],
      agentId: 7,
      personalityId: undefined,
      testProfileId: undefined,
      phoneNumberId: undefined,
      folderId: null,
      firstMessage: "",
      maxDuration: undefined,
      append: ""
    })
  })

  it("moves evaluators to the folder only where a path is given", () => {
    const found = { ...nothingFound, folderId: FolderId.make(5) }
    const planned = (input: object) =>
      Either.getOrThrow(planBulkUpdate(parseBulkUpdate({ scenarios: [1], project: 1, ...input }), found, [target(1)]))
    expect(planned({ folder_path: "a" }).folderId).toBe(5)
    expect(planned({}).folderId).toBeUndefined()
  })

  it("fails with every error of the request and of its references", () => {
    const rejected = planBulkUpdate(
      parseBulkUpdate({
        scenarios: [1, 2, 3, 4],
        project: 1,
        append_instruction: "x",
        personality: 3,
        max_duration: 0
      }),
      { ...nothingFound, personality: "not enabled" },
      [
        target(1, { scenarioType: "conditional_actions" }),
        target(2, { projectId: ProjectId.make(2) }),
        target(4, { instructionsLength: 200_000 })
      ]
    )
    expect(Either.getOrThrow(Either.flip(rejected))).toEqual({
      scenarios: ["The id 2 is of another project.", 'Invalid pk "3" - object does not exist.'],
      personality: ["The personality 3 is not enabled for this project."],
      max_duration: ["Ensure this value is greater than or equal to 1."],
      append_instruction: [
        "Cannot append to the JSON instructions of conditional_actions evaluators: 1.",
        "Instructions would exceed 200000 characters; evaluators: 4."
      ]
    })
  })

  it("uses the references that were found", () => {
    const [agentId, projectId, testProfileId] = [AgentId.make(7), project, TestProfileId.make(8)]
    const there = <Id extends number>(...all: ReadonlyArray<Id>) => new Map(all.map((id) => [id, { id, projectId }]))
    const plan = planBulkUpdate(
      parseBulkUpdate(whole),
      {
        ...nothingFound,
        agent: { id: agentId, projectId },
        testProfile: { id: testProfileId, projectId },
        phoneNumbers: there(PhoneNumberId.make(5)),
        metrics: there(MetricId.make(11), MetricId.make(12), MetricId.make(13)),
        tools: there(ToolId.make(21), ToolId.make(22), ToolId.make(23)),
        folderId: FolderId.make(9)
      },
      [target(2), target(4)]
    )
    expect(plan).toEqual(
      Either.right({
        evaluators: [4, 2],
        attachMetrics: [11, 12],
        detachMetrics: [13],
        attachTools: [21],
        detachTools: [22, 23],
        agentId: 7,
        personalityId: 3,
        testProfileId: 8,
        phoneNumberId: 5,
        folderId: 9,
        firstMessage: "Hello?",
        maxDuration: 90,
        append: " More."
      })
    )
  })

  it("fails for references that do not exist, field by field", () => {
    const rejected = planBulkUpdate(
      parseBulkUpdate(whole),
      { ...nothingFound, project: null, personality: "unknown", folderErrors: { folder_path: ["No such folder."] } },
      []
    )
    const unknown = (...all: ReadonlyArray<number>) => all.map((id) => `Invalid pk "${id}" - object does not exist.`)
    expect(rejected).toEqual(
      Either.left({
        scenarios: unknown(4, 2),
        agent: unknown(7),
        project: unknown(1),
        metric_ids_to_add: unknown(11, 12),
        metric_ids_to_remove: unknown(13),
        tool_ids_to_add: unknown(21),
        tool_ids_to_remove: unknown(22, 23),
        personality: unknown(3),
        test_profile: unknown(8),
        phone_number: unknown(5),
        inbound_phone_number: unknown(5),
        folder_path: ["No such folder."]
      })
    )
  })

  it("fails for references to another project", () => {
    const projectId = ProjectId.make(2)
    const elsewhere = <Id extends number>(...all: ReadonlyArray<Id>) =>
      new Map(all.map((id) => [id, { id, projectId }]))
    const rejected = planBulkUpdate(
      parseBulkUpdate({ ...whole, inbound_phone_number: undefined }),
      {
        ...nothingFound,
        agent: { id: AgentId.make(7), projectId },
        testProfile: { id: TestProfileId.make(8), projectId },
        phoneNumbers: elsewhere(PhoneNumberId.make(5)),
        metrics: elsewhere(MetricId.make(11), MetricId.make(12), MetricId.make(13)),
        tools: elsewhere(ToolId.make(21), ToolId.make(22), ToolId.make(23))
      },
      [target(2, { projectId }), target(4)]
    )
    const other = (...all: ReadonlyArray<number>) => all.map((id) => `The id ${id} is of another project.`)
    expect(rejected).toEqual(
      Either.left({
        scenarios: other(2),
        agent: other(7),
        metric_ids_to_add: other(11, 12),
        metric_ids_to_remove: other(13),
        tool_ids_to_add: other(21),
        tool_ids_to_remove: other(22, 23),
        test_profile: other(8),
        phone_number: other(5)
      })
    )
  })

  it("sets the phone number given in either of its fields", () => {
    const phoneNumbers = new Map(
      [5, 6].map((id) => [PhoneNumberId.make(id), { id: PhoneNumberId.make(id), projectId: project }])
    )
    const planned = (input: object) =>
      Either.map(
        planBulkUpdate(parseBulkUpdate({ scenarios: [1], project: 1, ...input }), { ...nothingFound, phoneNumbers }, [
          target(1)
        ]),
        (plan) => plan.phoneNumberId
      )
    expect(planned({ phone_number: 5 })).toEqual(Either.right(5))
    expect(planned({ inbound_phone_number: 6 })).toEqual(Either.right(6))
    expect(planned({ phone_number: 5, inbound_phone_number: 5 })).toEqual(Either.right(5))
    expect(planned({})).toEqual(Either.right(undefined))
    expect(planned({ phone_number: 5, inbound_phone_number: 6 })).toEqual(
      Either.left({ inbound_phone_number: ["Must be the same as phone_number."] })
    )
  })

  it("appends up to the limit of instructions, and never to conditional actions", () => {
    const planned = (append: string | undefined, ...targets: ReadonlyArray<Partial<BulkTarget>>) =>
      Either.map(
        planBulkUpdate(
          parseBulkUpdate({ scenarios: targets.map((_, at) => at + 1), project: 1, append_instruction: append }),
          nothingFound,
          targets.map((more, at) => target(at + 1, more))
        ),
        (plan) => plan.append
      )
    const structured = { scenarioType: "conditional_actions" } as const
    expect(planned("😀", { instructionsLength: 199_999 })).toEqual(Either.right("😀"))
    expect(planned("😀x", { instructionsLength: 199_999 }, {}, { instructionsLength: 200_000 })).toEqual(
      Either.left({
        append_instruction: ["Instructions would exceed 200000 characters; evaluators: 1, 3."]
      })
    )
    expect(planned("x", structured, {}, structured)).toEqual(
      Either.left({
        append_instruction: ["Cannot append to the JSON instructions of conditional_actions evaluators: 1, 3."]
      })
    )
    expect([undefined, ""].map((append) => planned(append, structured, { instructionsLength: 200_001 }))).toEqual([
      Either.right(""),
      Either.right("")
    ])
  })

  it("attaches and detaches at most a million pairs", () => {
    const all = ids(20_000)
    const rejected = (metrics: number) =>
      Either.getOrThrow(
        Either.flip(
          planBulkUpdate(
            parseBulkUpdate({
              scenarios: all,
              project: 1,
              metric_ids_to_add: all.slice(0, metrics),
              tool_ids_to_remove: all.slice(0, 25)
            }),
            nothingFound,
            all.map((id) => target(id))
          )
        )
      )
    expect(rejected(25)).not.toHaveProperty("scenarios")
    expect(rejected(26)).toHaveProperty("scenarios", [
      "Ensure that the number of scenarios, times the metrics and tools to add and remove, is at most 1000000."
    ])
  })

  it("is total and never made from an invalid request", () => {
    const value = fc.oneof(fc.anything(), fc.constantFrom([1], [1, 1], 1, "", "x", null))
    const field = fc.constantFrom(
      ...["scenarios", "agent", "project", "metric_ids_to_add", "metric_ids_to_remove", "tool_ids_to_add"],
      ...["personality", "append_instruction", "first_message", "phone_number", "folder_path", "max_duration"]
    )
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(field, value), fc.anything()), (input) => {
        const reading = parseBulkUpdate(input)
        const plan = planBulkUpdate(reading, nothingFound, [target(1)])
        if (Object.keys(reading.errors).length > 0) expect(Either.isLeft(plan)).toBe(true)
        if (Either.isRight(plan)) expect(plan.right.evaluators).toEqual([1])
      })
    )
  })
})
