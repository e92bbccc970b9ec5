/** Resolves the references of a spec and plans its runs. Pure. */
import type * as Either from "effect/Either"
import type { Channel } from "../catalog/Agent.js"
import { sum, multiply } from "../kernel/Credits.js"
import { type FieldErrorCollector, fieldErrorCollector } from "../kernel/FieldErrorCollector.js"
import { failIfFieldErrors, type FieldErrors, Messages } from "../kernel/FieldErrors.js"
import type { PersonalityId, ToolId } from "../kernel/Ids.js"
import type { JsonObject } from "../kernel/Json.js"
import { closestName } from "../kernel/ClosestName.js"
import type { SuiteContext, SuiteMetric, SuitePersonality } from "./SuiteContext.js"
import { DEFAULT_MAX_DURATION, priceOfRun, type Prices } from "./PriceList.js"
import type { ParsedSuite } from "./ParseSuite.js"
import {
  type PersonalityChoice,
  type Reference,
  type ScenarioSpec,
  type SuiteDefaults,
  SuiteLimits,
  type TestProfileChoice
} from "./Suite.js"
import { isPlayed } from "../results/PlayedChannels.js"
import { whyNotRunnable } from "./RunnableRules.js"
import type { PlannedPersonality, PlannedScenario, PlannedTestProfile, SuitePlan } from "./SuitePlan.js"

/** The fields of a request beside the spec that the plan depends on. */
export interface PlanRequest {
  readonly channel: Channel
  /** Overrides the suite's own name. */
  readonly name: string | null
  readonly providerData: JsonObject | null
  /** Restricts the plan to the scenarios with one of these keys and one of these tags; an empty list restricts nothing. */
  readonly only: { readonly keys: ReadonlyArray<string>; readonly tags: ReadonlyArray<string> }
}

/** Suggestions take time, so one request gets no more than these. */
const MAX_SUGGESTIONS = 200

interface Named<Id extends number> {
  readonly id: Id
  readonly name: string | null
}

/** Resolves references among the entities of one kind, and adds an error for each that does not exist. */
const referenceResolver = <Id extends number, A extends Named<Id>>(
  errors: FieldErrorCollector,
  all: ReadonlyArray<A>,
  words: {
    /** "metric with slug", "tool named" */
    readonly noun: string
    readonly plural: string
    readonly unknownId?: (id: Id) => string
  }
) => {
  const byId = new Map(all.map((one) => [one.id, one]))
  const byName = new Map<string, Array<A>>()
  for (const one of all) {
    if (one.name === null) continue
    const same = byName.get(one.name)
    if (same === undefined) byName.set(one.name, [one])
    else same.push(one)
  }
  const messages = new Map<string, string>()
  const missingMessage = (name: string): string => {
    const known = messages.get(name)
    if (known !== undefined) return known
    const closest = messages.size < MAX_SUGGESTIONS ? closestName(name, byName.keys()) : undefined
    const message = `No ${words.noun} ${JSON.stringify(abbreviate(name))}${
      closest === undefined ? "." : `; did you mean ${JSON.stringify(closest)}?`
    }`
    messages.set(name, message)
    return message
  }
  return (reference: Reference<Id>, path: string): A | undefined => {
    if (reference.by === "id") {
      const one = byId.get(reference.id)
      if (one === undefined) errors.add(path, (words.unknownId ?? Messages.unknownId)(reference.id))
      return one
    }
    const named = byName.get(reference.name) ?? []
    const [one] = named
    if (one === undefined) errors.add(path, missingMessage(reference.name))
    else if (named.length > 1) {
      errors.add(
        path,
        `${named.length} ${words.plural} ${JSON.stringify(abbreviate(reference.name))}; refer to one by id.`
      )
    }
    return one
  }
}

const abbreviate = (text: string): string =>
  text.length > 60 ? `${Array.from(text.slice(0, 60)).slice(0, 57).join("")}...` : text

const asNamed = (metric: SuiteMetric) => ({ id: metric.id, name: metric.slug, metric })

