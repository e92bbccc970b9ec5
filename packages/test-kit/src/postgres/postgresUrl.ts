import type {} from "./vitestSetup.js"

/**
 * The URL of the PostgreSQL server of this Vitest run (see `vitestSetup.ts`), to be handed to `createDatabase`. The
 * first call of a run starts the server.
 *
 * @throws outside Vitest, and when the server does not start.
 */
export const postgresUrl = async (): Promise<string> => {
  // Loaded here, since this folder also serves programs that are no tests.
  const { inject } = await import("vitest")
  const response = await fetch(inject("earshotPostgresDoor"))
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}

/** The name of this Vitest run's template database; see `templateDatabase`. */
export const templateName = async (): Promise<string> => {
  const { inject } = await import("vitest")
  return inject("earshotTemplate")
}
