import { TurnScheduler } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Scheduler from "effect/Scheduler"
import { describe, expect, it } from "vitest"

/** A clock that tasks advance, and the turns of the event loop that were seen meanwhile. */
const makeLoop = () => {
  let time = 0
  let turn = 0
  const turns: Array<number> = []
  const count = () => {
    turn++
    if (turns.length < 100) setImmediate(count)
  }
  setImmediate(count)
  return {
    now: () => time,
    /** A task that takes this many milliseconds. */
    task: (millis: number) => () => {
      time += millis
      turns.push(turn)
    },
    turns
  }
}

const untilEnded = async (turns: ReadonlyArray<number>, count: number): Promise<void> => {
  for (let n = 0; n < 1_000 && turns.length < count; n++) await new Promise((resolve) => setImmediate(resolve))
}

describe("the scheduler by turns of the event loop", () => {
  it("runs what fits into a slice in one turn, and the rest in the next turns", async () => {
    const loop = makeLoop()
    const scheduler = TurnScheduler.make(loop.now)
    for (let n = 0; n < 20; n++) scheduler.scheduleTask(loop.task(1), 0)
    await untilEnded(loop.turns, 20)
    expect(loop.turns).toHaveLength(20)
    const perTurn = [...new Set(loop.turns)].map((turn) => loop.turns.filter((one) => one === turn).length)
    expect(perTurn).toEqual([5, 5, 5, 5])
  })

  it("runs one millisecond of tasks a turn for two turns after a connection was accepted", async () => {
    const loop = makeLoop()
    const scheduler = TurnScheduler.make(loop.now)
    scheduler.hurry()
    for (let n = 0; n < 12; n++) scheduler.scheduleTask(loop.task(1), 0)
    await untilEnded(loop.turns, 12)
    const perTurn = [...new Set(loop.turns)].map((turn) => loop.turns.filter((one) => one === turn).length)
    expect(perTurn).toEqual([1, 1, 5, 5])
  })

  it("pauses after a long task for as long as it took while connections are accepted", async () => {
    let time = 0
    const scheduler = TurnScheduler.make(() => time)
    const startedAt: Array<number> = []
    const task = () => {
      startedAt.push(time)
      time += 25
    }
    scheduler.hurry()
    for (let n = 0; n < 3; n++) scheduler.scheduleTask(task, 0)
    // Each turn accepts a connection, which takes two milliseconds.
    for (let n = 0; n < 100 && startedAt.length < 3; n++) {
      time += 2
      scheduler.hurry()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(startedAt).toHaveLength(3)
    const pauses = startedAt.slice(1).map((at, i) => at - ((startedAt[i] ?? 0) + 25))
    for (const pause of pauses) {
      expect(pause).toBeGreaterThanOrEqual(24)
      expect(pause).toBeLessThanOrEqual(28)
    }
  })

  it("runs tasks that are added during such a pause once no connection was accepted for two turns", async () => {
    let time = 0
    const scheduler = TurnScheduler.make(() => time)
    scheduler.hurry()
    scheduler.scheduleTask(() => {
      time += 25
    }, 0)
    await new Promise((resolve) => setImmediate(resolve))
    scheduler.hurry()
    const order: Array<string> = []
    scheduler.scheduleTask(() => void order.push("task"), 0)
    for (let n = 0; n < 10 && order.length < 1; n++) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(order).toEqual(["task"])
  })

  it("runs tasks that tasks add, in order, and those of a lower priority number first", async () => {
    const loop = makeLoop()
    const scheduler = TurnScheduler.make(loop.now)
    const order: Array<string> = []
    const note = (name: string) => () => void order.push(name)
    scheduler.scheduleTask(() => {
      order.push("first")
      scheduler.scheduleTask(note("added"), 0)
    }, 0)
    scheduler.scheduleTask(note("late"), 10)
    scheduler.scheduleTask(note("second"), 0)
    for (let n = 0; n < 100 && order.length < 4; n++) await new Promise((resolve) => setImmediate(resolve))
    expect(order).toEqual(["first", "second", "late", "added"])
  })

  it("replaces the default scheduler, and no other", async () => {
    const scheduler = FiberRef.get(FiberRef.currentScheduler)
    expect(await Effect.runPromise(TurnScheduler.inTurns(scheduler))).toBe(TurnScheduler.turnScheduler)
    // Its runtime keeps the scheduler that built the layers.
    const managed = ManagedRuntime.make(Layer.empty)
    expect(await managed.runPromise(TurnScheduler.inTurns(scheduler))).toBe(TurnScheduler.turnScheduler)
    expect(await managed.runPromise(TurnScheduler.inTurns(scheduler))).toBe(TurnScheduler.turnScheduler)
    await managed.dispose()
    const own = new Scheduler.MixedScheduler(1)
    expect(await Effect.runPromise(Effect.withScheduler(TurnScheduler.inTurns(scheduler), own))).toBe(own)
  })
})
