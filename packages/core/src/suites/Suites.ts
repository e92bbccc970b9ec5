import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { Agents } from "../catalog/Agents.js"
import { PhoneNumbers } from "../catalog/PhoneNumbers.js"
import { Personalities } from "../catalog/Personalities.js"
import { TestProfiles } from "../catalog/TestProfiles.js"
import { Tools } from "../catalog/Tools.js"
import { type Faults, fault, isFaulty, mergeFaults, noFaults, Messages, ValidationFailed } from "../kernel/Faults.js"
import { type AgentId, type PersonalityId, PhoneNumberId } from "../kernel/Ids.js"
import * as Fields from "../kernel/Fields.js"
import { inputReader } from "../kernel/InputReader.js"
import type { NewResult, Result } from "../results/Result.js"
import { Results } from "../results/Results.js"
import { type StorageFault, UnitOfWork } from "../kernel/Storage.js"
import { Metrics } from "../metrics/Metrics.js"
import { costOf } from "../metrics/Price.js"
import type { AgentWorld } from "./AgentWorld.js"
import { planSuite } from "./PlanSuite.js"
import { PriceList } from "./PriceList.js"
import type { SuiteReading } from "./Suite.js"
import type { SuitePlan } from "./SuitePlan.js"
import { readSuiteRequest } from "./SuiteRequest.js"

/** Test suites. Inputs are what came from outside and are judged here. */
export class Suites extends Context.Tag("@earshot/core/suites/Suites")<
  Suites,
  {
    /**
     * E1: `{spec | file, agent_id?, name?, channel?, provider_e_data?, provider_d_data?}`. The plan that a run would
     * follow, or every fault of the request, of the spec and of what it names. Creates nothing and places no calls.
     */
    readonly validate: UseCase<"suites.validate", [input: unknown], SuitePlan, ValidationFailed | StorageFault>
    /**
     * The same body, and `phone_number?`, the id of the number that voice runs call from: makes a result with its runs
     * queued.
     */
    readonly run: UseCase<"suites.run", [input: unknown], Result, ValidationFailed | StorageFault>
  }
>() {}

/** The personalities that a spec names by id, each once. */
const personalityIds = (reading: SuiteReading): ReadonlyArray<PersonalityId> => [
  ...new Set(
    [reading.defaults, ...reading.scenarios].flatMap(({ personality }) =>
      personality?.by === "id" ? [personality.id] : []
    )
  )
]

const faultOf = (faults: Faults, field: string): Faults => {
  const said = faults[field]
  return said === undefined ? noFaults : { [field]: said }
}

/** What is kept of a plan to run it: of everything that may change meanwhile, its id. */
const newResult = (plan: SuitePlan, phoneNumberId: PhoneNumberId | null): NewResult => ({
  projectId: plan.projectId,
  agentId: plan.agentId,
  name: plan.suiteName,
  channel: plan.channel,
  concurrencyLimit: plan.concurrencyLimit,
  providerData: plan.providerData,
  phoneNumberId,
  scenarios: plan.scenarios.map((scenario) => ({
    key: scenario.key,
    name: scenario.name,
    frequency: scenario.frequency,
    script: {
      agent: plan.agentId,
      type: scenario.type,
      instructions: scenario.instructions,
      expected_outcome: scenario.expectedOutcome,
      first_message: scenario.firstMessage,
      metric_ids: [...scenario.metricIds],
      tool_ids: [...scenario.toolIds],
      tags: [...scenario.tags],
      language: scenario.language,
      max_duration: scenario.maxDuration,
      personality: scenario.personality === null ? null : { ...scenario.personality },
      test_profile: scenario.testProfile === null ? null : { ...scenario.testProfile }
    }
  }))
})

