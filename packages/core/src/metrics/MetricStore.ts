import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { AgentId, MetricId, ProjectId } from "../kernel/Ids.js"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Metric, NewMetric } from "./Metric.js"

/**
 * Storage of metrics, limited to the permit's organization; soft-deleted metrics are not found. Slugs are unique among an
 * agent's metrics, and predefined codes too, deleted ones included. Every agent has the predefined metrics from the
 * transaction that creates it (`AgentStore.insert`), and those of a later revision once a newer version opens the database.
 */
export class MetricStore extends Context.Tag("@earshot/core/metrics/MetricStore")<
  MetricStore,
  {
    readonly insert: (
      permit: Permit<"catalog:write">,
      metric: NewMetric,
      now: DateTime.Utc
    ) => Effect.Effect<Metric, StorageError>
    readonly find: (permit: Permit, id: MetricId) => Effect.Effect<Option.Option<Metric>, StorageError>
    /** As `find`, and nobody changes or deletes the metric until the transaction ends: for what changes it. */
    readonly findForUpdate: (permit: Permit, id: MetricId) => Effect.Effect<Option.Option<Metric>, StorageError>
    /** All metrics of an agent, by display order and id. */
    readonly ofAgent: (permit: Permit, agent: AgentId) => Effect.Effect<ReadonlyArray<Metric>, StorageError>
    /** Newest first, within the permit's scope; up to one row more than the page holds. */
    readonly list: (
      permit: Permit<"catalog:read">,
      of: { readonly agentId: AgentId | undefined; readonly projectId: ProjectId | undefined },
      page: PageRequest
    ) => Effect.Effect<Found<Metric>, StorageError>
    /** All of these that exist, in one statement and in no order. */
    readonly findAll: (
      permit: Permit,
      ids: ReadonlyArray<MetricId>
    ) => Effect.Effect<ReadonlyArray<Metric>, StorageError>
    /** The metrics of this slug that the project's agents have. */
    readonly withSlug: (
      permit: Permit,
      project: ProjectId,
      slug: string
    ) => Effect.Effect<ReadonlyArray<MetricId>, StorageError>
    /** Saves the changed metric as a whole. */
    readonly save: (permit: Permit<"catalog:write">, metric: Metric) => Effect.Effect<void, StorageError>
    /** Soft-deletes the metric, and with it its evaluations. */
    readonly remove: (
      permit: Permit<"catalog:delete">,
      id: MetricId,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
  }
>() {}
