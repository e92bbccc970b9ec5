import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/**
 * Builds the core for tests that start processes: those run what is built, as any user's do. Type errors are reported elsewhere.
 * Not synchronous: a test process that does not answer for a minute fails the run.
 */
export const buildCore = async (): Promise<void> => {
  await once(
    spawn(process.execPath, ["scripts/tsc.mjs", "-b", "packages/core"], { cwd: root, stdio: "ignore" }),
    "close"
  )
}
