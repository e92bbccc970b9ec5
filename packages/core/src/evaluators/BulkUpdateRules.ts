/**
 * The rules of updating many evaluators at once (interface, E4; design, section 3): a request and what is known of its
 * ids in, a plan or every fault out.
 */
import type * as Either from "effect/Either"
import { failWhenFaulty, type Faults, fault, mergeFaults, noFaults, Messages } from "../kernel/Faults.js"
import * as Fields from "../kernel/Fields.js"
import {
  AgentId,
  EvaluatorId,
  type FolderId,
  MetricId,
  PersonalityId,
  PhoneNumberId,
  ProjectId,
  TestProfileId,
  ToolId
} from "../kernel/Ids.js"
import { inputReader } from "../kernel/InputReader.js"
import { lengthOf } from "../kernel/Text.js"
import { MAX_ATTACHED, MAX_EVALUATOR_TEXT, MAX_INSTRUCTIONS, MAX_MAX_DURATION, type ScenarioType } from "./Evaluator.js"
import { removedFieldFaults } from "./RemovedField.js"
import {
  allFoundFaults,
  foundFaults,
  numberFaults,
  numberMeant,
  numbersNamed,
  type ReferenceNames,
  type References,
  sharedReferenceFaults
} from "./References.js"

/** Evaluators that one request may name. */
export const MAX_BULK = 20_000

/**
 * The most pairs of an evaluator and a metric or tool that one request may attach and detach: SQLite writes a million in
 * a second or two, during which its process does nothing else.
 */
export const MAX_PAIRS = 1_000_000

const scenarioLimits = { min: 1, max: MAX_BULK }
const attachedLimits = { max: MAX_ATTACHED }

const fields = {
  scenarios: Fields.ids(EvaluatorId, scenarioLimits),
  agent: Fields.id(AgentId),
  project: Fields.id(ProjectId),
  metrics: Fields.ids(MetricId, attachedLimits),
  tools: Fields.ids(ToolId, attachedLimits),
  personality: Fields.id(PersonalityId),
  testProfile: Fields.id(TestProfileId),
  append: Fields.text({ max: MAX_INSTRUCTIONS }),
  firstMessage: Fields.text({ max: MAX_EVALUATOR_TEXT }),
  phoneNumber: Fields.id(PhoneNumberId),
  folderPath: Fields.text(),
  maxDuration: Fields.integer({ min: 1, max: MAX_MAX_DURATION })
}

/** E4's body as doors describe it; `readBulkUpdate` is what reads it. Source: interface, E4. */
export const BulkUpdateInput = Fields.object({
  scenarios: fields.scenarios,
  agent: Fields.optional(fields.agent),
  project: Fields.optional(fields.project),
  metric_ids_to_add: Fields.optional(fields.metrics),
  metric_ids_to_remove: Fields.optional(fields.metrics),
  tool_ids_to_add: Fields.optional(fields.tools),
  tool_ids_to_remove: Fields.optional(fields.tools),
  personality: Fields.optional(fields.personality),
  test_profile: Fields.optional(fields.testProfile),
  append_instruction: Fields.optional(fields.append),
  first_message: Fields.optional(fields.firstMessage),
  phone_number: Fields.optional(fields.phoneNumber),
  inbound_phone_number: Fields.optional(fields.phoneNumber),
  folder_path: Fields.optional(fields.folderPath),
  max_duration: Fields.optional(fields.maxDuration)
})

/**
 * What a request asks for, as far as it could be read: what was left out, or had a fault, is undefined; lists hold what
 * of them could be read.
 */
export interface BulkRequest {
  readonly scenarios: ReadonlyArray<EvaluatorId>
  readonly agent: AgentId | undefined
  readonly project: ProjectId | undefined
  readonly metricsToAdd: ReadonlyArray<MetricId>
  readonly metricsToRemove: ReadonlyArray<MetricId>
  readonly toolsToAdd: ReadonlyArray<ToolId>
  readonly toolsToRemove: ReadonlyArray<ToolId>
  readonly personality: PersonalityId | undefined
  readonly testProfile: TestProfileId | undefined
  readonly append: string | undefined
  readonly firstMessage: string | undefined
  readonly phoneNumber: PhoneNumberId | undefined
  readonly inboundPhoneNumber: PhoneNumberId | undefined
  readonly folderPath: string | undefined
  readonly maxDuration: number | undefined
}

