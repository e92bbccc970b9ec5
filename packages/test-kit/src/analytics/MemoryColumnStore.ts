/** A column store in memory, which answers by `ReferenceAnalytics`; tests make it fail, stand still and lose its tables. */
import {
  type AnalyticsQuery,
  type ColumnAnalytics,
  ColumnStore,
  type ColumnStoreReason,
  ColumnStoreUnavailable,
  digestOf,
  type Json,
  type ProjectedCall,
  type ProjectedChanges,
  ResourceNames
} from "@earshot/core"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { FilterableCall } from "../filters/FilterableCall.js"
import * as ReferenceAnalytics from "./ReferenceAnalytics.js"

type StoredCalls = ReadonlyMap<number, ProjectedCall>

/** The calls as they were when a snapshot began. */
class Snapshot extends Context.Reference<Snapshot>()("@earshot/test-kit/analytics/Snapshot", {
  defaultValue: (): StoredCalls | undefined => undefined
}) {}

export interface MemoryColumnStore {
  readonly layer: Layer.Layer<ColumnStore, never, ResourceNames>
  /** The calls by id. */
  readonly calls: () => StoredCalls
  /** Values that were replaced or deleted and are still in its files. */
  readonly unerased: () => ReadonlyArray<ProjectedCall>
  /** Every use fails for this reason until it is undefined. */
  failure: ColumnStoreReason | undefined
  /** Runs before changes are applied, and after; it may fail or never end. */
  beforeApply: Effect.Effect<void, ColumnStoreUnavailable>
  afterApply: Effect.Effect<void, ColumnStoreUnavailable>
  /** Runs before a question is answered. */
  beforeAnswer: Effect.Effect<void>
  /** Removes its tables, as an operator might. */
  readonly wipe: () => void
  /** Changes a stored call behind the projection's back. */
  readonly tamper: (id: number, by: (call: ProjectedCall) => ProjectedCall | undefined) => void
  /** How many times changes were applied. */
  readonly applied: () => number
}

const valueOf = ({ valueKind, valueNumber, valueText }: ProjectedCall["evaluations"][number]) =>
  valueKind === "number"
    ? valueNumber
    : valueKind === "boolean"
      ? valueNumber === 1
      : valueKind === "text"
        ? valueText
        : null

// eslint-disable-next-line typescript/no-unsafe-return -- JSON that the feed has written
const documentOf = (text: string | null): Json | null => (text === null ? null : JSON.parse(text))

const filterable = (
  call: ProjectedCall,
  agents: ReadonlyMap<number, string>,
  metrics: ReadonlyMap<number, string>
): FilterableCall => ({
  id: call.id,
  callId: call.callId,
  traceId: call.traceId,
  timestamp: DateTime.unsafeMake(call.timestampMs),
  duration: call.durationSeconds,
  success: call.success,
  isReviewed: call.isReviewed,
  customerNumber: call.customerNumber,
  callEndedReason: call.callEndedReason,
  dropoffPoint: call.dropoffPoint,
  topic: call.topic,
  feedback: call.feedback,
  agentId: call.agentId,
  agentName: agents.get(call.agentId) ?? null,
  metadata: documentOf(call.metadata),
  dynamicVariables: documentOf(call.dynamicVariables),
  evaluations: call.evaluations.map((one) => ({
    metricId: one.metricId,
    metricName: metrics.get(one.metricId) ?? "",
    value: valueOf(one),
    answerLatencies: one.answerLatenciesMs
  }))
})

