import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { MetricId, ProjectId } from "../kernel/Ids.js"
import type { StorageFault } from "../kernel/Storage.js"
import type { Metric, MetricDraft } from "./Metric.js"

/** What storage promises about metrics. A permit's organisation bounds every answer; deleted metrics are not there. */
export class MetricStore extends Context.Tag("@earshot/core/metrics/MetricStore")<
  MetricStore,
  {
    readonly insert: (
      permit: Permit<"catalog:write">,
      draft: MetricDraft,
      now: DateTime.Utc
    ) => Effect.Effect<Metric, StorageFault>
    readonly find: (permit: Permit, id: MetricId) => Effect.Effect<Option.Option<Metric>, StorageFault>
    /** All of these that are there, in one statement and in no order. */
    readonly findAll: (
      permit: Permit,
      ids: ReadonlyArray<MetricId>
    ) => Effect.Effect<ReadonlyArray<Metric>, StorageFault>
    /** The metrics of this slug that the project's agents have. */
    readonly withSlug: (
      permit: Permit,
      project: ProjectId,
      slug: string
    ) => Effect.Effect<ReadonlyArray<MetricId>, StorageFault>
  }
>() {}