export interface BulkReading {
  readonly request: BulkRequest
  readonly faults: Faults
}

const bothListsFaults = (
  field: string,
  other: string,
  removed: ReadonlyArray<number>,
  added: ReadonlyArray<number>
) => {
  const adding = new Set(added)
  const said = removed.filter((id) => adding.has(id)).map((id) => `The id ${id} is in ${other} too.`)
  return said.length === 0 ? noFaults : fault(field, ...said)
}

/** Reads a request field by field, with every fault that shows without looking anything up. Total on any input. */
export const readBulkUpdate = (input: unknown): BulkReading => {
  const read = inputReader(input)
  const request: BulkRequest = {
    scenarios: read.ids("scenarios", EvaluatorId, scenarioLimits) ?? [],
    agent: read.optional("agent", fields.agent),
    project: read.optional("project", fields.project),
    metricsToAdd: read.ids("metric_ids_to_add", MetricId, attachedLimits) ?? [],
    metricsToRemove: read.ids("metric_ids_to_remove", MetricId, attachedLimits) ?? [],
    toolsToAdd: read.ids("tool_ids_to_add", ToolId, attachedLimits) ?? [],
    toolsToRemove: read.ids("tool_ids_to_remove", ToolId, attachedLimits) ?? [],
    personality: read.optional("personality", fields.personality),
    testProfile: read.optional("test_profile", fields.testProfile),
    append: read.optional("append_instruction", fields.append),
    firstMessage: read.optional("first_message", fields.firstMessage),
    phoneNumber: read.optional("phone_number", fields.phoneNumber),
    inboundPhoneNumber: read.optional("inbound_phone_number", fields.phoneNumber),
    folderPath: read.optional("folder_path", fields.folderPath),
    maxDuration: read.optional("max_duration", fields.maxDuration)
  }
  return {
    request,
    faults: mergeFaults(
      read.has("scenarios") ? noFaults : fault("scenarios", Messages.required),
      read.faults(),
      read.has("agent") || read.has("project")
        ? noFaults
        : {
            agent: ["This field is required if project is not provided."],
            project: ["This field is required if agent is not provided."]
          },
      removedFieldFaults(read),
      bothListsFaults("metric_ids_to_remove", "metric_ids_to_add", request.metricsToRemove, request.metricsToAdd),
      bothListsFaults("tool_ids_to_remove", "tool_ids_to_add", request.toolsToRemove, request.toolsToAdd)
    )
  }
}

/** The things other than evaluators that a request names. */
export const bulkReferenceNames = (request: BulkRequest): ReferenceNames => ({
  agent: request.agent,
  project: request.project,
  personality: request.personality,
  testProfile: request.testProfile,
  phoneNumbers: numbersNamed(request),
  metrics: [...request.metricsToAdd, ...request.metricsToRemove],
  tools: [...request.toolsToAdd, ...request.toolsToRemove],
  folderPath: request.folderPath
})

/** What has to be known of an evaluator that is to be changed with others. */
export interface BulkTarget {
  readonly id: EvaluatorId
  readonly projectId: ProjectId
  readonly scenarioType: ScenarioType
  /** Of its instructions, in characters. */
  readonly instructionsLength: number
}

