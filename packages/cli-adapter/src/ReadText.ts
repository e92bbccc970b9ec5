/** A whole file or stdin as text. */
import { readFileSync, statSync } from "node:fs"
import * as Effect from "effect/Effect"
import { Misused } from "./Faults.js"

/** The most bytes that are read: several times what the longest transcript has. */
const MOST_BYTES = 64 * 1024 * 1024

/** The text of a file; `-` is stdin. */
export const readText = (name: string): Effect.Effect<string, Misused> =>
  name === "-"
    ? Effect.tryPromise({
        try: async () => {
          const parts: Array<Uint8Array> = []
          let length = 0
          for await (const part of process.stdin) {
            const bytes = Buffer.from(part)
            length += bytes.length
            if (length <= MOST_BYTES) parts.push(bytes)
          }
          return length > MOST_BYTES ? undefined : Buffer.concat(parts).toString("utf8")
        },
        catch: () => new Misused({ reason: "stdin cannot be read." })
      }).pipe(
        Effect.flatMap((text) =>
          text === undefined ? new Misused({ reason: `stdin: more than ${MOST_BYTES} bytes.` }) : Effect.succeed(text)
        )
      )
    : Effect.try({
        try: () => (statSync(name).size > MOST_BYTES ? undefined : readFileSync(name, "utf8")),
        catch: () => new Misused({ reason: `${name}: there is no such file, or it cannot be read.` })
      }).pipe(
        Effect.flatMap((text) =>
          text === undefined ? new Misused({ reason: `${name}: more than ${MOST_BYTES} bytes.` }) : Effect.succeed(text)
        )
      )
