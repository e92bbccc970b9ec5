/** The scenario that a run plays: as stored by its suite, with the test profile's values filled in. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { MAX_FILLED, type PlaceholderFiller, placeholderFiller } from "../catalog/PlaceholderRules.js"
import type { VoiceBehavior } from "../catalog/VoiceBehavior.js"
import { callVariables, isLegacyFlat, VARIABLES_SECTION } from "../catalog/ProfileRules.js"
import type { ActionPart } from "../evaluators/ActionMarkup.js"
import {
  type ConditionalAction,
  type ConditionalActions,
  parseConditionalActionsText,
  type Trigger
} from "../evaluators/ConditionalActions.js"
import { ScenarioType } from "../evaluators/Evaluator.js"
import { AgentId, MetricId, PersonalityId, TestProfileId, ToolId } from "../kernel/Ids.js"
import { JsonObject } from "../kernel/Json.js"
import { Assertion } from "../results/Assertion.js"

/** The part of a stored scenario that the engine reads; other keys are for external workers. */
export const RunScript = Schema.Struct({
  agent: AgentId,
  type: ScenarioType,
  instructions: Schema.String,
  expected_outcome: Schema.String,
  first_message: Schema.String,
  metric_ids: Schema.Array(MetricId),
  language: Schema.NullOr(Schema.String),
  /** Seconds. */
  max_duration: Schema.Number,
  personality: Schema.NullOr(
    Schema.Struct({
      id: Schema.NullOr(PersonalityId),
      name: Schema.String,
      language: Schema.NullOr(Schema.String),
      description: Schema.String
    })
  ),
  test_profile: Schema.NullOr(
    Schema.Struct({
      id: Schema.NullOr(TestProfileId),
      name: Schema.String,
      information: Schema.NullOr(JsonObject)
    })
  )
})
export type RunScript = typeof RunScript.Type

/** The scenario of a claimed run, as an external worker gets it. */
export const ClaimedScenario = Schema.Struct({
  ...RunScript.fields,
  tool_ids: Schema.Array(ToolId),
  tags: Schema.Array(Schema.String),
  assertions: Schema.Array(Assertion)
}).annotations({ identifier: "ClaimedScenario" })

export const readRunScript = Schema.decodeUnknownEither(RunScript)

/** Who the caller is. */
export interface Persona {
  readonly name: string
  readonly description: string
  readonly language: string | null
  /** How the caller behaves by voice; null where its personality states nothing. */
  readonly voiceBehavior: VoiceBehavior | null
}

/** A scenario with every placeholder filled in that the test profile has a value for. */
export interface Scenario {
  readonly type: ScenarioType
  readonly instructions: string
  /** Null for every type but `conditional_actions`. */
  readonly actions: ConditionalActions | null
  /** The caller's first message; blank if the caller chooses it. */
  readonly firstMessage: string
  readonly expectedOutcome: string
  readonly persona: Persona | null
  readonly language: string | null
  /** What the caller knows about itself: the test profile without the agent's variables. */
  readonly facts: JsonObject
  /** Values of the agent's `{{variable}}` placeholders. */
  readonly variables: JsonObject
  /** Seconds. */
  readonly maxDuration: number
}

const filledPart = (part: ActionPart, { fill }: PlaceholderFiller): ActionPart =>
  // Filled-in values are speech even if they look like markers, since the action was parsed before.
  part.kind === "speech" ? { ...part, text: fill(part.text) } : part

const filledTrigger = (trigger: Trigger, { fill }: PlaceholderFiller): Trigger =>
  trigger.on === "description" ? { ...trigger, description: fill(trigger.description) } : trigger

const filledItem = (item: ConditionalAction, filler: PlaceholderFiller): ConditionalAction => ({
  ...item,
  trigger: filledTrigger(item.trigger, filler),
  action: item.action.map((part) => filledPart(part, filler))
})

const OVERFULL = `What the test profile says fills the scenario's placeholders with more than ${MAX_FILLED} characters.`

/** The scenario of a script; left is a sentence that says why it cannot be played. */
export const scenarioOf = (
  script: RunScript,
  of: { readonly information: JsonObject | null; readonly persona: Persona | null }
): Either.Either<Scenario, string> => {
  const variables = callVariables({ information: of.information, dynamicVariableValues: null })
  const filler = placeholderFiller(variables)
  const { fill } = filler
  const information = of.information ?? {}
  const actions =
    script.type === "conditional_actions" ? parseConditionalActionsText(script.instructions) : Either.right(null)
  if (Either.isLeft(actions)) return Either.left("The scenario's conditional actions cannot be read.")
  const scenario: Scenario = {
    type: script.type,
    instructions: script.type === "conditional_actions" ? "" : fill(script.instructions),
    actions:
      actions.right === null
        ? null
        : {
            role: fill(actions.right.role),
            conditions: actions.right.conditions.map((item) => filledItem(item, filler))
          },
    firstMessage: fill(script.first_message),
    expectedOutcome: fill(script.expected_outcome),
    persona: of.persona,
    language: script.language ?? of.persona?.language ?? null,
    facts: isLegacyFlat(information)
      ? information
      : Object.fromEntries(Object.entries(information).filter(([section]) => section !== VARIABLES_SECTION)),
    variables,
    maxDuration: script.max_duration
  }
  return filler.isLimitExceeded() ? Either.left(OVERFULL) : Either.right(scenario)
}
