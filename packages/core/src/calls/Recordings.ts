/** The blobs of recordings: stored in two phases, and removed once nothing refers to them. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import type { OrganizationId } from "../kernel/Ids.js"
import { type StorageError, StorageFailed } from "../kernel/Storage.js"
import { type Blob, BlobStore, type BlobStoreFailed, blobKey } from "./BlobStore.js"
import { PendingBlobStore, type RecordedThing } from "./PendingBlobStore.js"

/** A recording whose blob is not in the store. */
export interface MissingBlob {
  readonly of: RecordedThing
  /** The id of the call or run. */
  readonly id: number
  readonly key: string
}

/** What `check` found. */
export interface RecordingsReport {
  /** Blobs in the store. */
  readonly stored: number
  readonly storedBytes: number
  /** Blobs that nothing refers to and nobody is storing; `remove` has removed them. */
  readonly orphans: number
  readonly orphanBytes: number
  /** Recordings of calls and runs whose blobs are not in the store, at most 100 of them. */
  readonly missing: ReadonlyArray<MissingBlob>
}

export interface RecordingsConfig {
  /**
   * How long a blob may be pending before it is removed if no recording refers to it. Longer than any ingest takes, including
   * the transcription. Default: 1 day.
   */
  readonly collectAfter?: Duration.DurationInput
}

export class Recordings extends Context.Tag("@earshot/core/calls/Recordings")<
  Recordings,
  {
    /**
     * Stores bytes under a new key. The key is recorded before the first byte, so a crash at any point leaves nothing
     * that `collect` does not find.
     */
    readonly put: <E, R>(
      owner: OrganizationId,
      content: Stream.Stream<Uint8Array, E, R>
    ) => Effect.Effect<Blob, E | BlobStoreFailed | StorageError, R>
    /** Removes blobs that no recording refers to. Never fails: what cannot be removed now is left to `collect`. */
    readonly release: (keys: ReadonlyArray<string>) => Effect.Effect<void>
    /**
     * Removes the blobs that nothing refers to, and returns how many keys that were, those of puts that failed included.
     * Idempotent; several processes may run it at once.
     */
    readonly collect: Effect.Effect<number, StorageError>
    /**
     * Compares the store with the database, and with `remove` removes orphans, among them those that no crash can have
     * left, such as files copied into the store. An operator function: no actor is checked.
     */
    readonly check: (options: { readonly remove: boolean }) => Effect.Effect<RecordingsReport, StorageError>
  }
>() {}

const COLLECTED_AT_A_TIME = 100
const CHECKED_AT_A_TIME = 1000
const MAX_REPORTED = 100

const storageError = (error: BlobStoreFailed): StorageFailed =>
  new StorageFailed({ operation: `BlobStore.${error.operation}`, cause: error.cause })

export const layer = (config: RecordingsConfig = {}) =>
  Layer.effect(
    Recordings,
    Effect.gen(function* () {
      const blobs = yield* BlobStore
      const pending = yield* PendingBlobStore
      const collectAfter = Duration.toMillis(config.collectAfter ?? "1 day")

      const removeAll = (keys: ReadonlyArray<string>) =>
        Effect.forEach(keys, (key) => Effect.mapError(blobs.remove(key), storageError), { discard: true })

      const findOrphans = (remove: boolean) =>
        Effect.gen(function* () {
          const report = { stored: 0, storedBytes: 0, orphans: 0, orphanBytes: 0 }
          let after: string | undefined
          for (;;) {
            const page = yield* Effect.mapError(blobs.list(after, CHECKED_AT_A_TIME), storageError)
            const last = page[page.length - 1]
            if (last === undefined) return report
            // Asked after the list was read: whatever it contains was recorded before.
            const since = (yield* Clock.currentTimeMillis) - collectAfter
            const used = new Set(
              yield* pending.inUse(
                page.map(({ key }) => key),
                since
              )
            )
            const orphans = page.filter(({ key }) => !used.has(key))
            if (remove) {
              yield* removeAll(orphans.map(({ key }) => key))
              yield* pending.remove(orphans.map(({ key }) => key))
            }
            const bytesOf = (found: typeof page) => found.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
            report.stored += page.length
            report.storedBytes += bytesOf(page)
            report.orphans += orphans.length
            report.orphanBytes += bytesOf(orphans)
            after = last.key
          }
        })

      const findMissing = (of: RecordedThing) =>
        Effect.gen(function* () {
          const missing: Array<MissingBlob> = []
          let after = 0
          for (;;) {
            const page = yield* pending.referred(of, after, CHECKED_AT_A_TIME)
            const last = page[page.length - 1]
            if (last === undefined || missing.length >= MAX_REPORTED) return missing
            for (const { id, key } of page) {
              if (!(yield* Effect.mapError(blobs.has(key), storageError))) missing.push({ of, id, key })
            }
            after = last.id
          }
        })

      return Recordings.of({
        put: (owner, content) =>
          Effect.gen(function* () {
            const key = blobKey(owner, randomUUID())
            yield* pending.add(key, yield* Clock.currentTimeMillis)
            return yield* blobs.put(key, content)
          }),
        release: (keys) =>
          removeAll(keys).pipe(
            Effect.zipRight(pending.remove(keys)),
            Effect.catchAll((error) => Effect.logWarning("Failed to delete an unreferenced recording", { keys, error }))
          ),
        collect: Effect.gen(function* () {
          let removed = 0
          for (;;) {
            const before = (yield* Clock.currentTimeMillis) - collectAfter
            const found = yield* pending.due(before, COLLECTED_AT_A_TIME)
            if (found.length === 0) {
              yield* Effect.mapError(blobs.removeUnfinished(before), storageError)
              return removed
            }
            const orphans = found.flatMap(({ key, referred }) => (referred ? [] : [key]))
            // The blob first: if the process ends in between, the key is found again.
            yield* removeAll(orphans)
            yield* pending.remove(found.map(({ key }) => key))
            removed += orphans.length
          }
        }),
        check: ({ remove }) =>
          Effect.gen(function* () {
            const found = yield* findOrphans(remove)
            const missing = [...(yield* findMissing("call")), ...(yield* findMissing("run"))]
            return { ...found, missing: missing.slice(0, MAX_REPORTED) }
          })
      })
    })
  )