/** What is resolved of the fields that a scenario and the defaults share; undefined and null as in the spec. */
interface ResolvedDefaults {
  readonly metrics: ReadonlyArray<SuiteMetric>
  readonly personality: PlannedPersonality | null | undefined
  readonly testProfile: PlannedTestProfile | null | undefined
}

/** Resolvers of every kind of reference in a spec. */
const contextResolver = (errors: FieldErrorCollector, context: SuiteContext) => {
  const metricOf = referenceResolver(errors, context.metrics.map(asNamed), {
    noun: "metric with slug",
    plural: "metrics have the slug"
  })
  const personalityOf = referenceResolver<PersonalityId, SuitePersonality>(errors, context.personalities, {
    noun: "enabled personality named",
    plural: "enabled personalities are named",
    unknownId: (id) =>
      context.notEnabled.has(id) ? `The personality ${id} is not enabled for this project.` : Messages.unknownId(id)
  })
  const profileOf = referenceResolver(errors, context.testProfiles, {
    noun: "test profile named",
    plural: "test profiles are named"
  })
  const toolOf = referenceResolver(errors, context.tools, { noun: "tool named", plural: "tools are named" })

  const metrics = (references: SuiteDefaults["metrics"], path: string): ReadonlyArray<SuiteMetric> =>
    references.flatMap(({ position, value }) => {
      const at = `${path}[${position}]`
      const found = metricOf(value, at)
      if (found === undefined) return []
      const { metric } = found
      if (metric.simulationEnabled) return [metric]
      errors.add(at, `The metric ${JSON.stringify(metric.slug ?? metric.name)} is not enabled for simulation.`)
      return []
    })

  const personality = (choice: PersonalityChoice, path: string): PlannedPersonality | undefined => {
    if (choice.by === "inline") {
      return { mode: "inline", id: null, name: choice.name, language: choice.language, description: choice.description }
    }
    const found = personalityOf(choice, path)
    return found === undefined
      ? undefined
      : { mode: choice.by, id: found.id, name: found.name, language: found.language, description: "" }
  }

  const testProfile = (choice: TestProfileChoice, path: string): PlannedTestProfile | undefined => {
    if (choice.by === "inline") {
      return { mode: "inline", id: null, name: choice.name, information: choice.information }
    }
    const found = profileOf(choice, path)
    return found === undefined ? undefined : { mode: choice.by, id: found.id, name: found.name, information: null }
  }

  return {
    shared: (of: SuiteDefaults, path: string): ResolvedDefaults => ({
      metrics: metrics(of.metrics, `${path}.metrics`),
      personality: of.personality ? personality(of.personality, `${path}.personality`) : of.personality,
      testProfile: of.testProfile ? testProfile(of.testProfile, `${path}.test_profile`) : of.testProfile
    }),
    tools: (references: ScenarioSpec["tools"], path: string): ReadonlyArray<ToolId> => [
      ...new Set(references.flatMap(({ position, value }) => toolOf(value, `${path}[${position}]`)?.id ?? []))
    ]
  }
}

