import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inject } from "vitest"
import type {} from "./bundleSetup.js"

const PACKAGE = fileURLToPath(new URL("../../", import.meta.url))

/** How long another process may take to make the bundle, in milliseconds. It takes 4 s of processor time. */
const LIMIT = 180_000

const pause = (milliseconds: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

/** Whether this process is the one that makes a folder. */
const isMaker = (folder: string): boolean => {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}

/**
 * The command's file, bundled from the sources once per run, so that tests never run an outdated one. Not asynchronous: the
 * other processes of the run wait for the one that makes it.
 */
export const bundledCommand = (): string => {
  const folder = inject("earshotBundle")
  const [making, lock, entry] = [`${folder}-making`, `${folder}-lock`, join(folder, "earshot.js")]
  const started = performance.now()
  while (!existsSync(entry)) {
    if (performance.now() - started > LIMIT) throw new Error(`No process has made ${entry} in time.`)
    if (!isMaker(lock)) {
      pause(50)
      continue
    }
    try {
      // Another process may have made it since it was looked for.
      if (!existsSync(entry)) {
        execFileSync(process.execPath, ["bundle.mjs", making], { cwd: PACKAGE, stdio: "inherit" })
        // Given its name last, so that a folder that is there is a whole one.
        renameSync(making, folder)
      }
    } finally {
      rmSync(lock, { recursive: true, force: true })
    }
  }
  return entry
}
