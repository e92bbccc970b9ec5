import { createHash, randomUUID } from "node:crypto"
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { type Blob, BlobMissing, BlobStore, BlobStoreFailed } from "../calls/BlobStore.js"

export interface FileBlobStoreConfig {
  /** The folder of the blobs, created with the first one. It must be on one file system, since files are renamed in it. */
  readonly directory: string
}

/** Bytes read at a time. */
const CHUNK = 65_536

/** Files that are being written. What is left in it while no process writes is from a crash and can be deleted. */
const UNFINISHED = "unfinished"

/** A key as `put` makes it: owner, two digits that spread the files, and a random name. Nothing else is used as a path. */
const KEY = /^\d{1,16}\/[0-9a-f]{2}\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const attempt = <A>(operation: string, act: () => Promise<A>): Effect.Effect<A, BlobStoreFailed> =>
  Effect.tryPromise({ try: act, catch: (cause) => new BlobStoreFailed({ operation, cause }) })

const isMissing = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "code" in cause && cause.code === "ENOENT"

/** Makes a directory's entries durable. Windows cannot open one, and needs no such step. */
const syncDirectory = async (directory: string): Promise<void> => {
  if (process.platform === "win32") return
  const handle = await open(directory, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Blobs as files of a folder. A blob is written to a temporary file, flushed to the disk, and then renamed, so a key has a
 * whole blob or none, whenever the process or the machine crashes.
 */
export const layer = ({ directory }: FileBlobStoreConfig): Layer.Layer<BlobStore> =>
  Layer.sync(BlobStore, () => {
    const root = path.resolve(directory)

    const pathOf = (key: string): string | undefined => (KEY.test(key) ? path.join(root, key) : undefined)

    const writeAll = async (handle: FileHandle, bytes: Uint8Array): Promise<void> => {
      for (let from = 0; from < bytes.length;) {
        const { bytesWritten } = await handle.write(bytes, from)
        from += bytesWritten
      }
    }

    /** Writes the content to a file of its own; whatever goes wrong, the file is gone afterwards. */
    const writing = <E, R>(
      file: string,
      content: Stream.Stream<Uint8Array, E, R>
    ): Effect.Effect<Omit<Blob, "key">, E | BlobStoreFailed, R> =>
      Effect.acquireUseRelease(
        attempt("put", async () => {
          await mkdir(path.dirname(file), { recursive: true })
          return open(file, "wx", 0o600)
        }),
        (handle) =>
          Effect.gen(function* () {
            const hash = createHash("sha256")
            let sizeBytes = 0
            yield* Stream.runForEach(content, (bytes) =>
              attempt("put", async () => {
                hash.update(bytes)
                sizeBytes += bytes.length
                await writeAll(handle, bytes)
              })
            )
            yield* attempt("put", () => handle.sync())
            return { sizeBytes, sha256: hash.digest("hex") }
          }),
        (handle, exit) =>
          Effect.promise(async () => {
            await handle.close()
            if (Exit.isFailure(exit)) await rm(file, { force: true })
          })
      )

    return BlobStore.of({
      put: (owner, content) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const name = randomUUID()
            const key = `${owner}/${name.slice(0, 2)}/${name}`
            const unfinished = path.join(root, UNFINISHED, name)
            const written = yield* restore(writing(unfinished, content))
            const target = path.join(root, key)
            yield* attempt("put", async () => {
              await mkdir(path.dirname(target), { recursive: true })
              await rename(unfinished, target)
              // Up to the folder that names the root: a folder made a moment ago, by whichever process, is an entry too.
              for (const above of ["", "..", "../..", "../../.."]) {
                await syncDirectory(path.join(path.dirname(target), above))
              }
            }).pipe(Effect.tapError(() => Effect.promise(() => rm(unfinished, { force: true }))))
            return { key, ...written }
          })
        ),
      get: (key) => {
        const file = pathOf(key)
        if (file === undefined) return Stream.fail(new BlobMissing({ key }))
        return Stream.unwrapScoped(
          Effect.map(
            Effect.acquireRelease(
              Effect.tryPromise({
                try: () => open(file, "r"),
                catch: (cause) =>
                  isMissing(cause) ? new BlobMissing({ key }) : new BlobStoreFailed({ operation: "get", cause })
              }),
              (handle) => Effect.promise(() => handle.close())
            ),
            (handle) =>
              Stream.fromAsyncIterable(
                handle.createReadStream({ autoClose: false, highWaterMark: CHUNK }),
                (cause) => new BlobStoreFailed({ operation: "get", cause })
              ).pipe(Stream.map((chunk: unknown) => (chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk)))))
          )
        )
      },
      remove: (key) => {
        const file = pathOf(key)
        return file === undefined ? Effect.void : attempt("remove", () => rm(file, { force: true }))
      }
    })
  })
