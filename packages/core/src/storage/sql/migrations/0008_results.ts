import { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import { Dialect, type DialectFragments } from "../Dialect.js"

/**
 * Results, their runs, and the capacity that runs take of an organization. JSON that SQL does not query is text; a
 * scenario's script is stored once a result and not once a run.
 */
export const results = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, keyOnly, name, nameOf, tables } = yield* Dialect
  const index = (name: string) => sql.literal(nameOf(name))

  yield* sql`CREATE TABLE ${tables.results} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    project_id ${column.integer} NOT NULL REFERENCES ${tables.projects} (id),
    agent_id ${column.integer} NOT NULL REFERENCES ${tables.agents} (id),
    name ${column.text} NOT NULL,
    channel ${column.text} NOT NULL,
    concurrency_limit ${column.integer},
    provider_data ${column.text},
    created_by ${column.integer} REFERENCES ${tables.users} (id),
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL,
    deleted_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX ${index("results_by_organization")} ON ${tables.results} (organization_id, id)`
  yield* sql`CREATE INDEX ${index("results_by_project")} ON ${tables.results} (project_id, id)`
  yield* sql`CREATE INDEX ${index("results_by_agent")} ON ${tables.results} (agent_id, id)`
  yield* sql`CREATE TABLE ${tables.result_scenarios} (
    result_id ${column.integer} NOT NULL REFERENCES ${tables.results} (id),
    position ${column.integer} NOT NULL,
    key ${column.text} NOT NULL,
    name ${column.text} NOT NULL,
    script ${column.text} NOT NULL,
    PRIMARY KEY (result_id, position)
  )`
  yield* sql`CREATE TABLE ${tables.runs} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    result_id ${column.integer} NOT NULL REFERENCES ${tables.results} (id),
    scenario_position ${column.integer} NOT NULL,
    channel ${column.text} NOT NULL,
    status ${column.text} NOT NULL,
    phone_number_id ${column.integer} REFERENCES ${tables.phone_numbers} (id),
    attempts ${column.integer} NOT NULL,
    lease ${column.text},
    lease_until_ms ${column.integer},
    success ${column.flag},
    duration_s ${column.real},
    error ${column.text},
    started_ms ${column.integer},
    ended_ms ${column.integer},
    created_ms ${column.integer} NOT NULL,
    updated_ms ${column.integer} NOT NULL,
    deleted_ms ${column.integer}
  )`
  yield* sql`CREATE INDEX ${index("runs_by_result")} ON ${tables.runs} (result_id, id)`
  yield* sql`CREATE INDEX ${index("runs_by_organization")} ON ${tables.runs} (organization_id, id)`
  yield* sql`CREATE INDEX ${index("runs_by_status")} ON ${tables.runs} (organization_id, status, id) WHERE deleted_ms IS NULL`
  // The few queued or running of many ended ones; queued ones in the order in which claims read them.
  yield* sql`CREATE INDEX ${index("runs_waiting")} ON ${tables.runs} (organization_id, channel, result_id, id)
    WHERE deleted_ms IS NULL AND status = 'queued'`
  yield* sql`CREATE INDEX ${index("runs_leased")} ON ${tables.runs} (lease_until_ms, organization_id)
    WHERE deleted_ms IS NULL AND status = 'running'`
  yield* sql`CREATE INDEX ${index("runs_with_number")} ON ${tables.runs} (phone_number_id)
    WHERE deleted_ms IS NULL AND status IN ('queued', 'running') AND phone_number_id IS NOT NULL`
  yield* sql`CREATE TABLE ${tables.run_transcripts} (
    run_id ${column.integer} PRIMARY KEY REFERENCES ${tables.runs} (id),
    transcript_type ${column.text} NOT NULL,
    transcript ${column.text} NOT NULL
  )`
  yield* sql`CREATE TABLE ${tables.run_evaluations} (
    run_id ${column.integer} NOT NULL REFERENCES ${tables.runs} (id),
    metric_id ${column.integer} NOT NULL REFERENCES ${tables.metrics} (id),
    status ${column.text} NOT NULL DEFAULT 'scored',
    value_kind ${column.text} NOT NULL,
    value_number ${column.real},
    value_text ${column.text},
    detail ${column.text},
    created_ms ${column.integer} NOT NULL,
    PRIMARY KEY (run_id, metric_id)
  )`
  // Deleting a metric for good looks for what refers to it.
  yield* sql`CREATE INDEX ${index("run_evaluations_by_metric")} ON ${tables.run_evaluations} (metric_id)`
  // How a run's conversation ended, what the testing agent did in it and when, and what decided its success.
  yield* sql`CREATE TABLE ${tables.run_outcomes} (
    run_id ${column.integer} PRIMARY KEY REFERENCES ${tables.runs} (id),
    ended_reason ${column.text},
    moments ${column.text} NOT NULL,
    criteria ${column.text} NOT NULL
  )`
  // One row an organization: every transaction that changes its runs locks this row first.
  yield* sql`CREATE TABLE ${tables.capacity} (
    organization_id ${column.integer} PRIMARY KEY REFERENCES ${tables.organizations} (id),
    active_sessions ${column.integer} NOT NULL CHECK (active_sessions >= 0),
    pending_demand ${column.integer} NOT NULL CHECK (pending_demand >= 0)
  )`
  yield* sql`CREATE TABLE ${tables.capacity_slots} (
    run_id ${column.integer} NOT NULL PRIMARY KEY REFERENCES ${tables.runs} (id),
    result_id ${column.integer} NOT NULL REFERENCES ${tables.results} (id),
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id)
  )`
  yield* sql`CREATE INDEX ${index("capacity_slots_by_result")} ON ${tables.capacity_slots} (result_id)`
  yield* sql`CREATE INDEX ${index("capacity_slots_by_organization")} ON ${tables.capacity_slots} (organization_id)`
  yield* sql`CREATE TABLE ${tables.held_numbers} (
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    phone_number_id ${column.integer} NOT NULL REFERENCES ${tables.phone_numbers} (id),
    PRIMARY KEY (organization_id, phone_number_id)
  ) ${keyOnly}`
  yield* aggregates(sql, { column, keyOnly, name, tables }, index)
})

