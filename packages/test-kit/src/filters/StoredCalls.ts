import {
  type AgentId,
  AgentStore,
  CallStore,
  EvaluationStore,
  Filters,
  type MetricId,
  MetricStore,
  OrganizationStore,
  type OrganizationId,
  ProjectStore,
  type ProjectId,
  type Recording,
  type StorageError
} from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { newAgent } from "../catalog/NewAgent.js"
import { permit } from "../catalog/Permits.js"
import type { CallFixture } from "./FilterableCalls.js"
import type { FilterableCall } from "./FilterableCall.js"

/** The ports that store a fixture. */
export type CallFixtureStores =
  AgentStore | CallStore | EvaluationStore | MetricStore | OrganizationStore | ProjectStore

/** A stored fixture. */
export interface StoredCalls {
  readonly organizationId: OrganizationId
  readonly projectId: ProjectId
  /** The calls with the ids that the stores assigned. */
  readonly calls: ReadonlyArray<FilterableCall>
  /** The stored agent with this id in the fixture. */
  readonly agent: (id: number) => AgentId
  /** The stored metric with this id in the fixture. */
  readonly metric: (id: number) => MetricId
  /** The filter with the ids of the fixture replaced by the stored ones. */
  readonly renumber: (filter: Filters.Filter) => Filters.Filter
}

const THEN = DateTime.unsafeMake(0)

/** The duration of a call comes from its recording. */
const recordingOf = (call: FilterableCall): Recording | undefined =>
  call.duration === null
    ? undefined
    : {
        blobKey: `recording ${call.id}`,
        contentType: "audio/wav",
        sizeBytes: 1,
        sha256: "0".repeat(64),
        durationSeconds: call.duration,
        channels: null,
        mainAgentChannelIndex: null
      }

/** Stores a fixture in a new organization, through the ports only. */
export const storeCalls = ({
  agents,
  calls,
  metrics
}: CallFixture): Effect.Effect<StoredCalls, StorageError, CallFixtureStores> =>
  Effect.gen(function* () {
    const { id: organizationId } = yield* (yield* OrganizationStore).insert({ name: "Calls" }, THEN)
    const catalog = permit(organizationId, "projects.create")
    const ingest = permit(organizationId, "calls.ingest")
    const { id: projectId } = yield* (yield* ProjectStore).insert(catalog, { name: "P", description: "" }, THEN)
    const agentStore = yield* AgentStore
    const storedAgents = yield* Effect.forEach(agents, ({ id, name }) => {
      return agentStore.insert(catalog, newAgent({ projectId, name }), THEN).pipe(
        // No metrics are given.
        Effect.catchTag("AssistantIdTaken", (taken) => Effect.die(taken)),
        Effect.map((agent) => [id, agent] as const)
      )
    })
    const agentOf = numbering("agent", storedAgents)
    const metricStore = yield* MetricStore
    const storedMetrics = yield* Effect.forEach(metrics, ({ id, name }) => {
      const agentId = agentOf(agents[0]?.id ?? null).id
      const draft = { projectId, agentId, name, slug: null, type: "custom_code", evalType: "numeric" } as const
      return Effect.map(metricStore.insert(catalog, draft, THEN), (metric) => [id, metric.id] as const)
    })
    const metricOf = numbering("metric", storedMetrics)

    const callStore = yield* CallStore
    const evaluations = yield* EvaluationStore
    const stored: Array<FilterableCall> = []
    for (const call of calls) {
      const agent = agentOf(call.agentId)
      const delivered = yield* (
        callStore
          .deliver(ingest, {
            agent,
            callId: call.callId,
            traceId: call.traceId ?? undefined,
            timestamp: call.timestamp,
            customerNumber: call.customerNumber ?? undefined,
            callEndedReason: call.callEndedReason ?? undefined,
            feedback: call.feedback ?? undefined,
            metadata: call.metadata,
            dynamicVariables: call.dynamicVariables,
            transcript: undefined,
            recording: recordingOf(call),
            recordingError: undefined,
            metricIds: undefined,
            evaluates: false,
            redactFields: [],
            dropsRecording: false,
            receivedAt: THEN
          })
          // Nothing was to be redacted.
          .pipe(
            Effect.catchTags({
              RedactionIncomplete: (incomplete) => Effect.die(incomplete),
              CallDeleted: (gone) => Effect.die(gone)
            })
          )
      )
      const { dropoffPoint, isReviewed, success, topic } = call
      if (isReviewed || success !== null || dropoffPoint !== null || topic !== null)
        yield* callStore.saveReview(ingest, { ...delivered.call, dropoffPoint, isReviewed, success, topic })
      const renumbered = call.evaluations.map((one) => ({ ...one, metricId: metricOf(one.metricId) }))
      if (renumbered.length > 0)
        yield* evaluations.record(
          ingest,
          renumbered.map(({ answerLatencies, metricId, value }) => ({
            callId: delivered.call.id,
            metricId,
            value,
            ...(answerLatencies === undefined ? {} : { answerLatencies })
          })),
          THEN
        )
      stored.push({ ...call, id: delivered.call.id, agentId: agent.id, evaluations: renumbered })
    }

    const callIds = new Map(calls.map(({ id }, index) => [id, stored[index]?.id ?? id]))
    const idsOf: Readonly<Record<string, ReadonlyMap<number, number>>> = {
      id: callIds,
      "agent.id": new Map(storedAgents.map(([id, agent]) => [id, agent.id])),
      "metric_evaluations.metric.id": new Map(storedMetrics)
    }
    return {
      organizationId,
      projectId,
      calls: stored,
      agent: (id) => agentOf(id).id,
      metric: metricOf,
      renumber: (filter) => (filter === null ? null : renumbered(filter, idsOf))
    }
  })

const numbering = <A>(what: string, all: ReadonlyArray<readonly [number, A]>): ((id: number | null) => A) => {
  const byId = new Map(all)
  return (id) => {
    const found = id === null ? undefined : byId.get(id)
    if (found === undefined) throw new Error(`The fixture has no ${what} ${String(id)}`)
    return found
  }
}

const renumbered = (
  condition: Filters.Condition,
  idsOf: Readonly<Record<string, ReadonlyMap<number, number>>>
): Filters.Condition => {
  if (Filters.isGroup(condition))
    return { ...condition, conditions: condition.conditions.map((one) => renumbered(one, idsOf)) }
  const ids = idsOf[condition.field]
  if (ids === undefined) return condition
  const one = (value: Filters.Scalar): Filters.Scalar => (typeof value === "number" ? (ids.get(value) ?? value) : value)
  const { value } = condition
  return { ...condition, value: isScalar(value) ? one(value) : value.map(one) }
}

const isScalar = (value: Filters.Leaf["value"]): value is Filters.Scalar => typeof value !== "object"
