import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { Agents } from "../catalog/Agents.js"
import { PhoneNumbers } from "../catalog/PhoneNumbers.js"
import { Personalities } from "../catalog/Personalities.js"
import { TestProfiles } from "../catalog/TestProfiles.js"
import { Tools } from "../catalog/Tools.js"
import {
  type FieldErrors,
  fieldError,
  hasFieldErrors,
  mergeFieldErrors,
  noFieldErrors,
  Messages,
  ValidationFailed
} from "../kernel/FieldErrors.js"
import type { Input } from "../kernel/Input.js"
import { type AgentId, type PersonalityId, PhoneNumberId } from "../kernel/Ids.js"
import * as Fields from "../kernel/Fields.js"
import { inputReader } from "../kernel/InputReader.js"
import type { NewResult, Result } from "../results/Result.js"
import { PlayedChannels } from "../results/PlayedChannels.js"
import { Results } from "../results/Results.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { Metrics } from "../metrics/Metrics.js"
import { costOf } from "../metrics/Price.js"
import type { SuiteContext } from "./SuiteContext.js"
import { planSuite } from "./PlanSuite.js"
import { PriceList } from "./PriceList.js"
import type { SuiteSpec } from "./Suite.js"
import { loadSyntax } from "./SuiteFile.js"
import type { SuitePlan } from "./SuitePlan.js"
import { parseSuiteRequest, syntaxOfRequest, type SuiteRequestInput, type SuiteRunInput } from "./SuiteRequest.js"

/** Test suites. Inputs are unvalidated; they are validated here. */
export class Suites extends Context.Tag("@earshot/core/suites/Suites")<
  Suites,
  {
    /**
     * E1: `{spec | file, agent_id?, name?, channel?, provider_e_data?, provider_d_data?}`. The plan of a run, or every
     * error of the request, of the spec and of its references. Creates nothing and places no calls.
     */
    readonly validate: UseCase<
      "suites.validate",
      [input: Input<typeof SuiteRequestInput>],
      SuitePlan,
      ValidationFailed | StorageError
    >
    /**
     * The same body, and `phone_number?`, the id of the number that voice runs call from. Creates a result with its runs
     * queued.
     */
    readonly run: UseCase<"suites.run", [input: Input<typeof SuiteRunInput>], Result, ValidationFailed | StorageError>
  }
>() {}

/** The distinct personalities that a spec refers to by id. */
const personalityIds = (spec: SuiteSpec): ReadonlyArray<PersonalityId> => [
  ...new Set(
    [spec.defaults, ...spec.scenarios].flatMap(({ personality }) => (personality?.by === "id" ? [personality.id] : []))
  )
]

const errorOf = (errors: FieldErrors, field: string): FieldErrors => {
  const messages = errors[field]
  return messages === undefined ? noFieldErrors : { [field]: messages }
}