export const layer = Layer.effect(
  Suites,
  Effect.gen(function* () {
    const agents = yield* Agents
    const metrics = yield* Metrics
    const personalities = yield* Personalities
    const testProfiles = yield* TestProfiles
    const tools = yield* Tools
    const phoneNumbers = yield* PhoneNumbers
    const results = yield* Results
    const work = yield* UnitOfWork
    const prices = yield* PriceList

    /** The agent's world, as far as the spec asks for it; undefined where there is no such agent. */
    const worldOf = (
      permit: Permit,
      agentId: AgentId,
      reading: SuiteReading
    ): Effect.Effect<AgentWorld | undefined, StorageFault> =>
      Effect.gen(function* () {
        const agent = yield* agents.find(permit, agentId).pipe(Effect.catchTag("NotFound", () => Effect.void))
        if (agent === undefined) return undefined
        const enabled = yield* personalities.enabledIn(permit, agent.projectId)
        const isEnabled = new Set(enabled.map(({ id }) => id))
        const others = personalityIds(reading).filter((id) => !isEnabled.has(id))
        return {
          agent,
          metrics: (yield* metrics.ofAgent(permit, agent.id)).map((metric) => ({
            id: metric.id,
            slug: metric.slug,
            name: metric.name,
            simulationEnabled: metric.simulationEnabled,
            cost: costOf(metric)
          })),
          personalities: enabled,
          notEnabled: yield* personalities.among(permit, others),
          testProfiles: yield* testProfiles.namesIn(permit, agent.projectId),
          tools: yield* tools.namesIn(permit, agent.projectId)
        }
      })

    const planned = (permit: Permit, input: unknown): Effect.Effect<SuitePlan, ValidationFailed | StorageFault> =>
      Effect.gen(function* () {
        const request = readSuiteRequest(input)
        const { agentId, suite } = request
        const world =
          agentId === undefined || suite === undefined ? undefined : yield* worldOf(permit, agentId, suite.reading)
        const judged =
          world === undefined || suite === undefined
            ? Either.left(
                mergeFaults(
                  suite?.faults ?? noFaults,
                  agentId === undefined || suite === undefined ? noFaults : fault("agent_id", Messages.unknownId(agentId))
                )
              )
            : planSuite(suite, request, world, prices)
        const faults = mergeFaults(request.faults, Either.isLeft(judged) ? judged.left : noFaults)
        // Without a plan there are faults.
        if (isFaulty(faults) || Either.isLeft(judged)) return yield* new ValidationFailed({ faults })
        return judged.right
      })

    const numberNamed = (permit: Permit, input: unknown, plan: SuitePlan | undefined) =>
      Effect.gen(function* () {
        const read = inputReader(input)
        const id = read.optional("phone_number", Fields.nullable(Fields.id(PhoneNumberId))) ?? null
        if (id === null) return { id, faults: faultOf(read.faults(), "phone_number") }
        if (plan !== undefined && plan.channel !== "voice") {
          return { id, faults: fault("phone_number", "Only with the channel voice.") }
        }
        const found = yield* phoneNumbers.find(permit, id).pipe(Effect.catchTag("NotFound", () => Effect.void))
        return {
          id,
          faults:
            found === undefined
              ? fault("phone_number", Messages.unknownId(id))
              : plan !== undefined && found.projectId !== plan.projectId
                ? fault("phone_number", Messages.otherProject(id))
                : noFaults
        }
      })

    return Suites.of({
      run: useCase("suites.run")((permit, input) =>
        work
          .atomically(
            Effect.gen(function* () {
              const plan = yield* Effect.either(planned(permit, input))
              if (Either.isLeft(plan) && plan.left._tag !== "ValidationFailed") return yield* plan.left
              const number = yield* numberNamed(permit, input, Either.getOrUndefined(plan))
              const faults = mergeFaults(
                Either.isLeft(plan) && plan.left._tag === "ValidationFailed" ? plan.left.faults : noFaults,
                number.faults
              )
              if (isFaulty(faults) || Either.isLeft(plan)) return yield* new ValidationFailed({ faults })
              return yield* results.open(permit, newResult(plan.right, number.id))
            })
          )
          .pipe(Effect.zipLeft(results.ring))
      ),
      validate: useCase("suites.validate")(planned)
    })
  })
)
