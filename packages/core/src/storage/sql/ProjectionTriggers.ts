/**
 * The triggers that record changed calls for the column store, in the transaction of the change. They exist only while a
 * column store is used, so that nobody else pays for them. On PostgreSQL creating them waits for the transactions that are
 * writing, so that each of them is either recorded or visible to the rebuild that follows. Each version makes its own set
 * and replaces that of another one, by the hash of their text.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { hash } from "node:crypto"
import type { DialectFragments } from "./Dialect.js"
import type { Table } from "./Tables.js"

const EVENTS = ["INSERT", "UPDATE", "DELETE"] as const
type Event = (typeof EVENTS)[number]

/** What charts read of a call beside its row; each row has the call's id. */
const PARTS: ReadonlyArray<Table> = ["metric_evaluations", "answer_latencies"]

const triggerName = (table: Table, event: Event): string => `analytics_${table}_${event.toLowerCase()}`

/** Deleting a call or a value of a metric erases; so does redacting more fields of a call. */
const erasesBy = (event: Event): 0 | 1 => (event === "DELETE" ? 1 : 0)

interface Trigger {
  readonly table: Table
  readonly event: Event
  readonly text: string
}

/**
 * Row triggers. A change is not recorded again right after the same call's, unless that one was loaded since: the
 * evaluations of a call come one after another.
 */
const sqliteTriggers = (nameOf: DialectFragments["nameOf"]): ReadonlyArray<Trigger> => {
  const changes = nameOf("analytics_changes")
  const unlessLast = (call: string, erases: string): string =>
    `NOT EXISTS (SELECT 1 FROM ${changes} WHERE id = (SELECT max(id) FROM ${changes}) AND call_id = ${call}
      AND erases >= ${erases} AND id > (SELECT loaded FROM ${nameOf("analytics_projection")} WHERE id = 1))`
  return EVENTS.flatMap((event) => {
    const row = event === "DELETE" ? "OLD" : "NEW"
    const erases = event === "UPDATE" ? "(OLD.redact_fields <> NEW.redact_fields)" : String(erasesBy(event))
    const head = (table: Table) =>
      `CREATE TRIGGER ${nameOf(triggerName(table, event))} AFTER ${event} ON ${nameOf(table)}`
    return [
      {
        table: "calls" as const,
        event,
        text: `${head("calls")} WHEN ${unlessLast(`${row}.id`, erases)} BEGIN
          INSERT INTO ${changes} (call_id, organization_id, erases) VALUES (${row}.id, ${row}.organization_id, ${erases}); END`
      },
      ...PARTS.map((table) => ({
        table,
        event,
        text: `${head(table)} WHEN ${unlessLast(`${row}.call_id`, String(erasesBy(event)))} BEGIN
          INSERT INTO ${changes} (call_id, organization_id, erases)
          SELECT id, organization_id, ${erasesBy(event)} FROM ${nameOf("calls")} WHERE id = ${row}.call_id; END`
      }))
    ]
  })
}

/** The functions of PostgreSQL's triggers, by name. */
const postgresFunctions = (nameOf: DialectFragments["nameOf"]): Readonly<Record<string, string>> => {
  const into = `INSERT INTO ${nameOf("analytics_changes")} (call_id, organization_id, erases)`
  return {
    earshot_note_calls: `${into} SELECT id, organization_id, TG_ARGV[0]::smallint FROM changed`,
    earshot_note_changed_calls: `${into} SELECT id, c.organization_id, (c.redact_fields <> b.redact_fields)::int
      FROM changed c JOIN before b USING (id)`,
    // The list makes it use the index, whatever was known of the tables when the statement was planned.
    earshot_note_parts: `${into} SELECT id, organization_id, TG_ARGV[0]::smallint FROM ${nameOf("calls")}
      WHERE id = ANY (ARRAY(SELECT DISTINCT call_id FROM changed))`
  }
}

/** Statement triggers, since ingests and evaluations write many rows at once. */
const postgresTriggers = (nameOf: DialectFragments["nameOf"]): ReadonlyArray<Trigger> => {
  const trigger = (table: Table, event: Event, tables: string, run: string): Trigger => ({
    table,
    event,
    text: `CREATE TRIGGER ${nameOf(triggerName(table, event))} AFTER ${event} ON ${nameOf(table)}
      REFERENCING ${tables} FOR EACH STATEMENT EXECUTE FUNCTION ${run}`
  })
  return EVENTS.flatMap((event) => {
    const rows = event === "DELETE" ? "OLD TABLE AS changed" : "NEW TABLE AS changed"
    return [
      event === "UPDATE"
        ? trigger(
            "calls",
            event,
            "OLD TABLE AS before NEW TABLE AS changed",
            `${nameOf("earshot_note_changed_calls")}()`
          )
        : trigger("calls", event, rows, `${nameOf("earshot_note_calls")}('${erasesBy(event)}')`),
      ...PARTS.map((table) => trigger(table, event, rows, `${nameOf("earshot_note_parts")}('${erasesBy(event)}')`))
    ]
  })
}

export interface ProjectionTriggers {
  /** What the column `triggers` has while these exist. */
  readonly hash: string
  /** Creates them, in place of those of another version. */
  readonly create: Effect.Effect<void, SqlError>
  readonly drop: Effect.Effect<void, SqlError>
}

/** Both effects are run in a transaction that has locked the row of `analytics_projection`. */
export const make = (sql: SqlClient, { name, nameOf }: DialectFragments): ProjectionTriggers => {
  const triggers = name === "sqlite" ? sqliteTriggers(nameOf) : postgresTriggers(nameOf)
  const functions = name === "sqlite" ? [] : Object.entries(postgresFunctions(nameOf))
  const all = (statements: ReadonlyArray<string>) =>
    Effect.forEach(statements, (text) => sql.unsafe(text), { discard: true })
  const lock =
    name === "sqlite"
      ? []
      : [...PARTS, "calls"].map((table) => `LOCK TABLE ${nameOf(table)} IN SHARE ROW EXCLUSIVE MODE`)
  const drop = all([
    ...lock,
    ...triggers.map(({ event, table }) =>
      name === "sqlite"
        ? `DROP TRIGGER IF EXISTS ${nameOf(triggerName(table, event))}`
        : `DROP TRIGGER IF EXISTS ${nameOf(triggerName(table, event))} ON ${nameOf(table)}`
    ),
    ...functions.map(([one]) => `DROP FUNCTION IF EXISTS ${nameOf(one)}()`)
  ])
  return {
    hash: hash("sha256", JSON.stringify([triggers, functions]), "hex").slice(0, 16),
    create: Effect.zipRight(
      drop,
      all([
        ...functions.map(
          ([one, body]) =>
            `CREATE FUNCTION ${nameOf(one)}() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN ${body}; RETURN NULL; END $body$`
        ),
        ...triggers.map(({ text }) => text)
      ])
    ),
    drop
  }
}
