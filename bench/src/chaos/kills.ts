/** Processes that are killed amid their work, and what is left. */
import { setTimeout as sleep } from "node:timers/promises"
import * as Schema from "effect/Schema"
import { type ChaosDatabase, openDatabase, until } from "./Databases.js"
import { ingestRecording } from "./fullDisk.js"
import { startLoad } from "./Load.js"
import { countCalls, type Scenario, type ScenarioContext } from "./Scenario.js"
import { command, initialize, type ServerProcess, startServer, type Tenant } from "./ServerProcess.js"

const Recordings = Schema.parseJson(
  Schema.Struct({ stored: Schema.Int, orphans: Schema.Int, missing: Schema.Array(Schema.Unknown) })
)

const first = async (place: ChaosDatabase, statement: string): Promise<number> =>
  Number(Object.values((await place.query(statement))[0] ?? {})[0])

const withPlace = async (
  { database, environment }: ScenarioContext,
  use: (place: ChaosDatabase, tenant: Tenant, start: () => Promise<ServerProcess>) => Promise<void>
): Promise<void> => {
  const place = await openDatabase(database, environment)
  const started = new Set<ServerProcess>()
  try {
    const tenant = await initialize(place.address, "Killed", environment.program)
    await use(place, tenant, async () => {
      const args = ["--recordings", `${place.folder}/recordings`]
      const server = await startServer(place.address, { program: environment.program, args })
      started.add(server)
      return server
    })
  } finally {
    for (const server of started) await server.kill()
    await place.remove()
  }
}

const WAITING = "SELECT count(*) FROM jobs WHERE state IN ('queued', 'running')"

export const killScenario: Scenario = {
  name: "kill",
  about: "kill -9 amid ingests, evaluations and recordings, ten times",
  run: (context) =>
    withPlace(context, async (place, tenant, start) => {
      const { environment, figures, scale } = context
      const rounds = scale === "tiny" ? 1 : 10
      const acknowledged: Array<string> = []
      const withRecordings: Array<string> = []
      for (let round = 0; round < rounds; round++) {
        const server = await start()
        const prefix = `killed-${round}`
        const load = startLoad({ ...tenant, url: server.url, clients: 16, pause: 0, prefix, kinds: ["ingest"] })
        let isOver = false
        const recordings = Array.from({ length: 4 }, async (_, client) => {
          for (let n = 0; !isOver; n++) {
            const id = `killed-recording-${round}-${client}-${n}`
            if ((await ingestRecording(server.url, tenant, id)) === 201) withRecordings.push(id)
            else await sleep(10)
          }
        })
        // At another moment each time, once there is something to lose.
        const enough = scale === "tiny" ? 20 : 150 + 7 * round
        const before: Array<string> = []
        await until("Acknowledged calls", async () => {
          before.push(...(await load.report()).acknowledged)
          return before.length >= enough
        })
        await server.kill()
        isOver = true
        await Promise.all(recordings)
        acknowledged.push(...before, ...(await load.stop()).acknowledged)
      }
      const last = await start()
      figures.note(`${acknowledged.length + withRecordings.length} calls were acknowledged in ${rounds} rounds`)
      await until("The evaluation of all calls", async () => (await first(place, WAITING)) === 0, 300_000)
      await last.stop()
      await countCalls(figures, place, [...acknowledged, ...withRecordings], "killed")
      const dead = await first(place, "SELECT count(*) FROM jobs WHERE state = 'dead'")
      figures.atMost("dead jobs", dead, 0)
      const calls = await first(place, "SELECT count(*) FROM calls")
      const scored = await first(place, "SELECT count(DISTINCT call_id) FROM metric_evaluations")
      figures.atMost("calls without an evaluation", calls - scored, 0)
      const twice = await first(
        place,
        "SELECT count(*) FROM (SELECT 1 FROM metric_evaluations GROUP BY call_id, metric_id HAVING count(*) > 1) AS doubled"
      )
      figures.atMost("metrics with two values for a call", twice, 0)
      const args = ["recordings", "check", "--json", "--database", place.address]
      const folder = ["--recordings", `${place.folder}/recordings`]
      const report = Schema.decodeUnknownSync(Recordings)(await command([...args, ...folder], environment.program))
      figures.note(`recordings: ${report.stored} stored`)
      figures.atMost("calls whose recording is missing", report.missing.length, 0)
      figures.atMost("recordings that neither a call nor the list of pending ones has", report.orphans, 0)
    })
}

export const takeOverScenario: Scenario = {
  name: "take-over",
  about: "jobs of a killed server, claimed by another one",
  run: (context) =>
    withPlace(context, async (place, tenant, start) => {
      const { figures, scale } = context
      const times: Array<number> = []
      for (let round = 0; round < (scale === "tiny" ? 1 : 3); round++) {
        const killed = await start()
        const prefix = `taken-${round}`
        const load = startLoad({ ...tenant, url: killed.url, clients: 16, pause: 0, prefix, kinds: ["ingest"] })
        await until(
          "Running jobs",
          async () => (await first(place, "SELECT count(*) FROM jobs WHERE state = 'running'")) > 0
        )
        await sleep(500)
        const other = await start()
        await until(
          "Running jobs",
          async () => (await first(place, "SELECT count(*) FROM jobs WHERE state = 'running'")) > 0
        )
        await killed.kill()
        const began = performance.now()
        await load.stop()
        const rows = await place.query("SELECT id, owner FROM jobs WHERE state = 'running'")
        const owners = new Map(rows.map(({ id, owner }) => [String(id), String(owner)]))
        const remaining = async () => {
          const now = await place.query("SELECT id, owner FROM jobs WHERE state = 'running'")
          // The other one's jobs end by themselves; those of the killed one stay with their owner until they are claimed.
          return now.filter(({ id, owner }) => owners.get(String(id)) === String(owner)).length
        }
        await until("The jobs of the killed server", async () => (await remaining()) === 0, 60_000)
        times.push((performance.now() - began) / 1000)
        await other.stop()
      }
      figures.note(`jobs of killed servers were claimed after ${times.map((time) => time.toFixed(1)).join(", ")} s`)
      figures.atMost("longest until the jobs of a killed server were claimed", Math.max(...times), 10, "s")
    })
}
