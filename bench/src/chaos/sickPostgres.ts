/** A PostgreSQL server that is stopped, restarted, frozen or locked. */
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { type Running, type Scenario, type ScenarioContext, withServer } from "./Scenario.js"

/** After a failure the server has to answer again without one. */
const recovers = async ({ disturb }: Running, { options }: ScenarioContext) => {
  // Statements that ran into their limit are canceled, and broken connections are replaced.
  await sleep(2000)
  await disturb("afterwards", "unaffected", () => sleep(options.seconds * 1000))
}

const sick = (
  name: string,
  about: string,
  expect: "honest" | "unaffected",
  act: (running: Running) => Promise<void>
): Scenario => ({
  name,
  about,
  databases: ["postgres"],
  run: (context) =>
    withServer(context, {}, async (running) => {
      await running.disturb(about, expect, () => act(running))
      await recovers(running, context)
    })
})

export const sickPostgresScenarios: ReadonlyArray<Scenario> = [
  sick("postgres-stopped", "PostgreSQL stopped for 15 s", "honest", async ({ place }) => {
    const server = await place.server()
    await server.stop()
    await sleep(15_000)
    await server.start()
  }),
  sick("postgres-restarted", "PostgreSQL crashed and restarted, three times", "honest", async ({ place }) => {
    const server = await place.server()
    for (let times = 0; times < 3; times++) {
      await server.crash()
      await server.start()
      await sleep(2000)
    }
  }),
  sick("postgres-frozen", "PostgreSQL frozen for 20 s", "honest", async ({ place }) => {
    const server = await place.server()
    await server.freeze()
    await sleep(20_000)
    await server.thaw()
  }),
  sick("postgres-locked", "the table of calls locked for 20 s", "honest", async ({ place }) => {
    const client = new pg.Client({ connectionString: place.address })
    await client.connect()
    await client.query("BEGIN; LOCK TABLE calls IN ACCESS EXCLUSIVE MODE")
    await sleep(20_000)
    await client.query("COMMIT")
    await client.end()
  })
]
