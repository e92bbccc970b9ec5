/**
 * What it is measured against: the least a service of its own would do. Fastify checks the same body with ajv, and the
 * same rows go into the same tables: with better-sqlite3 in a transaction a request (synchronous FULL), or with pg in one
 * statement a request; and it answers with the same Call record. It asks for no credential, finds no agent, reads no
 * other format and knows nothing of repeated deliveries.
 */
import Database from "better-sqlite3"
import Fastify from "fastify"
import pg from "pg"

const [, , database, location = "", organization, project, agent] = process.argv
const owner = { organization: Number(organization), project: Number(project), agent: Number(agent) }

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
const rowOf = (body: Body): Row => {
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

/** The Call record, as the interface has it. */
const recordOf = (id: number, body: Body, { duration, now }: Row) => {
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

const intoSqlite = (file: string): ((row: Row, body: Body) => number | bigint) => {
  const db = new Database(file)
  db.pragma("journal_mode = WAL")
  db.pragma("synchronous = FULL")
  db.pragma("foreign_keys = ON")
  db.pragma("wal_autocheckpoint = 10000")
  const call = db.prepare(`INSERT INTO calls (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const transcript = db.prepare("INSERT INTO call_transcripts (call_id, transcript_type, transcript) VALUES (?, ?, ?)")
  return db.transaction((row: Row, body: Body) => {
    const { lastInsertRowid } = call.run(...row.columns)
    transcript.run(lastInsertRowid, "service", JSON.stringify(body.transcript_json))
    return lastInsertRowid
  })
}

const intoPostgres = (url: string): ((row: Row, body: Body) => Promise<string>) => {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  const statement = `WITH call AS (
      INSERT INTO calls (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::jsonb) RETURNING id
    ), transcript AS (
      INSERT INTO call_transcripts (call_id, transcript_type, transcript) SELECT id, 'service', $15 FROM call
    ) SELECT id FROM call`
  return async (row, body) => {
    const { rows } = await pool.query<{ readonly id: string }>(statement, [
      ...row.columns,
      JSON.stringify(body.transcript_json)
    ])
    return rows[0]?.id ?? ""
  }
}

const insert = database === "sqlite" ? intoSqlite(location) : intoPostgres(location)
const fastify = Fastify({ logger: false })
fastify.post<{ Body: Body }>("/observability/v1/observe/", { schema: { body: schema } }, async (request, reply) => {
  const row = rowOf(request.body)
  const id = await insert(row, request.body)
  return reply.code(201).send(recordOf(Number(id), request.body, row))
})
await fastify.listen({ host: "127.0.0.1", port: 0 })
const address = fastify.server.address()
console.log(
  JSON.stringify({
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    agent: owner.agent
  })
)
