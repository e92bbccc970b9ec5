import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import { NotFound } from "../access/AccessErrors.js"
import { type Permit, isInScope } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { Agents } from "../catalog/Agents.js"
import {
  decodeInput,
  type FieldErrors,
  fieldError,
  hasFieldErrors,
  mergeFieldErrors,
  noFieldErrors,
  Messages,
  ValidationFailed
} from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import { AgentId, type MetricId, ProjectId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { predefinedMetrics } from "./Catalogue.js"
import { type Metric, MetricDraft, MetricPatch, type MetricSpec, patched, specOf } from "./Metric.js"
import { isJudged, judgeMetric, slugFor } from "./MetricRules.js"
import { MetricStore } from "./MetricStore.js"
import type { PredefinedMetric } from "./Predefined.js"
import { Sandbox } from "./Sandbox.js"

/** What a list of metrics takes. */
export const MetricQuery = Fields.object({
  ...Pages.PageQuery.fields,
  agent_id: Fields.optional(Fields.id(AgentId)),
  project: Fields.optional(Fields.id(ProjectId))
})

/** Metrics of the caller's organisation. Inputs are what came from outside and are judged here. */
export class Metrics extends Context.Tag("@earshot/core/metrics/Metrics")<
  Metrics,
  {
    /** E11: every metric that agents have unless it is switched off. */
    readonly predefined: UseCase<"metrics.predefined", [], ReadonlyArray<PredefinedMetric>, never>
    readonly create: UseCase<"metrics.create", [input: unknown], Metric, ValidationFailed | StorageError>
    /** `{agent_id?, project?, cursor?, limit?}`; the predefined metrics of agents are among them. */
    readonly list: UseCase<"metrics.list", [query: unknown], Pages.Page<Metric>, ValidationFailed | StorageError>
    readonly read: UseCase<"metrics.read", [id: MetricId], Metric, NotFound | StorageError>
    /** E12. The patch is laid over what is there and the whole is judged. */
    readonly update: UseCase<
      "metrics.update",
      [id: MetricId, input: unknown],
      Metric,
      ValidationFailed | NotFound | StorageError
    >
    /** Takes the metric out of sight; a predefined one is so switched off for its agent. */
    readonly delete: UseCase<"metrics.delete", [id: MetricId], void, NotFound | StorageError>
    /** A metric that another use case was given the id of. */
    readonly find: (permit: Permit, id: MetricId) => Effect.Effect<Metric, NotFound | StorageError>
    /** Those of these metrics that are there, in no order. */
    readonly among: (permit: Permit, ids: ReadonlyArray<MetricId>) => Effect.Effect<ReadonlyArray<Metric>, StorageError>
    /** The metrics of this slug that a project's agents have; the project is one that the permit was found to reach. */
    readonly withSlug: (
      permit: Permit,
      project: ProjectId,
      slug: string
    ) => Effect.Effect<ReadonlyArray<MetricId>, StorageError>
    /** Every metric of an agent, the predefined ones included; the agent is one that the permit was found to reach. */
    readonly ofAgent: (permit: Permit, agent: AgentId) => Effect.Effect<ReadonlyArray<Metric>, StorageError>
  }
>() {}

const missing = new NotFound({ resource: "Metric" })

export const layer = Layer.effect(
  Metrics,
  Effect.gen(function* () {
    const store = yield* MetricStore
    const agents = yield* Agents
    const sandbox = yield* Sandbox
    const work = yield* UnitOfWork
    const reached = (permit: Permit, found: Effect.Effect<Option.Option<Metric>, StorageError>) =>
      found.pipe(
        Effect.flatten,
        Effect.filterOrFail((metric) => isInScope(permit, { project: metric.projectId, agent: metric.agentId })),
        Effect.catchTag("NoSuchElementException", () => missing)
      )

    /** Every fault of a metric, those of its code's syntax among them. */
    const judged = (spec: MetricSpec, faults: FieldErrors, before?: MetricSpec) =>
      Effect.gen(function* () {
        const hasNewCode =
          !isJudged(spec) &&
          spec.customCode.trim() !== "" &&
          (spec.customCode !== before?.customCode || spec.functionName !== before.functionName)
        const syntax = hasNewCode
          ? yield* sandbox.check({ source: spec.customCode, functionName: spec.functionName }).pipe(
              Effect.as(noFieldErrors),
              Effect.catchTag("CodeFailed", ({ reason }) => Effect.succeed(fieldError("custom_code", reason)))
            )
          : noFieldErrors
        const all = mergeFieldErrors(faults, judgeMetric(spec, before), syntax)
        if (hasFieldErrors(all)) yield* new ValidationFailed({ errors: all })
      })

    const blankIsNull = (text: string | null | undefined): string | null =>
      text === undefined || text === null || text.trim() === "" ? null : text

    /** The agent that an input names, or its faults, which are told along with the others. */
    const namedAgent = (permit: Permit, input: MetricPatch) =>
      agents.resolve(permit, { agent: input.agent ?? null, assistantId: blankIsNull(input.assistant_id) }).pipe(
        Effect.map((agent) => ({ agent, faults: noFieldErrors })),
        Effect.catchTag("ValidationFailed", ({ errors: faults }) => Effect.succeed({ agent: undefined, faults }))
      )

    /** Held, so that two metrics of one name do not take the same slug. */
    const holdAgent = (permit: Permit, id: AgentId) =>
      agents
        .hold(permit, id)
        .pipe(Effect.catchTag("NotFound", () => new ValidationFailed({ errors: fieldError("agent", Messages.unknownId(id)) })))

    return Metrics.of({
      predefined: useCase("metrics.predefined")((permit) => Effect.succeed(predefinedMetrics(permit.organizationId))),
      withSlug: store.withSlug,
      ofAgent: store.ofAgent,
      among: (permit, ids) => (ids.length === 0 ? Effect.succeed([]) : store.findAll(permit, ids)),
      find: (permit, id) =>
        store.find(permit, id).pipe(
          Effect.flatten,
          Effect.catchTag("NoSuchElementException", () => missing)
        ),
      create: useCase("metrics.create")((permit, input) =>
        Effect.gen(function* () {
          const draft = yield* decodeInput(MetricDraft, input)
          const spec = specOf(draft)
          const { agent, faults } = yield* namedAgent(permit, draft)
          yield* judged(spec, faults)
          // Without one there were faults.
          if (agent === undefined) return yield* Effect.dieMessage("A metric's agent was neither found nor missed")
          return yield* work.atomically(
            Effect.gen(function* () {
              yield* holdAgent(permit, agent.id)
              const others = yield* store.ofAgent(permit, agent.id)
              const taken = new Set(others.flatMap(({ slug }) => (slug === null ? [] : [slug])))
              return yield* store.insert(
                permit,
                { ...spec, projectId: agent.projectId, agentId: agent.id, slug: slugFor(spec.name, taken) },
                yield* DateTime.now
              )
            })
          )
        })
      ),
      list: useCase("metrics.list")((permit, query) =>
        Effect.gen(function* () {
          const { agent_id: agentId, project } = yield* decodeInput(MetricQuery, query)
          const page = yield* Pages.decodeRequest(query)
          if (agentId !== undefined) {
            yield* agents
              .find(permit, agentId)
              .pipe(
                Effect.catchTag(
                  "NotFound",
                  () => new ValidationFailed({ errors: fieldError("agent_id", Messages.unknownId(agentId)) })
                )
              )
          }
          const found = yield* store.list(permit, { agentId, projectId: project }, page)
          return Pages.pageOf(page, found, (metric) => metric.id)
        })
      ),
      read: useCase("metrics.read")((permit, id) => reached(permit, store.find(permit, id))),
      update: useCase("metrics.update")((permit, id, input) =>
        Effect.gen(function* () {
          // Its code is checked before the metric is held: the sandbox may take its time.
          const before = yield* reached(permit, store.find(permit, id))
          const patch = yield* decodeInput(MetricPatch, input)
          const moves = (patch.agent ?? null) !== null || blankIsNull(patch.assistant_id) !== null
          const { agent, faults } = moves ? yield* namedAgent(permit, patch) : { agent: undefined, faults: noFieldErrors }
          const moving = agent !== undefined && agent.id !== before.agentId
          yield* judged(
            patched(before, patch),
            mergeFieldErrors(
              faults,
              moving && before.predefinedCode !== null
                ? fieldError("agent", "Every agent has the predefined metrics: this one stays with its own.")
                : moving && agent.projectId !== before.projectId
                  ? fieldError("agent", "A metric stays in its project.")
                  : noFieldErrors
            ),
            before
          )
          return yield* work.atomically(
            Effect.gen(function* () {
              const held = yield* reached(permit, store.hold(permit, id))
              const spec = patched(held, patch)
              const wrong = judgeMetric(spec, held)
              if (hasFieldErrors(wrong)) return yield* new ValidationFailed({ errors: wrong })
              const agentId = agent?.id ?? held.agentId
              if (agentId !== held.agentId) {
                yield* holdAgent(permit, agentId)
                const theirs = yield* store.ofAgent(permit, agentId)
                if (theirs.some((one) => one.slug !== null && one.slug === held.slug)) {
                  return yield* new ValidationFailed({
                    errors: fieldError("agent", "This agent has such a metric already.")
                  })
                }
              }
              const changed: Metric = { ...held, ...spec, agentId, updatedAt: yield* DateTime.now }
              yield* store.save(permit, changed)
              return changed
            })
          )
        })
      ),
      delete: useCase("metrics.delete")((permit, id) =>
        work.atomically(
          Effect.gen(function* () {
            yield* reached(permit, store.hold(permit, id))
            yield* store.remove(permit, id, yield* DateTime.now)
          })
        )
      )
    })
  })
)
