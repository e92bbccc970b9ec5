import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/**
 * Builds the core for tests that start processes, which run what is built, as any user's do. Not synchronous: a test process
 * that does not answer for a minute fails the run.
 */
export const buildCore = async (): Promise<void> => {
  const compiler = spawn(process.execPath, ["scripts/tsc.mjs", "-b", "packages/core"], { cwd: root, stdio: "ignore" })
  const [code]: ReadonlyArray<unknown> = await once(compiler, "close")
  if (code !== 0) throw new Error("The core has type errors: pnpm tsc -b packages/core prints them.")
}
