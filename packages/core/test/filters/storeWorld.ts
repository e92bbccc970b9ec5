import {
  AgentStore,
  authorize,
  CallStore,
  EvaluationStore,
  type Filters,
  hostActor,
  MetricId,
  MetricStore,
  OrganizationStore,
  ProjectStore,
  type Recording
} from "@earshot/core"
import { type FilterKit, TestEngine } from "@earshot/test-kit"
import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { stores } from "../../src/Engine.js"

const NOW = DateTime.unsafeMake(0)

/** A recording is what tells how long a call was. */
const recordingOf = (call: Filters.FilterableCall): Recording | undefined =>
  call.duration === null
    ? undefined
    : {
        blobKey: `recording ${call.id}`,
        contentType: "audio/wav",
        sizeBytes: 1,
        sha256: "0".repeat(64),
        durationSeconds: call.duration,
        mainAgentChannelIndex: null
      }

/** Puts a world into a fresh, migrated database by way of the stores; the database numbers it as the world does. */
export const storeWorld = ({ agents, calls, metrics }: FilterKit.CallWorld) =>
  Effect.gen(function* () {
    const organization = yield* (yield* OrganizationStore).insert({ name: "o" }, NOW)
    const actor = hostActor(organization.id)
    const catalog = yield* authorize(actor, "projects.create")
    const ingest = yield* authorize(actor, "calls.ingest")
    const project = yield* (yield* ProjectStore).insert(catalog, { name: "p", description: "" }, NOW)
    const agentStore = yield* AgentStore
    const stored = yield* Effect.forEach(agents, ({ name }) =>
      agentStore.insert(
        catalog,
        {
          projectId: project.id,
          name,
          description: "",
          assistantId: null,
          provider: null,
          supportedChannels: ["voice"],
          chatEndpoint: null
        },
        NOW
      )
    )
    // The predefined ones of these agents have taken the numbers that the world's own metrics have.
    yield* (yield* SqlClient).onDialectOrElse({
      pg: () => TestEngine.execute("TRUNCATE metrics RESTART IDENTITY CASCADE"),
      orElse: () =>
        Effect.zipRight(
          TestEngine.execute("DELETE FROM metrics"),
          TestEngine.execute("DELETE FROM sqlite_sequence WHERE name = 'metrics'")
        )
    })
    const metricStore = yield* MetricStore
    for (const { name } of metrics) {
      const draft = { projectId: project.id, agentId: stored[0]!.id, name, slug: null } as const
      yield* metricStore.insert(catalog, { ...draft, type: "custom_code", evalType: "numeric" }, NOW)
    }
    const callStore = yield* CallStore
    const evaluations = yield* EvaluationStore
    for (const call of calls) {
      const agent = stored.find(({ id }) => id === call.agentId)!
      const delivered = yield* callStore.deliver(ingest, {
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
        recordingFault: undefined,
        metricIds: undefined,
        evaluates: false,
        redactFields: [],
        dropsRecording: false,
        receivedAt: NOW
      })
      if (delivered.call.id !== call.id) yield* Effect.dieMessage("The database is not fresh")
      const { dropoffPoint, isReviewed, success, topic } = call
      yield* callStore.saveReview(ingest, { ...delivered.call, dropoffPoint, isReviewed, success, topic })
      if (call.evaluations.length === 0) continue
      yield* evaluations.record(
        ingest,
        call.evaluations.map(({ metricId, value }) => ({
          callId: delivered.call.id,
          metricId: MetricId.make(metricId),
          value
        })),
        NOW
      )
    }
  }).pipe(Effect.provide(stores))
