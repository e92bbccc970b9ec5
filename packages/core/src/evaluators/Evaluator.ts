import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { LanguageCode } from "../catalog/LanguageCode.js"
import { TestProfile } from "../catalog/TestProfile.js"
import * as Fields from "../kernel/Fields.js"
import {
  AgentId,
  EvaluatorId,
  FolderId,
  MetricId,
  PersonalityId,
  PhoneNumberId,
  ProjectId,
  TestProfileId,
  ToolId,
  UserId
} from "../kernel/Ids.js"
import { Json } from "../kernel/Json.js"
import { ConditionalActionsWire, parseConditionalActionsText, toConditionalActionsWire } from "./ConditionalActions.js"

/** The kind of an evaluator's instructions. Source: interface, Evaluator. */
export const ScenarioType = Schema.Literal("instruction", "real_world_smart", "real_world_fixed", "conditional_actions")
export type ScenarioType = typeof ScenarioType.Type

/** The longest name of an evaluator. Source: interface, Limits. */
export const MAX_EVALUATOR_NAME = 80

/** The longest instructions, including appended ones; the interface sets no limit. */
export const MAX_INSTRUCTIONS = 200_000

/** The longest of an evaluator's other texts. */
export const MAX_EVALUATOR_TEXT = 20_000

/** The longest call, in seconds: a day. */
export const MAX_MAX_DURATION = 86_400

/** Tags of an evaluator, and characters of one. Source: docs/suites.md, for scenarios of suites. */
export const MAX_TAGS = 32
export const MAX_TAG = 64

/** The most metrics or tools in one request. */
export const MAX_ATTACHED = 500

/** A test case: the behavior of a simulated caller, and how the call is evaluated. Source: interface, Evaluator. */
export class Evaluator extends Schema.Class<Evaluator>("@earshot/core/evaluators/Evaluator")({
  id: EvaluatorId,
  name: Schema.String,
  /** Plain text, or the JSON text of conditional actions, as it was given. */
  instructions: Schema.String,
  agentId: Fields.named("agent", AgentId),
  agentName: Fields.named("agent_name", Schema.String),
  projectId: Fields.named("project", ProjectId),
  personalityId: Fields.named("personality", Schema.NullOr(PersonalityId)),
  personalityName: Fields.named("personality_name", Schema.NullOr(Schema.String)),
  /** The number itself; inputs refer to it by id. */
  phoneNumber: Fields.named("phone_number", Schema.NullOr(Schema.String)),
  /** The id of that same number. */
  phoneNumberId: Fields.named("inbound_phone_number", Schema.NullOr(PhoneNumberId)),
  phoneNumberData: Fields.named("inbound_phone_number_data", Schema.NullOr(Schema.String)),
  expectedOutcomePrompt: Fields.named("expected_outcome_prompt", Schema.String),
  scenarioLanguage: Fields.named("scenario_language", Schema.NullOr(LanguageCode)),
  scenarioType: Fields.named("scenario_type", ScenarioType),
  tags: Schema.Array(Schema.String),
  /** In the order of their ids, as are their names. */
  metricIds: Fields.named("metrics", Schema.Array(MetricId)),
  metricNames: Fields.named("metric_names", Schema.Array(Schema.String)),
  firstMessage: Fields.named("first_message", Schema.String),
  toolIds: Fields.named("tool_ids", Schema.Array(ToolId)),
  testProfileId: Fields.named("test_profile", Schema.NullOr(TestProfileId)),
  testProfile: Fields.named("test_profile_data", Schema.NullOr(TestProfile)),
  /** The value of legacy rows; no longer written. See `callVariables`. */
  dynamicVariableValues: Fields.named("dynamic_variable_values", Json),
  folderId: Fields.named("folder", Schema.NullOr(FolderId)),
  /** "" for the root. */
  folderPath: Fields.named("folder_path", Schema.String),
  /** Seconds; null for the executor's default. */
  maxDuration: Fields.named("max_duration", Schema.NullOr(Schema.Int)),
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  updatedAt: Fields.named("updated_at", Schema.DateTimeUtc),
  createdBy: Fields.named("created_by", Schema.NullOr(UserId)),
  lastUpdatedBy: Fields.named("last_updated_by", Schema.NullOr(UserId))
}) {}

/** An evaluator's wire form, with the JSON of conditional actions as a structure too. */
export const EvaluatorWire = Schema.extend(
  Schema.encodedSchema(Evaluator),
  Schema.Struct({ conditional_actions: Schema.NullOr(ConditionalActionsWire) })
)

const encode = Schema.encodeSync(Evaluator)

/** The wire form of an evaluator. */
export const encodeEvaluator = (evaluator: Evaluator) => ({
  ...encode(evaluator),
  conditional_actions:
    evaluator.scenarioType === "conditional_actions"
      ? Either.match(parseConditionalActionsText(evaluator.instructions), {
          onLeft: () => null,
          onRight: toConditionalActionsWire
        })
      : null
})

/** The fields of an evaluator that clients set. */
export interface EvaluatorSpec {
  readonly projectId: ProjectId
  readonly agentId: AgentId
  readonly name: string
  readonly scenarioType: ScenarioType
  readonly instructions: string
  readonly personalityId: PersonalityId | null
  readonly testProfileId: TestProfileId | null
  readonly phoneNumberId: PhoneNumberId | null
  readonly folderId: FolderId | null
  readonly expectedOutcomePrompt: string
  readonly scenarioLanguage: LanguageCode | null
  readonly firstMessage: string
  readonly maxDuration: number | null
  readonly tags: ReadonlyArray<string>
  readonly metricIds: ReadonlyArray<MetricId>
  readonly toolIds: ReadonlyArray<ToolId>
}

/** The fields of this evaluator that clients set. */
export const specOf = (evaluator: Evaluator): EvaluatorSpec => ({
  projectId: evaluator.projectId,
  agentId: evaluator.agentId,
  name: evaluator.name,
  scenarioType: evaluator.scenarioType,
  instructions: evaluator.instructions,
  personalityId: evaluator.personalityId,
  testProfileId: evaluator.testProfileId,
  phoneNumberId: evaluator.phoneNumberId,
  folderId: evaluator.folderId,
  expectedOutcomePrompt: evaluator.expectedOutcomePrompt,
  scenarioLanguage: evaluator.scenarioLanguage,
  firstMessage: evaluator.firstMessage,
  maxDuration: evaluator.maxDuration,
  tags: evaluator.tags,
  metricIds: evaluator.metricIds,
  toolIds: evaluator.toolIds
})