export const memoryColumnStore = (): MemoryColumnStore => {
  let calls: StoredCalls = new Map<number, ProjectedCall>()
  let replaced: Array<ProjectedCall> = []
  let owner: string | undefined
  let generations = 0
  let applied = 0

  const use = <A>(operation: string, work: () => A): Effect.Effect<A, ColumnStoreUnavailable> =>
    Effect.suspend(() =>
      store.failure === undefined
        ? Effect.sync(work)
        : Effect.fail(new ColumnStoreUnavailable({ reason: store.failure, operation, cause: new Error("Test") }))
    )

  const apply = ({ deletes, upserts }: ProjectedChanges) => {
    const next = new Map(calls)
    for (const call of upserts) {
      const known = next.get(call.id)
      if (known !== undefined && known.version > call.version) continue
      if (known !== undefined) replaced.push(known)
      next.set(call.id, call)
    }
    for (const id of deletes) {
      const known = next.get(id)
      if (known !== undefined) replaced.push(known)
      next.delete(id)
    }
    calls = next
    applied += 1
  }

  const analytics = (names: ResourceNames["Type"]): ColumnAnalytics => {
    const answer =
      <Query extends AnalyticsQuery.QueryScope, A>(
        operation: string,
        compute: (query: Query, of: ReadonlyArray<FilterableCall>) => A
      ) =>
      (permit: AnalyticsQuery.ChartPermit, query: Query) =>
        Effect.gen(function* () {
          yield* store.beforeAnswer
          const seen = (yield* Snapshot) ?? calls
          const agents = yield* names.agents(permit.organizationId)
          const metrics = yield* names.metrics(permit.organizationId)
          const own = [...seen.values()]
            .filter((call) => call.organizationId === permit.organizationId && call.projectId === query.projectId)
            .map((call) => filterable(call, agents, metrics))
          return yield* use(operation, () => compute(query, own))
        })
    return {
      inSnapshot: (_permit, _of, questions) =>
        Effect.flatMap(
          use("inSnapshot", () => calls),
          (seen) => Effect.provideService(questions, Snapshot, seen)
        ),
      totals: answer("totals", ReferenceAnalytics.totals),
      typeCounts: answer("typeCounts", ReferenceAnalytics.typeCounts),
      timeRange: answer("timeRange", (query: AnalyticsQuery.ValuesQuery, all) =>
        Option.fromNullable(ReferenceAnalytics.timeRange(query, all))
      ),
      timeline: answer("timeline", ReferenceAnalytics.timeline),
      shares: answer("shares", ReferenceAnalytics.shares)
    }
  }

  const store: MemoryColumnStore = {
    layer: Layer.effect(
      ColumnStore,
      Effect.map(ResourceNames, (names) =>
        ColumnStore.of({
          prepare: (installation) =>
            Effect.flatMap(
              use("prepare", () => (owner ??= installation)),
              (owned) =>
                owned === installation
                  ? Effect.succeed({ generation: String(generations) })
                  : Effect.fail(
                      new ColumnStoreUnavailable({ reason: "owner", operation: "prepare", cause: new Error("Test") })
                    )
            ),
          apply: (changes) =>
            Effect.suspend(() => store.beforeApply).pipe(
              Effect.zipRight(use("apply", () => apply(changes))),
              Effect.zipRight(Effect.suspend(() => store.afterApply))
            ),
          scan: (after, limit) =>
            use("scan", () =>
              [...calls.values()]
                .filter(({ id }) => id > after)
                .sort((a, b) => a.id - b.id)
                .slice(0, limit)
                .map((call) => ({ id: call.id, version: call.version, digest: digestOf(call) }))
            ),
          clear: use("clear", () => {
            calls = new Map()
            replaced = []
            generations += 1
            return { generation: String(generations) }
          }),
          eraseFiles: use("eraseFiles", () => {
            replaced = []
          }),
          analytics: analytics(names)
        })
      )
    ),
    calls: () => calls,
    unerased: () => replaced,
    failure: undefined,
    beforeApply: Effect.void,
    afterApply: Effect.void,
    beforeAnswer: Effect.void,
    wipe: () => {
      calls = new Map()
      replaced = []
      owner = undefined
      generations += 1
    },
    tamper: (id, by) => {
      const next = new Map(calls)
      const known = next.get(id)
      const changed = known === undefined ? undefined : by(known)
      if (changed === undefined) next.delete(id)
      else next.set(id, changed)
      calls = next
    },
    applied: () => applied
  }
  return store
}
