import { inject, it, vi } from "vitest"
import { VitestTestRunner } from "vitest/runners"

declare module "vitest" {
  export interface ProvidedContext {
    /** The global that holds the active mutant. */
    readonly globalNamespace: string
    /** When the mutant is to be switched on: while modules are read, or only while tests run. */
    readonly mutantActivation: "static" | "runtime" | undefined
  }
}

interface Mutants {
  activeMutant?: string | undefined
  /** Whether the modules in memory were read with a mutant switched on. */
  areReadBroken?: boolean
}
const globals: Record<string, Mutants | undefined> = globalThis

/**
 * Runs one mutant's tests after another's in the same thread, on modules that are read once, which saves most of the
 * time. A mutant in what a module does while it is read needs the modules read anew, and so does the run after it.
 */
export default class extends VitestTestRunner {
  override async importFile(path: string, source: "collect" | "setup"): Promise<unknown> {
    if (source === "setup") return super.importFile(path, source)
    const mutants = (globals[inject("globalNamespace")] ??= {})
    const isStatic = inject("mutantActivation") === "static"
    // Otherwise it is still that of the run before.
    if (!isStatic) mutants.activeMutant = undefined
    if (isStatic || mutants.areReadBroken === true) vi.resetModules()
    mutants.areReadBroken = isStatic
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
