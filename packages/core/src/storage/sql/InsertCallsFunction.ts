/**
 * The PostgreSQL function that inserts the new ones of many delivered calls, with their transcripts, recordings, charges
 * and evaluation jobs, and answers which they were. It is a function because the server plans a function's statement once
 * a connection, and a statement of the driver's every time: planning this one takes as long as running it for one call.
 *
 * Its text is made of the lists and constants that the rest of the program uses, and its name ends in a hash of the text:
 * processes of two versions on one database each call their own function.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { hash } from "node:crypto"
import { evaluationJob } from "../../calls/EvaluationJob.js"
import { redactionChargeKey } from "../../calls/RedactionCharge.js"
import { CallId, MetricId, OrganizationId } from "../../kernel/Ids.js"
import { declared, declaredRecording, INSERTED, RECORDING, REDACTION_CHARGE, TRANSCRIPT } from "./CallColumns.js"
import type { DialectFragments } from "./Dialect.js"
import { jobColumns, SERVER_TIME } from "./JobStoreSql.js"

/** Stand for what is known only in the function, in rows that are made as for any other call. */
const ORGANIZATION = 7_000_001
const CALL = 7_000_002
const METRIC = 7_000_003
const NOW = 7_000_004
const DUE = 7_000_005

/** What stands for a value, and the expression of the function that gives it. */
const EXPRESSIONS: Readonly<Record<string, string>> = {
  [`[${METRIC}]`]: "COALESCE(g.asked_metrics, 'null')",
  [ORGANIZATION]: "g.organization_id",
  [CALL]: "kept.id",
  [NOW]: "g.created_ms",
  // The clock of the process that ingests may be ahead of the server's, by which jobs are due.
  [DUE]: `LEAST(g.created_ms, ${SERVER_TIME})`
}
const PLACEHOLDER = new RegExp(`(\\[${METRIC}\\]|${ORGANIZATION}|${CALL}|${NOW})`)

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

const expressionOf = (value: string | number | null): string =>
  value === null
    ? "NULL"
    : typeof value === "number"
      ? (EXPRESSIONS[value] ?? String(value))
      : ["''", ...value.split(PLACEHOLDER).filter((part) => part !== "")]
          .map((part, position) => (position === 0 ? part : (EXPRESSIONS[part] ?? quoted(part))))
          .join(" || ")

const job = {
  ...jobColumns(evaluationJob(OrganizationId.make(ORGANIZATION), CallId.make(CALL), [MetricId.make(METRIC)]), NOW),
  due_ms: DUE
}

/** The function's definition after its name. */
const bodyOf = ({ nameOf }: DialectFragments): string => `(deliveries json)
  RETURNS TABLE(id bigint, agent_id bigint, call_id text) LANGUAGE plpgsql AS $body$
  #variable_conflict use_column
  BEGIN
  -- Keys are inserted in their order, or two writers with the same ones could wait for each other.
  RETURN QUERY WITH given AS MATERIALIZED (
    SELECT * FROM json_to_recordset(deliveries) AS g(${declared(INSERTED)}, ${TRANSCRIPT.map((name) => `${name} text`).join(", ")},
      recording jsonb, charge_micros bigint, evaluates boolean)
  ), kept AS (
    INSERT INTO ${nameOf("calls")} (${INSERTED.join(", ")}) SELECT ${INSERTED.join(", ")} FROM given
    ORDER BY agent_id, call_id
    ON CONFLICT (agent_id, call_id) DO NOTHING RETURNING id, agent_id, call_id
  ), transcripts AS (
    INSERT INTO ${nameOf("call_transcripts")} (call_id, ${TRANSCRIPT.join(", ")})
    SELECT kept.id, ${TRANSCRIPT.map((name) => `g.${name}`).join(", ")} FROM kept JOIN given g USING (agent_id, call_id)
    WHERE g.transcript IS NOT NULL
  ), recordings AS (
    INSERT INTO ${nameOf("call_recordings")} (call_id, ${RECORDING.join(", ")})
    SELECT kept.id, ${RECORDING.map((name) => `r.${name}`).join(", ")} FROM kept JOIN given g USING (agent_id, call_id)
      CROSS JOIN LATERAL jsonb_to_record(g.recording) AS r(${declaredRecording})
    WHERE g.recording IS NOT NULL
  ), evaluations AS (
    INSERT INTO ${nameOf("jobs")} (${Object.keys(job).join(", ")})
    SELECT ${Object.values(job).map(expressionOf).join(", ")}
    FROM kept JOIN given g USING (agent_id, call_id) WHERE g.evaluates
  ), charges AS (
    INSERT INTO ${nameOf("credit_entries")} (organization_id, project_id, agent_id, call_id, reason, charge_key, seconds,
      amount_micros, created_ms)
    SELECT g.organization_id, g.project_id, g.agent_id, kept.id, ${quoted(REDACTION_CHARGE)},
      ${expressionOf(redactionChargeKey(CallId.make(CALL)))}, g.duration_s, g.charge_micros, g.created_ms
    FROM kept JOIN given g USING (agent_id, call_id) WHERE g.charge_micros IS NOT NULL
    ON CONFLICT (charge_key) DO NOTHING
  )
  SELECT id, agent_id, call_id FROM kept;
  END
  $body$`

/** The function's name in this database. */
export const insertCallsFunction = (dialect: DialectFragments): string =>
  dialect.nameOf(`earshot_insert_calls_${hash("sha256", bodyOf(dialect), "hex").slice(0, 8)}`)

/** Creates the function where it is not there yet. Run in a transaction that holds the lock of the migrations. */
export const createInsertCallsFunction = (sql: SqlClient, dialect: DialectFragments): Effect.Effect<void, SqlError> => {
  const name = insertCallsFunction(dialect)
  return Effect.flatMap(
    sql<{ readonly found: string | null }>`SELECT to_regprocedure(${`${name}(json)`})::text AS found`,
    ([row]) =>
      typeof row?.found === "string"
        ? Effect.void
        : Effect.asVoid(sql.unsafe(`CREATE FUNCTION ${name}${bodyOf(dialect)}`))
  )
}
