/** Arbitraries of valid evaluators. */
import { type ConditionalActionsWire, ScenarioType } from "@earshot/core"
import * as fc from "fast-check"
import * as CatalogArbitraries from "../catalog/CatalogArbitraries.js"

const seconds = fc.oneof(fc.integer({ min: 1, max: 600 }).map(String), fc.constantFrom("0.5", "2.25"))

/** A part of an action: speech without tags, or a marker. */
const piece = fc.oneof(
  CatalogArbitraries.text(40).map((text) => text.replaceAll("<", "(")),
  seconds.map((time) => `<silence time="${time}" />`),
  seconds.map((time) => `<hold time='${time}'/>`),
  fc.constantFrom("[laughter]", "<endcall />", "<endcall/>", "5 < 6")
)

/** Actions: speech and well-formed markers. */
export const arbitraryAction: fc.Arbitrary<string> = fc
  .array(piece, { minLength: 1, maxLength: 6 })
  .map((pieces) => pieces.join(" "))
  .map((text) => (text.trim() === "" ? "Hello" : text))

/** Valid conditional actions: ids in order, FIRST_MESSAGE first, acyclic references. */
export const arbitraryConditionalActions: fc.Arbitrary<ConditionalActionsWire> = fc
  .record({
    role: CatalogArbitraries.text(60),
    conditions: fc.array(
      fc.record({
        condition: fc.oneof(CatalogArbitraries.name(60), fc.nat()),
        action: arbitraryAction,
        type: fc.constantFrom("standard" as const, "action_followup" as const),
        fixed_message: fc.boolean()
      }),
      { minLength: 1, maxLength: 8 }
    )
  })
  .map(({ conditions, role }) => ({
    role,
    conditions: conditions.map(({ condition, ...rest }, id) => ({
      id,
      // A reference to an earlier item cannot be in a cycle.
      condition: id === 0 ? "FIRST_MESSAGE" : typeof condition === "number" ? condition % id : condition,
      ...rest
    }))
  }))

/** Bodies that create an evaluator with no reference but its agent. */
export const arbitraryEvaluatorInput: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc
  .record({
    name: CatalogArbitraries.name(80),
    scenario_type: fc.constantFrom(...ScenarioType.literals),
    instructions: CatalogArbitraries.name(200),
    actions: arbitraryConditionalActions,
    expected_outcome_prompt: CatalogArbitraries.text(60),
    first_message: CatalogArbitraries.text(60),
    scenario_language: fc.constantFrom("en", "zh", "multi", null),
    max_duration: fc.option(fc.integer({ min: 1, max: 86_400 })),
    tags: fc.uniqueArray(CatalogArbitraries.name(20), { maxLength: 4 })
  })
  .map(({ actions, instructions, ...rest }) =>
    rest.scenario_type === "conditional_actions" ? { ...rest, conditional_actions: actions } : { ...rest, instructions }
  )
