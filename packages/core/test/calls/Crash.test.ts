import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import {
  type AgentId,
  BlobStore,
  CallId,
  Calls,
  Engine,
  hostActor,
  type OrganizationId,
  Organizations,
  Recordings,
  type RecordingsConfig
} from "@earshot/core"
import { PostgresStorage } from "@earshot/core/postgres"
import * as FileBlobStore from "@earshot/core/providers/FileBlobStore"
import { SqliteStorage } from "@earshot/core/sqlite"
import { SqlClient } from "@effect/sql/SqlClient"
import { TestEngine } from "@earshot/test-kit"
import { createDatabase, postgresUrl } from "@earshot/test-kit/postgres"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { buildCore } from "../buildCore.js"

/** Kills for each database. Starting a process takes most of the time, so that ordinary runs have one kill of each. */
const ROUNDS = Number(process.env.EARSHOT_CRASH_ROUNDS ?? 1)

const child = fileURLToPath(new URL("./crash/child.mjs", import.meta.url))

interface Place {
  readonly database: "sqlite" | "postgres"
  readonly location: string
  readonly blobs: string
}

const engine = ({ blobs, database, location }: Place, recordingStorage: RecordingsConfig) =>
  Engine.layerWith({ blobs: FileBlobStore.layer({ directory: blobs }), recordingStorage }).pipe(
    Layer.provideMerge(FileBlobStore.layer({ directory: blobs })),
    Layer.provideMerge(
      database === "sqlite"
        ? SqliteStorage.layer({ filename: location })
        : PostgresStorage.layer({ url: Redacted.make(location) })
    )
  )

const inEngine = <A, E>(
  place: Place,
  effect: Effect.Effect<A, E, Calls | Organizations | SqlClient | BlobStore | Recordings>,
  recordingStorage: RecordingsConfig = {}
): Promise<A> => Effect.runPromise(Effect.provide(effect, engine(place, recordingStorage)) as Effect.Effect<A, E>)

/** Starts a process that ingests calls and kills it; the calls whose ingest had completed, by id. */
const killedAmidst = async (
  place: Place,
  owner: { readonly organization: OrganizationId; readonly agent: AgentId },
  round: number
): Promise<ReadonlyMap<number, string>> => {
  const process_ = spawn(
    process.execPath,
    [
      child,
      place.database,
      place.location,
      place.blobs,
      String(owner.organization),
      String(owner.agent),
      String(round)
    ],
    { stdio: ["ignore", "pipe", "pipe"], timeout: CHILD_LIMIT }
  )
  let output = ""
  let wrong = ""
  // At a different point of its work each round, and not at the end of a group.
  const enough = 40 + ((round * 67) % 200)
  process_.stderr.on("data", (chunk: Buffer) => (wrong += chunk.toString()))
  process_.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString()
    if (output.split("\n").length > enough) process_.kill("SIGKILL")
  })
  const signal = await new Promise((resolve) => process_.on("close", (_, by) => resolve(by)))
  expect([signal, wrong]).toEqual(["SIGKILL", ""])
  const lines = output.slice(0, output.lastIndexOf("\n")).split("\n")
  return new Map(lines.map((line) => [Number(line.split(" ")[0]), line.split(" ")[1]!]))
}

/** Milliseconds after which the child is stopped by SIGTERM, which fails the test. */
const CHILD_LIMIT = 120_000

beforeAll(buildCore)

describe.each(["sqlite", "postgres"] as const)("a process that is killed while ingesting calls on %s", (database) => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-crash-"))
  let place: Place = { database, location: join(folder, "calls.db"), blobs: join(folder, "blobs") }
  let drop: () => Promise<unknown> = () => Promise.resolve()

  beforeAll(async () => {
    if (database === "postgres") {
      const fresh = await createDatabase(await postgresUrl())
      place = { ...place, location: fresh.url }
      drop = () => fresh.drop()
    }
  })

  afterAll(async () => {
    await drop()
    rmSync(folder, { recursive: true, force: true })
  })

  it(
    `has kept every call it had answered, and none by half (${ROUNDS} times)`,
    async () => {
      const owner = await inEngine(
        place,
        Effect.map(
          Effect.flatMap(Organizations, (all) => all.create({ name: "Crash" })),
          ({ agent, organization }) => ({ organization: organization.id, agent: agent.id })
        )
      )
      for (let round = 0; round < ROUNDS; round++) {
        const answered = await killedAmidst(place, owner, round)
        await inEngine(
          place,
          Effect.gen(function* () {
            const calls = yield* Calls
            const blobs = yield* BlobStore
            const sql = yield* SqlClient
            for (const [id, callId] of answered) {
              const call = yield* calls.read(CallId.make(id)).pipe(TestEngine.as(hostActor(owner.organization)))
              expect(call.callId).toBe(callId)
              expect(call.transcript?.turns).toHaveLength(60)
              if (call.recording === null) continue
              const bytes = Buffer.concat(
                Chunk.toReadonlyArray(yield* Stream.runCollect(blobs.get(call.recording.blobKey)))
              )
              expect(createHash("sha256").update(bytes).digest("hex")).toBe(call.recording.sha256)
            }
            const half = yield* sql`SELECT c.id FROM calls c LEFT JOIN call_transcripts t ON t.call_id = c.id
              WHERE t.call_id IS NULL`
            expect(half).toEqual([])
            const strays = yield* sql`SELECT t.call_id FROM call_transcripts t LEFT JOIN calls c ON c.id = t.call_id
              WHERE c.id IS NULL`
            expect(strays).toEqual([])
          })
        )
      }
      // Whatever the kills left: afterwards nothing is stored that no call refers to, and nothing is missing.
      await inEngine(
        place,
        Effect.gen(function* () {
          const recordings = yield* Recordings
          const sql = yield* SqlClient
          yield* recordings.collect
          const found = yield* recordings.check({ remove: false })
          expect(found).toMatchObject({ orphans: 0, missing: [] })
          const [referred] = yield* sql<{ readonly n: number }>`SELECT count(*) AS n FROM call_recordings`
          expect(found.stored).toBe(referred?.n)
          expect(found.stored).toBeGreaterThan(0)
          expect(yield* sql`SELECT blob_key FROM pending_blobs`).toEqual([])
          expect(readdirSync(join(place.blobs, "unfinished"))).toEqual([])
        }),
        { collectAfter: 0 }
      )
    },
    60_000 + ROUNDS * 15_000
  )
})
