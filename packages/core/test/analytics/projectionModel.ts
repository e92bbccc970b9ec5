/** Sequences of changes of calls, and of what happens to those who project them. */
import {
  Calls,
  ColumnStoreUnavailable,
  type CreatedOrganization,
  JobRunner,
  ProjectionFeed,
  Projections,
  Projects,
  untrusted
} from "@earshot/core"
import { type AnalyticsKit, TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { expect } from "vitest"
import * as ProjectionFeedSql from "../../src/storage/sql/ProjectionFeedSql.js"
import { ingest } from "../calls/ingest.js"
import { anotherProcess, type Everything, later, nothing, project, projected, stored } from "./projections.js"

const KEYS = ["a", "b", "c", "d", "e"] as const

const key = fc.constantFrom(...KEYS)
const delivery = fc.record(
  {
    call_ended_reason: fc.constantFrom("hangup", "done", "voicemail"),
    timestamp: fc.constantFrom("2026-01-01T00:00:00Z", "2026-02-03T04:05:06Z"),
    metadata: fc.constantFrom({ n: 1 }, { n: 0.1, deep: { text: "ä" } }, null),
    redact_fields: fc.constantFrom([], ["email_address"]),
    transcript_json: fc.constantFrom(
      [{ role: "Main Agent", content: "Hello", start_time: 0, end_time: 1.5 }],
      [{ role: "Testing Agent", content: "jo@example.com", start_time: 0, end_time: 2 }]
    )
  },
  { requiredKeys: [] }
)

export const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("deliver" as const), key, delivery }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("review" as const), key, success: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("delete" as const), key }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("evaluate" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete project" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(...(["project", "project elsewhere", "project while changing"] as const))
    })
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom(...(["rebuild", "wipe"] as const)) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom(...(["fail before applying", "fail after applying", "outage", "recover", "later"] as const))
    })
  }
)
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

const gone = new ColumnStoreUnavailable({ reason: "unreachable", operation: "apply", cause: new Error("Test") })

/** Plays steps in a new organization, and compares the projection with the primary database once all is applied. */
export const play = (store: AnalyticsKit.MemoryColumnStore, steps: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const second = yield* anotherProcess(store, { batch: 2 })
    const services = yield* Effect.context<Everything>()
    const calls = yield* Calls
    const feed = yield* ProjectionFeed
    const projects = yield* Projects
    let owner: CreatedOrganization & { readonly actor: TestEngine.Fixture["actor"] } = yield* TestEngine.fixture
    const ids = new Map<string, Parameters<typeof calls.delete>[0]>()
    /** Does something once when changes are applied next. */
    const once = (at: "beforeApply" | "afterApply", effect: Effect.Effect<void, ColumnStoreUnavailable>) => {
      store[at] = Effect.suspend(() => {
        store[at] = Effect.void
        return effect
      })
    }
    const deliver = (name: string, more: object) =>
      Effect.map(ingest(owner.actor, { agent: owner.agent.id, call_id: name, ...more }), ({ call }) => {
        ids.set(name, call.id)
      })
    const known = (name: string, use: (id: Parameters<typeof calls.delete>[0]) => Effect.Effect<unknown, unknown>) => {
      const id = ids.get(name)
      return id === undefined ? Effect.void : Effect.asVoid(use(id))
    }
    const remove = (name: string) =>
      known(name, (id) => calls.delete(id).pipe(TestEngine.as(owner.actor))).pipe(
        Effect.tap(() => Effect.sync(() => ids.delete(name)))
      )

    const run = (one: Step): Effect.Effect<void, unknown, Everything> => {
      switch (one.do) {
        case "deliver":
          return deliver(one.key, one.delivery)
        case "review":
          return known(one.key, (id) =>
            calls.review(id, untrusted({ success: one.success, is_reviewed: true })).pipe(TestEngine.as(owner.actor))
          )
        case "delete":
          return remove(one.key)
        case "evaluate":
          return Effect.flatMap(JobRunner, (runner) => Effect.asVoid(runner.drain))
        case "delete project":
          return projects.delete(owner.project.id).pipe(
            TestEngine.as(owner.actor),
            Effect.zipRight(Effect.flatMap(JobRunner, (runner) => runner.drain)),
            Effect.zipRight(TestEngine.fixture),
            Effect.map((next) => {
              owner = next
              ids.clear()
            })
          )
        case "project elsewhere":
          return second.project
        case "project while changing":
          once(
            "beforeApply",
            Effect.ignore(
              Effect.provide(Effect.zipRight(deliver("a", { call_ended_reason: "while" }), remove("b")), services)
            )
          )
          return project
        case "rebuild":
          return feed.requestRebuild
        case "wipe":
          return Effect.sync(store.wipe)
        case "fail before applying":
          return Effect.sync(() => once("beforeApply", Effect.fail(gone)))
        case "fail after applying":
          return Effect.sync(() => once("afterApply", Effect.fail(gone)))
        case "outage":
          return Effect.sync(() => {
            store.failure = "unreachable"
          })
        case "recover":
          return Effect.sync(() => {
            store.failure = undefined
          })
        case "later":
          return later
        default:
          return project
      }
    }

    for (const one of steps) yield* run(one)

    store.failure = undefined
    store.beforeApply = Effect.void
    store.afterApply = Effect.void
    // After a failure the tables are looked at again, so that a wipe is noticed, and by this process alone.
    store.failure = "unreachable"
    yield* deliver("z", {})
    yield* later
    yield* project
    store.failure = undefined
    yield* later
    yield* project
    expect(projected(store)).toEqual(yield* stored)
    const projections = yield* Projections
    expect(yield* projections.verify(nothing)).toMatchObject({ missing: 0, extra: 0, different: 0 })
    return undefined
    // A model has no errors of its own: fast-check reports what is thrown, with the commands.
  }).pipe(Effect.provide(ProjectionFeedSql.layer), Effect.scoped, Effect.orDie)
