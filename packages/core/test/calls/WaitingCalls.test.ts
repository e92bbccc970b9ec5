/** What is kept of a call while it waits for its commit. */
import { setImmediate as nextTurn } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Calls, untrusted, UnitOfWork } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { ingest, turns } from "./ingest.js"

setFlagsFromString("--expose-gc")
const collect: unknown = runInNewContext("gc")

/** Collects garbage until an object is gone, at most so often; a reference to it is kept until the end of its turn. */
const isCollected = async (ref: WeakRef<object>): Promise<boolean> => {
  for (let attempt = 0; attempt < 20; attempt++) {
    await nextTurn()
    if (typeof collect === "function") collect()
    if (ref.deref() === undefined) return true
  }
  return false
}

/** A body, and the list of turns in it. Nothing but the first caller of `take` gets the body. */
const bodyTaken = (agent: number, callId: string) => {
  const rows = turns.map((turn) => ({ ...turn }))
  const held = [{ call_id: callId, agent, transcript_json: rows }]
  return { rows: new WeakRef(rows), take: () => held.pop() }
}

layer(TestEngine.layer("sqlite"))("a call that waits for its commit", (it) => {
  it.effect("does not keep the turns of its body, whether it is new or not", () =>
    Effect.gen(function* () {
      const { actor, agent } = yield* TestEngine.fixture
      const work = yield* UnitOfWork
      yield* ingest(actor, { call_id: "known", agent: agent.id, transcript_json: turns })
      for (const callId of ["new", "known"]) {
        const [isHeld, released] = [yield* Effect.makeLatch(), yield* Effect.makeLatch()]
        // SQLite's one connection.
        const holder = yield* Effect.fork(work.atomically(Effect.zipRight(isHeld.open, released.await)))
        yield* isHeld.await
        const { rows, take } = bodyTaken(agent.id, callId)
        const waiting = yield* Effect.fork(
          Effect.flatMap(Calls, (calls) => calls.ingest(untrusted(take()))).pipe(
            TestEngine.as(actor),
            // As a server without a tracer runs it: a span keeps what it is around.
            Effect.withTracerEnabled(false)
          )
        )
        expect(yield* Effect.promise(() => isCollected(rows))).toBe(true)
        expect(Option.isNone(yield* Fiber.poll(waiting))).toBe(true)
        yield* released.open
        yield* Fiber.join(holder)
        const { call, created } = yield* Fiber.join(waiting)
        expect(created).toBe(callId === "new")
        expect(call.transcript?.turns.map(({ content }) => content)).toEqual(turns.map(({ content }) => content))
      }
    })
  )
})