/**
 * What a result shows of its runs, so that reading it costs the same however many there are. Triggers count the runs,
 * by whatever statement they change; sums of values, which are not exact, are kept by the stores (see `recountMetrics`).
 * A success that is not known is -1, since NULL cannot be part of a key.
 */
const aggregates = (
  sql: SqlClient,
  { column, keyOnly, name, tables }: Pick<DialectFragments, "column" | "keyOnly" | "name" | "tables">,
  named: (what: string) => Fragment
) =>
  Effect.gen(function* () {
    yield* sql`CREATE TABLE ${tables.result_counts} (
      result_id ${column.integer} NOT NULL REFERENCES ${tables.results} (id) ON DELETE CASCADE,
      status ${column.text} NOT NULL,
      success ${column.flag} NOT NULL,
      runs ${column.integer} NOT NULL,
      PRIMARY KEY (result_id, status, success)
    ) ${keyOnly}`
    yield* sql`CREATE TABLE ${tables.result_metrics} (
      result_id ${column.integer} NOT NULL REFERENCES ${tables.results} (id) ON DELETE CASCADE,
      metric_id ${column.integer} NOT NULL REFERENCES ${tables.metrics} (id),
      runs ${column.integer} NOT NULL,
      numbers ${column.integer} NOT NULL,
      total ${column.real} NOT NULL,
      PRIMARY KEY (result_id, metric_id)
    ) ${keyOnly}`
    yield* sql`CREATE INDEX ${named("result_metrics_by_metric")} ON ${tables.result_metrics} (metric_id)`
    if (name === "sqlite") {
      const add = sql`INSERT INTO ${tables.result_counts} (result_id, status, success, runs)
        SELECT NEW.result_id, NEW.status, COALESCE(NEW.success, -1), 1 WHERE NEW.deleted_ms IS NULL
        ON CONFLICT (result_id, status, success) DO UPDATE SET runs = runs + 1`
      yield* sql`CREATE TRIGGER ${named("runs_added")} AFTER INSERT ON ${tables.runs} BEGIN ${add}; END`
      yield* sql`CREATE TRIGGER ${named("runs_changed")} AFTER UPDATE OF status, success, deleted_ms ON ${tables.runs} BEGIN
        UPDATE ${tables.result_counts} SET runs = runs - 1 WHERE OLD.deleted_ms IS NULL
          AND result_id = OLD.result_id AND status = OLD.status AND success = COALESCE(OLD.success, -1);
        ${add};
      END`
      return
    }
    // Once a statement: a result may be made, canceled or deleted with thousands of runs.
    const count = (changes: Fragment) =>
      sql`BEGIN
        INSERT INTO ${tables.result_counts} AS known (result_id, status, success, runs)
        SELECT result_id, status, success, sum(runs) FROM (${changes}) AS changes
        GROUP BY result_id, status, success HAVING sum(runs) <> 0 ORDER BY result_id, status, success
        ON CONFLICT (result_id, status, success) DO UPDATE SET runs = known.runs + excluded.runs;
        RETURN NULL;
      END`
    const rows = (table: string, each: string) =>
      sql.literal(
        `SELECT result_id, status, COALESCE(success, -1) AS success, ${each} AS runs FROM ${table} WHERE deleted_ms IS NULL`
      )
    yield* sql`CREATE FUNCTION ${named("count_added_runs")}() RETURNS trigger LANGUAGE plpgsql
      AS $body$ ${count(rows("added", "1"))} $body$`
    yield* sql`CREATE FUNCTION ${named("count_changed_runs")}() RETURNS trigger LANGUAGE plpgsql
      AS $body$ ${count(sql`${rows("before", "-1")} UNION ALL ${rows("after", "1")}`)} $body$`
    yield* sql`CREATE TRIGGER ${named("runs_added")} AFTER INSERT ON ${tables.runs}
      REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ${named("count_added_runs")}()`
    yield* sql`CREATE TRIGGER ${named("runs_changed")} AFTER UPDATE ON ${tables.runs}
      REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION ${named("count_changed_runs")}()`
  })
