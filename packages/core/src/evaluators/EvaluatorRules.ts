/** The rules of creating and updating an evaluator: an input merged with the stored evaluator is validated as a whole. */
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import { LanguageCode } from "../catalog/LanguageCode.js"
import {
  decode,
  failIfFieldErrors,
  type FieldErrors,
  fieldError,
  mergeFieldErrors,
  Messages,
  underPath
} from "../kernel/FieldErrors.js"
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
  referenceListErrors,
  type PhoneNumberNames,
  phoneNumberErrors,
  givenPhoneNumber,
  namedPhoneNumbers,
  type ReferenceNames,
  type References,
  sharedReferenceErrors
} from "./References.js"
import { removedFieldErrors } from "./RemovedField.js"

const readId = decode(Fields.id(PhoneNumberId))
const readNumber = decode(Fields.text({ max: 100, blank: false }))

/**
 * A phone number by its id, or as responses show it, so that a response can be sent back. A JSON number is an id. A text is
 * the number itself, or, where there is no such number, an id as forms send it.
 */
const numberName: Schema.Schema<PhoneNumberId | string | null, number | string | null> = Fields.custom<
  PhoneNumberId | string | null,
  number | string | null
>(
  (input) =>
    input === null || input === "" ? Either.right(null) : typeof input === "string" ? readNumber(input) : readId(input),
  (value) => value,
  { anyOf: [{ type: "integer", minimum: 1 }, { type: "string", maxLength: 100 }, { type: "null" }] }
)

