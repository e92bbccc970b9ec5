import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Context from "effect/Context"
import type { Json } from "../../kernel/Json.js"
import type { TestPattern } from "./PatternThreads.js"
import { documentText } from "./Rows.js"
import { type Tables, tablesOf } from "./Tables.js"

/**
 * The differences between the two databases, one named fragment each with its reason. SQL is written once, with these
 * fragments. Both store booleans as 0 and 1 and instants as epoch milliseconds, so neither needs a fragment: SQLite has no
 * such types, and its driver rejects them.
 */
export interface DialectFragments {
  readonly name: "sqlite" | "postgres"
  /** The tables by the names they have in this database, which begin with the configured prefix. */
  readonly tables: Tables
  /**
   * The name in this database of what has no fragment in `tables`: indexes, functions, migration tables, and tables in
   * statements that are plain text.
   */
  readonly nameOf: (name: string) => string
  /** Column types. SQLite's INTEGER PRIMARY KEY is the row's own key; AUTOINCREMENT prevents the reuse of ids. */
  readonly column: {
    readonly id: Fragment
    readonly integer: Fragment
    readonly real: Fragment
    readonly text: Fragment
    readonly flag: Fragment
    /** JSON that SQL queries: TEXT in SQLite (its JSON functions read text), jsonb in PostgreSQL. Read back as text. */
    readonly json: Fragment
  }
  /**
   * The end of a table of short rows with a primary key of several columns: SQLite would store the key twice, in the table
   * and in an index; PostgreSQL has no alternative.
   */
  readonly keyOnly: Fragment
  /** Binds a JSON document to a `json` column. */
  readonly json: (value: Json | null) => Fragment
  /** A list of integers as a one-column table, bound as one parameter however long it is. */
  readonly integers: (values: ReadonlyArray<number>) => Fragment
  /**
   * Whether a column is one of a list of integers. PostgreSQL looks the items up in an index of the column, or each row in
   * the list. A join with `integers` depends on the table's statistics: with those of an empty table, it compares each row
   * with each item.
   */
  readonly isOneOf: (column: string, values: ReadonlyArray<number>) => Fragment
  /** A list of texts as a one-column table, bound as one parameter however long it is. */
  readonly texts: (values: ReadonlyArray<string>) => Fragment
  /** A list of numbers as a one-column table, bound as one parameter however long it is. */
  readonly numbers: (values: ReadonlyArray<number>) => Fragment
  /** A list of ranges of integers as a table of columns `low` and `high`, bound as one parameter however long it is. */
  readonly ranges: (values: ReadonlyArray<readonly [low: number, high: number]>) => Fragment
  /**
   * The rows of a query for each of a list of ranges of integers, as a table of `low` and the query's columns. PostgreSQL
   * has LATERAL. In SQLite only functions that return tables know the tables before them, so the rows of a range become
   * JSON and rows again, which keeps integers, floating-point numbers and texts as they are.
   */
  readonly perRange: (
    ranges: ReadonlyArray<readonly [low: number, high: number]>,
    columns: ReadonlyArray<string>,
    query: (low: Fragment, high: Fragment) => Fragment
  ) => Fragment
  /** A text as comparisons order it by code point: SQLite always does, PostgreSQL only in its collation "C". */
  readonly byCodePoint: (text: Fragment) => Fragment
  /** The bytes of a column's value as text, 0 for NULL. Neither database reads a long text for this. */
  readonly bytes: (column: Fragment) => Fragment
  /** Whether a text has a part, case-sensitively: LIKE treats `%` and `_` as wildcards and, in SQLite, ignores case. */
  readonly contains: (text: Fragment, part: string) => Fragment
  /** Whether a text ends with a part that is not empty. `substr` counts from the end in SQLite only. */
  readonly endsWith: (text: Fragment, part: string) => Fragment
  /**
   * A value inside a `json` column, under these keys of objects: a key that looks like a number is a key too, and lists are
   * not indexed. SQLite has paths, in which a quoted key is a key of an object; PostgreSQL's paths of text would
   * index lists, so its steps are taken one by one.
   */
  readonly jsonAt: (column: Fragment, path: ReadonlyArray<string>) => JsonFragments
  /**
   * An aggregate: a JSON list with an object for each row, as text, in the order of a column. Numbers and texts are as they
   * are in the columns.
   */
  readonly jsonObjects: (columns: Readonly<Record<string, string>>, order: string) => Fragment
  /** An aggregate: a JSON list of the texts of a column, as text. */
  readonly jsonTexts: (column: string) => Fragment
  /** The first instant of the month (UTC) that an instant lies in; both are epoch milliseconds. */
  readonly startOfMonth: (millis: Fragment) => Fragment
  /**
   * An exact percentile, 0 to 1, by linear interpolation between ranks: the standard's ordered-set aggregate in
   * PostgreSQL, a function of two arguments in SQLite.
   */
  readonly percentile: (value: Fragment, at: number) => Fragment
  /**
   * The numbers of a column of lists (see `jsonRows`) as a table `listed` of `value`, to be joined. SQLite reads JSON, which
   * takes it some 800 ns a number.
   */
  readonly listed: (list: Fragment) => Fragment
  /**
   * As `percentile`, of all numbers in a column of lists: a function of SQLite's reader processes. Undefined where there is
   * none; then the numbers are counted in SQL.
   */
  readonly percentileOfLists: ((list: Fragment, at: number) => Fragment) | undefined
  /**
   * Whether a text has a match of a pattern, in the statements of reads: a function of SQLite's reader processes. Undefined
   * where there is none; then the values are tested in process (see `FilterSql`).
   */
  readonly matches: ((text: Fragment, pattern: string) => Fragment) | undefined
  /**
   * Tests values with a pattern in a thread of its own, where there is no `matches`. Undefined where they are tested in this
   * thread: for a database in memory, which blocks it anyway.
   */
  readonly testPattern: TestPattern | undefined
  /** Locks the rows read until the transaction ends; SQLite's write transactions exclude each other as a whole. */
  readonly forUpdate: Fragment
  /** Locks the rows read against changes until the transaction ends, but not against others that lock them so. */
  readonly forShare: Fragment
  /** As `forUpdate`, but skips rows that another transaction has locked, as for claims. */
  readonly skipLocked: Fragment
  /** The same for the rows of one of several tables that are read together. */
  readonly forUpdateOf: (table: string) => Fragment
  /**
   * A statement that locks texts until the transaction ends, whether or not a row has them, so that it comes before the
   * transaction's other locks. They are locked by 256 hashes, in the order of these: few locks however many texts, and
   * nobody waits in a circle. Undefined where write transactions exclude each other as a whole.
   */
  readonly lockTexts: ((namespace: string, texts: ReadonlyArray<string>) => Fragment) | undefined
}

