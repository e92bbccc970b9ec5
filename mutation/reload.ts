/**
 * Runs before each run of a test file. Test runs share their modules, which saves most of a mutant's time; but a mutant
 * in what a module does once, while it is read, needs the modules read anew, as does the first run after such a one.
 */
import { inject, vi } from "vitest"

declare module "vitest" {
  export interface ProvidedContext {
    /** The global that holds the active mutant. */
    readonly globalNamespace: string
    /** Stryker's word, when the mutant is to be switched on: while modules are read, or only while tests run. */
    readonly mutantActivation: "static" | "runtime" | undefined
  }
}

interface Mutants {
  activeMutant?: string | undefined
  earshotReadWithMutant?: boolean
}
const globals: Record<string, Mutants | undefined> = globalThis
const mutants = (globals[inject("globalNamespace")] ??= {})
const readsWithMutant = inject("mutantActivation") === "static"
// Otherwise it is still that of the run before.
if (!readsWithMutant) mutants.activeMutant = undefined
if (readsWithMutant || mutants.earshotReadWithMutant === true) vi.resetModules()
mutants.earshotReadWithMutant = readsWithMutant
