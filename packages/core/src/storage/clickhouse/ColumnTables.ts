/**
 * The tables of the column store. A change of them, or of what their rows mean, needs a new `SCHEMA_VERSION`: tables of an
 * earlier version are made again.
 */

/** The version of these tables. */
export const SCHEMA_VERSION = 2

/** The oldest engine that has all that is used here, as major and minor version. */
export const OLDEST_ENGINE = [25, 8] as const

/**
 * Calls with ids this near are kept together, so that a change rewrites no more than one such part: ids are in the order of
 * time, and what changes is mostly new.
 */
const CALLS_A_PART = 4_194_304

/** The most keys of documents that have a column of their own; values of further keys share columns and are read slower. */
const MAX_KEYS = 100

/**
 * Rows of replaced parts contain values that may have been erased, so they are removed after some seconds instead of 8
 * minutes. The engine waits for so long since it does not flush merged parts to the disk; here it does.
 */
const SETTINGS = `SETTINGS old_parts_lifetime = 5, merge_tree_clear_old_parts_interval_seconds = 1,
  cleanup_delay_period = 5, cleanup_delay_period_random_add = 1, max_cleanup_delay_period = 10,
  fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1,
  min_bytes_for_wide_part = 10485760`

const DOCUMENT = `JSON(max_dynamic_paths = ${MAX_KEYS}, max_dynamic_types = 2)`

/** Numbers that grow from row to row: as differences they take 2 % of the space, and are read in half the time. */
const GROWING = "Int64 CODEC(Delta, LZ4)"

export interface ColumnTables {
  readonly installation: string
  readonly epochs: string
  readonly superseded: string
  readonly rows: string
  readonly calls: string
  readonly evaluations: string
}

/** The names of the tables; `prefix` is made of letters, digits and underscores. */
export const tablesOf = (prefix: string): ColumnTables => ({
  installation: `${prefix}installation`,
  epochs: `${prefix}epochs`,
  superseded: `${prefix}superseded`,
  rows: `${prefix}rows`,
  calls: `${prefix}calls`,
  evaluations: `${prefix}evaluations`
})

/** The tables that hold something of each call, in the order in which it is written. */
export const ofCalls = (tables: ColumnTables): ReadonlyArray<string> => [tables.evaluations, tables.calls, tables.rows]

/**
 * The definitions. Each version of a call that is written has a row number of its own, in ascending order, under which
 * `calls`, `evaluations` and `rows` have what belongs to it. Which rows are visible: see `Snapshot.ts`.
 */
export const definitions = (tables: ColumnTables): ReadonlyArray<string> => [
  // Who the tables belong to. The newest row counts.
  `CREATE TABLE IF NOT EXISTS ${tables.installation} (
    at_ms Int64, schema_version Int64, owner String, generation String
  ) ENGINE = MergeTree ORDER BY at_ms ${SETTINGS}`,
  // Ranges of row numbers that writers took, above "base". Rows up to "published" are complete; of an earlier range those
  // count that were published when the next began, which has their last number as "ended". Rows were superseded up to
  // "replaced"; such rows are being erased up to "erased", and are gone up to "cleaned".
  `CREATE TABLE IF NOT EXISTS ${tables.epochs} (
    base Int64, ended SimpleAggregateFunction(max, Int64), published SimpleAggregateFunction(max, Int64),
    replaced SimpleAggregateFunction(max, Int64), erased SimpleAggregateFunction(max, Int64),
    cleaned SimpleAggregateFunction(max, Int64)
  ) ENGINE = AggregatingMergeTree ORDER BY base ${SETTINGS}`,
  // Rows that are replaced or deleted since the row number "since" was published.
  `CREATE TABLE IF NOT EXISTS ${tables.superseded} (
    project_id Int64, row Int64, since Int64
  ) ENGINE = MergeTree ORDER BY (project_id, row) ${SETTINGS}`,
  `CREATE TABLE IF NOT EXISTS ${tables.rows} (
    id ${GROWING}, row ${GROWING}, project_id Int64, version Int64, digest FixedString(32), evaluations UInt32
  ) ENGINE = MergeTree PARTITION BY intDiv(id, ${CALLS_A_PART}) ORDER BY (id, row) ${SETTINGS}`,
  `CREATE TABLE IF NOT EXISTS ${tables.calls} (
    row ${GROWING}, id ${GROWING}, organization_id Int64, project_id Int64, agent_id Int64, timestamp_ms ${GROWING},
    duration_s Nullable(Float64), success Nullable(UInt8), is_reviewed UInt8, call_id String, trace_id String,
    customer_number Nullable(String), call_ended_reason LowCardinality(Nullable(String)),
    dropoff_point LowCardinality(Nullable(String)), topic LowCardinality(Nullable(String)), feedback Nullable(String),
    metadata ${DOCUMENT}, dynamic_variables ${DOCUMENT}
  ) ENGINE = MergeTree PARTITION BY intDiv(id, ${CALLS_A_PART})
    ORDER BY (organization_id, project_id, timestamp_ms, row) ${SETTINGS}`,
  `CREATE TABLE IF NOT EXISTS ${tables.evaluations} (
    row ${GROWING}, id ${GROWING}, organization_id Int64, project_id Int64, timestamp_ms ${GROWING}, metric_id Int64,
    value_kind Enum8('null' = 0, 'number' = 1, 'boolean' = 2, 'text' = 3), value_number Nullable(Float64),
    value_text LowCardinality(Nullable(String)), answer_latencies_ms Array(Float64)
  ) ENGINE = MergeTree PARTITION BY intDiv(id, ${CALLS_A_PART})
    ORDER BY (organization_id, project_id, metric_id, timestamp_ms, row) ${SETTINGS}`
]
