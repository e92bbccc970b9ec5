import { Expand, FieldErrors, Pages } from "@earshot/core"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("the rows of a page within bytes", () => {
  const sizes = fc.array(fc.nat(100), { maxLength: 30 })

  it("are the longest beginning of the rows that fits, and at least one", () => {
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 20 }), fc.nat(300), (rows, limit, maxBytes) => {
        const count = Pages.rowsWithin(rows, limit, maxBytes)
        const bytes = (n: number) => rows.slice(0, n).reduce((sum, size) => sum + size, 0)
        expect(count).toBeLessThanOrEqual(Math.min(limit, rows.length))
        if (rows.length > 0) expect(count).toBeGreaterThan(0)
        if (count > 1) expect(bytes(count)).toBeLessThanOrEqual(maxBytes)
        if (count < Math.min(limit, rows.length)) expect(bytes(count + 1)).toBeGreaterThan(maxBytes)
      })
    )
  })

  it("are all there in groups, of which none is too large unless it is one row", () => {
    fc.assert(
      fc.property(sizes, fc.nat(300), (rows, maxBytes) => {
        const groups = Pages.groupsWithin(rows, (size) => size, maxBytes)
        expect(groups.flat()).toEqual(rows)
        for (const [at, group] of groups.entries()) {
          const bytes = group.reduce((sum, size) => sum + size, 0)
          if (group.length !== 1) expect(bytes).toBeLessThanOrEqual(maxBytes)
          const next = groups[at + 1]?.[0]
          if (next !== undefined) expect(bytes + next).toBeGreaterThan(maxBytes)
          expect(group.length).toBeGreaterThan(0)
        }
      })
    )
  })

  it("are all rows of the limit where bytes are plentiful, and one where none are", () => {
    expect(Pages.rowsWithin([5, 5, 5], 2, 1000)).toBe(2)
    expect(Pages.rowsWithin([5, 5, 5], 3, 10)).toBe(2)
    expect(Pages.rowsWithin([5, 5, 5], 3, 0)).toBe(1)
    expect(Pages.rowsWithin([], 3, 10)).toBe(0)
  })
})

describe("expand", () => {
  const decode = FieldErrors.decode(Expand.expandField({ transcript: "the transcript", metadata: "the metadata" }))

  it("decodes names separated by commas and lists of names alike", () => {
    const names = fc.array(fc.constantFrom("transcript", "metadata"))
    fc.assert(
      fc.property(names, (given) => {
        expect(decode(given.join(" , "))).toEqual(Either.right(new Set(given)))
        expect(decode(given)).toEqual(Either.right(new Set(given)))
      })
    )
  })

  it("reports every unknown name once", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (given) => {
        const unknown = given.filter((name) => name !== "transcript" && name !== "metadata")
        const decoded = decode(given)
        if (unknown.length === 0) expect(Either.isRight(decoded)).toBe(true)
        else expect(decoded).toMatchObject(Either.left({ non_field_errors: expect.any(Array) }))
      })
    )
    expect(decode("a,transcript,b,a")).toEqual(
      Either.left({
        non_field_errors: [
          expect.stringContaining('"a" is not a valid choice. Choose from '),
          expect.stringContaining('"b" is not a valid choice. Choose from ')
        ]
      })
    )
    expect(decode("constructor,__proto__")).toEqual(
      Either.left({ non_field_errors: [expect.any(String), expect.any(String)] })
    )
    expect(Either.isLeft(decode(null))).toBe(true)
    expect(Either.isLeft(decode({ transcript: true }))).toBe(true)
  })
})
