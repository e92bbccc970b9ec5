import { TestEngine } from "@earshot/test-kit"
import { expect, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as fc from "fast-check"
import { describe } from "vitest"
import { EvaluationPace, makePace } from "../../src/calls/EvaluationPace.js"
import { fixture, quiet } from "./evaluations.js"

describe("the pace of evaluations", () => {
  /** The event loop is idle for a share of the time. */
  const at = (now: number, share: number) => ({ now, idle: now * share })

  it("has no pauses without ingests, nor long after one", () => {
    const pace = makePace()
    pace.evaluated(at(100, 0), 40)
    expect(pace.pause(at(100, 0))).toBe(0)
    pace.ingestBegan(110)
    pace.evaluated(at(1151, 0), 40)
    expect(pace.pause(at(1151, 0))).toBe(0)
    pace.evaluated(at(1160, 0), 50)
    expect(pace.pause(at(1160, 0))).toBeGreaterThan(0)
  })

  it("pauses for ten times as long as evaluations took while nothing is idle", () => {
    const pace = makePace()
    pace.ingestBegan(0)
    pace.evaluated(at(40, 0), 40)
    for (let now = 50; now < 440; now += 10) expect(pace.pause(at(now, 0))).toBeGreaterThan(0)
    expect(pace.pause(at(439, 0))).toBe(1)
    expect(pace.pause(at(440, 0))).toBe(0)
  })

  it("ends a pause when the event loop was idle for one and a half times that time, together", () => {
    const pace = makePace()
    pace.ingestBegan(0)
    pace.evaluated({ now: 40, idle: 7 }, 40)
    expect(pace.pause({ now: 41, idle: 7 })).toBe(60)
    expect(pace.pause({ now: 60, idle: 20 })).toBe(47)
    expect(pace.pause({ now: 129, idle: 66 })).toBe(1)
    expect(pace.pause({ now: 130, idle: 67 })).toBe(0)
  })

  it("adds evaluations that end during a pause, and forgets those whose pause is over", () => {
    const pace = makePace()
    pace.ingestBegan(0)
    pace.evaluated(at(40, 0), 40)
    pace.evaluated(at(80, 0), 20)
    // 20 of the first 400 ms were over when the second part began.
    expect(pace.pause(at(80 + 380 + 200 - 1, 0))).toBe(1)
    expect(pace.pause(at(80 + 380 + 200, 0))).toBe(0)
    pace.ingestBegan(900)
    pace.evaluated(at(1000, 0), 10)
    expect(pace.pause(at(1000 + 10 * 10 - 1, 0))).toBe(1)
    expect(pace.pause(at(1000 + 10 * 10, 0))).toBe(0)
  })

  it("counts a part that waited as 100 ms, and the pause between two parts of overlapping batches", () => {
    const pace = makePace()
    pace.ingestBegan(0)
    pace.evaluated(at(900, 0), 900)
    expect(pace.pause(at(900, 0))).toBe(150)
    expect(pace.pause(at(900 + 999, 0))).toBe(1)
    // A second part, which ends 300 ms later and took 50 of them: 250 of 1,000 ms are over.
    pace.ingestBegan(1000)
    pace.evaluated(at(1200, 0), 50)
    expect(pace.pause(at(1200 + 1000 - 250 + 500 - 1, 0))).toBe(1)
    expect(pace.pause(at(1200 + 1000 - 250 + 500, 0))).toBe(0)
  })

  it("gives evaluations an eleventh of the time at least, and ends no pause before there was enough idle time", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ part: fc.integer({ min: 1, max: 50 }), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
          {
            minLength: 5,
            maxLength: 30
          }
        ),
        (rounds) => {
          const pace = makePace()
          let now = 0
          let idle = 0
          let evaluating = 0
          for (const { part, share } of rounds) {
            pace.ingestBegan(now)
            now += part
            evaluating += part
            pace.evaluated({ now, idle }, part)
            const began = { now, idle }
            while (pace.pause({ now, idle }) > 0) {
              now += 1
              idle += share
            }
            expect(now - began.now).toBeLessThanOrEqual(10 * part)
            expect(now - began.now === 10 * part || idle - began.idle >= 1.5 * part - 1e-6).toBe(true)
          }
          expect(now).toBeLessThanOrEqual(11 * evaluating)
        }
      )
    )
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
    ingestBegan: Effect.sync(() => void steps.push("ingest")),
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
