/** The rules of creating and of changing one evaluator: an input, laid over what is stored, is judged as a whole. */
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import { LanguageCode } from "../catalog/Language.js"
import { decode, failWhenFaulty, type Faults, fault, mergeFaults, Messages, underPath } from "../kernel/Faults.js"
import * as Fields from "../kernel/Fields.js"
import { AgentId, MetricId, PersonalityId, PhoneNumberId, TestProfileId, ToolId } from "../kernel/Ids.js"
import { type InputReader, inputReader } from "../kernel/InputReader.js"
import { isWithin } from "../kernel/Text.js"
import {
  type ConditionalActions,
  ConditionType,
  parseConditionalActions,
  parseConditionalActionsText,
  printConditionalActions,
  toConditionalActionsWire
} from "./ConditionalActions.js"
import {
  type EvaluatorSpec,
  MAX_ATTACHED,
  MAX_EVALUATOR_NAME,
  MAX_EVALUATOR_TEXT,
  MAX_INSTRUCTIONS,
  MAX_MAX_DURATION,
  MAX_TAG,
  MAX_TAGS,
  ScenarioType
} from "./Evaluator.js"
import {
  allFoundFaults,
  type NumberNames,
  numberFaults,
  numberMeant,
  numbersNamed,
  type ReferenceNames,
  type References,
  sharedReferenceFaults
} from "./References.js"
import { removedFieldFaults } from "./RemovedField.js"

const readId = decode(Fields.id(PhoneNumberId))
const readNumber = decode(Fields.text({ max: 100, blank: false }))

/**
 * A number by its id, or as responses show it, so that what was read can be sent back. A JSON number is an id. A text is
 * the number itself, or, where there is no such number, an id as a form sends it.
 */
const numberName: Schema.Schema<PhoneNumberId | string | null, unknown> = Fields.judged<PhoneNumberId | string | null>(
  (input) =>
    input === null || input === "" ? Either.right(null) : typeof input === "string" ? readNumber(input) : readId(input),
  (value) => value,
  { anyOf: [{ type: "integer", minimum: 1 }, { type: "string", maxLength: 100 }, { type: "null" }] }
)

const actionsField: Schema.Schema<ConditionalActions | null, unknown> = Fields.judged<ConditionalActions | null>(
  (input) => (input === null ? Either.right(null) : parseConditionalActions(input)),
  (actions) => (actions === null ? null : toConditionalActionsWire(actions)),
  {
    anyOf: [
      {
        type: "object",
        required: ["role", "conditions"],
        properties: {
          role: { type: "string" },
          conditions: {
            type: "array",
            minItems: 1,
            items: {
              type: "object",
              required: ["id", "condition", "action"],
              properties: {
                id: { type: "integer", minimum: 0 },
                condition: { anyOf: [{ type: "string" }, { type: "integer", minimum: 0 }] },
                action: { type: "string" },
                type: { type: "string", enum: [...ConditionType.literals] },
                fixed_message: { type: "boolean" }
              }
            }
          }
        }
      },
      { type: "null" }
    ]
  }
)

const tagsField = Fields.list(Fields.text({ max: MAX_TAG, blank: false }), { max: MAX_TAGS })

const attachedLimits = { max: MAX_ATTACHED }

const fields = {
  agent: Fields.id(AgentId),
  name: Fields.text({ max: MAX_EVALUATOR_NAME, blank: false }),
  scenarioType: Fields.choice(ScenarioType.literals),
  instructions: Fields.text({ max: MAX_INSTRUCTIONS }),
  conditionalActions: actionsField,
  personality: Fields.nullable(Fields.id(PersonalityId)),
  testProfile: Fields.nullable(Fields.id(TestProfileId)),
  phoneNumber: numberName,
  inboundPhoneNumber: Fields.nullable(Fields.id(PhoneNumberId)),
  text: Fields.text({ max: MAX_EVALUATOR_TEXT }),
  language: Fields.choiceOrNone(LanguageCode.literals),
  maxDuration: Fields.nullable(Fields.integer({ min: 1, max: MAX_MAX_DURATION })),
  tags: tagsField,
  metrics: Fields.ids(MetricId, attachedLimits),
  tools: Fields.ids(ToolId, attachedLimits),
  folderPath: Fields.text()
}

const patchable = {
  name: Fields.optional(fields.name),
  instructions: Fields.optional(fields.instructions),
  conditional_actions: Fields.optional(fields.conditionalActions),
  personality: Fields.optional(fields.personality),
  phone_number: Fields.optional(fields.phoneNumber),
  inbound_phone_number: Fields.optional(fields.inboundPhoneNumber),
  expected_outcome_prompt: Fields.optional(fields.text),
  scenario_language: Fields.optional(fields.language),
  tags: Fields.optional(fields.tags),
  metrics: Fields.optional(fields.metrics),
  first_message: Fields.optional(fields.text),
  tool_ids: Fields.optional(fields.tools),
  test_profile: Fields.optional(fields.testProfile),
  folder_path: Fields.optional(fields.folderPath),
  max_duration: Fields.optional(fields.maxDuration)
}

