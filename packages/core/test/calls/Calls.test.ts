import { Calls, encodeCallRecord } from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import { TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"

for (const database of TestEngine.databases) {
  layer(TestEngine.layer(database))(`ingestion on ${database}`, (it) => {
    it.effect("keeps a call and answers its record", () =>
      Effect.gen(function* () {
        const calls = yield* Calls
        const world = yield* TestEngine.world
        const body = {
          call_id: "call-1",
          agent: world.agent.id,
          transcript_json: [
            { role: "Main Agent", content: "Hello", start_time: 0, end_time: 1.5 },
            { role: "Testing Agent", content: "Hi there", start_time: 2, end_time: 63.2 }
          ],
          metadata: { region: "eu" }
        }
        const first = yield* calls.ingest(body).pipe(TestEngine.as(world.actor))
        expect(first.created).toBe(true)
        const again = yield* calls.ingest(body).pipe(TestEngine.as(world.actor))
        expect(again.created).toBe(false)
        expect(encodeCallRecord(again.call)).toEqual(encodeCallRecord(first.call))
        const read = yield* calls.read(first.call.id).pipe(TestEngine.as(world.actor))
        expect(encodeCallRecord(read)).toEqual(encodeCallRecord(first.call))
        const changed = yield* calls
          .ingest({ ...body, customer_number: "+49", metadata: null, dynamic_variables: { a: [1] } })
          .pipe(TestEngine.as(world.actor))
        expect(changed.created).toBe(false)
        const two = yield* calls.read(first.call.id).pipe(TestEngine.as(world.actor))
        expect(two).toEqual(changed.call)
        const page = yield* calls
          .list({ filters_v2: JSON.stringify({ field: "metadata.region", op: "eq", value: "eu" }) })
          .pipe(TestEngine.as(world.actor))
        expect(page.results).toEqual([two])
      })
    )
    it.effect("concurrent", () =>
      Effect.gen(function* () {
        const calls = yield* Calls
        const world = yield* TestEngine.world
        const all = yield* Effect.forEach(
          Array.from({ length: 100 }, (_, n) => n),
          (n) => calls.ingest({ call_id: `c${n % 50}`, agent: world.agent.id, customer_number: String(n) }),
          { concurrency: "unbounded" }
        ).pipe(TestEngine.as(world.actor))
        expect(all.filter((one) => one.created).length).toBe(50)
      })
    )
  })
}
