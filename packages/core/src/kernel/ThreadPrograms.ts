/** Programs of threads that are modules of other packages, in a checkout, an installed package and the command's bundle. */
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { installed } from "./InstalledModule.js"

/**
 * The file of a program where its package is installed, or in the bundle of the command, where `path` leads to it from the
 * folder of the packages: no archive has the second one. Undefined in a bundle of the host's.
 */
export const findThreadProgram = (module: string, path: string): string | undefined =>
  [installed(module), join(dirname(fileURLToPath(import.meta.url)), "../../..", path)].find(
    (file) => file !== null && existsSync(file)
  ) ?? undefined

/** A thread that imports the program in its data: messages wait until it listens. */
export const MODULE_THREAD = `
"use strict"
import(require("node:worker_threads").workerData.program)
`