/** What creates an evaluator: for the descriptions of doors; `readEvaluator` is what reads it. */
export const EvaluatorDraft = Fields.object({
  ...patchable,
  agent: fields.agent,
  name: fields.name,
  scenario_type: fields.scenarioType
})

/** What changes an evaluator: for the descriptions of doors; `readEvaluator` is what reads it. */
export const EvaluatorPatch = Fields.object({
  ...patchable,
  agent: Fields.optional(fields.agent),
  scenario_type: Fields.optional(fields.scenarioType)
})

/** An evaluator as far as an input could be read: what had a fault is undefined, lists of ids hold what could be read. */
export interface EvaluatorReading extends NumberNames {
  readonly stored: EvaluatorSpec | null
  readonly agent: AgentId | undefined
  readonly name: string | undefined
  readonly scenarioType: ScenarioType | undefined
  readonly instructions: string | undefined
  readonly personality: PersonalityId | null | undefined
  readonly testProfile: TestProfileId | null | undefined
  readonly expectedOutcomePrompt: string | undefined
  readonly scenarioLanguage: LanguageCode | null | undefined
  readonly firstMessage: string | undefined
  readonly maxDuration: number | null | undefined
  readonly tags: ReadonlyArray<string> | undefined
  readonly metrics: ReadonlyArray<MetricId> | undefined
  readonly tools: ReadonlyArray<ToolId> | undefined
  readonly folderPath: string | undefined
  readonly faults: Faults
}

/** The JSON text of instructions as the printer writes it, or what is wrong with it. */
const canonical = (text: string): Either.Either<string, Faults> =>
  Either.mapBoth(parseConditionalActionsText(text), {
    onLeft: (faults) => underPath("instructions", faults),
    onRight: printConditionalActions
  })

/** What an input says about instructions: undefined for what it leaves out, and for what was at fault already. */
interface SaidOfInstructions {
  readonly type: ScenarioType | undefined
  readonly text: string | undefined
  readonly actions: ConditionalActions | undefined
  /** Whether a field of the two was at fault, so that no more need be said of what is missing. */
  readonly atFault: boolean
}

/**
 * The instructions that an input asks for. Those of conditional actions are JSON text, or the structure, which is kept as
 * its JSON text; who says both has to say the same in both. Undefined where a fault that is told already hides them.
 */
const judgeInstructions = (
  { actions, atFault, text, type }: SaidOfInstructions,
  stored: EvaluatorSpec | null
): Either.Either<string | undefined, Faults> => {
  const given = text !== undefined && text.trim() !== "" ? text : undefined
  const isStructured = type === "conditional_actions"
  const missing =
    text !== undefined
      ? Either.left(fault("instructions", Messages.notBlank))
      : atFault
        ? Either.right(undefined)
        : stored === null
          ? Either.left(fault("instructions", Messages.required))
          : undefined
  if (!isStructured) {
    return actions !== undefined && type !== undefined
      ? Either.left(fault("conditional_actions", "Only evaluators of the type conditional_actions have these."))
      : given !== undefined
        ? Either.right(given)
        : (missing ?? Either.right(stored?.instructions))
  }
  if (actions === undefined) {
    if (given !== undefined) return Either.map(canonical(given), () => given)
    if (missing !== undefined) return missing
    return stored === null || stored.scenarioType === type
      ? Either.right(stored?.instructions)
      : Either.map(canonical(stored.instructions), () => stored.instructions)
  }
  const printed = printConditionalActions(actions)
  if (!isWithin(MAX_INSTRUCTIONS, printed)) {
    return Either.left(fault("conditional_actions", Messages.tooLong(MAX_INSTRUCTIONS)))
  }
  return given === undefined
    ? Either.right(printed)
    : Either.flatMap(canonical(given), (same) =>
        same === printed
          ? Either.right(given)
          : Either.left(fault("conditional_actions", "Differs from instructions; leave one of the two out."))
      )
}

const readInstructions = (
  read: InputReader,
  stored: EvaluatorSpec | null,
  type: ScenarioType | undefined
): string | undefined => {
  const text = read.optional("instructions", fields.instructions)
  const actions = read.optional("conditional_actions", fields.conditionalActions)
  const atFault =
    (text === undefined && read.has("instructions")) || (actions === undefined && read.has("conditional_actions"))
  const judged = judgeInstructions({ type, text, actions: actions ?? undefined, atFault }, stored)
  if (Either.isRight(judged)) return judged.right
  read.tell(judged.left)
  return undefined
}