/** What is stored of a plan to run it: ids of everything that can change in between. */
const newResult = (plan: SuitePlan, phoneNumberId: PhoneNumberId | null): NewResult => ({
  projectId: plan.projectId,
  agentId: plan.agentId,
  name: plan.suiteName,
  channel: plan.channel,
  concurrencyLimit: plan.concurrencyLimit,
  providerData: plan.providerData,
  isExecuted: plan.isExecuted,
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
      assertions: [...scenario.assertions],
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
    const played = yield* PlayedChannels
    const metrics = yield* Metrics
    const personalities = yield* Personalities
    const testProfiles = yield* TestProfiles
    const tools = yield* Tools
    const phoneNumbers = yield* PhoneNumbers
    const results = yield* Results
    const work = yield* UnitOfWork
    const prices = yield* PriceList

    /** The context of the agent; none where there is no such agent. */
    const loadContext = (
      permit: Permit,
      agentId: AgentId,
      spec: SuiteSpec
    ): Effect.Effect<Option.Option<SuiteContext>, StorageError> =>
      agents.find(permit, agentId).pipe(
        Effect.flatMap((agent) =>
          Effect.gen(function* () {
            const enabled = yield* personalities.enabledIn(permit, agent.projectId)
            const isEnabled = new Set(enabled.map(({ id }) => id))
            const others = personalityIds(spec).filter((id) => !isEnabled.has(id))
            return {
              agent,
              played,
              metrics: (yield* metrics.ofAgent(permit, agent.id)).map((metric) => ({
                id: metric.id,
                slug: metric.slug,
                name: metric.name,
                simulationEnabled: metric.simulationEnabled,
                cost: costOf(metric)
              })),
              personalities: enabled,
              notEnabled: yield* personalities.existingIds(permit, others),
              testProfiles: yield* testProfiles.namesIn(permit, agent.projectId),
              tools: yield* tools.namesIn(permit, agent.projectId)
            }
          })
        ),
        Effect.asSome,
        Effect.catchTag("NotFound", () => Effect.succeedNone)
      )

    const plan = (permit: Permit, input: unknown): Effect.Effect<SuitePlan, ValidationFailed | StorageError> =>
      Effect.gen(function* () {
        const syntax = yield* Effect.promise(() => loadSyntax(syntaxOfRequest(input)))
        const request = parseSuiteRequest(input, syntax)
        const { agentId, suite } = request
        const planned =
          suite === undefined
            ? Either.left(noFieldErrors)
            : agentId === undefined
              ? Either.left(suite.errors)
              : Option.match(yield* loadContext(permit, agentId, suite.spec), {
                  onNone: () =>
                    Either.left(mergeFieldErrors(suite.errors, fieldError("agent_id", Messages.unknownId(agentId)))),
                  onSome: (context) => planSuite(suite, request, context, prices)
                })
        const errors = mergeFieldErrors(request.errors, Either.isLeft(planned) ? planned.left : noFieldErrors)
        // Without a plan there is at least one error.
        if (hasFieldErrors(errors) || Either.isLeft(planned)) return yield* new ValidationFailed({ errors })
        return planned.right
      })

    /** The number that runs call from, and the errors of its field. */
    const phoneNumberOf = (permit: Permit, input: unknown, planned: SuitePlan | undefined) =>
      Effect.gen(function* () {
        const read = inputReader(input)
        const id = read.optional("phone_number", Fields.nullable(Fields.id(PhoneNumberId))) ?? null
        if (id === null) return { id, errors: errorOf(read.errors(), "phone_number") }
        if (planned !== undefined && planned.channel !== "voice") {
          return { id, errors: fieldError("phone_number", "Only with the channel voice.") }
        }
        const found = yield* phoneNumbers.find(permit, id).pipe(Effect.catchTag("NotFound", () => Effect.void))
        if (found === undefined) return { id, errors: fieldError("phone_number", Messages.unknownId(id)) }
        return planned !== undefined && found.projectId !== planned.projectId
          ? { id, errors: fieldError("phone_number", Messages.otherProject(id)) }
          : { id, errors: noFieldErrors }
      })

    const planAndNumber = (permit: Permit, input: unknown) =>
      Effect.gen(function* () {
        const planned = yield* plan(permit, input).pipe(
          Effect.map(Either.right),
          Effect.catchTag("ValidationFailed", ({ errors }) => Effect.succeed(Either.left(errors)))
        )
        const number = yield* phoneNumberOf(permit, input, Either.getOrUndefined(planned))
        const errors = mergeFieldErrors(Either.isLeft(planned) ? planned.left : noFieldErrors, number.errors)
        if (hasFieldErrors(errors) || Either.isLeft(planned)) return yield* new ValidationFailed({ errors })
        return newResult(planned.right, number.id)
      })

    return Suites.of({
      run: useCase("suites.run")((permit, input) =>
        work
          .atomically(Effect.flatMap(planAndNumber(permit, input), (result) => results.create(permit, result)))
          .pipe(Effect.zipLeft(results.notifyWorkers))
      ),
      validate: useCase("suites.validate")(plan)
    })
  })
)
