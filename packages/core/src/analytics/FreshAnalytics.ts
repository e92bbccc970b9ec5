/**
 * The `AnalyticsStore` of an engine with a column store: the column store answers if it has all that was committed before
 * the question, else the primary database does.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { StorageBusy, type StorageError } from "../kernel/Storage.js"
import { AnalyticsStore } from "./AnalyticsStore.js"
import type { ChartPermit } from "./AnalyticsQuery.js"
import { ColumnStoreHealth } from "./ColumnStoreHealth.js"
import { ColumnStore, type ColumnStoreUnavailable } from "./Projection.js"
import { ProjectionFeed } from "./ProjectionFeed.js"
import { type Answer, countAnswer } from "./ProjectionMetrics.js"
import { readiness, type RowStoreReason } from "./ProjectionRules.js"

export interface FreshAnalyticsConfig {
  /** How long a question waits until what was committed before it is applied to the column store. Default: 1 second. */
  readonly wait?: Duration.DurationInput
}

/** Who answered the charts of a request. */
export type AnalyticsAnswer = "column-store" | "row-store"

/** Receives what answered each question, where there is a column store. */
export class AnalyticsListener extends Context.Reference<AnalyticsListener>()(
  "@earshot/core/analytics/AnalyticsListener",
  { defaultValue: (): ((answer: AnalyticsAnswer) => void) => () => undefined }
) {}

/** The questions of one snapshot that the column store answers, and why it could not. */
interface ColumnQuestions {
  failure: ColumnStoreUnavailable | undefined
}

/** By whom the current question is answered; undefined outside of `inSnapshot`. */
class AnsweredBy extends Context.Reference<AnsweredBy>()("@earshot/core/analytics/AnsweredBy", {
  defaultValue: (): ColumnQuestions | "row-store" | undefined => undefined
}) {}

/** How often it is looked whether changes are applied. */
const POLL = "20 millis"

export const layer = (
  config: FreshAnalyticsConfig = {}
): Layer.Layer<AnalyticsStore, never, AnalyticsStore | ColumnStore | ColumnStoreHealth | ProjectionFeed> =>
  Layer.effect(
    AnalyticsStore,
    Effect.gen(function* () {
      const rows = yield* AnalyticsStore
      const { analytics } = yield* ColumnStore
      const health = yield* ColumnStoreHealth
      const feed = yield* ProjectionFeed
      const wait = Duration.decode(config.wait ?? "1 second")

      /** Waits until all changes of the organization up to an id are applied. */
      const applied = ({ organizationId }: ChartPermit, upTo: number) =>
        feed
          .isPending(organizationId, upTo)
          .pipe(
            Effect.repeat({ while: (pending) => pending, schedule: Schedule.spaced(POLL) }),
            Effect.timeoutFail({ duration: wait, onTimeout: () => "waited" as const })
          )

      const ready = (permit: ChartPermit) =>
        Effect.gen(function* () {
          if (!(yield* health.isUsable)) return yield* Effect.fail("unavailable" as const)
          const status = yield* feed.status
          if (status.installation === null) return yield* Effect.fail("rebuilding" as const)
          // A column store that is being started takes longer; the projection waits for it.
          const looked = Effect.timeoutFail(health.generation(status.installation), {
            duration: wait,
            onTimeout: () => "waited" as const
          })
          const known = yield* looked
          // The process that projects may have begun another generation since this one looked.
          const generation =
            status.generation === null || known === status.generation
              ? known
              : yield* Effect.zipRight(health.invalidate, looked)
          const found = readiness(status, generation)
          if (found.is === "not ready") return yield* Effect.fail(found.why)
          if (found.is === "pending") yield* applied(permit, found.upTo)
          return generation
        })

      /** What answered is what had been asked: no rebuild began meanwhile. */
      const stillThere = (generation: string) =>
        Effect.flatMap(feed.status, (status) =>
          readiness({ ...status, pending: null }, generation).is === "current"
            ? Effect.void
            : Effect.fail("rebuilding" as const)
        )

      const byColumns = <A, E, R>(
        permit: ChartPermit,
        of: "chart" | "dashboard",
        questions: Effect.Effect<A, E, R>
      ): Effect.Effect<Either.Either<A, E>, RowStoreReason | StorageError | ColumnStoreUnavailable, R> =>
        Effect.gen(function* () {
          const generation = yield* ready(permit)
          const asked: ColumnQuestions = { failure: undefined }
          const answer = yield* analytics.inSnapshot(
            permit,
            of,
            Effect.either(Effect.provideService(questions, AnsweredBy, asked)).pipe(
              Effect.flatMap((outcome) =>
                asked.failure === undefined ? Effect.succeed(outcome) : Effect.fail(asked.failure)
              )
            )
          )
          yield* stillThere(generation)
          yield* health.worked
          return answer
        })

      const report = (answer: Answer) =>
        Effect.zipRight(
          countAnswer(answer),
          Effect.map(AnalyticsListener, (listen) => listen(answer === "column-store" ? answer : "row-store"))
        )

      const inSnapshot: AnalyticsStore["Type"]["inSnapshot"] = (permit, of, questions) =>
        Effect.flatMap(AnsweredBy, (outer) => {
          if (outer !== undefined) return questions
          const byRows = (why: RowStoreReason) =>
            Effect.zipRight(
              report(why),
              rows.inSnapshot(permit, of, Effect.provideService(questions, AnsweredBy, "row-store" as const))
            )
          return Effect.matchEffect(byColumns(permit, of, questions), {
            onSuccess: (outcome) => Effect.zipRight(report("column-store"), outcome),
            onFailure: (error) =>
              typeof error === "string"
                ? byRows(error)
                : error._tag === "ColumnStoreUnavailable"
                  ? // Files that were rewritten under a question are no outage.
                    Effect.zipRight(
                      error.reason === "changed" ? Effect.void : health.failed(error),
                      byRows("unavailable")
                    )
                  : Effect.fail(error)
          })
        })

      const ask = <Query, A>(
        operation: string,
        ofRows: (permit: ChartPermit, query: Query) => Effect.Effect<A, StorageError>,
        ofColumns: (permit: ChartPermit, query: Query) => Effect.Effect<A, ColumnStoreUnavailable | StorageError>
      ) => {
        const answered = (permit: ChartPermit, query: Query): Effect.Effect<A, StorageError> =>
          Effect.flatMap(AnsweredBy, (by) => {
            if (by === undefined) return inSnapshot(permit, "chart", answered(permit, query))
            if (by === "row-store") return ofRows(permit, query)
            return Effect.catchTag(ofColumns(permit, query), "ColumnStoreUnavailable", (error) => {
              by.failure ??= error
              // Ends the other questions of the snapshot, all of which the primary database then answers.
              return Effect.fail(new StorageBusy({ operation }))
            })
          })
        return answered
      }

      return AnalyticsStore.of({
        inSnapshot,
        totals: ask("AnalyticsStore.totals", rows.totals, analytics.totals),
        typeCounts: ask("AnalyticsStore.typeCounts", rows.typeCounts, analytics.typeCounts),
        timeRange: ask("AnalyticsStore.timeRange", rows.timeRange, analytics.timeRange),
        timeline: ask("AnalyticsStore.timeline", rows.timeline, analytics.timeline),
        shares: ask("AnalyticsStore.shares", rows.shares, analytics.shares)
      })
    })
  )
