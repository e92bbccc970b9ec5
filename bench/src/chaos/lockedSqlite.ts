/** An SQLite file that another process has locked for writing. */
import { setTimeout as sleep } from "node:timers/promises"
import Sqlite from "better-sqlite3"
import { type Scenario, withServer } from "./Scenario.js"

export const lockedSqliteScenario: Scenario = {
  name: "sqlite-locked",
  about: "the SQLite file locked by another process for 30 s",
  databases: ["sqlite"],
  run: (context) =>
    withServer(context, {}, async ({ disturb, place }) => {
      await disturb("locked for 30 s", "honest", async () => {
        const other = new Sqlite(place.address.slice("sqlite:".length))
        other.exec("BEGIN IMMEDIATE")
        await sleep(30_000)
        other.exec("ROLLBACK")
        other.close()
      })
      await sleep(1000)
      await disturb("afterwards", "unaffected", () => sleep(context.options.seconds * 1000))
    })
}
