import type { SqliteBackup } from "@earshot/core/sqlite"
import { isS3Url } from "@earshot/core/providers/S3Messages"
import * as Effect from "effect/Effect"
import type { CommandEffect } from "../CommandEffect.js"
import { CommandRejected, UsageError } from "../Errors.js"
import { Screen } from "../Screen.js"
import { parseAddress } from "../Session.js"
import { plainEngine } from "../EngineSettings.js"
import type { StorageOptions } from "../Settings.js"
import { jsonLine } from "../Text.js"

export interface BackupOptions extends StorageOptions {
  readonly json: boolean
  readonly recordings: string
  readonly folder: string
}

/** The place that the options name; a database on a server is backed up with its own tools. */
const placeOf = (options: BackupOptions): Effect.Effect<SqliteBackup.BackupPlace, UsageError> =>
  Effect.flatMap(parseAddress(options.database), (address) =>
    address.kind === "sqlite" && address.filename !== ":memory:"
      ? Effect.succeed({
          filename: address.filename,
          tablePrefix: plainEngine(options).tablePrefix ?? "",
          recordings: isS3Url(options.recordings) ? undefined : options.recordings
        })
      : new UsageError({
          reason: "--database: Only an SQLite file. Back PostgreSQL up with pg_dump, as docs/operations.md describes."
        })
  )

const loaded = Effect.promise(async () => (await import("@earshot/core/sqlite")).SqliteBackup)

const run = (
  options: BackupOptions,
  verb: string,
  act: (module: typeof SqliteBackup, place: SqliteBackup.BackupPlace) => ReturnType<typeof SqliteBackup.backup>
): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const place = yield* placeOf(options)
    const { bytes, recordings } = yield* Effect.catchTag(
      act(yield* loaded, place),
      "BackupFailed",
      ({ reason }) => new CommandRejected({ reason })
    )
    yield* options.json
      ? screen.print(jsonLine({ folder: options.folder, recordings, bytes }))
      : screen.note(`${verb} the database and ${recordings} recordings, ${(bytes / 1_000_000).toFixed(1)} MB.`)
  })

export const backup = (options: BackupOptions): CommandEffect =>
  run(options, "Copied", (module, place) => module.backup(place, options.folder))

export const restore = (options: BackupOptions): CommandEffect =>
  run(options, "Restored", (module, place) => module.restore(options.folder, place))
