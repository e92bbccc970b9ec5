import { Calls, CALL_EXPANSIONS, encodeCallRecord, encodeListedCall, expandedIn, Metrics } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { ingest } from "./ingest.js"

const PAGE_BYTES = 20_000

/** The next state of a pagination. */
const pageAfter = (next: string | null) => (next === null ? Option.none() : Option.some(next))

/** A call whose transcript has about so many bytes, in one of the calls' two forms. */
const spoken = (bytes: number) => [{ role: "Testing Agent", content: "x".repeat(bytes), start_time: 0, end_time: 1 }]

for (const database of TestEngine.databases) {
  layer(TestEngine.layer(database, { pageBytes: PAGE_BYTES }))(`pages of calls on ${database}`, (it) => {
    it.effect("have transcripts and documents only if expand names them", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const calls = yield* Calls
        const { call } = yield* ingest(actor, {
          call_id: "a",
          agent: agent.id,
          transcript_json: spoken(10),
          metadata: { region: "eu" },
          dynamic_variables: { name: "Ann" }
        })
        const record = encodeCallRecord(call)
        const item = (expand?: unknown) =>
          Effect.gen(function* () {
            const query = expand === undefined ? {} : { expand }
            const { results } = yield* calls.list(query).pipe(TestEngine.as(actor))
            return results.map((one) => encodeListedCall(one, Either.getOrThrow(expandedIn(query)).expand))[0]
          })
        const { transcript, transcript_object, ...rest } = record
        expect(yield* item()).toEqual(rest)
        expect(yield* item("")).toEqual(rest)
        expect(yield* item("transcript")).toEqual({ ...rest, transcript })
        expect(yield* item(" transcript_object , transcript_object")).toEqual({ ...rest, transcript_object })
        expect(yield* item(["metadata", "dynamic_variables"])).toEqual({
          ...rest,
          metadata: { region: "eu" },
          dynamic_variables: { name: "Ann" }
        })
        expect(Object.keys((yield* item(Object.keys(CALL_EXPANSIONS))) ?? {}).sort()).toEqual(
          [...Object.keys(record), "metadata", "dynamic_variables", "tool_calls", "timings", "recording"].sort()
        )
        const [listed] = (yield* calls.list({}).pipe(TestEngine.as(actor))).results
        expect(listed).not.toHaveProperty("transcript")
        expect(listed).not.toHaveProperty("metadata")
        const rejected = yield* Effect.flip(calls.list({ expand: "transcript,nope,secret" }).pipe(TestEngine.as(actor)))
        expect(rejected).toMatchObject({
          errors: {
            expand: [
              expect.stringContaining('"nope" is not a valid choice. Choose from '),
              expect.stringContaining('"secret" is not a valid choice. Choose from ')
            ]
          }
        })
        expect(yield* Effect.flip(calls.list({ expand: 7 }).pipe(TestEngine.as(actor)))).toHaveProperty("errors.expand")
      })
    )

    it.effect("end where the next call would exceed the bytes of a page, with a cursor to the rest", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const calls = yield* Calls
        const sizes = [30_000, 6_000, 6_000, 6_000, 50, 50, 50, 45_000, 19_000]
        const ids = yield* Effect.forEach(sizes, (size, n) =>
          Effect.map(
            ingest(actor, { call_id: `call-${n}`, agent: agent.id, transcript_json: spoken(size) }),
            ({ call }) => call.id
          )
        )
        const newestFirst = ids.toReversed()
        const pages = (query: object) =>
          Stream.runCollect(
            Stream.paginateEffect(undefined, (cursor: string | undefined) =>
              calls.list({ limit: 200, ...query, ...(cursor === undefined ? {} : { cursor }) }).pipe(
                TestEngine.as(actor),
                Effect.map((page) => [page.results.map(({ id }) => id), pageAfter(page.next)] as const)
              )
            )
          ).pipe(Effect.map(Chunk.toReadonlyArray))
        // Without transcripts all fit.
        expect(yield* pages({})).toEqual([newestFirst])
        const expanded = yield* pages({ expand: "transcript" })
        expect(expanded.flat()).toEqual(newestFirst)
        expect(expanded.map((page) => page.length)).toEqual([1, 1, 5, 1, 1])
        // A transcript in both forms counts twice.
        const twice = yield* pages({ expand: "transcript,transcript_object" })
        expect(twice.flat()).toEqual(newestFirst)
        expect(twice.length).toBeGreaterThan(expanded.length)
        // Backwards, from the oldest call.
        const last = yield* calls.list({ limit: 200, expand: "transcript" }).pipe(TestEngine.as(actor))
        expect(last).toMatchObject({ previous: null, next: expect.any(String) })
        const exported = yield* Stream.runCollect(calls.export({})).pipe(TestEngine.as(actor))
        expect(Chunk.toReadonlyArray(exported).map(({ id }) => id)).toEqual(newestFirst)
      })
    )

    it.effect("bound the lists of other resources by bytes as well", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const metrics = yield* Metrics
        const made = yield* Effect.forEach([1, 2, 3, 4, 5], (n) =>
          metrics
            .create({
              agent: agent.id,
              name: `Long ${n}`,
              type: "llm_judge",
              eval_type: "binary",
              prompt: "p".repeat(9_000)
            })
            .pipe(TestEngine.as(actor))
        )
        const list = (cursor?: string | null) =>
          metrics
            .list({ agent_id: agent.id, limit: 200, ...(typeof cursor === "string" ? { cursor } : {}) })
            .pipe(TestEngine.as(actor))
        const first = yield* list()
        expect(first.results.map(({ id }) => id)).toEqual([made[4]?.id, made[3]?.id])
        const second = yield* list(first.next)
        expect(second.results.map(({ id }) => id)).toEqual([made[2]?.id, made[1]?.id])
        const back = yield* list(second.previous)
        expect(back.results.map(({ id }) => id)).toEqual([made[4]?.id, made[3]?.id])
      })
    )
  })
}
