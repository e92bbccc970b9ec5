import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { Agents } from "../catalog/Agents.js"
import { Personalities } from "../catalog/Personalities.js"
import { TestProfiles } from "../catalog/TestProfiles.js"
import { Tools } from "../catalog/Tools.js"
import { fault, isFaulty, mergeFaults, noFaults, Said, ValidationFailed } from "../kernel/Faults.js"
import type { AgentId, PersonalityId } from "../kernel/Ids.js"
import type { StorageFault } from "../kernel/Storage.js"
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

export const layer = Layer.effect(
  Suites,
  Effect.gen(function* () {
    const agents = yield* Agents
    const metrics = yield* Metrics
    const personalities = yield* Personalities
    const testProfiles = yield* TestProfiles
    const tools = yield* Tools
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
          metrics: (yield* metrics.ofAgent(permit, agent)).map((metric) => ({
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
                  agentId === undefined || suite === undefined ? noFaults : fault("agent_id", Said.unknownId(agentId))
                )
              )
            : planSuite(suite, request, world, prices)
        const faults = mergeFaults(request.faults, Either.isLeft(judged) ? judged.left : noFaults)
        // Without a plan there are faults.
        if (isFaulty(faults) || Either.isLeft(judged)) return yield* new ValidationFailed({ faults })
        return judged.right
      })

    return Suites.of({
      validate: useCase("suites.validate")(planned)
    })
  })
)
