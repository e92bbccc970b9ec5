import { randomBytes } from "node:crypto"
import pg from "pg"

/** A database that nobody else knows. */
export interface FreshDatabase {
  readonly name: string
  readonly url: string
  /** Drops the database, cutting off whoever is still connected. */
  readonly drop: () => Promise<void>
}

/** "object_in_use": somebody is connected to the template; PostgreSQL itself has waited five seconds by then. */
const OBJECT_IN_USE = "55006"
const TEMPLATE_ATTEMPTS = 5

/**
 * Creates a database with a random name on the server of `url`, whose role must be allowed to create databases.
 *
 * @param options.template the name of a database to copy, such as one with every migration applied: copying takes
 *   some 30 ms. Nobody may be connected to it meanwhile.
 */
export const createDatabase = async (
  url: string,
  options: { readonly template?: string } = {}
): Promise<FreshDatabase> => {
  const name = `earshot_test_${randomBytes(8).toString("hex")}`
  const template = options.template ?? "template0"
  await withClient(url, async (client) => {
    for (let attempt = 1; ; attempt++) {
      try {
        await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)} TEMPLATE ${pg.escapeIdentifier(template)}`)
        return
      } catch (failure) {
        if (!hasCode(failure, OBJECT_IN_USE) || attempt === TEMPLATE_ATTEMPTS) throw failure
      }
    }
  })
  return { name, url: withDatabase(url, name), drop: () => dropDatabase(url, name) }
}

/** The same server and role, another database. */
export const withDatabase = (url: string, name: string): string => {
  const changed = new URL(url)
  changed.pathname = `/${encodeURIComponent(name)}`
  return changed.href
}

/** Drops a database, cutting off whoever is still connected; one that is not there is fine. */
export const dropDatabase = (url: string, name: string): Promise<void> =>
  withClient(url, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`)
  })

/** Runs something with a connection of its own. */
export const withClient = async (url: string, use: (client: pg.Client) => Promise<void>): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await use(client)
  } finally {
    await client.end()
  }
}

const hasCode = (failure: unknown, code: string): boolean =>
  failure instanceof Error && "code" in failure && failure.code === code
