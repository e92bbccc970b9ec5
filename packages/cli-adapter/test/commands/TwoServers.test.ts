import { EvaluatorKit, ModelKit } from "@earshot/test-kit"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { earshot, start, type Started } from "../support/binary.js"
import { place, type Place } from "../support/databases.js"

describe("two servers on one PostgreSQL, asked in turn", () => {
  let at: Place
  let servers: ReadonlyArray<Started> = []
  let door: ModelKit.Door

  beforeAll(async () => {
    at = await place("postgres")
    const init = await earshot(["init", "--json", "--database", at.database])
    const key = /ear_[0-9A-Za-z]{49}/.exec(init.out)?.[0] ?? ""
    servers = [0, 1].map(() =>
      start(["serve", "--port", "0", "--json", "--database", at.database, "--log-level", "none"])
    )
    const lines = await Promise.all(servers.map(({ until }) => until("\n")))
    door = ModelKit.httpDoor(
      lines.map((line) => /http[^"]+/.exec(line)?.[0] ?? ""),
      key
    )
  })
  afterAll(async () => {
    for (const { child } of servers) child.kill("SIGTERM")
    for (const { ended } of servers) expect((await ended).code).toBe(0)
    await at.remove()
  })

  const calls = async () => ({ door, ...(await ModelKit.emptyProject(door)) })
  const evaluators = async () => ModelKit.evaluatorWorld(door, await ModelKit.emptyProject(door))

  it("keep calls and dashboards as the model says", async () => {
    await ModelKit.checkCallModel(calls, { walks: 4, steps: 20 })
  }, 3_600_000)

  it("answer calls at once as some order of them would be answered", async () => {
    await ModelKit.checkCallsAtOnce(calls, { walks: 10, steps: 5 })
  }, 3_600_000)

  it("keep evaluators and folders as the model says", async () => {
    await EvaluatorKit.checkEvaluatorModel(evaluators, { walks: 3, steps: 15 })
  }, 3_600_000)

  it("leave evaluators after bulk updates at once as some order of them would", async () => {
    await EvaluatorKit.checkBulkUpdatesAtOnce(evaluators, { walks: 8 })
  }, 3_600_000)
})
