/**
 * Named properties, checked with fast-check in any test runner. The environment sets how often and from where, so that a
 * failure can be replayed:
 *
 * - `EARSHOT_KIT_RUNS`: runs of every property and model, instead of their own numbers.
 * - `EARSHOT_KIT_SEED`: a number, or `random`. Default: one fixed seed, so that tests repeat.
 * - `EARSHOT_KIT_PATH`, `EARSHOT_KIT_REPLAY`: printed with a failure; they lead straight to the shrunk counterexample.
 */
import * as fc from "fast-check"
import { setImmediate } from "node:timers/promises"

/** A named property; `check` throws a counterexample where it does not hold. */
export interface Property {
  readonly name: string
  readonly check: () => void
}

/** A named property of an asynchronous implementation. */
export interface AsyncProperty {
  readonly name: string
  /** Rejects with a counterexample where the property does not hold. */
  readonly check: () => Promise<void>
}

const SEED = 20_261_121

/** fast-check's parameters: `runs`, a fixed seed and no path, where the environment sets none. */
export const parameters = (
  runs: number,
  environment: Readonly<Record<string, string | undefined>> = process.env
): { readonly numRuns: number; readonly seed?: number; readonly path?: string } => {
  const { EARSHOT_KIT_PATH: path, EARSHOT_KIT_RUNS: given, EARSHOT_KIT_SEED: seed } = environment
  const number = (text: string | undefined) =>
    text !== undefined && /^-?\d+$/.test(text.trim()) ? Number(text) : undefined
  return {
    numRuns: Math.max(1, number(given) ?? runs),
    ...(seed === "random" ? {} : { seed: number(seed) ?? SEED }),
    ...(path === undefined || path === "" ? {} : { path })
  }
}

/** The option of `fc.commands` that replays the shrunk commands of a failure. */
export const replay = (
  environment: Readonly<Record<string, string | undefined>> = process.env
): { readonly replayPath?: string } =>
  environment.EARSHOT_KIT_REPLAY === undefined ? {} : { replayPath: environment.EARSHOT_KIT_REPLAY }

/** Throws the counterexample of a failed run, with the environment that replays it. */
export const assertHolds = <Ts>(name: string, details: fc.RunDetails<Ts>): void => {
  if (!details.failed) return
  const message = fc.defaultReportMessage(details) ?? ""
  const replayPath = /replayPath="([^"]*)"/.exec(message)?.[1]
  const environment = [
    `EARSHOT_KIT_SEED=${details.seed}`,
    ...(details.counterexamplePath === null ? [] : [`EARSHOT_KIT_PATH="${details.counterexamplePath}"`]),
    ...(replayPath === undefined ? [] : [`EARSHOT_KIT_REPLAY="${replayPath}"`])
  ]
  throw new Error(`${name}\n${message}\n\nReplay this test alone with ${environment.join(" ")}`, {
    cause: details.errorInstance
  })
}

type Arbitraries<Args> = { [K in keyof Args]: fc.Arbitrary<Args[K]> }

/** A property of generated values: it fails where `holds` returns false or throws. */
export const property = <Args extends [unknown, ...Array<unknown>]>(
  name: string,
  arbitraries: Arbitraries<Args>,
  holds: (...args: Args) => boolean,
  runs = 300
): Property => ({
  name,
  check: () => assertHolds(name, fc.check(fc.property<Args>(...arbitraries, holds), parameters(runs)))
})

/**
 * An asynchronous fast-check property that yields to the event loop before each run. Over an in-memory database nothing
 * else does, and a test runner that receives no message from a worker for a minute considers it dead.
 */
export const yieldingProperty = <Args extends [unknown, ...Array<unknown>]>(
  arbitraries: Arbitraries<Args>,
  // eslint-disable-next-line typescript/no-invalid-void-type -- as fast-check has it
  holds: (...args: Args) => Promise<boolean | void>
): fc.IAsyncPropertyWithHooks<Args> =>
  fc.asyncProperty<Args>(...arbitraries, async (...args) => {
    await setImmediate()
    return holds(...args)
  })

/** A property of generated values and an asynchronous implementation; it has fewer runs. */
export const asyncProperty = <Args extends [unknown, ...Array<unknown>]>(
  name: string,
  arbitraries: Arbitraries<Args>,
  holds: (...args: Args) => Promise<boolean>,
  runs = 20
): AsyncProperty => ({
  name,
  check: async () => assertHolds(name, await fc.check(yieldingProperty(arbitraries, holds), parameters(runs)))
})

/** A property without generated values, such as one of a table. */
export const invariant = (name: string, holds: () => boolean): Property => ({
  name,
  check: () => {
    if (!holds()) throw new Error(`Invariant violated: ${name}`)
  }
})

/** An asynchronous property without generated values; it fails where `check` rejects. */
export const asyncInvariant = (name: string, check: () => Promise<void>): AsyncProperty => ({ name, check })

/** Throws where two values differ as JSON. */
export const expectEqual = (what: string, actual: unknown, expected: unknown): void => {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (one !== other) throw new Error(`${what}: ${one} instead of ${other}`)
}
