import pg from "pg"
import { withClient, withDatabase } from "./createDatabase.js"

/** Any number that this project's advisory locks share and others are unlikely to use: "earshot" in base 36, shortened. */
const LOCK = 858_452_453

/**
 * The name of a database on the server of `url` that `fill` has filled, to be copied by `createDatabase`. It is made by
 * whoever asks first for a name, over all processes; the others wait for it.
 *
 * @param name tells templates with different contents apart, and one run's from another's.
 * @throws when `fill` does; the next one who asks tries again.
 */
export const templateDatabase = async (
  url: string,
  name: string,
  fill: (url: string) => Promise<void>
): Promise<string> => {
  await withClient(url, async (client) => {
    // Held until the connection ends.
    await client.query("SELECT pg_advisory_lock($1)", [LOCK])
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [name])
    if (rowCount !== 0) return
    const unready = pg.escapeIdentifier(`${name}_unready`)
    await client.query(`DROP DATABASE IF EXISTS ${unready} WITH (FORCE)`)
    await client.query(`CREATE DATABASE ${unready} TEMPLATE template0`)
    await fill(withDatabase(url, `${name}_unready`))
    // A name without the ending is given last, so that a template that is there is a whole one.
    await client.query(`ALTER DATABASE ${unready} RENAME TO ${pg.escapeIdentifier(name)}`)
  })
  return name
}
