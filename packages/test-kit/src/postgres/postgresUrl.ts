import { randomBytes } from "node:crypto"
import type {} from "./vitestSetup.js"
import { POSTGRES_VARIABLE, startPostgres } from "./startPostgres.js"

/** What a Vitest run whose `globalSetup` is `vitestSetup.ts` shares; undefined in any other. */
const shared = async (): Promise<{ readonly driver: string; readonly template: string } | undefined> => {
  if (process.env.VITEST === undefined) return undefined
  // Loaded here, since this folder also serves programs that are no tests.
  const { inject } = await import("vitest")
  const [driver, template] = [inject("earshotPostgresServer"), inject("earshotTemplate")]
  return driver === undefined || template === undefined ? undefined : { driver, template }
}

let own: Promise<string> | undefined

/** A server of this process, which ends when the process does. */
const ownServer = (): Promise<string> =>
  (own ??= startPostgres().then(
    ({ url }) => url,
    (failure: unknown) => {
      own = undefined
      throw failure
    }
  ))

/**
 * The URL of the PostgreSQL server of this run, to be handed to `createDatabase`: the one that `EARSHOT_TEST_POSTGRES`
 * names, the one that a Vitest run shares (see `vitestSetup.ts`), or else one of this process's own. The first call starts
 * it.
 *
 * @throws when the server does not start.
 */
export const postgresUrl = async (): Promise<string> => {
  const named = process.env[POSTGRES_VARIABLE]
  if (named !== undefined) return named
  const run = await shared()
  if (run === undefined) return ownServer()
  const response = await fetch(run.driver)
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}

const OWN_TEMPLATE = `earshot_template_${randomBytes(8).toString("hex")}`

/**
 * The name of this run's template database; see `templateDatabase`. None on a named server that nobody would take the
 * template away from again.
 */
export const templateName = async (): Promise<string | undefined> => {
  const run = await shared()
  return run?.template ?? (process.env[POSTGRES_VARIABLE] === undefined ? OWN_TEMPLATE : undefined)
}
