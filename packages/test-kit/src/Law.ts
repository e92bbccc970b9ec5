/**
 * Laws: what any implementation has to keep to, each with a name, as properties for fast-check. How often each is tried,
 * and from where, is said by the environment, so that a failure can be run again in any test runner:
 *
 * - `EARSHOT_KIT_RUNS`: tries of every law, and walks of every model, instead of their own numbers.
 * - `EARSHOT_KIT_SEED`: a number, or `random`. The same in every run unless told, so that tests repeat.
 * - `EARSHOT_KIT_PATH`, `EARSHOT_KIT_REPLAY`: where a failure told them, they lead straight to the shrunk counterexample.
 */
import * as fc from "fast-check"
import { setImmediate } from "node:timers/promises"

/** A law by name; `check` throws a counterexample where it does not hold. */
export interface Law {
  readonly says: string
  readonly check: () => void
}

/** A law of something that answers in its own time. */
export interface AsyncLaw {
  readonly says: string
  /** Rejects with a counterexample where it does not hold. */
  readonly check: () => Promise<void>
}

const SEED = 20_261_121

/** How properties are tried: `runs` times unless the environment says otherwise. */
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

/** What leads `fc.commands` to the commands that were left after shrinking, where a failure told it. */
export const replay = (
  environment: Readonly<Record<string, string | undefined>> = process.env
): { readonly replayPath?: string } =>
  environment.EARSHOT_KIT_REPLAY === undefined ? {} : { replayPath: environment.EARSHOT_KIT_REPLAY }

/** Throws what was found, how it was shrunk, and how to run it again. */
export const assertHolds = <Ts>(says: string, details: fc.RunDetails<Ts>): void => {
  if (!details.failed) return
  const message = fc.defaultReportMessage(details) ?? ""
  const replayPath = /replayPath="([^"]*)"/.exec(message)?.[1]
  const again = [
    `EARSHOT_KIT_SEED=${details.seed}`,
    ...(details.counterexamplePath === null ? [] : [`EARSHOT_KIT_PATH="${details.counterexamplePath}"`]),
    ...(replayPath === undefined ? [] : [`EARSHOT_KIT_REPLAY="${replayPath}"`])
  ]
  throw new Error(`${says}\n${message}\n\nRun this test alone again with ${again.join(" ")}`, {
    cause: details.errorInstance
  })
}

type Arbitraries<Args> = { [K in keyof Args]: fc.Arbitrary<Args[K]> }

/** A law about values: it holds where `holds` answers true, and does not where it answers false or throws. */
export const law = <Args extends [unknown, ...Array<unknown>]>(
  says: string,
  arbitraries: Arbitraries<Args>,
  holds: (...args: Args) => boolean,
  runs = 300
): Law => ({
  says,
  check: () => assertHolds(says, fc.check(fc.property<Args>(...arbitraries, holds), parameters(runs)))
})

/**
 * A property of something asynchronous, between whose tries the event loop runs. Over a database in memory nothing else
 * lets it, and a test runner that hears nothing of a process for a minute takes it for dead.
 */
export const asyncProperty = <Args extends [unknown, ...Array<unknown>]>(
  arbitraries: Arbitraries<Args>,
  // eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- as fast-check has it
  holds: (...args: Args) => Promise<boolean | void>
): fc.IAsyncPropertyWithHooks<Args> =>
  fc.asyncProperty<Args>(...arbitraries, async (...args) => {
    await setImmediate()
    return holds(...args)
  })

/** The same of something asynchronous, which is tried less often. */
export const asyncLaw = <Args extends [unknown, ...Array<unknown>]>(
  says: string,
  arbitraries: Arbitraries<Args>,
  holds: (...args: Args) => Promise<boolean>,
  runs = 20
): AsyncLaw => ({
  says,
  check: async () => assertHolds(says, await fc.check(asyncProperty(arbitraries, holds), parameters(runs)))
})

/** A law about a single thing, such as a table. */
export const fact = (says: string, holds: () => boolean): Law => ({
  says,
  check: () => {
    if (!holds()) throw new Error(`It does not hold that ${says}`)
  }
})

/** The same of something asynchronous; it holds where it does not reject. */
export const asyncFact = (says: string, check: () => Promise<void>): AsyncLaw => ({ says, check })

/** What an expectation of a model or a law throws. */
export const expectSame = (what: string, got: unknown, expected: unknown): void => {
  const [one, other] = [JSON.stringify(got), JSON.stringify(expected)]
  if (one !== other) throw new Error(`${what}: ${one} instead of ${other}`)
}
