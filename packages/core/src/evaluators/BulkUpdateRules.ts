/**
 * The rules of bulk updates of evaluators (interface, E4; docs/evaluators.md): a request and what its ids refer to in, a plan
 * or every error out.
 */
import type * as Either from "effect/Either"
import {
  failIfFieldErrors,
  type FieldErrors,
  fieldError,
  mergeFieldErrors,
  noFieldErrors,
  Messages
} from "../kernel/FieldErrors.js"
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
import { removedFieldErrors } from "./RemovedField.js"
import {
  referenceListErrors,
  referenceErrors,
  phoneNumberErrors,
  givenPhoneNumber,
  namedPhoneNumbers,
  type ReferenceNames,
  type References,
  sharedReferenceErrors
} from "./References.js"

/** The most evaluators of one request. */
export const MAX_BULK = 20_000

/**
 * The most pairs of an evaluator and a metric or tool that one request may attach and detach. SQLite writes a million in a
 * second or two, which block its process.
 */
const MAX_PAIRS = 1_000_000

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

/** E4's body, for API descriptions; `parseBulkUpdate` parses it. Source: interface, E4. */
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
 * A request as far as it could be parsed: missing and invalid fields are undefined, lists have their valid items.
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

export interface ParsedBulkUpdate {
  readonly request: BulkRequest
  readonly errors: FieldErrors
}

const inBothListsErrors = (
  field: string,
  other: string,
  removed: ReadonlyArray<number>,
  added: ReadonlyArray<number>
) => {
  const adding = new Set(added)
  const messages = removed.filter((id) => adding.has(id)).map((id) => `The id ${id} is also in ${other}.`)
  return messages.length === 0 ? noFieldErrors : fieldError(field, ...messages)
}

/** Parses a request, with every error that shows without looking anything up. Total on any input. */
export const parseBulkUpdate = (input: unknown): ParsedBulkUpdate => {
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
    errors: mergeFieldErrors(
      read.has("scenarios") ? noFieldErrors : fieldError("scenarios", Messages.required),
      read.errors(),
      read.has("agent") || read.has("project")
        ? noFieldErrors
        : {
            agent: ["This field is required if project is not provided."],
            project: ["This field is required if agent is not provided."]
          },
      removedFieldErrors(read),
      inBothListsErrors("metric_ids_to_remove", "metric_ids_to_add", request.metricsToRemove, request.metricsToAdd),
      inBothListsErrors("tool_ids_to_remove", "tool_ids_to_add", request.toolsToRemove, request.toolsToAdd)
    )
  }
}

/** What a request refers to, other than evaluators. */
export const bulkReferenceNames = (request: BulkRequest): ReferenceNames => ({
  agent: request.agent,
  project: request.project,
  personality: request.personality,
  testProfile: request.testProfile,
  phoneNumbers: namedPhoneNumbers(request),
  metrics: [...request.metricsToAdd, ...request.metricsToRemove],
  tools: [...request.toolsToAdd, ...request.toolsToRemove],
  folderPath: request.folderPath
})

/** What a bulk update has to know of an evaluator. */
export interface BulkTarget {
  readonly id: EvaluatorId
  readonly projectId: ProjectId
  readonly scenarioType: ScenarioType
  /** Characters. */
  readonly instructionsLength: number
}

/** The changes of each evaluator; undefined leaves a value unchanged. */
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
  /** Appended to the instructions without a separator. */
  readonly append: string
}

const names = (targets: ReadonlyArray<BulkTarget>): string => targets.map(({ id }) => id).join(", ")

const appendErrors = (append: string | undefined, targets: ReadonlyArray<BulkTarget>): FieldErrors => {
  if (append === undefined || append === "") return noFieldErrors
  const structured = targets.filter(({ scenarioType }) => scenarioType === "conditional_actions")
  const added = lengthOf(append)
  const tooLong = targets.filter(({ instructionsLength }) => instructionsLength + added > MAX_INSTRUCTIONS)
  return mergeFieldErrors(
    structured.length === 0
      ? noFieldErrors
      : fieldError(
          "append_instruction",
          `Cannot append to the JSON instructions of conditional_actions evaluators: ${names(structured)}.`
        ),
    tooLong.length === 0
      ? noFieldErrors
      : fieldError(
          "append_instruction",
          `Instructions would exceed ${MAX_INSTRUCTIONS} characters; evaluators: ${names(tooLong)}.`
        )
  )
}

const pairLimitErrors = (request: BulkRequest): FieldErrors =>
  [request.metricsToAdd, request.metricsToRemove, request.toolsToAdd, request.toolsToRemove].reduce(
    (pairs, ids) => pairs + ids.length * request.scenarios.length,
    0
  ) > MAX_PAIRS
    ? fieldError(
        "scenarios",
        `Ensure that the number of scenarios, times the metrics and tools to add and remove, is at most ${MAX_PAIRS}.`
      )
    : noFieldErrors

/**
 * The plan, or every error of the request. `targets` are the request's evaluators that exist in the caller's scope, in any
 * order.
 */
export const planBulkUpdate = (
  { errors, request }: ParsedBulkUpdate,
  found: References,
  targets: ReadonlyArray<BulkTarget>
): Either.Either<BulkPlan, FieldErrors> => {
  const { scenarios } = request
  const byId = new Map(targets.map((target) => [target.id, target]))
  const { projectId } = found
  const scenarioErrors = scenarios.flatMap(
    (id) => referenceErrors("scenarios", id, byId.get(id), projectId).scenarios ?? []
  )
  const numbers = { phoneNumber: request.phoneNumber, inboundPhoneNumber: request.inboundPhoneNumber }
  return failIfFieldErrors(
    mergeFieldErrors(
      errors,
      scenarioErrors.length === 0 ? noFieldErrors : fieldError("scenarios", ...scenarioErrors),
      sharedReferenceErrors(bulkReferenceNames(request), found),
      phoneNumberErrors(numbers, found),
      referenceListErrors("metric_ids_to_add", request.metricsToAdd, found.metrics, projectId),
      referenceListErrors("metric_ids_to_remove", request.metricsToRemove, found.metrics, projectId),
      referenceListErrors("tool_ids_to_add", request.toolsToAdd, found.tools, projectId),
      referenceListErrors("tool_ids_to_remove", request.toolsToRemove, found.tools, projectId),
      appendErrors(request.append, targets),
      pairLimitErrors(request)
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
      phoneNumberId: givenPhoneNumber(numbers, found) ?? undefined,
      folderId: request.folderPath === undefined ? undefined : found.folderId,
      firstMessage: request.firstMessage,
      maxDuration: request.maxDuration,
      append: request.append ?? ""
    })
  )
}
