// A process that takes in calls to be redacted until it is killed; the calls come on stdin.
import { Buffer } from "node:buffer"
import { readFileSync, writeSync } from "node:fs"
import { Calls, CurrentActor, Engine, hostActor, Upload } from "@earshot/core"
import * as FileBlobStore from "@earshot/core/providers/FileBlobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const [database, location, blobs, organization, agent] = process.argv.slice(2)
const { body, recording } = JSON.parse(readFileSync(0, "utf8"))

const storage = Layer.unwrapEffect(
  Effect.promise(async () =>
    database === "sqlite"
      ? (await import("@earshot/core/sqlite")).SqliteStorage.layer({ filename: location })
      : (await import("@earshot/core/postgres")).PostgresStorage.layer({ url: Redacted.make(location) })
  )
)

const client = (calls, number) =>
  Effect.gen(function* () {
    for (let n = 0; ; n++) {
      const voice_recording = n % 2 === 0 ? new Upload(Buffer.from(recording, "base64"), "audio/wav", "a.wav") : null
      const call_id = `${process.pid}-${number}-${Math.floor(n / 2)}`
      // Every second delivery repeats a call and leaves out what is to be redacted.
      yield* calls.ingest({
        ...body,
        call_id,
        agent: Number(agent),
        voice_recording,
        redact_fields: n % 2 === 0 ? body.redact_fields : undefined
      })
      writeSync(1, `${call_id}\n`)
    }
  })

Effect.runFork(
  Effect.flatMap(Calls, (calls) =>
    Effect.forEach([0, 1, 2, 3], (number) => client(calls, number), { concurrency: "unbounded" })
  ).pipe(
    Effect.provideService(CurrentActor, hostActor(Number(organization))),
    Effect.provide(
      Engine.layerWith({
        blobs: FileBlobStore.layer({ directory: blobs })
      }).pipe(Layer.provideMerge(storage))
    )
  )
).addObserver((exit) => {
  process.stderr.write(`${JSON.stringify(exit)}\n`)
  process.exit(1)
})
