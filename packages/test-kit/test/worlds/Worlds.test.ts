import { Laws, Worlds } from "@earshot/test-kit"
import { startEngine } from "@earshot/test-kit/plain"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, one) => total + one, 0)

describe.each(["sqlite", "postgres"] as const)("a whole world on %s", (database) => {
  it("is loaded through any door, with everything in it", async () => {
    const engine = await startEngine({ database })
    try {
      const details = await fc.check(
        fc.asyncProperty(Worlds.world, async (plan) => {
          const { actor } = await engine.world()
          const loaded = await Worlds.load(engine.door(actor), plan)
          for (const [at, project] of loaded.entries()) {
            const planned = plan.projects[at]
            expect(project.agents).toHaveLength(planned?.agents.length ?? -1)
            expect(project.evaluators).toHaveLength(planned?.evaluators.length ?? -1)
            expect(project.folders).toHaveLength(planned?.folders.length ?? -1)
            expect(project.widgets).toHaveLength(sum((planned?.dashboards ?? []).map(({ widgets }) => widgets.length)))
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
