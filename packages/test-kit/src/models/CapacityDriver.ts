import { at, isObject, listAt } from "../Documents.js"
import type { CapacityAnswer, CapacityDriver, CapacityFixture } from "../results/CapacityModel.js"
import type { Driver } from "./Drivers.js"

const SUBJECTS = "/test_framework/v1/"

const countsOf = (result: unknown): Readonly<Record<string, number>> => {
  const counts = at(result, "runs_by_status")
  return isObject(counts)
    ? Object.fromEntries(Object.entries(counts).map(([status, runs]) => [status, Number(runs)]))
    : {}
}

/** A driver of an organization, with an agent to start runs of. */
export interface CapacityOwner {
  readonly driver: Driver
  readonly project: number
  readonly agent: number
}

const starting =
  ({ agent, driver }: Pick<CapacityOwner, "agent" | "driver">): CapacityDriver["start"] =>
  async ({ concurrencyLimit, number, runs }) => {
    const { body, outcome } = await driver("POST", "/test_framework/v2/scenarios/run_scenarios_json/", {
      spec: {
        version: "1",
        suite: { name: "Model" },
        defaults: concurrencyLimit === null ? {} : { concurrency_limit: concurrencyLimit },
        scenarios: [{ key: "a", name: "A", type: "instruction", instructions: "Ask.", frequency: runs }]
      },
      agent_id: agent,
      phone_number: number
    })
    if (outcome !== "created") throw new Error(`Starting runs was ${outcome}`)
    const result = Number(at(body, "id"))
    const listed = await driver("GET", `${SUBJECTS}runs/?result=${result}&limit=200`)
    return {
      result,
      runs: listAt(listed.body, "results")
        .map((run) => Number(at(run, "id")))
        .reverse()
    }
  }

/**
 * The fixture of the capacity model: an organization without results, with two phone numbers, and a result of another
 * organization. `more` is what no request can do: to expire leases, and to sweep them.
 */
export const capacityFixture = async (
  mine: CapacityOwner,
  theirs: CapacityOwner,
  more: Partial<Pick<CapacityDriver, "endLeases" | "sweep">> = {}
): Promise<CapacityFixture> => {
  const { driver, project } = mine
  const ask = async (path: string, json?: object): Promise<CapacityAnswer> => {
    const { outcome } = await driver("POST", SUBJECTS + path, json)
    return outcome === "done" || outcome === "created" ? "done" : "refused"
  }
  const number = async (text: string) =>
    Number(at((await driver("POST", `${SUBJECTS}phone_numbers/`, { project, number: text })).body, "id"))
  const { result, runs } = await starting(theirs)({ runs: 1, number: null, concurrencyLimit: null })
  return {
    numbers: [await number("+15550100"), await number("+15550101")],
    foreign: { result, run: runs[0] ?? 0 },
    driver: {
      start: starting(mine),
      claim: async (limit) => {
        const { body } = await driver("POST", `${SUBJECTS}runs/claim/`, { channel: "voice", limit })
        return listAt(body, "results").map((one) => ({
          run: Number(at(at(one, "run"), "id")),
          lease: String(at(one, "lease"))
        }))
      },
      heartbeat: (run, lease) => ask(`runs/${run}/heartbeat/`, { lease }),
      complete: (run, lease) => ask(`runs/${run}/complete/`, { lease }),
      fail: (run, lease) => ask(`runs/${run}/fail/`, { lease, error: "x" }),
      cancelRun: (run) => ask(`runs/${run}/cancel/`),
      cancelResult: (id) => ask(`results/${id}/cancel/`),
      deleteResults: (ids) => ask("results/bulk_delete/", { result_ids: ids }),
      deleteRuns: (id, ids) => ask(`results/${id}/delete_runs/`, { run_ids: ids }),
      endLeases: more.endLeases ?? null,
      sweep: more.sweep ?? null,
      capacity: async () => {
        const { body } = await driver("GET", `${SUBJECTS}capacity/`)
        return {
          activeSessions: Number(at(body, "active_sessions")),
          pendingDemand: Number(at(body, "pending_demand")),
          slotsInUse: Number(at(body, "slots_in_use")),
          phoneNumbersHeld: listAt(body, "phone_numbers_held").map(Number)
        }
      },
      results: async () => {
        const { body } = await driver("GET", `${SUBJECTS}results/?limit=200`)
        return listAt(body, "results").map((one) => ({ id: Number(at(one, "id")), runs: countsOf(one) }))
      }
    }
  }
}
