// A process that ingests calls until it is killed, and prints each call once its ingest has completed.
import { Buffer } from "node:buffer"
import { writeSync } from "node:fs"
import { Calls, CurrentActor, Engine, hostActor, Upload } from "@earshot/core"
import * as FileBlobStore from "@earshot/core/providers/FileBlobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const [database, location, blobs, organization, agent, round] = process.argv.slice(2)

const storage =
  database === "sqlite"
    ? Layer.unwrapEffect(
        Effect.map(
          Effect.promise(() => import("@earshot/core/sqlite")),
          ({ SqliteStorage }) => SqliteStorage.layer({ filename: location })
        )
      )
    : Layer.unwrapEffect(
        Effect.map(
          Effect.promise(() => import("@earshot/core/postgres")),
          ({ PostgresStorage }) => PostgresStorage.layer({ url: Redacted.make(location) })
        )
      )

const turns = Array.from({ length: 60 }, (_, n) => ({
  role: n % 2 === 0 ? "Main Agent" : "Testing Agent",
  content: `Turn ${n} of a call that is long enough to span several pages. `.repeat(3),
  start_time: n * 2,
  end_time: n * 2 + 1.5
}))

const client = (calls, number) =>
  Effect.gen(function* () {
    for (let n = 0; ; n++) {
      const call_id = `${round}-${number}-${n}`
      const body = { call_id, agent: Number(agent), transcript_json: turns, metadata: { number, n } }
      const voice_recording =
        n % 8 === 0 ? new Upload(Buffer.concat([Buffer.from("OggS"), Buffer.alloc(50_000, n)]), "audio/ogg", "a") : null
      const { call, created } = yield* calls.ingest({ ...body, voice_recording })
      if (!created) yield* Effect.dieMessage(`${call_id} existed already`)
      // Synchronous, so that the parent can read everything that was written before the kill.
      writeSync(1, `${call.id} ${call_id}\n`)
    }
  })

const program = Effect.flatMap(Calls, (calls) =>
  Effect.forEach(
    Array.from({ length: 32 }, (_, n) => n),
    (number) => client(calls, number),
    { concurrency: "unbounded" }
  )
).pipe(
  Effect.provideService(CurrentActor, hostActor(Number(organization))),
  Effect.provide(
    Engine.layerWith({ blobs: FileBlobStore.layer({ directory: blobs }) }).pipe(Layer.provideMerge(storage))
  )
)

Effect.runFork(program).addObserver((exit) => {
  process.stderr.write(`${JSON.stringify(exit)}\n`)
  process.exit(1)
})
