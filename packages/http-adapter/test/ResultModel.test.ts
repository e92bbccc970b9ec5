import { Results } from "@earshot/core"
import { ResultKit, TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { at, isNode } from "./support/Contract.js"
import { serving, type Tenant } from "./support/TestServer.js"

const RESULTS = "/test_framework/v1/results/"
const RUNS = "/test_framework/v1/runs/"

/** Walks through the model for each database. */
const WALKS = Number(process.env.EARSHOT_TEST_RUNS ?? 5)
const SEED = process.env.EARSHOT_TEST_SEED === undefined ? {} : { seed: Number(process.env.EARSHOT_TEST_SEED) }

describe.each(TestEngine.databases)("any walk through results and runs over HTTP on %s", async (database) => {
  const server = await serving({ database })

  const starting =
    ({ agent, key }: Tenant): ResultKit.CapacityDoor["start"] =>
    async ({ concurrencyLimit, number, runs }) => {
      const made = await server.send("POST", "/test_framework/v2/scenarios/run_scenarios_json/", {
        key,
        json: {
          spec: {
            version: "1",
            suite: { name: "S" },
            defaults: concurrencyLimit === null ? {} : { concurrency_limit: concurrencyLimit },
            scenarios: [{ key: "a", name: "A", type: "instruction", instructions: "Ask.", frequency: runs }]
          },
          agent_id: agent,
          phone_number: number
        }
      })
      expect(made.status).toBe(201)
      const result = Number(at(made.json, "id"))
      const listed = at((await server.send("GET", `${RUNS}?result=${result}&limit=200`, { key })).json, "results")
      const ids = Array.isArray(listed) ? listed.map((run) => Number(at(run, "id"))) : []
      return { result, runs: ids.reverse() }
    }

  const world = async (): Promise<ResultKit.CapacityWorld> => {
    const tenant = await server.tenant()
    const { key, organization, project } = tenant
    const other = await starting(await server.tenant())({ runs: 1, number: null, concurrencyLimit: null })
    const number = async (text: string) =>
      Number(
        at(
          (await server.send("POST", "/test_framework/v1/phone_numbers/", { key, json: { project, number: text } }))
            .json,
          "id"
        )
      )
    const ask = async (path: string, json?: object): Promise<ResultKit.CapacityAnswer> => {
      const answer = await server.send("POST", path, { key, ...(json === undefined ? {} : { json }) })
      if (answer.status >= 500) throw new Error(`${path}: ${answer.status} ${answer.text}`)
      return answer.status < 300 ? "done" : "refused"
    }
    return {
      numbers: [await number("+15550100"), await number("+15550101")],
      foreign: { result: other.result, run: other.runs[0] ?? 0 },
      door: {
        start: starting(tenant),
        claim: async (limit) => {
          const claimed = await server.send("POST", `${RUNS}claim/`, { key, json: { channel: "voice", limit } })
          const runs = at(claimed.json, "results")
          return (Array.isArray(runs) ? runs : []).map((one) => ({
            run: Number(at(one, "run", "id")),
            lease: String(at(one, "lease"))
          }))
        },
        heartbeat: (run, lease) => ask(`${RUNS}${run}/heartbeat/`, { lease }),
        complete: (run, lease) => ask(`${RUNS}${run}/complete/`, { lease }),
        fail: (run, lease) => ask(`${RUNS}${run}/fail/`, { lease, error: "x" }),
        cancelRun: (run) => ask(`${RUNS}${run}/cancel/`),
        cancelResult: (result) => ask(`${RESULTS}${result}/cancel/`),
        deleteResults: (ids) => ask(`${RESULTS}bulk_delete/`, { result_ids: ids }),
        deleteRuns: (result, ids) => ask(`${RESULTS}${result}/delete_runs/`, { run_ids: ids }),
        endLeases: async () => {
          await server.run(
            TestEngine.execute(
              `UPDATE runs SET lease_until_ms = 1 WHERE status = 'running' AND organization_id = ${organization}`
            )
          )
        },
        sweep: async () => {
          await server.run(Effect.flatMap(Results, (results) => results.sweep))
        },
        capacity: async () => {
          const held = (await server.send("GET", "/test_framework/v1/capacity/", { key })).json
          const numbers = at(held, "phone_numbers_held")
          return {
            activeSessions: Number(at(held, "active_sessions")),
            pendingDemand: Number(at(held, "pending_demand")),
            slotsInUse: Number(at(held, "slots_in_use")),
            phoneNumbersHeld: Array.isArray(numbers) ? numbers.map(Number) : []
          }
        },
        results: async () => {
          const listed = at((await server.send("GET", `${RESULTS}?limit=200`, { key })).json, "results")
          return (Array.isArray(listed) ? listed : []).map((one) => {
            const runs = at(one, "runs_by_status")
            return {
              id: Number(at(one, "id")),
              runs: Object.fromEntries(Object.entries(isNode(runs) ? runs : {}).map(([name, n]) => [name, Number(n)]))
            }
          })
        }
      }
    }
  }

  it(
    `holds what its queued and running runs need, and nothing else (${WALKS} walks)`,
    () => ResultKit.checkCapacityModel(world, { walks: WALKS, steps: 30, ...SEED }),
    60_000 + WALKS * 10_000
  )
})
