import { inject, it, vi } from "vitest"
import { VitestTestRunner } from "vitest/runners"

declare module "vitest" {
  export interface ProvidedContext {
    /** The global that holds the active mutant. */
    readonly globalNamespace: string
    /** When the mutant is to be switched on: while modules are read, or only while tests run. */
    readonly mutantActivation: "static" | "runtime" | undefined
    readonly activeMutant: string | undefined
  }
}

declare global {
  /** The mutant that was switched on when the modules in memory were read. */
  var earshotReadWith: string | undefined
}

/**
 * Runs one mutant's tests after another's in the same thread, on modules that are read once, which saves most of the
 * time. A mutant in what a module does while it is read needs the modules read anew, and so does the run after it.
 */
// eslint-disable-next-line no-restricted-syntax -- vitest asks for a default export
export default class extends VitestTestRunner {
  override async importFile(path: string, source: "collect" | "setup"): Promise<unknown> {
    if (source === "setup") return super.importFile(path, source)
    const mutant = inject("mutantActivation") === "static" ? inject("activeMutant") : undefined
    if (mutant === undefined) switchOff()
    if (mutant !== globalThis.earshotReadWith) vi.resetModules()
    globalThis.earshotReadWith = mutant
    const faults: Array<unknown> = []
    try {
      return await super.importFile(path, source)
    } catch (fault) {
      faults.push(fault)
      return undefined
    } finally {
      // Stryker looks at tests alone, and takes a file that cannot be read for one where none fails.
      it("can be read", () => {
        for (const fault of faults) throw fault
      })
    }
  }
}

/** Until a test runs, the mutant of the run before is still switched on. */
const switchOff = (): void => {
  const mutants: unknown = Reflect.get(globalThis, inject("globalNamespace"))
  if (typeof mutants === "object" && mutants !== null) Reflect.set(mutants, "activeMutant", undefined)
}
