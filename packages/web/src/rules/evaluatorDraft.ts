/** An evaluator as its form holds it, and as the API takes it. */
import type { components } from "@earshot/client"
import { type Actions, NEW_ACTIONS, ofWire, toWire } from "./actions.js"
import type { Language } from "./languages.js"

type Evaluator = components["schemas"]["Evaluator"]
type EvaluatorDraft = components["schemas"]["EvaluatorDraft"]

export const SCENARIO_TYPES = ["instruction", "conditional_actions", "real_world_smart", "real_world_fixed"] as const

export interface EvaluatorForm {
  readonly name: string
  readonly agent: number | null
  readonly scenario_type: Evaluator["scenario_type"]
  /** Instructions as text; those of conditional actions are `actions`. */
  readonly instructions: string
  readonly actions: Actions
  readonly expected_outcome_prompt: string
  readonly first_message: string
  readonly personality: number | null
  readonly test_profile: number | null
  readonly scenario_language: Language | null
  readonly folder_path: string
  /** As it is typed: separated by commas. */
  readonly tags: string
  readonly metrics: Array<number>
  readonly tool_ids: Array<number>
  /** Seconds as they are typed; blank for none. */
  readonly max_duration: string
}

export const newForm = (agent: number | null, folder: string): EvaluatorForm => ({
  name: "",
  agent,
  scenario_type: "instruction",
  instructions: "",
  actions: NEW_ACTIONS,
  expected_outcome_prompt: "",
  first_message: "",
  personality: null,
  test_profile: null,
  scenario_language: null,
  folder_path: folder,
  tags: "",
  metrics: [],
  tool_ids: [],
  max_duration: ""
})

export const formOf = ({
  agent,
  conditional_actions,
  expected_outcome_prompt,
  first_message,
  folder_path,
  instructions,
  max_duration,
  metrics,
  name,
  personality,
  scenario_language,
  scenario_type,
  tags,
  test_profile,
  tool_ids
}: Evaluator): EvaluatorForm => ({
  name,
  agent,
  scenario_type,
  instructions: scenario_type === "conditional_actions" ? "" : instructions,
  actions: conditional_actions === null ? NEW_ACTIONS : ofWire(conditional_actions),
  expected_outcome_prompt,
  first_message,
  personality,
  test_profile,
  scenario_language,
  folder_path,
  tags: tags.join(", "),
  metrics,
  tool_ids,
  max_duration: max_duration === null ? "" : String(max_duration)
})

/** The body of a form: the instructions, or the conditional actions where the type has them. */
export const bodyOf = ({
  actions,
  agent,
  instructions,
  max_duration,
  tags,
  ...same
}: EvaluatorForm): EvaluatorDraft => ({
  ...same,
  agent: agent ?? 0,
  tags: tags
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== ""),
  max_duration: max_duration.trim() === "" ? null : Number(max_duration),
  ...(same.scenario_type === "conditional_actions" ? { conditional_actions: toWire(actions) } : { instructions })
})
