import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/**
 * Simplifications of prompts, and which prompts are the result of one.
 */
export const simplifications = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, nameOf, tables } = yield* Dialect
  const index = (name: string) => sql.literal(nameOf(name))

  // scope: what the credential that asked for it was limited to; credentials with other limits cannot read it.
  // Its status is that of its job: the one of its kind whose key is the progress id.
  yield* sql`CREATE TABLE ${tables.simplifications} (
    id ${column.id},
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    progress_id ${column.text} NOT NULL UNIQUE,
    scope ${column.text} NOT NULL,
    prompt_hash ${column.text} NOT NULL,
    original_prompt ${column.text} NOT NULL,
    under_way ${column.flag} NOT NULL,
    simplified_prompt ${column.text},
    error ${column.text},
    created_by ${column.integer} REFERENCES ${tables.users} (id),
    created_ms ${column.integer} NOT NULL,
    finished_ms ${column.integer}
  )`
  // One job at a time simplifies a prompt, whatever two processes do at once.
  yield* sql`CREATE UNIQUE INDEX ${index("simplifications_under_way")} ON ${tables.simplifications} (organization_id, prompt_hash, scope)
    WHERE under_way = 1`
  yield* sql`CREATE INDEX ${index("simplifications_by_prompt")} ON ${tables.simplifications} (organization_id, prompt_hash)`
  yield* sql`CREATE INDEX ${index("simplifications_by_time")} ON ${tables.simplifications} (created_ms)`
  // Results are recognized for as long as prompts exist, so longer than their jobs.
  yield* sql`CREATE TABLE ${tables.simplified_prompts} (
    organization_id ${column.integer} NOT NULL REFERENCES ${tables.organizations} (id),
    prompt_hash ${column.text} NOT NULL,
    simplifier ${column.text} NOT NULL,
    created_ms ${column.integer} NOT NULL,
    PRIMARY KEY (organization_id, prompt_hash, simplifier)
  )`
})
