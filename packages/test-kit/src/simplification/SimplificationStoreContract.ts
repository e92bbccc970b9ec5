import { JobStore, OrganizationStore, SIMPLIFICATION_JOB, SimplificationStore, UnitOfWork } from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { createHash, randomUUID } from "node:crypto"
import { permit } from "../catalog/Permits.js"
import { at } from "../storage/Moments.js"

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")

/** How long what was completed stands for who asks the same. */
const RECENT = 10_000

/** An organization, and a function that begins a simplification in it and enqueues its job in one transaction. */
const newOrganization = Effect.gen(function* () {
  const { id } = yield* (yield* OrganizationStore).insert({ name: "Contract" }, at(0))
  const store = yield* SimplificationStore
  const jobs = yield* JobStore
  const work = yield* UnitOfWork
  const toWrite = permit(id, "simplifications.request")
  const begin = (prompt: string, now = 0) =>
    // A simplification without a job counts as ended, so both are committed together.
    work.atomically(
      Effect.gen(function* () {
        const wanted = { progressId: randomUUID(), prompt, promptHash: hashOf(prompt) }
        const begun = yield* store.begin(toWrite, wanted, at(now))
        if (begun.created) {
          const job = { organizationId: id, kind: SIMPLIFICATION_JOB, key: begun.progressId, payload: null }
          yield* jobs.enqueue(job, now)
        }
        return begun
      })
    )
  return { store, begin, toWrite }
})

/** What every `SimplificationStore` has to do. It begins and ends no job: the `JobStore` beside it does. */
export const simplificationStoreContract = <E>(
  subject: string,
  stores: Layer.Layer<SimplificationStore | JobStore | OrganizationStore | UnitOfWork, E>
): void => {
  layer(stores)(`simplifications stored by ${subject}`, (it) => {
    it.effect("are shared by requests for one prompt while in progress and for ten seconds after", () =>
      Effect.gen(function* () {
        const { begin, store, toWrite } = yield* newOrganization
        const prompt = "Say 'yes' 😀 \\ %_"
        const { created, progressId } = yield* begin(prompt)
        expect(created).toBe(true)
        expect(yield* begin(prompt, 60_000)).toEqual({ progressId, created: false })
        expect((yield* begin(`${prompt} `)).created).toBe(true)
        const found = Option.getOrThrow(yield* store.find(toWrite, progressId))
        expect(found).toEqual({
          progressId,
          originalPrompt: prompt,
          simplifiedPrompt: null,
          error: null,
          job: { state: "queued", lastError: null }
        })
        yield* store.complete(toWrite, progressId, { text: "Yes.", hash: hashOf("Yes."), by: "rules" }, at(70_000))
        expect(Option.getOrThrow(yield* store.find(toWrite, progressId)).simplifiedPrompt).toBe("Yes.")
        expect(yield* begin(prompt, 70_000 + RECENT - 1)).toEqual({ progressId, created: false })
        const again = yield* begin(prompt, 70_000 + RECENT)
        expect(again.created).toBe(true)
        expect(again.progressId).not.toBe(progressId)
      })
    )

    it.effect("are created once for concurrent requests for one prompt", () =>
      Effect.gen(function* () {
        const { begin } = yield* newOrganization
        const begun = yield* Effect.forEach(["a", "b", "c", "d"], () => begin("At once"), { concurrency: "unbounded" })
        expect(begun.filter(({ created }) => created)).toHaveLength(1)
        expect(new Set(begun.map(({ progressId }) => progressId)).size).toBe(1)
      })
    )

    it.effect("record why they failed, and drop the reason once completed", () =>
      Effect.gen(function* () {
        const { begin, store, toWrite } = yield* newOrganization
        const { progressId } = yield* begin("Fail")
        yield* store.fail(toWrite, progressId, "It lost a rule.")
        expect(Option.getOrThrow(yield* store.find(toWrite, progressId))).toMatchObject({
          simplifiedPrompt: null,
          error: "It lost a rule."
        })
        yield* store.complete(toWrite, progressId, { text: "F", hash: hashOf("F"), by: "model" }, at(1))
        expect(Option.getOrThrow(yield* store.find(toWrite, progressId))).toMatchObject({
          simplifiedPrompt: "F",
          error: null
        })
      })
    )

    it.effect("are recognized by the hash of their result and the simplifier that made it", () =>
      Effect.gen(function* () {
        const { begin, store, toWrite } = yield* newOrganization
        const result = hashOf("Short")
        expect(yield* store.isResult(toWrite, result, ["rules", "model"])).toBe(false)
        for (const prompt of ["Long", "Longer"]) {
          const { progressId } = yield* begin(prompt)
          yield* store.complete(toWrite, progressId, { text: "Short", hash: result, by: "rules" }, at(1))
        }
        expect(yield* store.isResult(toWrite, result, ["rules"])).toBe(true)
        expect(yield* store.isResult(toWrite, result, ["model", "rules"])).toBe(true)
        expect(yield* store.isResult(toWrite, result, ["model"])).toBe(false)
        expect(yield* store.isResult(toWrite, hashOf("Long"), ["rules"])).toBe(false)
      })
    )

    it.effect("are deleted once old, unless in progress", () =>
      Effect.gen(function* () {
        const { begin, store, toWrite } = yield* newOrganization
        const jobs = yield* JobStore
        const [waiting, young] = [yield* begin("Waiting", 0), yield* begin("Young", 500)]
        yield* store.tidy(at(1_000))
        for (const { progressId } of [waiting, young])
          expect(Option.isSome(yield* store.find(toWrite, progressId))).toBe(true)
        const [done] = yield* jobs
          .claim(
            "contract",
            { kind: SIMPLIFICATION_JOB, quotas: [{ organizationId: toWrite.organizationId, limit: 1000 }] },
            { now: 1_000, until: 2_000 }
          )
          .pipe(Effect.map((claims) => claims.filter(({ key }) => key === waiting.progressId)))
        if (done === undefined) return expect.fail("The job is not there")
        yield* jobs.succeed([done], 1_500)
        yield* store.tidy(at(0))
        expect(Option.isSome(yield* store.find(toWrite, waiting.progressId))).toBe(true)
        yield* store.tidy(at(1))
        expect(yield* store.find(toWrite, waiting.progressId)).toEqual(Option.none())
        expect(Option.isSome(yield* store.find(toWrite, young.progressId))).toBe(true)
        // Whose job is gone is not under way.
        expect((yield* begin("Waiting", 2_000)).created).toBe(true)
      })
    )

    it.effect("are invisible to another organization, as are their results", () =>
      Effect.gen(function* () {
        const [mine, theirs] = [yield* newOrganization, yield* newOrganization]
        const { store } = mine
        const { progressId } = yield* mine.begin("Mine")
        expect(yield* store.find(theirs.toWrite, progressId)).toEqual(Option.none())
        yield* store.fail(theirs.toWrite, progressId, "Theirs")
        yield* store.complete(theirs.toWrite, progressId, { text: "T", hash: hashOf("T"), by: "rules" }, at(1))
        expect(Option.getOrThrow(yield* store.find(mine.toWrite, progressId))).toMatchObject({
          simplifiedPrompt: null,
          error: null
        })
        yield* store.complete(mine.toWrite, progressId, { text: "M", hash: hashOf("M"), by: "rules" }, at(1))
        expect(yield* store.isResult(theirs.toWrite, hashOf("M"), ["rules"])).toBe(false)
        expect((yield* theirs.begin("Mine", 1)).created).toBe(true)
      })
    )
  })
}
