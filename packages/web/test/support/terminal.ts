/** The `earshot` command as a process, bundled from its sources. */
import { execFile } from "node:child_process"
import { rm } from "node:fs/promises"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const run = promisify(execFile)

const PACKAGE = fileURLToPath(new URL("../../../cli-adapter/", import.meta.url))

export interface Terminal {
  /** What a command prints. */
  readonly earshot: (...args: ReadonlyArray<string>) => Promise<string>
  readonly close: () => Promise<void>
}

export const startTerminal = async (server: { readonly url: string; readonly apiKey: string }): Promise<Terminal> => {
  // The bundle finds its files two levels below the package.
  const folder = path.join(PACKAGE, "dist", `web-test-${process.pid}`)
  await run(process.execPath, ["bundle.mjs", folder], { cwd: PACKAGE })
  return {
    earshot: async (...args) => {
      const env = { PATH: process.env.PATH, EARSHOT_URL: server.url, EARSHOT_API_KEY: server.apiKey, COLUMNS: "120" }
      return (await run(process.execPath, [path.join(folder, "earshot.js"), ...args], { env })).stdout
    },
    close: () => rm(folder, { recursive: true, force: true })
  }
}