/** Tests of a value inside a JSON document. Types are strict: the number 5 is not the text "5". */
export interface JsonFragments {
  /** No value there, or JSON's null. Never unknown. */
  readonly isMissing: Fragment
  /** Equal to one of these values, of which there is at least one. Never unknown. */
  readonly isAmong: (values: ReadonlyArray<string | number | boolean>) => Fragment
  /** The value if it is a number, else NULL. */
  readonly number: Fragment
  /** The value if it is a text, else NULL. */
  readonly text: Fragment
  /** The value if it is a boolean, as 0 or 1, else NULL. */
  readonly flag: Fragment
}

/** Functions of a connection of SQLite's, by their names there. */
export interface SqliteFunctions {
  /** Tests a text with a pattern. */
  readonly matches?: string
  /** A percentile of all numbers in a column of lists. */
  readonly percentileOfLists?: string
}

export class Dialect extends Context.Tag("@earshot/core/storage/sql/Dialect")<Dialect, DialectFragments>() {}

const namesAndValues = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([name, value]) => `'${name}', ${value}`)
    .join(", ")

/**
 * @param tablePrefix what the names of tables, indexes and functions begin with (default: none)
 * @param functions the names of the functions that the statements of reads have (default: none)
 */
export const sqliteDialect = (
  sql: SqlClient,
  tablePrefix = "",
  { matches, percentileOfLists }: SqliteFunctions = {}
): DialectFragments => ({
  name: "sqlite",
  tables: tablesOf(sql, tablePrefix),
  nameOf: (name) => `${tablePrefix}${name}`,
  column: {
    id: sql.literal("INTEGER PRIMARY KEY AUTOINCREMENT"),
    integer: sql.literal("INTEGER"),
    real: sql.literal("REAL"),
    text: sql.literal("TEXT"),
    flag: sql.literal("INTEGER"),
    json: sql.literal("TEXT")
  },
  keyOnly: sql.literal("WITHOUT ROWID"),
  json: (value) => sql`${documentText(value)}`,
  integers: (values) => sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`,
  isOneOf: (column, values) => sql`${sql.literal(column)} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`,
  texts: (values) => sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`,
  numbers: (values) => sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`,
  ranges: (values) => sql`(SELECT value ->> 0 AS low, value ->> 1 AS high FROM json_each(${JSON.stringify(values)}))`,
  perRange: (ranges, columns, query) => {
    const rows = query(sql`(range.value ->> 0)`, sql`(range.value ->> 1)`)
    const named = columns.map((name, at) => sql`(found.value ->> ${sql.literal(String(at))}) AS ${sql(name)}`)
    return sql`(SELECT ${sql.csv([sql`(range.value ->> 0) AS low`, ...named])}
      FROM json_each(${JSON.stringify(ranges)}) range CROSS JOIN json_each((
        SELECT json_group_array(json_array(${sql.csv(columns.map((name) => sql`${sql(name)}`))})) FROM (${rows}) AS one
      )) found)`
  },
  byCodePoint: (text) => text,
  bytes: (column) => sql`COALESCE(octet_length(${column}), 0)`,
  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
  endsWith: (text, part) => sql`substr(${text}, -length(${part})) = ${part}`,
  jsonAt: (column, path) => {
    // JSON's own quoting is that of SQLite's paths.
    const steps = `$${path.map((key) => `.${JSON.stringify(key)}`).join("")}`
    const kind = sql`json_type(${column}, ${steps})`
    const value = sql`json_extract(${column}, ${steps})`
    return {
      isMissing: sql`COALESCE(${kind}, 'null') = 'null'`,
      isAmong: (values) => {
        const numbers = values.filter((one) => typeof one === "number")
        const texts = values.filter((one) => typeof one === "string")
        return sql.or([
          ...(numbers.length === 0
            ? []
            : [
                sql`(COALESCE(${kind}, 'null') IN ('integer', 'real')
                  AND ${value} IN (SELECT value FROM json_each(${JSON.stringify(numbers)})))`
              ]),
          ...(texts.length === 0
            ? []
            : [sql`(${kind} IS 'text' AND ${value} IN (SELECT value FROM json_each(${JSON.stringify(texts)})))`]),
          // json_extract makes numbers of booleans.
          ...(values.includes(true) ? [sql`${kind} IS 'true'`] : []),
          ...(values.includes(false) ? [sql`${kind} IS 'false'`] : [])
        ])
      },
      number: sql`CASE WHEN ${kind} IN ('integer', 'real') THEN ${value} END`,
      text: sql`CASE WHEN ${kind} = 'text' THEN ${value} END`,
      flag: sql`CASE ${kind} WHEN 'true' THEN 1 WHEN 'false' THEN 0 END`
    }
  },
  // Rounded down to seconds, also before 1970: integer division rounds towards zero.
  jsonObjects: (columns, order) =>
    sql.literal(`json_group_array(json_object(${namesAndValues(columns)}) ORDER BY ${order})`),
  jsonTexts: (column) => sql.literal(`json_group_array(${column})`),
  startOfMonth: (millis) =>
    sql`unixepoch((${millis} - ((${millis} % 1000) + 1000) % 1000) / 1000, 'unixepoch', 'start of month') * 1000`,
  percentile: (value, at) => sql`percentile_cont(${value}, ${at})`,
  listed: (list) => sql`json_each(${list}) AS listed`,
  percentileOfLists:
    percentileOfLists === undefined ? undefined : (list, at) => sql`${sql.literal(percentileOfLists)}(${list}, ${at})`,
  matches: matches === undefined ? undefined : (text, pattern) => sql`${sql.literal(matches)}(${text}, ${pattern})`,
  testPattern: undefined,
  forUpdate: sql.literal(""),
  forShare: sql.literal(""),
  skipLocked: sql.literal(""),
  forUpdateOf: () => sql.literal(""),
  lockTexts: undefined
})

/**
 * @param tablePrefix what the names of tables, indexes and functions begin with (default: none)
 * @param testPattern tests values with a pattern outside of this thread, if anything does
 */
export const postgresDialect = (sql: SqlClient, tablePrefix = "", testPattern?: TestPattern): DialectFragments => ({
  name: "postgres",
  tables: tablesOf(sql, tablePrefix),
  nameOf: (name) => `${tablePrefix}${name}`,
  column: {
    id: sql.literal("BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
    integer: sql.literal("BIGINT"),
    real: sql.literal("DOUBLE PRECISION"),
    text: sql.literal("TEXT"),
    flag: sql.literal("SMALLINT"),
    json: sql.literal("JSONB")
  },
  keyOnly: sql.literal(""),
  json: (value) => sql`${documentText(value)}::jsonb`,
  // The planner knows the length of an array. For JSON it assumes 100 rows, and scans a table for one id.
  integers: (values) => sql`(SELECT value FROM unnest(${`{${values.join(",")}}`}::bigint[]) AS listed (value))`,
  isOneOf: (column, values) => sql`${sql.literal(column)} = ANY (${`{${values.join(",")}}`}::bigint[])`,
  texts: (values) => sql`(SELECT value FROM jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`,
  numbers: (values) => sql`(SELECT value FROM unnest(${`{${values.join(",")}}`}::float8[]) AS listed (value))`,
  ranges: (values) =>
    sql`(SELECT (value ->> 0)::bigint AS low, (value ->> 1)::bigint AS high
      FROM jsonb_array_elements(${JSON.stringify(values)}::jsonb))`,
  perRange: (ranges, columns, query) => {
    const list = (values: ReadonlyArray<number>) => sql`${`{${values.join(",")}}`}::bigint[]`
    const [lows, highs] = [ranges.map(([low]) => low), ranges.map(([, high]) => high)]
    return sql`(SELECT range.low, ${sql.csv(columns.map((name) => sql`found.${sql(name)}`))}
      FROM unnest(${list(lows)}, ${list(highs)}) AS range (low, high)
      CROSS JOIN LATERAL (${query(sql`range.low`, sql`range.high`)}) AS found)`
  },
  byCodePoint: (text) => sql`(${text}) COLLATE "C"`,
  bytes: (column) => sql`COALESCE(octet_length((${column})::text), 0)`,
  contains: (text, part) => sql`strpos(${text}, ${part}) > 0`,
  endsWith: (text, part) => sql`right(${text}, length(${part}::text)) = ${part}`,
  jsonAt: (column, path) => {
    const value = path.reduce((above, key) => sql`${above} -> ${key}::text`, column)
    return {
      isMissing: sql`COALESCE(jsonb_typeof(${value}) = 'null', TRUE)`,
      isAmong: (values) =>
        sql`COALESCE((${value}) IN (SELECT jsonb_array_elements(${JSON.stringify(values)}::jsonb)), FALSE)`,
      // CASE, since AND may be worked out in any order, and the cast fails on what is no number.
      number: sql`CASE WHEN jsonb_typeof(${value}) = 'number' THEN (${value} #>> '{}')::float8 END`,
      text: sql`CASE WHEN jsonb_typeof(${value}) = 'string' THEN ${value} #>> '{}' END`,
      flag: sql`CASE ${value} WHEN 'true' THEN 1 WHEN 'false' THEN 0 END`
    }
  },
  jsonObjects: (columns, order) =>
    sql.literal(`COALESCE(json_agg(json_build_object(${namesAndValues(columns)}) ORDER BY ${order}), '[]')::text`),
  jsonTexts: (column) => sql.literal(`json_agg(${column})::text`),
  startOfMonth: (millis) =>
    sql`(extract(epoch FROM date_trunc('month', to_timestamp(${millis} / 1000.0), 'UTC')) * 1000)::bigint`,
  percentile: (value, at) => sql`percentile_cont(${at}::float8) WITHIN GROUP (ORDER BY ${value})`,
  listed: (list) => sql`unnest(${list}) AS listed (value)`,
  percentileOfLists: undefined,
  matches: undefined,
  testPattern,
  forUpdate: sql.literal("FOR UPDATE"),
  forShare: sql.literal("FOR SHARE"),
  skipLocked: sql.literal("FOR UPDATE SKIP LOCKED"),
  forUpdateOf: (table) => sql.literal(`FOR UPDATE OF ${table}`),
  lockTexts: (namespace, texts) =>
    sql`SELECT pg_advisory_xact_lock(number) FROM (
      SELECT DISTINCT hashtextextended(${`${tablePrefix}${namespace}:`}::text || (hashtextextended(value, 0) & 255), 0) AS number
      FROM jsonb_array_elements_text(${JSON.stringify(texts)}::jsonb) ORDER BY number) AS numbers`
})
