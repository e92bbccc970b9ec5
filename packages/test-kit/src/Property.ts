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

/** Whether a field of a printed counterexample says nothing: missing, empty, or only of such fields. */
const isBlank = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (isPlain(value) && Object.values(value).every(isBlank))

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** A value without the blank fields of its objects, so that a counterexample shows what matters. */
const withoutBlanks = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(withoutBlanks)
    : isPlain(value)
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([, field]) => !isBlank(field))
            .map(([key, field]) => [key, withoutBlanks(field)])
        )
      : value

/** A value of a counterexample as text; commands print themselves. */
const stringify = (value: unknown): string => fc.stringify(withoutBlanks(value))

/**
 * Throws the counterexample of a failed run: what was actual and expected, the shrunk values without blank fields, `before`
 * (what was done before them), and the environment that replays it.
 */
export const assertHolds = <Ts>(name: string, details: fc.RunDetails<Ts>, before: ReadonlyArray<string> = []): void => {
  if (!details.failed) return
  const counterexample = Array.isArray(details.counterexample)
    ? details.counterexample.map(stringify).join(", ")
    : "none"
  const replayPath = /replayPath="([^"]*)"/.exec(counterexample)?.[1]
  const { counterexamplePath, errorInstance, numRuns, numShrinks, seed } = details
  const environment = [
    `EARSHOT_KIT_SEED=${seed}`,
    ...(counterexamplePath === null ? [] : [`EARSHOT_KIT_PATH="${counterexamplePath}"`]),
    ...(replayPath === undefined ? [] : [`EARSHOT_KIT_REPLAY="${replayPath}"`])
  ]
  const cause = errorInstance instanceof Error ? errorInstance.message : String(errorInstance)
  throw new Error(
    [
      name,
      cause,
      ...(before.length === 0 ? [] : [`Before it:\n${before.map((one, at) => `  ${at + 1}. ${one}`).join("\n")}`]),
      `Counterexample: [${counterexample}]`,
      `It failed in run ${numRuns} and was shrunk ${numShrinks} ${numShrinks === 1 ? "time" : "times"}; blank fields are left out.`,
      `Replay this test alone with ${environment.join(" ")}`
    ].join("\n"),
    { cause: errorInstance }
  )
}

type Arbitraries<Args> = { [K in keyof Args]: fc.Arbitrary<Args[K]> }

/** A property of generated values: it fails where `holds` throws, which `expectEqual` and the like do. */
export const property = <Args extends [unknown, ...Array<unknown>]>(
  name: string,
  arbitraries: Arbitraries<Args>,
  holds: (...args: Args) => undefined,
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
  holds: (...args: Args) => Promise<undefined>
): fc.IAsyncPropertyWithHooks<Args> =>
  fc.asyncProperty<Args>(...arbitraries, async (...args) => {
    await setImmediate()
    return holds(...args)
  })

/** A property of generated values and an asynchronous implementation; it has fewer runs. */
export const asyncProperty = <Args extends [unknown, ...Array<unknown>]>(
  name: string,
  arbitraries: Arbitraries<Args>,
  holds: (...args: Args) => Promise<undefined>,
  runs = 20
): AsyncProperty => ({
  name,
  check: async () => assertHolds(name, await fc.check(yieldingProperty(arbitraries, holds), parameters(runs)))
})

/** A property without generated values, such as one of a table; it fails where `holds` throws. */
export const invariant = (name: string, holds: () => undefined): Property => ({
  name,
  check: () => {
    holds()
  }
})

/** An asynchronous property without generated values; it fails where `check` rejects. */
export const asyncInvariant = (name: string, check: () => Promise<void>): AsyncProperty => ({ name, check })

/** Makes something for the first who asks for it, such as a fixture that tries share. */
export const once = <A>(make: () => Promise<A>): (() => Promise<A>) => {
  let made: Promise<A> | undefined
  return () => (made ??= make())
}

/** JSON that keeps what JSON would lose: undefined items of lists, numbers without a value in JSON, bigints, maps and sets. */
export const print = (value: unknown): string =>
  value === undefined
    ? "undefined"
    : JSON.stringify(value, function (this: unknown, _key: string, one: unknown): unknown {
        if (one === undefined) return Array.isArray(this) ? "(undefined)" : undefined
        if (typeof one === "number" && !Number.isFinite(one)) return `(${one})`
        if (typeof one === "bigint") return `${one}n`
        if (one instanceof Map) return { "(map)": [...one] }
        if (one instanceof Set) return { "(set)": [...one] }
        return one
      })

/** Throws where two values differ as JSON, with both. */
export const expectEqual = (what: string, actual: unknown, expected: unknown): void => {
  const [one, other] = [print(actual), print(expected)]
  if (one !== other) throw new Error(`${what}: actual ${one}, expected ${other}`)
}

/** Throws where two lists of numbers differ by more than rounding errors of floats. */
export const expectClose = (what: string, actual: ReadonlyArray<number>, expected: ReadonlyArray<number>): void => {
  const isClose =
    actual.length === expected.length &&
    actual.every((one, at) => Math.abs(one - (expected[at] ?? Number.NaN)) <= 1e-9 * Math.max(1, Math.abs(one)))
  if (!isClose) throw new Error(`${what}: actual ${print(actual)}, expected ${print(expected)}`)
}

/** Throws where two values are equal as JSON. */
export const expectUnequal = (what: string, actual: unknown, other: unknown): void => {
  if (print(actual) === print(other)) throw new Error(`${what}: actual ${print(actual)}, expected another value`)
}

/** Throws where a value is missing. */
export function expectPresent<A>(what: string, value: A | null | undefined): asserts value is A {
  if (value === undefined || value === null) throw new Error(`${what}: actual ${print(value)}, expected a value`)
}

type Orderable = number | bigint

const orders = {
  "<": (one: Orderable, other: Orderable) => one < other,
  "<=": (one: Orderable, other: Orderable) => one <= other,
  ">": (one: Orderable, other: Orderable) => one > other,
  ">=": (one: Orderable, other: Orderable) => one >= other
}

/** Throws where two numbers are not in this order. */
export const expectOrdered = (what: string, actual: Orderable, order: keyof typeof orders, limit: Orderable): void => {
  if (!orders[order](actual, limit))
    throw new Error(`${what}: actual ${print(actual)}, expected ${order} ${print(limit)}`)
}

/** Throws where a list or a text lacks a part. */
export const expectIncludes = (what: string, actual: ReadonlyArray<unknown> | string, part: string): void => {
  if (!actual.includes(part)) throw new Error(`${what}: actual ${print(actual)}, expected to include ${print(part)}`)
}

/** Throws the items that do not have a property. */
export const expectEvery = <A>(
  what: string,
  all: Iterable<A>,
  holds: (one: A, index: number, all: ReadonlyArray<A>) => boolean
): void => {
  const wrong = [...all].filter((one, index, list) => !holds(one, index, list))
  if (wrong.length > 0)
    throw new Error(`${what}: actual ${wrong.length} violate it: ${print(wrong.slice(0, 5))}, expected none`)
}

/** Throws the items that have a property. */
export const expectNone = <A>(
  what: string,
  all: Iterable<A>,
  holds: (one: A, index: number, all: ReadonlyArray<A>) => boolean
): void => {
  const wrong = [...all].filter(holds)
  if (wrong.length > 0)
    throw new Error(`${what}: actual ${wrong.length} violate it: ${print(wrong.slice(0, 5))}, expected none`)
}