/** The plan of a spec, or every error: of parsing it, of the request, and of its references. */
export const planSuite = (
  { errors: specErrors, spec }: ParsedSuite,
  request: PlanRequest,
  context: SuiteContext,
  prices: Prices
): Either.Either<SuitePlan, FieldErrors> => {
  const errors = fieldErrorCollector()
  errors.addUnder("", specErrors)
  const { supportedChannels } = context.agent
  if (!supportedChannels.includes(request.channel)) {
    errors.add(
      "channel",
      `This agent does not support ${request.channel}; it supports ${supportedChannels.join(", ")}.`
    )
  }
  const resolve = contextResolver(errors, context)
  const { defaults } = spec
  const common = resolve.shared(defaults, "defaults")

  /** A list of a scenario with the default's items, whose number is limited together. */
  const joined = <A>(path: string, all: ReadonlyArray<A>, max: number): ReadonlyArray<A> => {
    if (all.length > max) errors.add(path, `${Messages.tooMany(max)} Those of the defaults count too.`)
    return all
  }

  const planScenario = (scenario: ScenarioSpec): PlannedScenario | undefined => {
    const path = `scenarios[${scenario.position}]`
    const own = resolve.shared(scenario, path)
    const metrics = joined(`${path}.metrics`, distinctById([...common.metrics, ...own.metrics]), SuiteLimits.metrics)
    const tags = joined(`${path}.tags`, [...new Set([...defaults.tags, ...scenario.tags])], SuiteLimits.tags)
    const assertions = joined(
      `${path}.assertions`,
      [...defaults.assertions, ...scenario.assertions],
      SuiteLimits.assertions
    )
    const toolIds = resolve.tools(scenario.tools, `${path}.tools`)
    const { instructions, key, name, type } = scenario
    if (key === undefined || name === undefined || type === undefined || instructions === undefined) return undefined
    const frequency = scenario.frequency ?? defaults.frequency ?? 1
    const maxDuration = scenario.maxDuration ?? defaults.maxDuration ?? DEFAULT_MAX_DURATION
    const costOfOne = priceOfRun(prices, {
      channel: request.channel,
      maxDuration,
      metricCosts: metrics.map(({ cost }) => cost)
    })
    return {
      key,
      name,
      type,
      frequency,
      metricIds: metrics.map(({ id }) => id),
      toolIds,
      tags,
      assertions,
      personality: orDefault(own.personality, scenario.personality, common.personality),
      testProfile: orDefault(own.testProfile, scenario.testProfile, common.testProfile),
      language: scenario.language === undefined ? (defaults.language ?? null) : scenario.language,
      maxDuration,
      instructions,
      conditionalActions: scenario.conditionalActions,
      expectedOutcome: scenario.expectedOutcome,
      firstMessage: scenario.firstMessage,
      estimatedCost: multiply(costOfOne, frequency)
    }
  }

  const planned = spec.scenarios.flatMap((scenario) => planScenario(scenario) ?? [])
  const scenarios = selectScenarios(errors, planned, spec.scenarios, request.only)
  return failIfFieldErrors(errors.errors(), () => ({
    agentId: context.agent.id,
    projectId: context.agent.projectId,
    channel: request.channel,
    suiteName: request.name ?? spec.name ?? "",
    concurrencyLimit: spec.concurrencyLimit ?? null,
    scenarios,
    totalRuns: scenarios.reduce((runs, { frequency }) => runs + frequency, 0),
    estimatedCost: sum(scenarios.map(({ estimatedCost }) => estimatedCost)),
    providerData: request.providerData,
    notRunnable: whyNotRunnable(request.channel, context),
    isExecuted: isPlayed(context.played, request.channel, context.agent)
  }))
}

/** The selected scenarios; an error for each key that no scenario has, and one if the tags select nothing. */
const selectScenarios = (
  errors: FieldErrorCollector,
  planned: ReadonlyArray<PlannedScenario>,
  inSpec: ReadonlyArray<ScenarioSpec>,
  { keys, tags }: PlanRequest["only"]
): ReadonlyArray<PlannedScenario> => {
  const known = inSpec.flatMap(({ key }) => key ?? [])
  for (const [position, key] of keys.entries()) {
    if (known.includes(key)) continue
    const closest = closestName(key, known)
    errors.add(
      `scenario_keys[${position}]`,
      `No scenario has the key ${JSON.stringify(abbreviate(key))}${
        closest === undefined ? "." : `; did you mean ${JSON.stringify(closest)}?`
      }`
    )
  }
  const selected = planned.filter(
    (one) =>
      (keys.length === 0 || keys.includes(one.key)) && (tags.length === 0 || one.tags.some((tag) => tags.includes(tag)))
  )
  if (tags.length > 0 && selected.length === 0 && planned.length > 0) {
    errors.add("scenario_tags", "No selected scenario has one of these tags.")
  }
  return selected
}

const distinctById = (metrics: ReadonlyArray<SuiteMetric>): ReadonlyArray<SuiteMetric> => [
  ...new Map(metrics.map((metric) => [metric.id, metric])).values()
]

/** A scenario's own choice once resolved, or the defaults' where the spec leaves it out; null for none. */
const orDefault = <A>(own: A | null | undefined, inSpec: unknown, common: A | null | undefined): A | null =>
  inSpec === undefined ? (common ?? null) : (own ?? null)
