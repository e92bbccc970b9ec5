import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { NotFound } from "../access/AccessErrors.js"
import type { Permit } from "../access/Permit.js"
import type { MetricId, ProjectId } from "../kernel/Ids.js"
import type { StorageFault } from "../kernel/Storage.js"
import type { Metric } from "./Metric.js"
import { MetricStore } from "./MetricStore.js"

/** Metrics of the caller's organisation. */
export class Metrics extends Context.Tag("@earshot/core/metrics/Metrics")<
  Metrics,
  {
    /** A metric that another use case was given the id of. */
    readonly find: (permit: Permit, id: MetricId) => Effect.Effect<Metric, NotFound | StorageFault>
    /** Those of these metrics that are there, in no order. */
    readonly among: (permit: Permit, ids: ReadonlyArray<MetricId>) => Effect.Effect<ReadonlyArray<Metric>, StorageFault>
    /** The metrics of this slug that a project's agents have; the project is one that the permit was found to reach. */
    readonly withSlug: (
      permit: Permit,
      project: ProjectId,
      slug: string
    ) => Effect.Effect<ReadonlyArray<MetricId>, StorageFault>
  }
>() {}

export const layer = Layer.effect(
  Metrics,
  Effect.map(MetricStore, (store) =>
    Metrics.of({
      withSlug: store.withSlug,
      among: (permit, ids) => (ids.length === 0 ? Effect.succeed([]) : store.findAll(permit, ids)),
      find: (permit, id) =>
        store.find(permit, id).pipe(
          Effect.flatten,
          Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "Metric" }))
        )
    })
  )
)
