/** A whole file or stdin, as bytes or as text. */
import { readFile, stat } from "node:fs/promises"
import * as Effect from "effect/Effect"
import { CommandRejected } from "./Errors.js"

/** The most bytes that are read: several times what the longest transcript has. */
const MAX_BYTES = 64 * 1024 * 1024

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""

/** Why a file cannot be read, as a sentence behind its name. */
export const readErrorText = (cause: unknown): string => {
  const code = codeOf(cause)
  return code === "ENOENT"
    ? "There is no such file."
    : code === "EISDIR"
      ? "This is a folder."
      : `This cannot be read${code === "" ? "" : ` (${code})`}.`
}

/** What a file is called in sentences. */
export const displayName = (name: string): string => (name === "-" ? "stdin" : name)

/** Undefined where there are too many. */
const readStdin = async (): Promise<Buffer | undefined> => {
  const parts: Array<Uint8Array> = []
  let length = 0
  for await (const part of process.stdin) {
    const bytes = Buffer.from(part)
    length += bytes.length
    if (length <= MAX_BYTES) parts.push(bytes)
  }
  return length > MAX_BYTES ? undefined : Buffer.concat(parts)
}

/** The bytes of a file; `-` is stdin. */
export const readBytes = (name: string): Effect.Effect<Buffer, CommandRejected> =>
  Effect.tryPromise({
    try: async () =>
      name === "-" ? readStdin() : (await stat(name)).size > MAX_BYTES ? undefined : await readFile(name),
    catch: (cause) => new CommandRejected({ reason: `${displayName(name)}: ${readErrorText(cause)}` })
  }).pipe(
    Effect.flatMap((bytes) =>
      bytes === undefined
        ? new CommandRejected({ reason: `${displayName(name)}: This has more than ${MAX_BYTES} bytes.` })
        : Effect.succeed(bytes)
    )
  )

/** The text of a file, which has to be UTF-8; `-` is stdin. A byte order mark at its beginning is no part of it. */
export const readText = (name: string): Effect.Effect<string, CommandRejected> =>
  Effect.flatMap(readBytes(name), (bytes) =>
    Effect.try({
      try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
      catch: () => new CommandRejected({ reason: `${displayName(name)}: This is not valid UTF-8.` })
    })
  )

/** A secret in a file: never on the command line, where other users of the machine could read it. */
export const readSecret = (file: string, option = "--secret-file"): Effect.Effect<string, CommandRejected> =>
  Effect.mapBoth(readText(file), {
    onFailure: ({ reason }) => new CommandRejected({ reason: `${option}: ${reason}` }),
    onSuccess: (text) => text.trim()
  })
