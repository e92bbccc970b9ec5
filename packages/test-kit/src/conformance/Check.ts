import type { Fixture } from "./Fixture.js"

/** A check of one rule of the interface on a server. */
export interface Check {
  /** Unique, such as `E10/call-id-limit`; `--only` takes a prefix. */
  readonly id: string
  /** The rule in a sentence. */
  readonly rule: string
  /** Rejects with a `Mismatch` where the server breaks the rule, and with `Skipped` where it cannot be checked. */
  readonly run: (fixture: Fixture) => Promise<void>
}

/** The checks of one endpoint. */
export const checksOf = (
  endpoint: string,
  checks: Readonly<Record<string, readonly [rule: string, run: Check["run"]]>>
): ReadonlyArray<Check> =>
  Object.entries(checks).map(([name, [rule, run]]) => ({ id: `${endpoint}/${name}`, rule, run }))
