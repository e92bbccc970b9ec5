/** The `earshot` command as a process, bundled from its sources. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { bundledCommand } from "../../../cli-adapter/test/support/bundle.js"

const run = promisify(execFile)

/** A terminal in which the command works at a server; runs a command, and returns what it prints. */
export const terminalOf =
  (server: { readonly url: string; readonly apiKey: string }) =>
  async (...args: ReadonlyArray<string>): Promise<string> => {
    const env = { PATH: process.env.PATH, EARSHOT_URL: server.url, EARSHOT_API_KEY: server.apiKey, COLUMNS: "120" }
    return (await run(process.execPath, [bundledCommand(), ...args], { env })).stdout
  }
