/** The operator's functions of a column store. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { StorageError } from "../kernel/Storage.js"
import { ColumnStoreHealth } from "./ColumnStoreHealth.js"
import { ColumnStore, type ColumnStoreReason, type ColumnStoreUnavailable } from "./Projection.js"
import { ProjectionFeed } from "./ProjectionFeed.js"
import { isComplete } from "./ProjectionRules.js"
import type { ProjectionStatus } from "./ProjectionStatus.js"
import * as Projector from "./Projector.js"
import { type ProjectionReport, verifyProjection } from "./VerifyProjection.js"

/** The program was started without a column store. */
export class ColumnStoreMissing extends Schema.TaggedError<ColumnStoreMissing>("@earshot/core/ColumnStoreMissing")(
  "ColumnStoreMissing",
  {}
) {
  override get message(): string {
    return "No column store is configured."
  }
}

/** What `status` shows. */
export interface ProjectionOverview extends ProjectionStatus {
  /** Whether this program has a column store, and why it cannot be used if so. */
  readonly columnStore: "none" | "usable" | ColumnStoreReason
}

export interface ProjectionsConfig extends Projector.ProjectorConfig {
  /**
   * How long after a process last used a column store changes are no longer recorded for it: the next one begins with a
   * rebuild. Default: 1 day.
   */
  readonly keepFor?: Duration.DurationInput
}

export class Projections extends Context.Tag("@earshot/core/analytics/Projections")<
  Projections,
  {
    /** Where the projection stands; asks the column store whether it can be used. */
    readonly status: Effect.Effect<ProjectionOverview, StorageError>
    /**
     * Builds the projection again from all calls, by this process or by the one that holds the lease, and returns once it is
     * complete. Continues a rebuild that is in progress. `progress` is told the last call's id that was copied and the last
     * that is to be.
     */
    readonly rebuild: (
      progress: (rebuild: { readonly done: number; readonly of: number }) => Effect.Effect<void>
    ) => Effect.Effect<void, ColumnStoreMissing | ColumnStoreUnavailable | StorageError>
    /** Compares the projection with the primary database; `progress` is told how many calls were compared. */
    readonly verify: (
      progress: (compared: number) => Effect.Effect<void>
    ) => Effect.Effect<ProjectionReport, ColumnStoreMissing | ColumnStoreUnavailable | StorageError>
    /** Applies what is pending, if this program has a column store and no other process does. */
    readonly project: Effect.Effect<void, StorageError>
    /** Stops recording changes that no process has applied for long. */
    readonly stopUnused: Effect.Effect<void, StorageError>
  }
>() {}

/** How often a rebuild by another process is looked at. */
const POLL = "200 millis"

export const layer = (config: ProjectionsConfig = {}): Layer.Layer<Projections, never, ProjectionFeed> =>
  Layer.scoped(
    Projections,
    Effect.gen(function* () {
      const feed = yield* ProjectionFeed
      const store = yield* Effect.serviceOption(ColumnStore)
      const healths = yield* Effect.serviceOption(ColumnStoreHealth)
      const keepFor = Duration.toMillis(config.keepFor ?? "1 day")
      const stopUnused = Effect.flatMap(feed.status, ({ now, recording }) =>
        recording
          ? Effect.flatMap(feed.stopUnused(now - keepFor), (stopped) =>
              stopped
                ? Effect.logWarning("No process uses a column store: changes are no longer recorded for it")
                : Effect.void
            )
          : Effect.void
      )
      if (Option.isNone(store) || Option.isNone(healths)) {
        const missing = Effect.fail(new ColumnStoreMissing())
        return Projections.of({
          status: Effect.map(feed.status, (status) => ({ ...status, columnStore: "none" as const })),
          rebuild: () => missing,
          verify: () => missing,
          project: Effect.void,
          stopUnused
        })
      }
      const health = healths.value
      const projector = yield* Projector.make(config).pipe(
        Effect.provideService(ColumnStore, store.value),
        Effect.provideService(ColumnStoreHealth, health)
      )
      return Projections.of({
        status: Effect.gen(function* () {
          const status = yield* feed.status
          const columnStore =
            status.installation === null
              ? ("usable" as const)
              : yield* health.generation(status.installation).pipe(
                  Effect.as("usable" as const),
                  Effect.catchAll((error) => Effect.succeed(error.reason))
                )
          return { ...status, columnStore }
        }),
        rebuild: (progress) =>
          Effect.gen(function* () {
            const before = yield* feed.status
            if (before.generation === null || before.rebuild === null) yield* feed.requestRebuild
            for (;;) {
              yield* projector.run
              const status = yield* feed.status
              if (isComplete(status)) return
              if (status.rebuild !== null) yield* progress(status.rebuild)
              const failure = yield* health.failure
              if (failure !== undefined && !status.leased) return yield* failure
              yield* Effect.sleep(POLL)
            }
          }),
        verify: (progress) =>
          Effect.flatMap(feed.status, ({ installation }) =>
            // Without one the tables are nobody's: looking for them by its name would take them.
            Effect.zipRight(
              installation === null ? Effect.void : health.generation(installation),
              verifyProjection(progress)
            )
          ).pipe(Effect.provideService(ColumnStore, store.value), Effect.provideService(ProjectionFeed, feed)),
        project: projector.run,
        stopUnused
      })
    })
  )
