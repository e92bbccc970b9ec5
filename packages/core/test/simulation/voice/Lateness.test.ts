import { RunExecutor, Voice } from "@earshot/core"
import { Properties, VoiceKit } from "@earshot/test-kit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as fc from "fast-check"
import { executorOf, FIRST, runOf, scenarioOf } from "./voiceFixture.js"

describe("the lateness of frames", () => {
  const frames = fc
    .array(fc.tuple(fc.double({ min: 0, max: 0.5, noNaN: true }), fc.integer({ min: 0, max: 60 })), { maxLength: 400 })
    .map((gaps) => {
      let at = 0
      return gaps.map(([gap, late]) => ({ at: (at += gap), isLate: late === 0 }))
    })
  it("is too much if more than 1 % of at least 100 frames of the last ten seconds were late", () => {
    fc.assert(
      fc.property(frames, fc.double({ min: 0, max: 15, noNaN: true }), (sent, later) => {
        const lateness = sent.reduce((known, { at, isLate }) => Voice.addFrame(known, at, isLate), Voice.noLateness)
        const now = Math.floor((sent.at(-1)?.at ?? 0) + later)
        const recent = sent.filter(({ at }) => Math.floor(at) > now - 10)
        const late = recent.filter(({ isLate }) => isLate).length
        expect(Voice.isLate(lateness, now)).toBe(recent.length >= 100 && late > recent.length / 100)
        expect(lateness.length).toBeLessThanOrEqual(10)
      }),
      Properties.parameters(300)
    )
  })
})

/** Connections to a silent agent, each message of which takes so long that the next frames are late. */
const slowConnections = (millis: number) =>
  Layer.succeed(Voice.VoiceConnections, {
    connect: () =>
      Effect.map(VoiceKit.scriptedConnection([]), ({ connection }) => ({
        ...connection,
        take: Effect.zipRight(Effect.sleep(millis), connection.take)
      }))
  })

describe("a process whose calls are late", () => {
  it.live.each([
    [60, [true, false, true]],
    [10, [true, true, true]]
  ] as const)("that take %i ms for a frame has capacity before, in and after a call: %j", ([millis, expected]) =>
    VoiceKit.withVirtualClock(
      Effect.gen(function* () {
        const executor = yield* RunExecutor
        const hasCapacity = executor.hasCapacity ?? Effect.dieMessage("It does not say")
        const before = yield* hasCapacity
        const playing = yield* Effect.fork(
          executor.play(runOf(scenarioOf([{ ...FIRST, action: "Hi." }], { maxDuration: 20 })))
        )
        yield* Effect.sleep("12 seconds")
        const during = yield* hasCapacity
        yield* Fiber.join(playing)
        expect([before, during, yield* hasCapacity]).toEqual(expected)
      }).pipe(Effect.provide(executorOf(slowConnections(millis))), Effect.provide(Logger.remove(Logger.defaultLogger)))
    )
  )
})
