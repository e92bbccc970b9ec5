/** The one place that names tables, indexes and functions: every statement takes the names from here. */
import type { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"

export const TABLES = [
  "organizations",
  "users",
  "api_keys",
  "shareable_links",
  "browser_sessions",
  "sign_in_links",
  "signing_keys",
  "revoked_tokens",
  "rate_limits",
  "projects",
  "agents",
  "personalities",
  "project_personalities",
  "test_profiles",
  "phone_numbers",
  "tools",
  "folders",
  "metrics",
  "calls",
  "call_transcripts",
  "call_recordings",
  "recording_peaks",
  "metric_evaluations",
  "metric_evaluation_details",
  "answer_latencies",
  "jobs",
  "credit_entries",
  "evaluators",
  "evaluator_tags",
  "evaluator_metrics",
  "evaluator_tools",
  "dashboards",
  "widgets",
  "code_connections",
  "checkout_grants",
  "integrations",
  "received_webhooks",
  "traces",
  "trace_keys",
  "trace_spans",
  "results",
  "result_scenarios",
  "runs",
  "run_transcripts",
  "run_evaluations",
  "run_outcomes",
  "run_recordings",
  "result_counts",
  "result_metrics",
  "capacity",
  "capacity_slots",
  "held_numbers",
  "simplifications",
  "simplified_prompts",
  "pending_blobs",
  "analytics_changes",
  "analytics_projection"
] as const
export type Table = (typeof TABLES)[number]

/** The tables of an engine whose names begin with its prefix, as fragments of statements. */
export type Tables = { readonly [Name in Table]: Fragment }

/** PostgreSQL cuts names after 63 bytes; the longest name of an index has 32 characters. */
const MAX_PREFIX_LENGTH = 30

/** Reads a table prefix; the error says what a prefix may be. */
export const parseTablePrefix = (prefix: string): Either.Either<string, string> =>
  prefix === "" ||
  (/^[a-z_][a-z0-9_]*$/.test(prefix) && prefix.length <= MAX_PREFIX_LENGTH && !/^(sqlite_|pg_)/.test(prefix))
    ? Either.right(prefix)
    : Either.left(
        `A table prefix has at most ${MAX_PREFIX_LENGTH} lower-case letters, digits and underscores, does not begin with a digit, and does not begin with sqlite_ or pg_.`
      )

export const tablesOf = (sql: SqlClient, prefix: string): Tables =>
  // eslint-disable-next-line typescript/consistent-type-assertions -- Object.fromEntries forgets the names of the keys
  Object.fromEntries(TABLES.map((name) => [name, sql.literal(`${prefix}${name}`)])) as unknown as Tables

/** The prefix of a storage layer's configuration; what is not one fails as a database that cannot be opened does. */
export const tablePrefix = (prefix = ""): Effect.Effect<string, SqlError> =>
  Either.mapLeft(parseTablePrefix(prefix), (message) => new SqlError({ cause: undefined, message }))
