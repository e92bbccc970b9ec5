import Sqlite from "better-sqlite3"
import pg from "pg"
import { type Owner, seedStatements } from "../calls/load.js"
import type { ChaosDatabase } from "./Databases.js"
import type { Tenant } from "./ServerProcess.js"

/** Inserts many calls of an organization, spread over 90 days, before the server starts. Later calls get higher ids. */
export const seedCalls = async (place: ChaosDatabase, tenant: Tenant, count: number): Promise<void> => {
  const metrics = await place.query(`SELECT id FROM metrics WHERE agent_id = ${tenant.agent} AND slug = 'latency_ms'`)
  const owner: Owner = {
    organization: tenant.organization,
    project: tenant.project,
    agents: [tenant.agent, tenant.agent, tenant.agent],
    metric: Number(metrics[0]?.id),
    quietProject: tenant.project,
    quietAgent: tenant.agent
  }
  const { inserts, settle } = seedStatements(place.name, owner, { count, now: Date.now() })
  if (place.name === "sqlite") {
    const database = new Sqlite(place.address.slice("sqlite:".length))
    database.transaction(() => inserts.forEach((statement) => database.exec(statement)))()
    settle.forEach((statement) => database.exec(statement))
    database.close()
    return
  }
  const client = new pg.Client({ connectionString: place.address })
  await client.connect()
  for (const statement of ["BEGIN", ...inserts, "COMMIT"]) await client.query(statement)
  // The ids above were given, and the next ones come from the sequence.
  await client.query(`SELECT setval(pg_get_serial_sequence('calls', 'id'), ${count})`)
  for (const statement of settle) await client.query(statement)
  await client.end()
}