const actionsField: Schema.Schema<ConditionalActions | null, unknown> = Fields.custom<ConditionalActions | null>(
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

/** The body that creates an evaluator, for API descriptions; `parseEvaluatorInput` parses it. */
export const EvaluatorDraft = Fields.object({
  ...patchable,
  agent: fields.agent,
  name: fields.name,
  scenario_type: fields.scenarioType
})

/** The body that updates an evaluator, for API descriptions; `parseEvaluatorInput` parses it. */
export const EvaluatorPatch = Fields.object({
  ...patchable,
  agent: Fields.optional(fields.agent),
  scenario_type: Fields.optional(fields.scenarioType)
})

/** An input as far as it could be parsed: invalid fields are undefined, lists of ids have their valid items. */
export interface EvaluatorInput extends PhoneNumberNames {
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
  readonly errors: FieldErrors
}

/** The canonical JSON text of instructions, or its errors. */
const canonical = (text: string): Either.Either<string, FieldErrors> =>
  Either.mapBoth(parseConditionalActionsText(text), {
    onLeft: (errors) => underPath("instructions", errors),
    onRight: printConditionalActions
  })

/** The fields of an input about instructions: undefined where missing or invalid. */
interface GivenInstructions {
  readonly type: ScenarioType | undefined
  readonly text: string | undefined
  readonly actions: ConditionalActions | undefined
  /** Whether one of the two fields was invalid, so that nothing is reported as missing. */
  readonly isInvalid: boolean
}

/**
 * The instructions of an input. Those of conditional actions are JSON text, or the structure, which is stored as its JSON
 * text; where both are given they have to be equal. Undefined where an error reported already hides them.
 */
const validateInstructions = (
  { actions, isInvalid, text, type }: GivenInstructions,
  stored: EvaluatorSpec | null
): Either.Either<string | undefined, FieldErrors> => {
  const given = text !== undefined && text.trim() !== "" ? text : undefined
  const isStructured = type === "conditional_actions"
  const missing =
    text !== undefined
      ? Either.left(fieldError("instructions", Messages.notBlank))
      : isInvalid
        ? Either.right(undefined)
        : stored === null
          ? Either.left(fieldError("instructions", Messages.required))
          : undefined
  if (!isStructured) {
    return actions !== undefined && type !== undefined
      ? Either.left(fieldError("conditional_actions", "Only evaluators of the type conditional_actions have these."))
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
    return Either.left(fieldError("conditional_actions", Messages.tooLong(MAX_INSTRUCTIONS)))
  }
  return given === undefined
    ? Either.right(printed)
    : Either.flatMap(canonical(given), (same) =>
        same === printed
          ? Either.right(given)
          : Either.left(fieldError("conditional_actions", "Differs from instructions; leave one of the two out."))
      )
}

const parseInstructions = (
  read: InputReader,
  stored: EvaluatorSpec | null,
  type: ScenarioType | undefined
): string | undefined => {
  const text = read.optional("instructions", fields.instructions)
  const actions = read.optional("conditional_actions", fields.conditionalActions)
  const isInvalid =
    (text === undefined && read.has("instructions")) || (actions === undefined && read.has("conditional_actions"))
  const instructions = validateInstructions({ type, text, actions: actions ?? undefined, isInvalid }, stored)
  if (Either.isRight(instructions)) return instructions.right
  read.addErrors(instructions.left)
  return undefined
}

/**
 * Parses an input merged with a stored evaluator, or, with null, with the defaults of a new one; with every error that shows
 * without looking anything up. Read-only fields are ignored.
 */
export const parseEvaluatorInput = (stored: EvaluatorSpec | null, input: unknown): EvaluatorInput => {
  const read = inputReader(input)
  const requiredAtFirst = stored === null ? read.required : read.optional
  const scenarioType = requiredAtFirst("scenario_type", fields.scenarioType)
  const parsed = {
    stored,
    agent: requiredAtFirst("agent", fields.agent),
    name: requiredAtFirst("name", fields.name),
    scenarioType,
    instructions: parseInstructions(
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
  return { ...parsed, errors: mergeFieldErrors(read.errors(), removedFieldErrors(read)) }
}

/** What an input refers to; the agent is the stored one where none was given. */
export const evaluatorReferenceNames = (input: EvaluatorInput): ReferenceNames => ({
  agent: input.agent ?? input.stored?.agentId,
  personality: input.personality ?? undefined,
  testProfile: input.testProfile ?? undefined,
  phoneNumbers: namedPhoneNumbers(input),
  metrics: input.metrics ?? [],
  tools: input.tools ?? [],
  folderPath: input.folderPath
})

/** The evaluator to store, or every error of the input. */
export const validateEvaluator = (
  input: EvaluatorInput,
  found: References
): Either.Either<EvaluatorSpec, FieldErrors> => {
  const { stored } = input
  const { agent, projectId } = found
  const errors = mergeFieldErrors(
    input.errors,
    sharedReferenceErrors(evaluatorReferenceNames(input), found),
    phoneNumberErrors(input, found),
    referenceListErrors("metrics", input.metrics ?? [], found.metrics, projectId),
    referenceListErrors("tool_ids", input.tools ?? [], found.tools, projectId)
  )
  const scenarioType = input.scenarioType ?? stored?.scenarioType
  const name = input.name ?? stored?.name
  // Each of these is defined unless an error says why not.
  if (agent === null || projectId === null || name === undefined) return Either.left(errors)
  if (scenarioType === undefined || input.instructions === undefined) return Either.left(errors)
  const { instructions } = input
  const phoneNumberId = givenPhoneNumber(input, found)
  const folderId = input.folderPath === undefined ? undefined : found.folderId
  const base: Partial<EvaluatorSpec> = stored ?? {}
  return failIfFieldErrors(errors, () => ({
    projectId,
    agentId: agent.id,
    name,
    scenarioType,
    instructions,
    personalityId: merged(input.personality, base.personalityId, null),
    testProfileId: merged(input.testProfile, base.testProfileId, null),
    phoneNumberId: merged(phoneNumberId, base.phoneNumberId, null),
    folderId: merged(folderId, base.folderId, null),
    expectedOutcomePrompt: merged(input.expectedOutcomePrompt, base.expectedOutcomePrompt, ""),
    scenarioLanguage: merged(input.scenarioLanguage, base.scenarioLanguage, null),
    firstMessage: merged(input.firstMessage, base.firstMessage, ""),
    maxDuration: merged(input.maxDuration, base.maxDuration, null),
    tags: [...new Set(merged(input.tags, base.tags, []))],
    metricIds: ascending(merged(input.metrics, base.metricIds, [])),
    toolIds: ascending(merged(input.tools, base.toolIds, []))
  }))
}

/** The given value, even null, or else the stored one, or else the default. */
const merged = <A>(given: A | undefined, stored: A | undefined, otherwise: A): A =>
  // eslint-disable-next-line typescript/prefer-nullish-coalescing -- `??` would replace a given null
  given === undefined ? (stored ?? otherwise) : given

const ascending = <A extends number>(ids: ReadonlyArray<A>): ReadonlyArray<A> => ids.toSorted((a, b) => a - b)