/**
 * Reads an input laid over an evaluator that is stored, or, with null, over the defaults of a new one, with every fault
 * that shows without looking anything up. Fields that no client may write are passed over.
 */
export const readEvaluator = (stored: EvaluatorSpec | null, input: unknown): EvaluatorReading => {
  const read = inputReader(input)
  const requiredOnce = stored === null ? read.required : read.optional
  const scenarioType = requiredOnce("scenario_type", fields.scenarioType)
  const reading = {
    stored,
    agent: requiredOnce("agent", fields.agent),
    name: requiredOnce("name", fields.name),
    scenarioType,
    instructions: readInstructions(
      read,
      stored,
      read.has("scenario_type") ? scenarioType : (stored?.scenarioType ?? undefined)
    ),
    personality: read.optional("personality", fields.personality),
    testProfile: read.optional("test_profile", fields.testProfile),
    phoneNumber: read.optional("phone_number", fields.phoneNumber),
    inboundPhoneNumber: read.optional("inbound_phone_number", fields.inboundPhoneNumber),
    expectedOutcomePrompt: read.optional("expected_outcome_prompt", fields.text),
    scenarioLanguage: read.optional("scenario_language", fields.language),
    firstMessage: read.optional("first_message", fields.text),
    maxDuration: read.optional("max_duration", fields.maxDuration),
    tags: read.optional("tags", fields.tags),
    metrics: read.ids("metrics", MetricId, attachedLimits),
    tools: read.ids("tool_ids", ToolId, attachedLimits),
    folderPath: read.optional("folder_path", fields.folderPath)
  }
  return { ...reading, faults: mergeFaults(read.faults(), removedFieldFaults(read)) }
}

/** The things that a reading names; the agent is the stored one where none was given. */
export const evaluatorReferenceNames = (reading: EvaluatorReading): ReferenceNames => ({
  agent: reading.agent ?? reading.stored?.agentId,
  personality: reading.personality ?? undefined,
  testProfile: reading.testProfile ?? undefined,
  phoneNumbers: numbersNamed(reading),
  metrics: reading.metrics ?? [],
  tools: reading.tools ?? [],
  folderPath: reading.folderPath
})

/** The evaluator that is to be kept, or every fault of the input. */
export const judgeEvaluator = (reading: EvaluatorReading, found: References): Either.Either<EvaluatorSpec, Faults> => {
  const { stored } = reading
  const { agent, projectId } = found
  const faults = mergeFaults(
    reading.faults,
    sharedReferenceFaults(evaluatorReferenceNames(reading), found),
    numberFaults(reading, found),
    allFoundFaults("metrics", reading.metrics ?? [], found.metrics, projectId),
    allFoundFaults("tool_ids", reading.tools ?? [], found.tools, projectId)
  )
  const scenarioType = reading.scenarioType ?? stored?.scenarioType
  const name = reading.name ?? stored?.name
  // Each of these is there unless a fault says why it is not.
  if (agent === null || projectId === null || name === undefined) return Either.left(faults)
  if (scenarioType === undefined || reading.instructions === undefined) return Either.left(faults)
  const { instructions } = reading
  const phoneNumberId = numberMeant(reading, found)
  return failWhenFaulty(faults, () => ({
    projectId,
    agentId: agent.id,
    name,
    scenarioType,
    instructions,
    personalityId: orStored(reading.personality, stored?.personalityId),
    testProfileId: orStored(reading.testProfile, stored?.testProfileId),
    phoneNumberId: orStored(phoneNumberId, stored?.phoneNumberId),
    folderId: reading.folderPath === undefined ? (stored?.folderId ?? null) : found.folderId,
    expectedOutcomePrompt: reading.expectedOutcomePrompt ?? stored?.expectedOutcomePrompt ?? "",
    scenarioLanguage: orStored(reading.scenarioLanguage, stored?.scenarioLanguage),
    firstMessage: reading.firstMessage ?? stored?.firstMessage ?? "",
    maxDuration: orStored(reading.maxDuration, stored?.maxDuration),
    tags: [...new Set(reading.tags ?? stored?.tags ?? [])],
    metricIds: ascending(reading.metrics ?? stored?.metricIds ?? []),
    toolIds: ascending(reading.tools ?? stored?.toolIds ?? [])
  }))
}

/** What was given, be it null, or else what is stored. */
const orStored = <A>(given: A | null | undefined, stored: A | null | undefined): A | null =>
  given === undefined ? (stored ?? null) : given

const ascending = <A extends number>(ids: ReadonlyArray<A>): ReadonlyArray<A> => ids.toSorted((a, b) => a - b)
