/** Writes changes of calls, and removes what they replaced. See `Snapshot.ts` for how they become visible. */
import { randomInt, randomUUID } from "node:crypto"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import {
  ColumnStoreUnavailable,
  digestOf,
  type ProjectedCall,
  type ProjectedChanges,
  type ProjectedDigest
} from "../../analytics/Projection.js"
import { CallId } from "../../kernel/Ids.js"
import { inSlices } from "../../kernel/Slices.js"
import type { ClickHouseEngine } from "./ClickHouseEngine.js"
import { type ColumnTables, definitions, ofCalls, OLDEST_ENGINE, SCHEMA_VERSION } from "./ColumnTables.js"
import { flatDocument } from "./Documents.js"
import { decodeRows } from "./EngineRows.js"
import { abandoned, lastRow, NOTICE, readSnapshot, type Snapshot, supersededRows, visible } from "./Snapshot.js"
import { Parameters, plain } from "./Statement.js"

/** How many row numbers a writer may use: the next one begins so far above it. */
const EPOCH = 2 ** 32

/** Two writers that begin at the same time get different bases. */
const RANDOM = 2 ** 24

interface Position {
  readonly base: number
  /** The last row number that was published. */
  readonly last: number
}

const versionRow = decodeRows(Schema.Struct({ version: Schema.String }))
const installationRow = decodeRows(
  Schema.Struct({ schema_version: Schema.Number, owner: Schema.String, generation: Schema.String })
)
const storedRows = decodeRows(
  Schema.Struct({ id: Schema.Number, row: Schema.Number, project_id: Schema.Number, version: Schema.Number })
)
const maximum = decodeRows(Schema.Struct({ last: Schema.Number }))
const digestRows = decodeRows(
  Schema.Struct({
    id: CallId,
    row: Schema.Number,
    version: Schema.Number,
    digest: Schema.String,
    evaluations: Schema.Number
  })
)
const countRows = decodeRows(
  Schema.Struct({ id: CallId, row: Schema.Number, calls: Schema.Number, evaluations: Schema.Number })
)

type Indexed = Effect.Effect.Success<ReturnType<typeof digestRows>>[number]
type Counted = Effect.Effect.Success<ReturnType<typeof countRows>>[number]

/** The digest of each call of which everything is there once, and an empty one of each that is incomplete or there twice. */
const digestsOf = (
  indexed: ReadonlyArray<Indexed>,
  counted: ReadonlyArray<Counted>
): ReadonlyArray<ProjectedDigest> => {
  const rowsOf = Arr.groupBy(indexed, ({ id }) => String(id))
  const countsOf = Arr.groupBy(counted, ({ id }) => String(id))
  const ids = [...new Set([...indexed, ...counted].map(({ id }) => id))].sort((a, b) => a - b)
  return ids.map((id) => {
    const [row, ...moreRows] = rowsOf[id] ?? []
    const [count, ...moreCounts] = countsOf[id] ?? []
    const isWhole =
      row !== undefined &&
      moreRows.length === 0 &&
      moreCounts.length === 0 &&
      count?.row === row.row &&
      count.calls === 1 &&
      count.evaluations === row.evaluations
    return { id, version: row?.version ?? 0, digest: isWhole ? row.digest : "" }
  })
}

const callRow = (call: ProjectedCall, row: number): string =>
  `{"row":${row},"metadata":${flatDocument(call.metadata)},"dynamic_variables":${flatDocument(call.dynamicVariables)},${JSON.stringify(
    {
      id: call.id,
      organization_id: call.organizationId,
      project_id: call.projectId,
      agent_id: call.agentId,
      timestamp_ms: call.timestampMs,
      duration_s: call.durationSeconds,
      success: call.success === null ? null : Number(call.success),
      is_reviewed: Number(call.isReviewed),
      call_id: call.callId,
      trace_id: call.traceId,
      customer_number: call.customerNumber,
      call_ended_reason: call.callEndedReason,
      dropoff_point: call.dropoffPoint,
      topic: call.topic,
      feedback: call.feedback
    }
  ).slice(1)}`

