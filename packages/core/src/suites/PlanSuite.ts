/** Judges what a spec names against the agent's world, and makes the plan. Pure: the same spec and world, the same plan. */
import * as Either from "effect/Either"
import type { Channel } from "../catalog/Agent.js"
import { sum, times } from "../kernel/Credits.js"
import { type FaultCollector, faultCollector } from "../kernel/FaultCollector.js"
import { type Faults, isFaulty, Messages } from "../kernel/Faults.js"
import type { PersonalityId } from "../kernel/Ids.js"
import type { JsonObject } from "../kernel/Json.js"
import { nearest } from "../kernel/Nearest.js"
import type { AgentWorld, WorldMetric, WorldPersonality } from "./AgentWorld.js"
import { DEFAULT_MAX_DURATION, priceOfRun, type Prices } from "./PriceList.js"
import type { SuiteRead } from "./ReadSuite.js"
import {
  type PersonalityChoice,
  type Placed,
  type Reference,
  type ScenarioReading,
  type SuiteDefaults,
  SuiteLimits,
  type TestProfileChoice
} from "./Suite.js"
import type { PlannedPersonality, PlannedScenario, PlannedTestProfile, SuitePlan } from "./SuitePlan.js"

/** What a request says beside the spec. */
export interface PlanRequest {
  readonly channel: Channel
  /** Overrides the suite's own name. */
  readonly name: string | null
  readonly providerData: JsonObject | null
}

/** Suggestions cost; whoever sends more wrong names than this is not helped by the next one. */
const MAX_SUGGESTIONS = 200

interface Named<Id extends number> {
  readonly id: Id
  readonly name: string | null
}

/** Finds what references name in one list of the world, and tells what is not there. */
const finder = <Id extends number, A extends Named<Id>>(
  found: FaultCollector,
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
  const said = new Map<string, string>()
  const missing = (name: string): string => {
    const known = said.get(name)
    if (known !== undefined) return known
    const meant = said.size < MAX_SUGGESTIONS ? nearest(name, byName.keys()) : undefined
    const sentence = `No ${words.noun} ${JSON.stringify(shortened(name))}${
      meant === undefined ? "." : `; did you mean ${JSON.stringify(meant)}?`
    }`
    said.set(name, sentence)
    return sentence
  }
  return (reference: Reference<Id>, path: string): A | undefined => {
    if (reference.by === "id") {
      const one = byId.get(reference.id)
      if (one === undefined) found.add(path, (words.unknownId ?? Messages.unknownId)(reference.id))
      return one
    }
    const named = byName.get(reference.name) ?? []
    const [one] = named
    if (one === undefined) found.add(path, missing(reference.name))
    else if (named.length > 1) {
      found.add(
        path,
        `${named.length} ${words.plural} ${JSON.stringify(shortened(reference.name))}; give the id of the one that is meant.`
      )
    }
    return one
  }
}

const shortened = (text: string): string =>
  text.length > 60 ? `${Array.from(text.slice(0, 60)).slice(0, 57).join("")}...` : text

const asNamed = (metric: WorldMetric) => ({ id: metric.id, name: metric.slug, metric })

