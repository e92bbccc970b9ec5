import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { inSlices } from "../../src/kernel/Slices.js"

const doubled = (slice: ReadonlyArray<number>) => Effect.sync(() => slice.flatMap((one) => [one, one]))

describe("work in slices", () => {
  it("makes the same of the items, in their order", () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.integer(), { maxLength: 300, size: "max" }), async (items) => {
        const made = await Effect.runPromise(inSlices(items, doubled))
        expect(made).toEqual(items.flatMap((one) => [one, one]))
      })
    ))

  it("lets other fibers run between two slices", async () => {
    const steps: Array<string> = []
    const noted = (step: string) => Effect.sync(() => void steps.push(step))
    const items = Array.from({ length: 200 }, (_, at) => at)
    const work = inSlices(items, (slice) => Effect.as(noted("slice"), slice))
    await Effect.runPromise(Effect.all([work, noted("other")], { concurrency: 2, discard: true }))
    expect(steps).toEqual(["slice", "other", "slice", "slice", "slice"])
  })

  it("ends at the first slice that fails", async () => {
    let tried = 0
    const failing = inSlices(
      Array.from({ length: 200 }, (_, at) => at),
      () => Effect.suspend(() => (++tried === 2 ? Effect.fail("broken") : Effect.succeed([])))
    )
    expect(await Effect.runPromise(Effect.flip(failing))).toBe("broken")
    expect(tried).toBe(2)
  })
})
