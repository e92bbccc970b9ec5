import { rm } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the run's bundle of the command; ask with `bundledCommand()`. */
    readonly earshotBundle: string
  }
}

/** Vitest's `globalSetup`: names the folder of this run's bundle, which the first test that needs it makes, and removes it. */
export const setup = (project: TestProject): (() => Promise<void>) => {
  // The bundle finds its files two levels below the package.
  const folder = fileURLToPath(new URL(`../../dist/test-bundle-${process.pid}`, import.meta.url))
  project.provide("earshotBundle", folder)
  return () => rm(folder, { recursive: true, force: true })
}