/** The plan of a spec, or every fault: those of its reading, of the request, and of what it names. */
export const planSuite = (
  { faults, reading }: SuiteRead,
  request: PlanRequest,
  world: AgentWorld,
  prices: Prices
): Either.Either<SuitePlan, Faults> => {
  const found = faultCollector()
  found.addUnder("", faults)
  const { supportedChannels } = world.agent
  if (!supportedChannels.includes(request.channel)) {
    found.add("channel", `This agent does not support ${request.channel}; it supports ${supportedChannels.join(", ")}.`)
  }
  const metricOf = finder(found, world.metrics.map(asNamed), {
    noun: "metric with slug",
    plural: "metrics have the slug"
  })
  const personalityOf = finder<PersonalityId, WorldPersonality>(found, world.personalities, {
    noun: "enabled personality named",
    plural: "enabled personalities are named",
    unknownId: (id) =>
      world.notEnabled.has(id) ? `The personality ${id} is not enabled for this project.` : Messages.unknownId(id)
  })
  const profileOf = finder(found, world.testProfiles, {
    noun: "test profile named",
    plural: "test profiles are named"
  })
  const toolOf = finder(found, world.tools, { noun: "tool named", plural: "tools are named" })

  const metricsOf = (references: ReadonlyArray<Placed<Reference<WorldMetric["id"]>>>, path: string) =>
    references.flatMap(({ position, value }) => {
      const at = `${path}[${position}]`
      const one = metricOf(value, at)
      if (one === undefined) return []
      if (one.metric.simulationEnabled) return [one.metric]
      found.add(at, `The metric ${JSON.stringify(one.metric.slug ?? one.metric.name)} is not enabled for simulation.`)
      return []
    })

  const personality = (choice: PersonalityChoice, path: string): PlannedPersonality | undefined => {
    if (choice.by === "inline") {
      return { mode: "inline", id: null, name: choice.name, language: choice.language, description: choice.description }
    }
    const one = personalityOf(choice, path)
    return one === undefined
      ? undefined
      : { mode: choice.by, id: one.id, name: one.name, language: one.language, description: "" }
  }

  const profile = (choice: TestProfileChoice, path: string): PlannedTestProfile | undefined => {
    if (choice.by === "inline") {
      return { mode: "inline", id: null, name: choice.name, information: choice.information }
    }
    const one = profileOf(choice, path)
    return one === undefined ? undefined : { mode: choice.by, id: one.id, name: one.name, information: null }
  }

  /** What the scenario says, or else the defaults, which are judged once. */
  const shared = (of: SuiteDefaults, path: string) => ({
    metrics: metricsOf(of.metrics, `${path}.metrics`),
    personality: of.personality ? personality(of.personality, `${path}.personality`) : of.personality,
    testProfile: of.testProfile ? profile(of.testProfile, `${path}.test_profile`) : of.testProfile
  })

  const { defaults } = reading
  const common = shared(defaults, "defaults")

  const planned = (scenario: ScenarioReading): PlannedScenario | undefined => {
    const path = `scenarios[${scenario.position}]`
    const own = shared(scenario, path)
    const metrics = [...new Map([...common.metrics, ...own.metrics].map((one) => [one.id, one])).values()]
    if (metrics.length > SuiteLimits.metrics) {
      found.add(`${path}.metrics`, `${Messages.tooMany(SuiteLimits.metrics)} Those of the defaults count too.`)
    }
    const tags = [...new Set([...defaults.tags, ...scenario.tags])]
    if (tags.length > SuiteLimits.tags) {
      found.add(`${path}.tags`, `${Messages.tooMany(SuiteLimits.tags)} Those of the defaults count too.`)
    }
    const toolIds = scenario.tools.flatMap(
      ({ position, value }) => toolOf(value, `${path}.tools[${position}]`)?.id ?? []
    )
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
      toolIds: [...new Set(toolIds)],
      tags,
      personality: orDefault(own.personality, scenario.personality, common.personality),
      testProfile: orDefault(own.testProfile, scenario.testProfile, common.testProfile),
      language: scenario.language === undefined ? (defaults.language ?? null) : scenario.language,
      maxDuration,
      instructions,
      conditionalActions: scenario.conditionalActions,
      expectedOutcome: scenario.expectedOutcome,
      firstMessage: scenario.firstMessage,
      estimatedCost: times(costOfOne, frequency)
    }
  }

  const scenarios = reading.scenarios.flatMap((scenario) => planned(scenario) ?? [])
  const wrong = found.faults()
  if (isFaulty(wrong)) return Either.left(wrong)
  return Either.right({
    agentId: world.agent.id,
    projectId: world.agent.projectId,
    channel: request.channel,
    suiteName: request.name ?? reading.name ?? "",
    concurrencyLimit: reading.concurrencyLimit ?? null,
    scenarios,
    totalRuns: scenarios.reduce((runs, { frequency }) => runs + frequency, 0),
    estimatedCost: sum(scenarios.map(({ estimatedCost }) => estimatedCost)),
    providerData: request.providerData
  })
}

/** What was found of a scenario's own choice, or of the defaults' where it makes none; null where it wants none. */
const orDefault = <A>(own: A | null | undefined, said: unknown, common: A | null | undefined): A | null =>
  said === undefined ? (common ?? null) : (own ?? null)
