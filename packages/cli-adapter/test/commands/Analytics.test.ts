import { hostActor, OrganizationId } from "@earshot/core"
import { createEngine } from "@earshot/core/promise"
import { AnalyticsKit } from "@earshot/test-kit"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { rebuild, status, verify } from "../../src/actions/Analytics.js"
import { init } from "../../src/actions/Init.js"
import { place, type Place } from "../support/databases.js"
import { engineWith, run } from "../support/inProcess.js"

describe.each(["sqlite", "postgres"] as const)("the column store of a database on %s", (kind) => {
  let at: Place
  const engine = engineWith({ analytics: AnalyticsKit.memoryColumnStore().layer })

  beforeAll(async () => {
    at = await place(kind)
    await run(init({ database: at.database, json: true, organization: undefined }))
    const host = await createEngine({ database: at.database })
    const actor = hostActor(OrganizationId.make(1))
    const [agent] = (await host.agents.list({}, { actor })).results
    await host.calls.ingest({ call_id: "one", agent: agent!.id }, { actor })
    await host.close()
  })
  afterAll(() => at.remove())

  it("is compared once it was built", async () => {
    const options = { database: at.database, json: false, analytics: undefined }
    const withColumns = (action: typeof verify) => run(action(options), 80, engine)
    const early = await withColumns(verify)
    expect(early).toMatchObject({ code: 1, out: "" })
    expect(early.err).toContain("Run earshot analytics rebuild")
    expect((await withColumns(rebuild)).out).toContain("The column store has all calls.")
    expect(await withColumns(verify)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/Compared +1\nMissing +0\nExtra +0\nDifferent +0$/)
    })
    const state = (await withColumns(status)).out
    expect(state).toMatch(/Column store +can be used\nProjection +complete\nPending changes +none/)
    expect((await run(verify(options))).err).toContain("Set --analytics")
  })
})
