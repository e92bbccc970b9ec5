/** Properties of leases at the instants around their ends, through a driver and a clock that stands still. Source: docs/runs.md. */
import * as fc from "fast-check"
import { at, listAt } from "../Documents.js"
import { type AsyncProperty, asyncProperty, expectEqual } from "../Property.js"
import type { WorkFixture } from "./WorkProperties.js"

/** An organization without results on an engine whose clock is advanced by hand. */
export interface LeaseFixture extends Pick<WorkFixture, "agent" | "driver"> {
  readonly advance: (milliseconds: number) => void
}

const RUNS = "/test_framework/v1/runs/"

const seconds = fc.integer({ min: 10, max: 900 })
const action = fc.constantFrom("heartbeat" as const, "complete" as const, "fail" as const)

/** Each run of a property has a fixture of its own. */
export const leaseProperties = (fixture: () => Promise<LeaseFixture>): ReadonlyArray<AsyncProperty> => {
  const claimed = async ({ agent, driver }: LeaseFixture) => {
    const scenario = { key: "a", name: "A", type: "instruction", instructions: "Ask.", max_duration: 3600 }
    const spec = { version: "1", suite: { name: "Leases" }, scenarios: [scenario] }
    await driver("POST", "/test_framework/v2/scenarios/run_scenarios_json/", { agent_id: agent, spec })
    const claim = async (lease_seconds: number) => {
      const { body } = await driver("POST", `${RUNS}claim/`, { channel: "voice", limit: 1, lease_seconds })
      const [one] = listAt(body, "results")
      return {
        run: Number(at(one, "run", "id")),
        lease: String(at(one, "lease")),
        attempts: at(one, "run", "attempts")
      }
    }
    const ask = async (does: "heartbeat" | "complete" | "fail", run: number, lease: string, more: object = {}) => {
      const { errors, outcome } = await driver("POST", `${RUNS}${run}/${does}/`, { lease, error: "No answer", ...more })
      return outcome === "done" ? "done" : errors.join()
    }
    return { claim, ask }
  }
  return [
    asyncProperty(
      "a lease is valid until a millisecond before its end, and extended from then",
      [seconds, seconds, action],
      async (first, second, does) => {
        const of = await fixture()
        const { ask, claim } = await claimed(of)
        const { lease, run } = await claim(first)
        of.advance(first * 1000 - 1)
        expectEqual(
          "the heartbeat before the end",
          await ask("heartbeat", run, lease, { lease_seconds: second }),
          "done"
        )
        of.advance(second * 1000 - 1)
        expectEqual(`${does} before the extended end`, await ask(does, run, lease), "done")
      },
      10
    ),
    asyncProperty(
      "a lease is not valid from the millisecond of its end, and the run is claimed again, three times in all",
      [seconds, action],
      async (length, does) => {
        const of = await fixture()
        const { ask, claim } = await claimed(of)
        const attempts: Array<unknown> = []
        let before: { readonly run: number; readonly lease: string } | undefined
        for (let attempt = 1; attempt <= 3; attempt++) {
          const { attempts: counted, lease, run } = await claim(length)
          attempts.push(counted)
          if (before !== undefined) expectEqual("an earlier lease", await ask(does, run, before.lease), "lease")
          of.advance(length * 1000 - 1)
          expectEqual("what is claimed a millisecond before the end", (await claim(length)).lease, "undefined")
          of.advance(1)
          expectEqual(`${does} at the end`, await ask(does, run, lease), "lease")
          before = { run, lease }
        }
        expectEqual("the attempts", attempts, [1, 2, 3])
        expectEqual("a fourth claim", (await claim(length)).lease, "undefined")
        const { body } = await of.driver("GET", `${RUNS}${before?.run ?? 0}/`)
        expectEqual("the run", [at(body, "status"), at(body, "attempts")], ["timeout", 3])
      },
      6
    )
  ]
}
