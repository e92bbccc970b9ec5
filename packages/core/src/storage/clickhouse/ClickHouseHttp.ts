/** ClickHouse's HTTP interface, by `@clickhouse/client`. */
import { ClickHouseError, ClickHouseLogLevel, type ClickHouseSettings, createClient } from "@clickhouse/client"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ColumnStoreReason, ColumnStoreUnavailable } from "../../analytics/Projection.js"
import type { ClickHouseEngine } from "./ClickHouseEngine.js"
import type { Statement } from "./Statement.js"

export interface ClickHouseHttpConfig {
  /** `http://host:port` or `https://host:port`. */
  readonly url: string
  readonly username: string
  readonly password: string
  readonly database: string
  /** The certificate of the authority that signed the server's, in PEM; by default those that Node trusts. */
  readonly certificateAuthority?: Buffer
  /** How long a question may take. */
  readonly queryTimeout: Duration.Duration
  /** How many requests there are at a time; more wait. */
  readonly connections: number
}

/** How long definitions and mutations may take, and how much longer a client waits than the engine may work. */
const RUN_LIMIT = Duration.minutes(30)
const GRACE = Duration.seconds(2)

/** The most bytes of an answer: those of a chart's cells are far below. */
const MAX_RESULT_BYTES = 67_108_864

/** The longest statement: the largest filters take some hundred kilobytes. */
const MAX_STATEMENT_BYTES = 16_777_216

/** What may differ between servers and would change a result. */
const SETTINGS: ClickHouseSettings = {
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_denormals: 0,
  join_use_nulls: 1,
  transform_null_in: 0,
  group_by_overflow_mode: "throw",
  max_query_size: String(MAX_STATEMENT_BYTES),
  max_ast_elements: "1000000",
  max_expanded_ast_elements: "5000000",
  max_result_bytes: String(MAX_RESULT_BYTES),
  result_overflow_mode: "throw",
  cancel_http_readonly_queries_on_client_close: 1
}

/** Texts in documents stay texts, numbers are read exactly, and an insert has been written when it returns. */
const INSERT_SETTINGS: ClickHouseSettings = {
  input_format_try_infer_dates: 0,
  input_format_try_infer_datetimes: 0,
  input_format_json_try_infer_numbers_from_strings: 0,
  precise_float_parsing: 1,
  async_insert: 0,
  max_partitions_per_insert_block: "0"
}

/** https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp */
const REASONS: Readonly<Record<string, ColumnStoreReason>> = {
  /** TIMEOUT_EXCEEDED, TOO_SLOW, QUERY_WAS_CANCELLED, TOO_MANY_SIMULTANEOUS_QUERIES, TOO_MANY_PARTS */
  "159": "slow",
  "160": "slow",
  "394": "slow",
  "202": "slow",
  "252": "slow",
  /** MEMORY_LIMIT_EXCEEDED, NOT_ENOUGH_SPACE, CANNOT_ALLOCATE_MEMORY, TOO_MANY_ROWS_OR_BYTES */
  "241": "full",
  "243": "full",
  "173": "full",
  "396": "full",
  /** UNKNOWN_USER, WRONG_PASSWORD, REQUIRED_PASSWORD, AUTHENTICATION_FAILED, UNKNOWN_DATABASE */
  "192": "unreachable",
  "193": "unreachable",
  "194": "unreachable",
  "516": "unreachable",
  "81": "unreachable",
  /** UNKNOWN_TABLE, NO_SUCH_COLUMN_IN_TABLE, UNKNOWN_SETTING, UNKNOWN_FUNCTION, UNKNOWN_IDENTIFIER */
  "60": "version",
  "16": "version",
  "115": "version",
  "46": "version",
  "47": "version"
}

const reasonOf = (cause: unknown): ColumnStoreReason => {
  if (cause instanceof ClickHouseError) {
    // A full disk is reported as a failed write: error 28 of the operating system.
    if (/No space left on device|errno: 28\b/.test(cause.message)) return "full"
    return REASONS[cause.code] ?? "failed"
  }
  if (!(cause instanceof Error)) return "failed"
  if (/timeout/i.test(cause.message)) return "slow"
  return "code" in cause || cause.message.includes("socket hang up") ? "unreachable" : "failed"
}

/** Connects when it is used. Fails with `unreachable` as long as there is no such server. */
export const make = (config: ClickHouseHttpConfig): Effect.Effect<ClickHouseEngine, never, Scope.Scope> =>
  Effect.gen(function* () {
    const client = yield* Effect.acquireRelease(
      Effect.sync(() =>
        createClient({
          url: config.url,
          username: config.username,
          password: config.password,
          database: config.database,
          application: "earshot",
          request_timeout: Duration.toMillis(RUN_LIMIT),
          max_open_connections: config.connections,
          // Values never make a request line too long.
          use_multipart_params_auto: true,
          // Rows are inserted as the texts that they are given as.
          json: { stringify: String },
          log: { level: ClickHouseLogLevel.OFF },
          ...(config.certificateAuthority === undefined ? {} : { tls: { ca_cert: config.certificateAuthority } })
        })
      ),
      (opened) => Effect.promise(() => opened.close())
    )
    const seconds = Math.max(1, Math.ceil(Duration.toSeconds(config.queryTimeout)))
    const attempt = <A>(operation: string, limit: Duration.Duration, run: (signal: AbortSignal) => Promise<A>) =>
      Effect.tryPromise({
        try: run,
        catch: (cause) => new ColumnStoreUnavailable({ reason: reasonOf(cause), operation, cause })
      }).pipe(
        Effect.timeoutFail({
          duration: limit,
          onTimeout: () =>
            new ColumnStoreUnavailable({
              reason: "slow",
              operation,
              cause: new Error(`No answer within ${Duration.format(limit)}.`)
            })
        })
      )
    return {
      rows: (operation: string, { parameters, text }: Statement) =>
        attempt(operation, Duration.sum(config.queryTimeout, GRACE), async (signal) => {
          const result = await client.query({
            query: text,
            query_params: { ...parameters },
            format: "JSONEachRow",
            abort_signal: signal,
            clickhouse_settings: { ...SETTINGS, max_execution_time: seconds }
          })
          return result.json<object>()
        }),
      insert: (table, rows) =>
        rows.length === 0
          ? Effect.void
          : Effect.asVoid(
              attempt(`insert into ${table}`, Duration.sum(config.queryTimeout, GRACE), (signal) =>
                client.insert({
                  table,
                  values: rows,
                  format: "JSONEachRow",
                  abort_signal: signal,
                  clickhouse_settings: { ...INSERT_SETTINGS, max_execution_time: seconds }
                })
              )
            ),
      run: (operation, { text }) =>
        Effect.asVoid(attempt(operation, RUN_LIMIT, (signal) => client.command({ query: text, abort_signal: signal })))
    }
  })
