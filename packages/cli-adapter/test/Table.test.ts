import { describe, expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { table } from "../src/Table.js"
import { displayWidth } from "../src/Text.js"
import { acts, anyText } from "./support/text.js"

interface Row {
  readonly id: number
  readonly name: string
  readonly state: string
}

const columns = [
  { name: "ID", of: ({ id }: Row) => String(id), right: true },
  { name: "NAME", of: ({ name }: Row) => name, least: 8 },
  { name: "STATE", of: ({ state }: Row) => state, least: 6 }
]

describe("a table", () => {
  it("aligns cells by the columns that they take, not by their characters", () => {
    const rows = [
      { id: 1, name: "日本語", state: "in force" },
      { id: 1234, name: "a\u001b[1mb", state: "" }
    ]
    expect(table(columns, rows, 80)).toEqual(["  ID  NAME    STATE", "   1  日本語  in force", "1234  a␛[1mb"])
  })

  it("shortens the widest column when the row does not fit", () => {
    const rows = [{ id: 7, name: "A name that is far too long for it", state: "in force" }]
    expect(table(columns, rows, 30)).toEqual(["ID  NAME              STATE", " 7  A name that is …  in force"])
  })

  it("is never wider than the terminal and prints each row on one line", () => {
    const row = fc.record({ id: fc.nat(), name: anyText, state: anyText })
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), fc.integer({ min: 30, max: 130 }), (rows, screen) => {
        const lines = table(columns, rows, screen)
        expect(lines).toHaveLength(rows.length + 1)
        for (const line of lines) {
          expect(displayWidth(line)).toBeLessThanOrEqual(screen)
          expect(acts(line)).toBe(false)
          expect(line).not.toContain("\n")
        }
      })
    )
  })
})
