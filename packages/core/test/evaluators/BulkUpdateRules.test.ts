import {
  AgentId,
  type BulkTarget,
  EvaluatorId,
  FolderId,
  MetricId,
  planBulkUpdate,
  ProjectId,
  readBulkUpdate,
  type References
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
  folderFaults: {}
}
const target = (id: number, more: Partial<BulkTarget> = {}): BulkTarget => ({
  id: EvaluatorId.make(id),
  projectId: project,
  scenarioType: "instruction",
  instructionsLength: 10,
  ...more
})

describe("a bulk update's plan", () => {
  it("says what the request asks for, in the order given", () => {
    const plan = planBulkUpdate(
      readBulkUpdate({ scenarios: [3, "1"], agent: 7, metric_ids_to_add: [9], folder_path: "", first_message: "" }),
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

  it("moves where the folder is, and nowhere unless asked to", () => {
    const found = { ...nothingFound, folderId: FolderId.make(5) }
    const planned = (input: object) =>
      Either.getOrThrow(planBulkUpdate(readBulkUpdate({ scenarios: [1], project: 1, ...input }), found, [target(1)]))
    expect(planned({ folder_path: "a" }).folderId).toBe(5)
    expect(planned({}).folderId).toBeUndefined()
  })

  it("is refused by every fault of the request and of what was found", () => {
    const refused = planBulkUpdate(
      readBulkUpdate({ scenarios: [1, 2, 3, 4], project: 1, append_instruction: "x", personality: 3, max_duration: 0 }),
      { ...nothingFound, personality: "not enabled" },
      [
        target(1, { scenarioType: "conditional_actions" }),
        target(2, { projectId: ProjectId.make(2) }),
        target(4, { instructionsLength: 200_000 })
      ]
    )
    expect(Either.getOrThrow(Either.flip(refused))).toEqual({
      scenarios: ["The id 2 is of another project.", 'Invalid pk "3" - object does not exist.'],
      personality: ["The personality 3 is not enabled for this project."],
      max_duration: ["Ensure this value is greater than or equal to 1."],
      append_instruction: [
        "Nothing can be appended to conditional actions, whose instructions are JSON: evaluators 1.",
        "Instructions would have more than 200000 characters: evaluators 4."
      ]
    })
  })

  it("attaches and detaches a million pairs at most", () => {
    const ids = Array.from({ length: 20_000 }, (_, at) => at + 1)
    const refused = (metrics: number) =>
      Either.getOrThrow(
        Either.flip(
          planBulkUpdate(
            readBulkUpdate({
              scenarios: ids,
              project: 1,
              metric_ids_to_add: ids.slice(0, metrics),
              tool_ids_to_remove: ids.slice(0, 25)
            }),
            nothingFound,
            ids.map((id) => target(id))
          )
        )
      )
    expect(refused(25)).not.toHaveProperty("scenarios")
    expect(refused(26)).toHaveProperty("scenarios", [expect.stringContaining("at most 1000000")])
  })

  it("is total, and never a plan where something is at fault", () => {
    const value = fc.oneof(fc.anything(), fc.constantFrom([1], [1, 1], 1, "", "x", null))
    const field = fc.constantFrom(
      ...["scenarios", "agent", "project", "metric_ids_to_add", "metric_ids_to_remove", "tool_ids_to_add"],
      ...["personality", "append_instruction", "first_message", "phone_number", "folder_path", "max_duration"]
    )
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(field, value), fc.anything()), (input) => {
        const reading = readBulkUpdate(input)
        const plan = planBulkUpdate(reading, nothingFound, [target(1)])
        if (Object.keys(reading.faults).length > 0) expect(Either.isLeft(plan)).toBe(true)
        if (Either.isRight(plan)) expect(plan.right.evaluators).toEqual([1])
      })
    )
  })
})
