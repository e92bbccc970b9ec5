/** One organization's code that never ends beside another's evaluations. */
import { setTimeout as sleep } from "node:timers/promises"
import { until } from "./Databases.js"
import { bodies, send } from "./Load.js"
import { offenderAt } from "./Offender.js"
import { type Running, type Scenario, withServer } from "./Scenario.js"
import type { Tenant } from "./ServerProcess.js"

const METRICS = "/test_framework/v1/metrics/"

export const tenantsScenario: Scenario = {
  name: "tenants",
  about: "60 metrics of one organization with endless code beside another's evaluation by code",
  run: (context) =>
    withServer(
      context,
      { load: { pause: 100, kinds: ["list", "connect", "health"] } },
      async ({ disturb, offender, others, place, server }: Running) => {
        const create = (tenant: Tenant, name: string, custom_code: string) =>
          offenderAt(server.url, tenant).create(METRICS, {
            agent: tenant.agent,
            name,
            type: "custom_code",
            eval_type: "numeric",
            custom_code
          })
        const metric = await create(others, "Turns", "return call.transcript_object.length")
        for (let n = 0; n < (context.scale === "tiny" ? 2 : 60); n++) {
          await create(offender, `Endless ${n}`, `while (true) {} // ${n}`)
        }
        /** Seconds from the delivery of a call until it has a value of the code metric. */
        const delay = async (id: string): Promise<number> => {
          const began = performance.now()
          const json = bodies(others.agent)(id)
          await send(`${server.url}/observability/v1/observe/`, { key: others.key, json })
          const statement = `SELECT count(*) AS n FROM metric_evaluations e JOIN calls c ON c.id = e.call_id WHERE c.call_id = '${id}' AND e.metric_id = ${metric}`
          await until("The evaluation of a call", async () => Number((await place.query(statement))[0]?.n) > 0, 120_000)
          return (performance.now() - began) / 1000
        }
        const quiet: Array<number> = []
        for (let n = 0; n < 3; n++) quiet.push(await delay(`quiet-${n}`))
        const times = await disturb("endless code", "unaffected", async () => {
          const bodyOf = bodies(offender.agent)
          for (let n = 0; n < 4; n++) {
            const json = bodyOf(`endless-${n}`)
            await send(`${server.url}/observability/v1/observe/`, { key: offender.key, json })
          }
          const measured: Array<number> = []
          for (let n = 0; n < 10; n++) {
            measured.push(await delay(`disturbed-${n}`))
            await sleep(500)
          }
          return measured
        })
        const list = (some: ReadonlyArray<number>) => some.map((time) => time.toFixed(1)).join(", ")
        context.figures.note(
          `delays of evaluations: ${list(quiet)} s undisturbed, ${list(times)} s beside endless code`
        )
        context.figures.atMost("longest delay of another organization's evaluation", Math.max(...times), 5, "s")
      }
    )
}