const evaluationRows = (call: ProjectedCall, row: number): ReadonlyArray<string> =>
  call.evaluations.map(({ answerLatenciesMs, metricId, valueKind, valueNumber, valueText }) =>
    JSON.stringify({
      row,
      id: call.id,
      organization_id: call.organizationId,
      project_id: call.projectId,
      timestamp_ms: call.timestampMs,
      metric_id: metricId,
      value_kind: valueKind,
      value_number: valueNumber,
      value_text: valueText,
      answer_latencies_ms: answerLatenciesMs
    })
  )

/** The row of a call in the index of what is there. */
const indexRow = (call: ProjectedCall, row: number): string =>
  JSON.stringify({
    id: call.id,
    row,
    project_id: call.projectId,
    version: call.version,
    digest: digestOf(call),
    evaluations: call.evaluations.length
  })

export interface ColumnWriter {
  readonly prepare: (owner: string) => Effect.Effect<{ readonly generation: string }, ColumnStoreUnavailable>
  readonly apply: (changes: ProjectedChanges) => Effect.Effect<void, ColumnStoreUnavailable>
  readonly scan: (
    afterId: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<ProjectedDigest>, ColumnStoreUnavailable>
  readonly clear: Effect.Effect<{ readonly generation: string }, ColumnStoreUnavailable>
  readonly eraseFiles: Effect.Effect<void, ColumnStoreUnavailable>
}

const unavailable = (reason: ColumnStoreUnavailable["reason"], operation: string, message: string) =>
  new ColumnStoreUnavailable({ reason, operation, cause: new Error(message) })

export const make = (engine: ClickHouseEngine, tables: ColumnTables): Effect.Effect<ColumnWriter> =>
  Effect.gen(function* () {
    const position = yield* Ref.make<Position | undefined>(undefined)
    const owner = yield* Ref.make<string | undefined>(undefined)
    const turns = yield* Effect.makeSemaphore(1)
    const snapshot = readSnapshot(engine, tables)

    const checkEngine = Effect.gen(function* () {
      const rows = yield* versionRow("prepare", yield* engine.rows("prepare", plain("SELECT version() AS version")))
      const version = rows[0]?.version
      if (version === undefined) return yield* unavailable("failed", "prepare", "The server does not say its version.")
      const [major = 0, minor = 0] = version.split(".").map(Number)
      const [least, leastMinor] = OLDEST_ENGINE
      if (major < least || (major === least && minor < leastMinor)) {
        return yield* unavailable(
          "version",
          "prepare",
          `ClickHouse ${version} is too old: use ${least}.${leastMinor} or later.`
        )
      }
    })

    const installation = Effect.gen(function* () {
      const statement = `SELECT schema_version, owner, generation FROM ${tables.installation} ORDER BY at_ms DESC LIMIT 1`
      const [found] = yield* installationRow("prepare", yield* engine.rows("prepare", plain(statement)))
      return found
    })

    const beginGeneration = (of: string) =>
      Effect.gen(function* () {
        const generation = randomUUID()
        const newest = yield* maximum(
          "prepare",
          yield* engine.rows("prepare", plain(`SELECT max(at_ms) AS last FROM ${tables.installation}`))
        )
        // The newest row counts, whatever the clocks of different machines say.
        const at = Math.max(yield* Clock.currentTimeMillis, (newest[0]?.last ?? 0) + 1)
        yield* engine.insert(tables.installation, [
          JSON.stringify({ at_ms: at, schema_version: SCHEMA_VERSION, owner: of, generation })
        ])
        return { generation }
      })

    const prepare = (of: string) =>
      Effect.gen(function* () {
        yield* checkEngine
        const [installed] = definitions(tables)
        if (installed !== undefined) yield* engine.run("prepare", plain(installed))
        // Whose tables they are is known before anything else is created among them.
        const found = yield* installation
        if (found !== undefined && found.owner !== of) {
          return yield* unavailable("owner", "prepare", `The tables belong to the installation ${found.owner}.`)
        }
        const version = found?.schema_version ?? SCHEMA_VERSION
        if (version > SCHEMA_VERSION) {
          return yield* unavailable("version", "prepare", `The tables have version ${version}, not ${SCHEMA_VERSION}.`)
        }
        const isOlder = version < SCHEMA_VERSION
        if (isOlder) {
          for (const table of [tables.epochs, tables.superseded, ...ofCalls(tables)]) {
            yield* engine.run("prepare", plain(`DROP TABLE IF EXISTS ${table} SYNC`))
          }
        }
        for (const definition of definitions(tables).slice(1)) yield* engine.run("prepare", plain(definition))
        yield* Ref.set(owner, of)
        return found === undefined || isOlder ? yield* beginGeneration(of) : found
      }).pipe(Effect.map(({ generation }) => ({ generation })))

    /** A number below row numbers that nobody has used, whether or not they were published. */
    const nextBase = (before: Snapshot) =>
      Effect.gen(function* () {
        const used = ofCalls(tables).map((table) => `SELECT max(row) AS last FROM ${table}`)
        const [most] = yield* maximum(
          "apply",
          yield* engine.rows("apply", plain(`SELECT max(last) AS last FROM (${used.join(" UNION ALL ")})`))
        )
        const above = Math.max(before.newestBase, lastRow(before), most?.last ?? 0)
        return (Math.floor(above / EPOCH) + 1) * EPOCH + randomInt(RANDOM)
      })

    const beginEpoch = Effect.gen(function* () {
      const before = yield* snapshot
      const base = yield* nextBase(before)
      yield* engine.insert(tables.epochs, [
        JSON.stringify({ base, ended: lastRow(before), published: base, erased: before.erased })
      ])
      yield* Ref.set(position, { base, last: base })
      return { base, last: base }
    })

    /** Fails if another writer has begun: then nothing that this one publishes counts. */
    const checkNewest = (base: number, now: Snapshot) =>
      now.newestBase === base
        ? Effect.void
        : Effect.zipRight(
            Ref.set(position, undefined),
            Effect.fail(unavailable("changed", "apply", "Another process writes to the column store."))
          )

    const storedOf = (ids: ReadonlyArray<number>, now: Snapshot) => {
      const parameters = new Parameters()
      const text = `SELECT id, row, project_id, version FROM ${tables.rows}
        WHERE id IN ${parameters.integers(ids)} AND ${visible(tables, now)}`
      return Effect.flatMap(engine.rows("apply", parameters.statement(text)), (rows) => storedRows("apply", rows))
    }

    const write = ({ deletes, upserts }: ProjectedChanges) =>
      Effect.gen(function* () {
        const { base, last } = (yield* Ref.get(position)) ?? (yield* beginEpoch)
        const now = yield* snapshot
        yield* checkNewest(base, now)
        const stored = yield* storedOf([...upserts.map(({ id }) => id), ...deletes], now)
        const versions = new Map(stored.map(({ id, version }) => [id, version]))
        const calls = upserts.filter(({ id, version }) => version >= (versions.get(id) ?? 0))
        const ids = new Set<number>([...calls.map(({ id }) => id), ...deletes])
        const replaced = stored.filter(({ id }) => ids.has(id))
        if (calls.length === 0 && replaced.length === 0) return
        const published = last + Math.max(1, calls.length)
        const numbered = calls.map((call, index) => ({ call, row: last + 1 + index }))
        // Whatever fails from here on, the next attempt uses other row numbers.
        yield* Ref.set(position, undefined)
        const insertAll = (table: string, print: (call: ProjectedCall, row: number) => ReadonlyArray<string>) =>
          Effect.flatMap(
            inSlices(numbered, (slice) => Effect.sync(() => slice.flatMap(({ call, row }) => print(call, row)))),
            (rows) => engine.insert(table, rows)
          )
        // Nothing of it counts before its row numbers are published, so that the order does not matter.
        yield* Effect.all(
          [
            insertAll(tables.evaluations, evaluationRows),
            insertAll(tables.calls, (call, row) => [callRow(call, row)]),
            insertAll(tables.rows, (call, row) => [indexRow(call, row)]),
            engine.insert(
              tables.superseded,
              replaced.map(({ project_id, row }) => JSON.stringify({ project_id, row, since: published }))
            )
          ],
          { concurrency: "unbounded", discard: true }
        )
        const epoch = replaced.length === 0 ? { base, published } : { base, published, replaced: published }
        yield* engine.insert(tables.epochs, [JSON.stringify(epoch)])
        yield* checkNewest(base, yield* snapshot)
        yield* Ref.set(position, { base, last: published })
      })

    /** What of each call is visible, as its index says and as it is. */
    const scan = (afterId: number, limit: number) =>
      Effect.gen(function* () {
        const now = yield* snapshot
        const parameters = new Parameters()
        const found = yield* digestRows(
          "scan",
          yield* engine.rows(
            "scan",
            parameters.statement(`SELECT id, row, version, toString(digest) AS digest, evaluations FROM ${tables.rows}
              WHERE id > ${parameters.integer(afterId)} AND ${visible(tables, now)}
              ORDER BY id LIMIT ${parameters.integer(limit)}`)
          )
        )
        const last = found.length < limit ? Number.MAX_SAFE_INTEGER : (found.at(-1)?.id ?? afterId)
        const among = new Parameters()
        const inRange = `WHERE id > ${among.integer(afterId)} AND id <= ${among.integer(last)} AND ${visible(tables, now)}`
        // Where many more are visible than the index has, the first of them tell it.
        const counts = yield* countRows(
          "scan",
          yield* engine.rows(
            "scan",
            among.statement(`SELECT id, row, sum(is_call) AS calls, sum(is_evaluation) AS evaluations FROM (
                SELECT id, row, 1 AS is_call, 0 AS is_evaluation FROM ${tables.calls} ${inRange}
                UNION ALL SELECT id, row, 0, 1 FROM ${tables.evaluations} ${inRange}
              ) GROUP BY id, row ORDER BY id LIMIT ${2 * limit}`)
          )
        )
        return digestsOf(found, counts)
      })

    /** The generation begins first: if this is interrupted, whoever applies changes begins anew and clears again. */
    const clear = Effect.gen(function* () {
      const of = yield* Ref.get(owner)
      if (of === undefined) return yield* unavailable("failed", "clear", "The column store is not prepared.")
      yield* Ref.set(position, undefined)
      const base = yield* nextBase(yield* snapshot)
      const begun = yield* beginGeneration(of)
      yield* engine.run("clear", plain(`TRUNCATE TABLE ${tables.epochs}`))
      // A writer that has not noticed publishes below it, which does not count.
      yield* engine.insert(tables.epochs, [JSON.stringify({ base, published: base })])
      for (const table of [tables.superseded, ...ofCalls(tables)]) {
        yield* engine.run("clear", plain(`TRUNCATE TABLE ${table}`))
      }
      return begun
    })

    /** Rewrites the parts of a table that have such rows. */
    const removeRows = (table: string, condition: string) =>
      Effect.gen(function* () {
        const some = plain(`SELECT row AS last FROM ${table} WHERE ${condition} LIMIT 1`)
        const found = yield* maximum("eraseFiles", yield* engine.rows("eraseFiles", some))
        if (found.length === 0) return
        yield* engine.run(
          "eraseFiles",
          plain(`ALTER TABLE ${table} DELETE WHERE ${condition} SETTINGS mutations_sync = 2`)
        )
      })

    /** Changes are applied meanwhile: what they write and supersede has higher numbers than what is removed here. */
    const eraseFiles = Effect.gen(function* () {
      const now = yield* snapshot
      const until = lastRow(now)
      // Questions with an earlier snapshot need the rows: they have ended by then, or see that they are gone and ask again.
      if (now.hasSuperseded) {
        yield* engine.insert(tables.epochs, [JSON.stringify({ base: now.newestBase, erased: until })])
        yield* Effect.sleep(Duration.sum(NOTICE, Duration.seconds(1)))
      }
      const gone = now.hasSuperseded ? `(row IN (${supersededRows(tables, now)}) OR ${abandoned(now)})` : abandoned(now)
      for (const table of ofCalls(tables)) yield* removeRows(table, gone)
      yield* removeRows(tables.superseded, `(since <= ${until})`)
      if (now.hasSuperseded) {
        yield* engine.insert(tables.epochs, [JSON.stringify({ base: now.newestBase, cleaned: until })])
      }
    })

    const inTurn = turns.withPermits(1)
    return {
      prepare,
      scan,
      apply: (changes) => inTurn(write(changes)),
      clear: inTurn(clear),
      eraseFiles
    }
  })
