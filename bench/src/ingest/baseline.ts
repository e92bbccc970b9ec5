/**
 * The baseline: the least that a service would do. Fastify validates the same body with ajv and inserts the same rows into the
 * same tables: with better-sqlite3 in one transaction per request (synchronous FULL), or with pg in one statement per request.
 * It responds with the same call record. It has no authentication, no lookup of agents, no other formats and no redeliveries.
 */
import Database from "better-sqlite3"
import Fastify from "fastify"
import pg from "pg"
import type { RunningProgram } from "./runningProgram.js"

interface Owner {
  readonly organization: number
  readonly project: number
  readonly agent: number
}

interface Turn {
  readonly role: string
  readonly content: string
  readonly start_time: number
  readonly end_time: number
}

interface Body {
  readonly call_id: string
  readonly agent: number
  readonly transcript_json: ReadonlyArray<Turn>
  readonly customer_number?: string
  readonly call_ended_reason?: string
  readonly metadata?: unknown
}

const schema = {
  type: "object",
  required: ["call_id", "agent", "transcript_json"],
  properties: {
    call_id: { type: "string", minLength: 1, maxLength: 100 },
    trace_id: { type: "string", maxLength: 32 },
    agent: { type: "integer", minimum: 1 },
    customer_number: { type: "string", maxLength: 100 },
    call_ended_reason: { type: "string", maxLength: 100 },
    metadata: {},
    transcript_json: {
      type: "array",
      maxItems: 10_000,
      items: {
        type: "object",
        required: ["role", "content"],
        properties: {
          role: { type: "string", enum: ["Testing Agent", "Main Agent"] },
          content: { type: "string" },
          start_time: { type: "number", minimum: 0 },
          end_time: { type: "number", minimum: 0 }
        }
      }
    }
  }
}

interface Row {
  readonly now: number
  readonly duration: number
  readonly columns: ReadonlyArray<string | number | null>
}

/** The columns of a call, without its id. */
const rowOf = (owner: Owner, body: Body): Row => {
  const now = Date.now()
  const duration = body.transcript_json.reduce((end, turn) => Math.max(end, turn.end_time), 0)
  return {
    now,
    duration,
    columns: [
      owner.organization,
      owner.project,
      owner.agent,
      now,
      duration,
      0,
      body.call_id,
      "",
      body.customer_number ?? null,
      body.call_ended_reason ?? null,
      0,
      now,
      now,
      body.metadata === undefined ? null : JSON.stringify(body.metadata)
    ]
  }
}

const clock = (seconds: number): string =>
  `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`

/** The call record of the interface. */
const recordOf = (owner: Owner, id: number, body: Body, { duration, now }: Row) => {
  const at = new Date(now).toISOString()
  return {
    id,
    call_id: body.call_id,
    duration: clock(duration),
    success: null,
    is_reviewed: false,
    status: null,
    feedback: "",
    metrics: [],
    call_ended_reason: body.call_ended_reason ?? "",
    customer_number: body.customer_number ?? "",
    agent: owner.agent,
    agent_name: "Agent",
    trace_id: "",
    timestamp: at,
    error_message: null,
    dropoff_point: "",
    topic: "",
    transcript: body.transcript_json
      .map((turn) => `[${clock(turn.start_time)}] ${turn.role}: ${turn.content.replace(/[\n\r]+/g, " ")}`)
      .join("\n"),
    transcript_object: body.transcript_json,
    evaluation: "",
    created_at: at,
    updated_at: at
  }
}

const COLUMNS = `organization_id, project_id, agent_id, timestamp_ms, duration_s, is_reviewed, call_id, trace_id,
  customer_number, call_ended_reason, feedback_by_person, created_ms, updated_ms, metadata`

interface Store {
  /** Inserts a call and returns its id. */
  readonly insert: (row: Row, body: Body) => Promise<string> | number | bigint
  readonly close: () => Promise<void>
}

const openSqlite = (file: string): Store => {
  const db = new Database(file)
  db.pragma("journal_mode = WAL")
  db.pragma("synchronous = FULL")
  db.pragma("foreign_keys = ON")
  db.pragma("wal_autocheckpoint = 10000")
  const call = db.prepare(`INSERT INTO calls (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const transcript = db.prepare("INSERT INTO call_transcripts (call_id, transcript_type, transcript) VALUES (?, ?, ?)")
  return {
    insert: db.transaction((row: Row, body: Body) => {
      const { lastInsertRowid } = call.run(...row.columns)
      transcript.run(lastInsertRowid, "service", JSON.stringify(body.transcript_json))
      return lastInsertRowid
    }),
    close: () => {
      db.close()
      return Promise.resolve()
    }
  }
}

const openPostgres = (url: string): Store => {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  const statement = `WITH call AS (
      INSERT INTO calls (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::jsonb) RETURNING id
    ), transcript AS (
      INSERT INTO call_transcripts (call_id, transcript_type, transcript) SELECT id, 'service', $15 FROM call
    ) SELECT id FROM call`
  return {
    insert: async (row, body) => {
      const { rows } = await pool.query<{ readonly id: string }>(statement, [
        ...row.columns,
        JSON.stringify(body.transcript_json)
      ])
      return rows[0]?.id ?? ""
    },
    close: () => pool.end()
  }
}

/** Starts the baseline; `args`: the kind of database, its file or URL, and the ids of an organization, a project and an agent. */
export const startBaseline = async ([
  database,
  location = "",
  ...ids
]: ReadonlyArray<string>): Promise<RunningProgram> => {
  const [organization = 0, project = 0, agent = 0] = ids.map(Number)
  const owner = { organization, project, agent }
  const store = database === "sqlite" ? openSqlite(location) : openPostgres(location)
  const fastify = Fastify({ logger: false })
  fastify.post<{ Body: Body }>("/observability/v1/observe/", { schema: { body: schema } }, async (request, reply) => {
    const row = rowOf(owner, request.body)
    const id = await store.insert(row, request.body)
    return reply.code(201).send(recordOf(owner, Number(id), request.body, row))
  })
  const url = await fastify.listen({ host: "127.0.0.1", port: 0 })
  return {
    url,
    agent,
    stop: async () => {
      await fastify.close()
      await store.close()
    }
  }
}
