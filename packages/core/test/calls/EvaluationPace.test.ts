import { TestEngine } from "@earshot/test-kit"
import { expect, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { describe } from "vitest"
import { EvaluationPace, makePace } from "../../src/calls/EvaluationPace.js"
import { fixture, quiet } from "./evaluations.js"

describe("the pace of evaluations", () => {
  it("has no pauses without ingests", () => {
    const pace = makePace()
    pace.evaluated(100, 40)
    expect(pace.pause(100)).toBe(0)
    pace.ingestBegan(110)
    pace.ingestEnded(120)
    pace.evaluated(160, 40)
    expect(pace.pause(160)).toBe(0)
  })

  it("pauses for six times as long as evaluations took while ingests come without end", () => {
    const pace = makePace()
    pace.ingestBegan(0)
    pace.evaluated(40, 40)
    for (let now = 50; now < 280; now += 10) {
      // One ends only after another has begun.
      pace.ingestBegan(now)
      pace.ingestEnded(now)
      expect(pace.pause(now)).toBeGreaterThan(0)
    }
    expect(pace.pause(279)).toBe(1)
    expect(pace.pause(280)).toBe(0)
  })

  it("ends a pause when ingests were idle for a quarter of that time, together", () => {
    const pace = makePace()
    pace.ingestBegan(0)
    pace.evaluated(40, 40)
    expect(pace.pause(41)).toBe(10)
    pace.ingestEnded(50)
    expect(pace.pause(54)).toBe(6)
    pace.ingestBegan(56)
    expect(pace.pause(90)).toBe(4)
    pace.ingestEnded(100)
    expect(pace.pause(103)).toBe(1)
    expect(pace.pause(104)).toBe(0)
  })

  it("adds evaluations that end during a pause, and forgets those whose pause is over", () => {
    const pace = makePace()
    pace.ingestBegan(0)
    pace.evaluated(40, 40)
    pace.evaluated(80, 20)
    expect(pace.pause(80 + 6 * 60 - 1)).toBe(1)
    expect(pace.pause(80 + 6 * 60)).toBe(0)
    pace.evaluated(1000, 10)
    expect(pace.pause(1000 + 6 * 10 - 1)).toBe(1)
    expect(pace.pause(1000 + 6 * 10)).toBe(0)
  })
})

/** Lets other fibers, and the database, take turns; the test's clock stands still meanwhile. */
const turns = (count: number) =>
  Effect.forEach(
    Array.from({ length: count }),
    () => Effect.async<boolean>((resume) => void setTimeout(() => resume(Effect.succeed(true)), 2)),
    { discard: true }
  )

for (const database of TestEngine.databases) {
  const steps: Array<string> = []
  let pause = 0
  const noted =
    (step: string) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.zipRight(
        Effect.sync(() => steps.push(step)),
        effect
      )
  const scripted = Layer.succeed(EvaluationPace, {
    ingest: noted("ingest"),
    evaluate: noted("evaluate"),
    pause: Effect.sync(() => pause)
  })

  layer(Layer.merge(TestEngine.layer(database).pipe(Layer.provide(scripted)), quiet))(
    `evaluations beside ingests on ${database}`,
    (it) => {
      it.effect("begin once the pause is over, and ingests do not wait for them", () =>
        Effect.gen(function* () {
          const { evaluationsOf, ingest, runner } = yield* fixture
          pause = 100
          steps.length = 0
          const running = yield* Effect.fork(runner.run)
          const first = yield* ingest()
          yield* turns(20)
          const second = yield* ingest()
          yield* turns(20)
          expect(steps).toEqual(["ingest", "ingest"])
          expect((yield* evaluationsOf(first)).size).toBe(0)

          pause = 0
          yield* TestClock.adjust("100 millis")
          for (let n = 0; n < 500 && (yield* evaluationsOf(second)).size === 0; n++) yield* turns(1)
          expect((yield* evaluationsOf(first)).size).toBeGreaterThan(0)
          expect((yield* evaluationsOf(second)).size).toBeGreaterThan(0)
          // Reading, two computations, and the transaction.
          expect(steps.slice(2)).toEqual(["evaluate", "evaluate", "evaluate", "evaluate"])
          yield* Fiber.interrupt(running)
        })
      )

      it.effect("do not pause when the queue is worked off by a call", () =>
        Effect.gen(function* () {
          const { evaluationsOf, ingest, runner } = yield* fixture
          pause = 100
          const call = yield* ingest()
          yield* runner.drain
          expect((yield* evaluationsOf(call)).size).toBeGreaterThan(0)
        })
      )
    }
  )
}
