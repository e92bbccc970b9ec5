import { Laws, Worlds } from "@earshot/test-kit"
import { startEngine } from "@earshot/test-kit/plain"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, one) => total + one, 0)

/** How many runs of a result that was not deleted are in each state. */
const statusesOf = ({ over, running, then, waiting }: Worlds.ResultPlan): Readonly<Record<string, number>> => {
  const all = [...over, ...Array.from({ length: running }, () => "running"), ...waiting]
    .filter((status) => status !== "deleted")
    .map((status) => (then === "cancelled" && (status === "running" || status === "queued") ? "cancelled" : status))
  return Object.fromEntries([...new Set(all)].map((status) => [status, all.filter((one) => one === status).length]))
}

describe.each(["sqlite", "postgres"] as const)("a whole world on %s", (database) => {
  it("is loaded through any door, with everything in it", async () => {
    const engine = await startEngine({ database })
    try {
      const details = await fc.check(
        fc.asyncProperty(Worlds.world, async (plan) => {
          const { actor } = await engine.world()
          const door = engine.door(actor)
          const loaded = await Worlds.load(door, plan)
          for (const [at, project] of loaded.entries()) {
            const planned = plan.projects[at]
            expect(project.agents).toHaveLength(planned?.agents.length ?? -1)
            expect(project.evaluators).toHaveLength(planned?.evaluators.length ?? -1)
            expect(project.folders).toHaveLength(planned?.folders.length ?? -1)
            expect(project.widgets).toHaveLength(sum((planned?.dashboards ?? []).map(({ widgets }) => widgets.length)))
            expect(project.metrics).toHaveLength(4 + (planned?.metrics?.length ?? 0))
            for (const [position, { id }] of project.results.entries()) {
              const result = planned?.results?.[position]
              const { body, outcome } = await door("GET", `/test_framework/v1/results/${id}/`)
              expect(outcome).toBe(result?.then === "deleted" ? "missing" : "done")
              if (outcome === "done" && result !== undefined) {
                expect(body).toHaveProperty("runs_by_status", expect.objectContaining(statusesOf(result)))
              }
            }
            expect(project.results).toHaveLength(planned?.results?.length ?? -1)
            expect(project.keys).toHaveLength(planned?.keys?.length ?? -1)
            expect(project.links).toHaveLength(planned?.links?.length ?? -1)
            expect(project.people).toHaveLength(planned?.people?.length ?? -1)
          }
          expect(loaded).toHaveLength(plan.projects.length)
        }),
        Laws.parameters(6)
      )
      Laws.assertHolds("every world can be loaded", details)
    } finally {
      await engine.stop()
    }
  }, 300_000)
})