/** What is done to each of some evaluators; what is undefined stays as it is. */
export interface BulkPlan {
  readonly evaluators: ReadonlyArray<EvaluatorId>
  readonly attachMetrics: ReadonlyArray<MetricId>
  readonly detachMetrics: ReadonlyArray<MetricId>
  readonly attachTools: ReadonlyArray<ToolId>
  readonly detachTools: ReadonlyArray<ToolId>
  readonly agentId: AgentId | undefined
  readonly personalityId: PersonalityId | undefined
  readonly testProfileId: TestProfileId | undefined
  readonly phoneNumberId: PhoneNumberId | undefined
  /** Null for the root. */
  readonly folderId: FolderId | null | undefined
  readonly firstMessage: string | undefined
  readonly maxDuration: number | undefined
  /** Joined to the instructions without a separator; blank for nothing. */
  readonly append: string
}

const names = (targets: ReadonlyArray<BulkTarget>): string => targets.map(({ id }) => id).join(", ")

const appendFaults = (append: string | undefined, targets: ReadonlyArray<BulkTarget>): Faults => {
  if (append === undefined || append === "") return noFaults
  const structured = targets.filter(({ scenarioType }) => scenarioType === "conditional_actions")
  const added = lengthOf(append)
  const tooLong = targets.filter(({ instructionsLength }) => instructionsLength + added > MAX_INSTRUCTIONS)
  return mergeFaults(
    structured.length === 0
      ? noFaults
      : fault(
          "append_instruction",
          `Nothing can be appended to conditional actions, whose instructions are JSON: evaluators ${names(structured)}.`
        ),
    tooLong.length === 0
      ? noFaults
      : fault(
          "append_instruction",
          `Instructions would have more than ${MAX_INSTRUCTIONS} characters: evaluators ${names(tooLong)}.`
        )
  )
}

const pairsFaults = (request: BulkRequest): Faults =>
  [request.metricsToAdd, request.metricsToRemove, request.toolsToAdd, request.toolsToRemove].reduce(
    (pairs, ids) => pairs + ids.length * request.scenarios.length,
    0
  ) > MAX_PAIRS
    ? fault(
        "scenarios",
        `Ensure that these, times the metrics and tools to add and to remove, are at most ${MAX_PAIRS}.`
      )
    : noFaults

/**
 * What is to be done, or every fault of the request. `targets` are those of the named evaluators that are there within
 * the caller's reach, in any order.
 */
export const planBulkUpdate = (
  { faults, request }: BulkReading,
  found: References,
  targets: ReadonlyArray<BulkTarget>
): Either.Either<BulkPlan, Faults> => {
  const { scenarios } = request
  const byId = new Map(targets.map((target) => [target.id, target]))
  const { projectId } = found
  const wrongEvaluators = scenarios.flatMap(
    (id) => foundFaults("scenarios", id, byId.get(id), projectId).scenarios ?? []
  )
  const numbers = { phoneNumber: request.phoneNumber, inboundPhoneNumber: request.inboundPhoneNumber }
  return failWhenFaulty(
    mergeFaults(
      faults,
      wrongEvaluators.length === 0 ? noFaults : fault("scenarios", ...wrongEvaluators),
      sharedReferenceFaults(bulkReferenceNames(request), found),
      numberFaults(numbers, found),
      allFoundFaults("metric_ids_to_add", request.metricsToAdd, found.metrics, projectId),
      allFoundFaults("metric_ids_to_remove", request.metricsToRemove, found.metrics, projectId),
      allFoundFaults("tool_ids_to_add", request.toolsToAdd, found.tools, projectId),
      allFoundFaults("tool_ids_to_remove", request.toolsToRemove, found.tools, projectId),
      appendFaults(request.append, targets),
      pairsFaults(request)
    ),
    () => ({
      evaluators: scenarios,
      attachMetrics: request.metricsToAdd,
      detachMetrics: request.metricsToRemove,
      attachTools: request.toolsToAdd,
      detachTools: request.toolsToRemove,
      agentId: request.agent,
      personalityId: request.personality,
      testProfileId: request.testProfile,
      phoneNumberId: numberMeant(numbers, found) ?? undefined,
      folderId: request.folderPath === undefined ? undefined : found.folderId,
      firstMessage: request.firstMessage,
      maxDuration: request.maxDuration,
      append: request.append ?? ""
    })
  )
}
