/** Keys of `AesSecretBox` in a file, one a line: the first one seals, all of them open. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { randomBytes, randomUUID } from "node:crypto"
import { link, open, readFile, rm } from "node:fs/promises"
import { dirname } from "node:path"

/** The file cannot be read or created. The reason names the file and nothing of its text. */
export class SecretKeyFileUnusable extends Data.TaggedError("SecretKeyFileUnusable")<{ readonly reason: string }> {
  override get message(): string {
    return this.reason
  }
}

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "unknown error"

const unusable = (path: string) => (cause: unknown) =>
  new SecretKeyFileUnusable({ reason: `The secret keys cannot be read from ${path}: ${codeOf(cause)}.` })

const readKeys = async (path: string): Promise<Redacted.Redacted> => {
  const lines = (await readFile(path, "utf8")).split(/[\s,]+/).filter((line) => line !== "")
  return Redacted.make(lines.join(","))
}

/** The keys of a file that has to exist. */
export const read = (path: string): Effect.Effect<Redacted.Redacted, SecretKeyFileUnusable> =>
  Effect.tryPromise({ try: () => readKeys(path), catch: unusable(path) })

/** Writes a file that is complete whenever its name exists, and leaves one that another process made first. */
const create = async (path: string): Promise<void> => {
  const unfinished = `${path}.${randomUUID()}`
  const handle = await open(unfinished, "wx", 0o600)
  try {
    await handle.writeFile(`${randomBytes(32).toString("base64")}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  // Fails where another process was first, whose key then counts; any other failure is found by reading the file.
  await link(unfinished, path).catch(() => undefined)
  await rm(unfinished, { force: true })
  if (process.platform === "win32") return
  // Before anything is sealed with it: without its directory entry the key would be lost with the machine.
  const directory = await open(dirname(path), "r")
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** The keys of a file, which is created with a random key, readable by its owner only, if it does not exist. */
export const readOrCreate = (path: string): Effect.Effect<Redacted.Redacted, SecretKeyFileUnusable> =>
  Effect.tryPromise({
    try: () =>
      readKeys(path).catch((failure: unknown) =>
        codeOf(failure) === "ENOENT" ? create(path).then(() => readKeys(path)) : Promise.reject(failure)
      ),
    catch: unusable(path)
  })
