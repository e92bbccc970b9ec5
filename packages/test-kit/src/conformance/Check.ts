import type { Fixture } from "./Fixture.js"

/** One rule of the interface, tried on a server. */
export interface Check {
  /** Unique, such as `E10/call-id-limit`; `--only` takes the beginning of one. */
  readonly id: string
  /** The rule in a sentence. */
  readonly rule: string
  /** Rejects with a `Mismatch` where the server does otherwise, and with `Skipped` where there is nothing to try. */
  readonly run: (fixture: Fixture) => Promise<void>
}

/** The checks of one endpoint. */
export const checksOf = (
  endpoint: string,
  checks: Readonly<Record<string, readonly [rule: string, run: Check["run"]]>>
): ReadonlyArray<Check> =>
  Object.entries(checks).map(([name, [rule, run]]) => ({ id: `${endpoint}/${name}`, rule, run }))
