import { createHash, randomUUID } from "node:crypto"
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { BLOB_KEY, type Blob, BlobMissing, BlobStore, BlobStoreFailed } from "../calls/BlobStore.js"

export interface FileBlobStoreConfig {
  /** The folder of the blobs, created with the first one. It must be on one file system, since files are renamed in it. */
  readonly directory: string
}

/** Bytes read at a time. */
const CHUNK = 65_536

/** Files that are being written. What a crash has left in it is deleted by `removeUnfinished`. */
const UNFINISHED = "unfinished"

const attempt = <A>(operation: string, act: () => Promise<A>): Effect.Effect<A, BlobStoreFailed> =>
  Effect.tryPromise({ try: act, catch: (cause) => new BlobStoreFailed({ operation, cause }) })

const isMissing = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "code" in cause && cause.code === "ENOENT"

/** The value for a file that is not there; any other failure is one. */
const ifMissing =
  <A>(value: A) =>
  (failure: unknown): A | Promise<never> =>
    isMissing(failure) ? value : Promise.reject(failure)

/** The names in a folder, sorted by code point; none if it is not there. */
const namesIn = async (folder: string): Promise<ReadonlyArray<string>> =>
  (await readdir(folder).catch(ifMissing(Array<string>()))).sort()

/** The blobs after a key. Only folders that may contain such keys are read. */
const listBlobs = async (
  root: string,
  after: string | undefined,
  limit: number
): Promise<ReadonlyArray<{ readonly key: string; readonly sizeBytes: number }>> => {
  const [afterOwner = "", afterFolder = ""] = after?.split("/") ?? []
  const found: Array<{ readonly key: string; readonly sizeBytes: number }> = []
  for (const owner of await namesIn(root)) {
    if (owner < afterOwner || !/^\d{1,16}$/.test(owner)) continue
    for (const folder of await namesIn(path.join(root, owner))) {
      if (owner === afterOwner && folder < afterFolder) continue
      for (const name of await namesIn(path.join(root, owner, folder))) {
        const key = `${owner}/${folder}/${name}`
        if (!BLOB_KEY.test(key) || (after !== undefined && key <= after)) continue
        const size = await stat(path.join(root, key)).then(({ size }) => size, ifMissing(undefined))
        if (size !== undefined) found.push({ key, sizeBytes: size })
        if (found.length === limit) return found
      }
    }
  }
  return found
}

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

    const pathOf = (key: string): string | undefined => (BLOB_KEY.test(key) ? path.join(root, key) : undefined)

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
      put: (key, content) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const target = pathOf(key)
            if (target === undefined) return yield* new BlobStoreFailed({ operation: "put", cause: "invalid key" })
            const unfinished = path.join(root, UNFINISHED, randomUUID())
            const written = yield* restore(writing(unfinished, content))
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
      get: (key, range) => {
        const file = pathOf(key)
        if (file === undefined) return Stream.fail(new BlobMissing({ key }))
        // The last byte of a file stream is included, so an empty range cannot be one.
        const isEmpty = range !== undefined && range.end <= range.start
        const part = range === undefined || isEmpty ? {} : { start: range.start, end: range.end - 1 }
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
              isEmpty
                ? Stream.empty
                : Stream.fromAsyncIterable(
                    handle.createReadStream({ autoClose: false, highWaterMark: CHUNK, ...part }),
                    (cause) => new BlobStoreFailed({ operation: "get", cause })
                  ).pipe(
                    Stream.map((chunk: unknown) => (chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk))))
                  )
          )
        )
      },
      remove: (key) => {
        const file = pathOf(key)
        return file === undefined ? Effect.void : attempt("remove", () => rm(file, { force: true }))
      },
      has: (key) => {
        const file = pathOf(key)
        return file === undefined
          ? Effect.succeed(false)
          : attempt("has", () => stat(file).then(() => true, ifMissing(false)))
      },
      list: (after, limit) => attempt("list", () => listBlobs(root, after, limit)),
      removeUnfinished: (before) =>
        attempt("removeUnfinished", async () => {
          const folder = path.join(root, UNFINISHED)
          for (const name of await namesIn(folder)) {
            const file = path.join(folder, name)
            const written = await stat(file).then(({ mtimeMs }) => mtimeMs, ifMissing(Infinity))
            if (written < before) await rm(file, { force: true })
          }
        })
    })
  })
