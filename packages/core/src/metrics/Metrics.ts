import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { NotFound } from "../access/AccessErrors.js"
import { inScopeOrNotFound, orNotFound } from "../access/OrNotFound.js"
import type { Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import type { Agent } from "../catalog/Agent.js"
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
import type { Input } from "../kernel/Input.js"
import { AgentId, type MetricId, ProjectId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { predefinedMetrics } from "./PredefinedMetrics.js"
import { type Metric, MetricDraft, MetricPatch, type MetricSpec, applyPatch, specFromDraft } from "./Metric.js"
import { isJudged, validateMetric, slugFor } from "./MetricRules.js"
import { MetricStore } from "./MetricStore.js"
import type { PredefinedMetric } from "./PredefinedMetric.js"
import { Sandbox } from "./Sandbox.js"

/** The query of a list. */
export const MetricQuery = Fields.object({
  ...Pages.PageQuery.fields,
  agent_id: Fields.optional(Fields.id(AgentId)),
  project: Fields.optional(Fields.id(ProjectId))
})

/** Metrics of the caller's organization. Inputs are untrusted and validated here. */
export class Metrics extends Context.Tag("@earshot/core/metrics/Metrics")<
  Metrics,
  {
    /** E11: the metrics that every agent has until they are deleted there. */
    readonly predefined: UseCase<"metrics.predefined", [], ReadonlyArray<PredefinedMetric>, never>
    readonly create: UseCase<
      "metrics.create",
      [input: Input<typeof MetricDraft>],
      Metric,
      ValidationFailed | StorageError
    >
    /** `{agent_id?, project?, cursor?, limit?}`; the predefined metrics of agents are among them. */
    readonly list: UseCase<
      "metrics.list",
      [query: Input<typeof MetricQuery>],
      Pages.Page<Metric>,
      ValidationFailed | StorageError
    >
    readonly read: UseCase<"metrics.read", [id: MetricId], Metric, NotFound | StorageError>
    /** E12. The patch is applied and the whole metric validated. */
    readonly update: UseCase<
      "metrics.update",
      [id: MetricId, input: Input<typeof MetricPatch>],
      Metric,
      ValidationFailed | NotFound | StorageError
    >
    /** Soft-deletes the metric; this is also how a predefined one is disabled for its agent. */
    readonly delete: UseCase<"metrics.delete", [id: MetricId], void, NotFound | StorageError>
    /** A metric that another use case was given the id of. */
    readonly find: (permit: Permit, id: MetricId) => Effect.Effect<Metric, NotFound | StorageError>
    /** The metrics with these ids that exist, in no order. */
    readonly findAll: (
      permit: Permit,
      ids: ReadonlyArray<MetricId>
    ) => Effect.Effect<ReadonlyArray<Metric>, StorageError>
    /** The metrics of this slug that a project's agents have; the caller has checked that the project is in scope. */
    readonly withSlug: (
      permit: Permit,
      project: ProjectId,
      slug: string
    ) => Effect.Effect<ReadonlyArray<MetricId>, StorageError>
    /** Every metric of an agent, the predefined ones included; the caller has checked that the agent is in scope. */
    readonly ofAgent: (permit: Permit, agent: AgentId) => Effect.Effect<ReadonlyArray<Metric>, StorageError>
  }
>() {}

const inScope = inScopeOrNotFound<Metric>("Metric", (metric) => ({
  project: metric.projectId,
  agent: metric.agentId
}))

export const layer = Layer.effect(
  Metrics,
  Effect.gen(function* () {
    const store = yield* MetricStore
    const agents = yield* Agents
    const sandbox = yield* Sandbox
    const work = yield* UnitOfWork

    /** Fails with every error of a metric, those of its code's syntax included. */
    const validate = (spec: MetricSpec, errors: FieldErrors, before?: MetricSpec) =>
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
        const all = mergeFieldErrors(errors, validateMetric(spec, before), syntax)
        if (hasFieldErrors(all)) yield* new ValidationFailed({ errors: all })
      })

    const blankIsNull = (text: string | null | undefined): string | null =>
      text === undefined || text === null || text.trim() === "" ? null : text

    /** The agent that an input names, or the errors, which are reported together with the others. */
    const namedAgent = (permit: Permit, input: MetricPatch) =>
      agents.resolve(permit, { agent: input.agent ?? null, assistantId: blankIsNull(input.assistant_id) }).pipe(
        Effect.map((agent) => ({ agent, errors: noFieldErrors })),
        Effect.catchTag("ValidationFailed", ({ errors }) => Effect.succeed({ agent: undefined, errors }))
      )

    const findAgent = (field: string, found: Effect.Effect<Agent, NotFound | StorageError>, id: AgentId) =>
      Effect.catchTag(
        found,
        "NotFound",
        () => new ValidationFailed({ errors: fieldError(field, Messages.unknownId(id)) })
      )

    /** Locked, so that two metrics of one name do not take the same slug. */
    const lockAgent = (permit: Permit, id: AgentId) => findAgent("agent", agents.findForUpdate(permit, id), id)

    return Metrics.of({
      predefined: useCase("metrics.predefined")((permit) => Effect.succeed(predefinedMetrics(permit.organizationId))),
      withSlug: store.withSlug,
      ofAgent: store.ofAgent,
      findAll: (permit, ids) => (ids.length === 0 ? Effect.succeed([]) : store.findAll(permit, ids)),
      find: (permit, id) => orNotFound("Metric")(store.find(permit, id)),
      create: useCase("metrics.create")((permit, input) =>
        Effect.gen(function* () {
          const draft = yield* decodeInput(MetricDraft, input)
          const spec = specFromDraft(draft)
          const { agent, errors } = yield* namedAgent(permit, draft)
          yield* validate(spec, errors)
          // Validation has failed if there is none.
          if (agent === undefined) return yield* Effect.dieMessage("A validated metric has no agent")
          return yield* work.atomically(
            Effect.gen(function* () {
              yield* lockAgent(permit, agent.id)
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
        Pages.paginate(MetricQuery, query, (page, { agent_id: agentId, project: projectId }) =>
          Effect.gen(function* () {
            if (agentId !== undefined) yield* findAgent("agent_id", agents.find(permit, agentId), agentId)
            return yield* store.list(permit, { agentId, projectId }, page)
          })
        )
      ),
      read: useCase("metrics.read")((permit, id) => inScope(permit, store.find(permit, id))),
      update: useCase("metrics.update")((permit, id, input) =>
        Effect.gen(function* () {
          // The code is checked before the metric is locked: the sandbox may take long.
          const before = yield* inScope(permit, store.find(permit, id))
          const patch = yield* decodeInput(MetricPatch, input)
          const moves = (patch.agent ?? null) !== null || blankIsNull(patch.assistant_id) !== null
          const { agent, errors } = moves
            ? yield* namedAgent(permit, patch)
            : { agent: undefined, errors: noFieldErrors }
          const moving = agent !== undefined && agent.id !== before.agentId
          yield* validate(
            applyPatch(before, patch),
            mergeFieldErrors(
              errors,
              moving && before.predefinedCode !== null
                ? fieldError("agent", "A predefined metric cannot move to another agent: every agent has its own.")
                : moving && agent.projectId !== before.projectId
                  ? fieldError("agent", "A metric cannot move to another project.")
                  : noFieldErrors
            ),
            before
          )
          return yield* work.atomically(
            Effect.gen(function* () {
              const current = yield* inScope(permit, store.findForUpdate(permit, id))
              const spec = applyPatch(current, patch)
              const errors = validateMetric(spec, current)
              if (hasFieldErrors(errors)) return yield* new ValidationFailed({ errors })
              const agentId = agent?.id ?? current.agentId
              if (agentId !== current.agentId) {
                yield* lockAgent(permit, agentId)
                const others = yield* store.ofAgent(permit, agentId)
                if (others.some((one) => one.slug !== null && one.slug === current.slug)) {
                  return yield* new ValidationFailed({
                    errors: fieldError("agent", "This agent already has a metric with this slug.")
                  })
                }
              }
              const changed: Metric = { ...current, ...spec, agentId, updatedAt: yield* DateTime.now }
              yield* store.save(permit, changed)
              return changed
            })
          )
        })
      ),
      delete: useCase("metrics.delete")((permit, id) =>
        work.atomically(
          Effect.gen(function* () {
            yield* inScope(permit, store.findForUpdate(permit, id))
            yield* store.remove(permit, id, yield* DateTime.now)
          })
        )
      )
    })
  })
)
