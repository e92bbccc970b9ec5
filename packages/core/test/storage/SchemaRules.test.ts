import { Properties } from "@earshot/test-kit"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { describe, it } from "vitest"
import {
  APPLICATION_ID,
  incompatibility,
  type MigrationName,
  migrationNames,
  MIGRATIONS_TABLE
} from "../../src/storage/sql/SchemaRules.js"
import { TABLES } from "../../src/storage/sql/Tables.js"

const { expectEqual, property } = Properties

/** Numbers with gaps, as migrations have them. */
const known: fc.Arbitrary<ReadonlyArray<MigrationName>> = fc
  .uniqueArray(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 8 })
  .map((ids) => ids.sort((a, b) => a - b).map((id) => ({ id, name: `change_${id}` })))

const prefix = fc.constantFrom("", "ear_", "earshot_")
const own = (before: string) => [MIGRATIONS_TABLE, ...TABLES].map((name) => `${before}${name}`)

const whyOf = (...args: Parameters<typeof incompatibility>): string | null =>
  Option.match(incompatibility(...args), { onNone: () => null, onSome: ({ why }) => why })

describe("whether a database can be used", () => {
  for (const { check, name } of [
    property(
      "a database with a beginning of the known migrations can be used, whatever its prefix",
      [prefix, known, fc.nat({ max: 8 }), fc.constantFrom(0, APPLICATION_ID)],
      (before, all, count, applicationId) => {
        const sequences = [{ known: all, recorded: all.slice(0, count) }]
        expectEqual("why", whyOf(before, { tables: own(before), applicationId, sequences }), null)
      }
    ),
    property(
      "a migration that is not known is of a newer version if its number is above all known ones, else of another history",
      [prefix, known, fc.integer({ min: 1, max: 40 }), fc.boolean()],
      (before, all, id, isKnownName) => {
        const extra = { id, name: isKnownName ? `change_${id}` : "other" }
        const recorded = [...all.filter((one) => one.id !== id), extra]
        const newest = Math.max(...all.map((one) => one.id))
        const isKnown = isKnownName && all.some((one) => one.id === id)
        const expected = isKnown ? null : id > newest ? "newer-version" : "unknown-migration"
        // A second sequence without a difference changes nothing.
        const sequences = [
          { known: all, recorded: all },
          { known: all, recorded }
        ]
        expectEqual("why", whyOf(before, { tables: own(before), applicationId: 0, sequences }), expected)
      }
    ),
    property(
      "tables of others are refused without a prefix, and with one only if their names are those of its tables",
      [
        fc.constantFrom("ear_", "x_"),
        fc.subarray(["customers", "orders"], { minLength: 1 }),
        fc.constantFrom(...TABLES)
      ],
      (before, foreign, table) => {
        const found = (tables: ReadonlyArray<string>) => ({ tables, applicationId: 0, sequences: [] })
        expectEqual("an empty database", whyOf("", found([])), null)
        expectEqual("without a prefix", whyOf("", found(foreign)), "another-application")
        expectEqual("with a prefix", whyOf(before, found(foreign)), null)
        expectEqual(
          "a table of its name",
          whyOf(before, found([...foreign, `${before}${table}`])),
          "another-application"
        )
        // An engine with a prefix shares a database with one without.
        expectEqual("beside an engine with a prefix", whyOf("", found(own(before))), null)
      }
    ),
    property(
      "another application's file is refused without a prefix alone",
      [prefix, fc.integer({ min: 1 })],
      (before, id) => {
        fc.pre(id !== APPLICATION_ID)
        const why = whyOf(before, { tables: own(before), applicationId: id, sequences: [] })
        expectEqual("why", why, before === "" ? "another-application" : null)
      }
    ),
    property(
      "names of migrations keep their underscores",
      [fc.array(fc.stringMatching(/^[a-z]{1,5}$/), { minLength: 1 })],
      (words) => {
        const name = words.join("_")
        expectEqual("the names", migrationNames({ [`0007_${name}`]: null }), [{ id: 7, name }])
      }
    )
  ])
    it(name, check)
})
