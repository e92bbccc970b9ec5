/** Saves the recording of a call or a run in a file. */
import { createWriteStream } from "node:fs"
import { rename, rm } from "node:fs/promises"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as Effect from "effect/Effect"
import { sendForBytes } from "../Api.js"
import type { CommandEffect } from "../CommandEffect.js"
import { CommandRejected } from "../Errors.js"
import { Screen } from "../Screen.js"
import type { CommonOptions } from "../Settings.js"
import { onTarget } from "../Target.js"
import { jsonLine, sanitize } from "../Text.js"

export interface RecordingOptions extends CommonOptions {
  readonly id: number
  readonly recordings: string
  readonly output: string
}

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? ` (${String(error.code)})` : ""

/** Writes beside the file first, so that a transfer that fails leaves no half recording under its name. */
const writeTo = async (output: string, bytes: Readable): Promise<number> => {
  let size = 0
  bytes.on("data", (chunk: Buffer) => {
    size += chunk.length
  })
  if (output === "-") {
    await pipeline(bytes, process.stdout, { end: false })
    return size
  }
  const partial = `${output}.${process.pid}.part`
  try {
    await pipeline(bytes, createWriteStream(partial, { flags: "wx" }))
    await rename(partial, output)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
  return size
}

const PATHS = {
  call: "/observability/v1/call-logs/{id}/recording/",
  run: "/test_framework/v1/runs/{id}/recording/"
} as const

export const saveRecording =
  (of: keyof typeof PATHS) =>
  (options: RecordingOptions): CommandEffect =>
    Effect.gen(function* () {
      const { id, json, output } = options
      const screen = yield* Screen
      const { bytes, contentType } = yield* sendForBytes(PATHS[of], { id })
      const size = yield* Effect.tryPromise({
        try: () => writeTo(output, bytes === null ? Readable.from([]) : Readable.from(bytes)),
        catch: (error) =>
          new CommandRejected({
            reason: `The recording could not be saved in ${output === "-" ? "stdout" : output}${codeOf(error)}. Try again.`
          })
      })
      if (json && output !== "-") {
        return yield* screen.print(jsonLine({ id, file: output, content_type: contentType, size_bytes: size }))
      }
      yield* screen.note(
        `Saved the recording of ${of} ${id} in ${sanitize(output === "-" ? "stdout" : output)}: ${size.toLocaleString("en-US")} bytes of ${contentType}.`
      )
    }).pipe(
      onTarget(options, () =>
        import("../EngineSettings.js").then(({ plainEngine }) =>
          Effect.succeed({ ...plainEngine(options), recordings: options.recordings })
        )
      )
    )
