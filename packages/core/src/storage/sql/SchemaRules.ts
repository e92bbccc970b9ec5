/** Decides whether a database can be used: it is empty, or holds the tables of this version or an earlier one. */
import * as Data from "effect/Data"
import * as Option from "effect/Option"
import { TABLES } from "./Tables.js"

/**
 * A database that this version must not use: a newer version migrated it, it records a migration that this version does
 * not have, or its tables belong to another application. Nothing in it was changed.
 */
export class DatabaseIncompatible extends Data.TaggedError("DatabaseIncompatible")<{
  readonly why: "newer-version" | "unknown-migration" | "another-application"
  readonly reason: string
}> {
  override get message(): string {
    return this.reason
  }
}

/** "EARS" in ASCII: the application id in the header of an SQLite file, which `file` and other tools show. */
export const APPLICATION_ID = 0x45415253

export const MIGRATIONS_TABLE = "earshot_migrations"

/** A migration as the database records it and as this version names it. */
export interface MigrationName {
  readonly id: number
  readonly name: string
}

/** One sequence of migrations: those of the tables, or the revisions of the predefined metrics. */
export interface MigrationSequence {
  readonly recorded: ReadonlyArray<MigrationName>
  readonly known: ReadonlyArray<MigrationName>
}

export interface FoundSchema {
  /** The names of all tables of the SQLite file or of the PostgreSQL schema, except those of extensions. */
  readonly tables: ReadonlyArray<string>
  /** The application id of an SQLite file; 0 for none. */
  readonly applicationId: number
  readonly sequences: ReadonlyArray<MigrationSequence>
}

/** The names in a record of migrations: `0001_access` is number 1, `access`. */
export const migrationNames = (migrations: Readonly<Record<string, unknown>>): ReadonlyArray<MigrationName> =>
  Object.keys(migrations).map((key) => {
    const [id = "", ...name] = key.split("_")
    return { id: Number(id), name: name.join("_") }
  })

/** Names for a message: at most five. */
const listed = (names: ReadonlyArray<string>): string =>
  names.length > 5 ? `${names.slice(0, 5).join(", ")} and ${names.length - 5} more` : names.join(", ")

const anotherApplication = (reason: string) => new DatabaseIncompatible({ why: "another-application", reason })

const labelOf = ({ id, name }: MigrationName): string => `${String(id).padStart(4, "0")}_${name}`

/** What a sequence records that this version does not know: with a higher number than all it knows, or among them. */
const unknownIn = ({ known, recorded }: MigrationSequence): Option.Option<DatabaseIncompatible> => {
  const newest = known.reduce((highest, { id }) => Math.max(highest, id), 0)
  const names = new Map(known.map(({ id, name }) => [id, name]))
  const unknown = recorded.filter(({ id, name }) => names.get(id) !== name)
  if (unknown.length === 0) return Option.none()
  const differing = unknown.filter(({ id }) => id <= newest)
  return Option.some(
    differing.length > 0
      ? new DatabaseIncompatible({
          why: "unknown-migration",
          reason: `The database records migrations that this version of Earshot does not have (${listed(differing.map(labelOf))}), so its tables are not known. Use the version that created it, or restore a backup.`
        })
      : new DatabaseIncompatible({
          why: "newer-version",
          reason: `The database was migrated by a newer version of Earshot (${listed(unknown.map(labelOf))}). Upgrade this process; there is no way back but a backup from before the upgrade.`
        })
  )
}

/** Tables that no engine with a prefix of its own has made. */
const foreignTables = (tables: ReadonlyArray<string>): ReadonlyArray<string> => {
  const prefixes = tables
    .filter((name) => name.endsWith(MIGRATIONS_TABLE))
    .map((name) => name.slice(0, -MIGRATIONS_TABLE.length))
  return tables.filter((name) => !prefixes.some((prefix) => prefix !== "" && name.startsWith(prefix)))
}

/**
 * Why a database cannot be used, if it cannot. Without a table prefix the database, or the PostgreSQL schema, has to be
 * Earshot's own, except for engines with prefixes; with one, only names that begin with it are examined.
 */
export const incompatibility = (prefix: string, found: FoundSchema): Option.Option<DatabaseIncompatible> => {
  const { applicationId, sequences, tables } = found
  if (prefix === "" && applicationId !== 0 && applicationId !== APPLICATION_ID) {
    return Option.some(
      anotherApplication(
        `The database belongs to another application: its SQLite application id is 0x${(applicationId >>> 0).toString(16)}. Use a file of its own, or a table prefix to share this one.`
      )
    )
  }
  if (!tables.includes(`${prefix}${MIGRATIONS_TABLE}`)) {
    const taken =
      prefix === "" ? foreignTables(tables) : tables.filter((name) => TABLES.some((own) => name === `${prefix}${own}`))
    return taken.length === 0
      ? Option.none()
      : Option.some(
          anotherApplication(
            `The database has tables that are not Earshot's (${listed(taken)}). Use an empty database, or ${prefix === "" ? "a table prefix" : "another table prefix"} to share this one.`
          )
        )
  }
  return Option.firstSomeOf(sequences.map(unknownIn))
}
