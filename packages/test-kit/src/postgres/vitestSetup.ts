import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { TestProject } from "vitest/node"
import { dropDatabase } from "./createDatabase.js"
import { POSTGRES_VARIABLE, type PostgresServer, startPostgres } from "./startPostgres.js"

declare module "vitest" {
  interface ProvidedContext {
    /** Answers a GET with the URL of the run's PostgreSQL server; ask with `postgresUrl()`. */
    readonly earshotPostgresServer: string | undefined
    /** The name that this run's template database has once somebody made it. */
    readonly earshotTemplate: string | undefined
  }
}

/**
 * Vitest's `globalSetup`: one PostgreSQL server for the whole run, started when the first test asks for it, so that a
 * run without such tests does not pay for one. What it returns stops the server again, whether the tests passed or not.
 */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const named = process.env[POSTGRES_VARIABLE]
  let starting: Promise<PostgresServer> | undefined

  const driver = createServer((_, response) => {
    const url = named ?? (starting ??= startPostgres()).then((server) => server.url)
    Promise.resolve(url).then(
      (text) => response.end(text),
      (failure: unknown) => response.writeHead(500).end(String(failure))
    )
  })
  driver.listen(0, "127.0.0.1")
  await once(driver, "listening")
  const address = driver.address()
  if (address === null || typeof address === "string") throw new Error("The PostgreSQL URL service has no port.")
  project.provide("earshotPostgresServer", `http://127.0.0.1:${address.port}/`)

  const template = `earshot_template_${randomBytes(8).toString("hex")}`
  project.provide("earshotTemplate", template)

  return async () => {
    driver.close()
    driver.closeAllConnections()
    // A server of the run's own takes its databases with it; a named one is left as it was found.
    if (named !== undefined) await dropDatabase(named, template)
    // A server that failed to start has told the tests already.
    await starting?.then(
      (server) => server.stop(),
      () => undefined
    )
  }
}
