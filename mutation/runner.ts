import { inject, it, vi } from "vitest"
import { VitestTestRunner } from "vitest/runners"

declare module "vitest" {
  export interface ProvidedContext {
    /** The name of the global that holds the active mutant. */
    readonly globalNamespace: string
    /** When the mutant is activated: while modules are loaded, or only while tests run. */
    readonly mutantActivation: "static" | "runtime" | undefined
    readonly activeMutant: string | undefined
  }
}

declare global {
  /** The mutant that was active when the modules in memory were loaded. */
  var earshotLoadedWith: string | undefined
}

/**
 * Runs the tests of all mutants in the same thread on modules that are loaded once, which saves most of the time. For a mutant
 * in code that runs while a module is loaded, and for the run after it, modules are loaded again.
 */
// eslint-disable-next-line earshot/restricted-syntax -- vitest asks for a default export
export default class extends VitestTestRunner {
  override async importFile(path: string, source: "collect" | "setup"): Promise<unknown> {
    if (source === "setup") return super.importFile(path, source)
    const mutant = inject("mutantActivation") === "static" ? inject("activeMutant") : undefined
    if (mutant === undefined) deactivateMutant()
    if (mutant !== globalThis.earshotLoadedWith) vi.resetModules()
    globalThis.earshotLoadedWith = mutant
    const errors: Array<unknown> = []
    try {
      return await super.importFile(path, source)
    } catch (error) {
      errors.push(error)
      return undefined
    } finally {
      // Stryker only looks at tests: a file that cannot be loaded would count as one without failures.
      it("can be loaded", () => {
        for (const error of errors) throw error
      })
    }
  }
}

/** The mutant of the previous run is active until a test runs. */
const deactivateMutant = (): void => {
  const mutants: unknown = Reflect.get(globalThis, inject("globalNamespace"))
  if (typeof mutants === "object" && mutants !== null) Reflect.set(mutants, "activeMutant", undefined)
}
