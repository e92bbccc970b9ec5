import { execFileSync } from "node:child_process"
import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const PACKAGE = fileURLToPath(new URL("../../packages/cli-adapter/", import.meta.url))

const FOLDER = join(PACKAGE, "dist", `bench-${process.pid}`)

/** The command, bundled once per process from the sources, so that tests never run an outdated one. */
export const bundledProgram = (): string => {
  const entry = join(FOLDER, "earshot.js")
  if (!existsSync(entry)) {
    execFileSync(process.execPath, ["bundle.mjs", FOLDER], { cwd: PACKAGE, stdio: "inherit" })
    process.once("exit", () => {
      rmSync(FOLDER, { recursive: true, force: true })
    })
  }
  return entry
}
