import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { LARGE_BODY_BYTES, makeTurns, type Turns } from "../../src/LargeBodies.js"
import { gatedRecordings } from "../support/gatedRecordings.js"
import { startServer } from "../support/TestServer.js"
import { OBSERVE } from "../support/paths.js"

describe("turns of requests with large bodies", () => {
  /** A turn that waits, and is known by its name once it has begun. */
  const waiting = (turns: Turns, begun: Array<string>, name: string, sender: string) =>
    Effect.zipLeft(
      Effect.fork(Effect.tap(turns.begin(sender), () => Effect.sync(() => begun.push(name)))),
      TestClock.adjust(0)
    )

  it.effect("follow each other, alternate between senders, and skip what was interrupted", () =>
    Effect.gen(function* () {
      const turns = makeTurns("1 second")
      const begun: Array<string> = []
      const endFirst = yield* turns.begin("a")
      const gone = yield* waiting(turns, begun, "gone", "a")
      const second = yield* waiting(turns, begun, "a2", "a")
      const third = yield* waiting(turns, begun, "a3", "a")
      const other = yield* waiting(turns, begun, "b1", "b")
      expect(begun).toEqual([])
      yield* Fiber.interrupt(gone)
      yield* endFirst
      const endSecond = yield* Fiber.join(second)
      // What is ended again ends nothing of another turn.
      yield* endFirst
      yield* TestClock.adjust(0)
      expect(begun).toEqual(["a2"])
      yield* endSecond
      const endOther = yield* Fiber.join(other)
      yield* endOther
      const endThird = yield* Fiber.join(third)
      yield* endThird
      expect(begun).toEqual(["a2", "b1", "a3"])
    })
  )

  it.effect("end when they have taken too long, once", () =>
    Effect.gen(function* () {
      const turns = makeTurns("1 second")
      const begun: Array<string> = []
      const endFirst = yield* turns.begin("a")
      yield* waiting(turns, begun, "second", "a")
      yield* waiting(turns, begun, "third", "a")
      yield* TestClock.adjust("999 millis")
      expect(begun).toEqual([])
      yield* TestClock.adjust("1 millis")
      expect(begun).toEqual(["second"])
      yield* endFirst
      yield* TestClock.adjust("999 millis")
      expect(begun).toEqual(["second"])
      yield* TestClock.adjust("1 millis")
      expect(begun).toEqual(["second", "third"])
    })
  )
})

it("requests with large bodies go on beside one that waits for its recording", async () => {
  const { isReached, open, source } = gatedRecordings()
  const server = await startServer({ ports: { recordings: source } })
  try {
    const { agent, key } = await server.tenant()
    const callOf = (call: string) => ({ call_id: call, agent, metadata: { notes: "n".repeat(LARGE_BODY_BYTES) } })
    const held = server.send("POST", OBSERVE, {
      key,
      json: { ...callOf("held"), voice_recording_url: "https://example.com/a.wav" }
    })
    await isReached
    const others = ["a", "b", "c"].map((call) => server.send("POST", OBSERVE, { key, json: callOf(call) }))
    for (const other of others) expect((await other).status).toBe(201)
    open()
    expect((await held).status).toBe(201)
  } finally {
    await server.close()
  }
})
