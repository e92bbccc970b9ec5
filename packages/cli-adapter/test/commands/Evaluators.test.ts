import { writeFile } from "node:fs/promises"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { bulkUpdate, create, list, remove, show, update } from "../../src/actions/Evaluators.js"
import { init } from "../../src/actions/Init.js"
import { agents, enable, folders, personalities, projects } from "../../src/actions/TestCatalog.js"
import { place, type Place } from "../support/databases.js"
import { run } from "../support/inProcess.js"

const none = undefined

describe.each(["sqlite", "postgres"] as const)("evaluators at the command line on %s", (kind) => {
  let at: Place
  beforeAll(async () => {
    at = await place(kind)
    await run(init({ database: at.database, json: false, organization: none }))
  })
  afterAll(() => at.remove())

  const as = (json = false) => ({ database: at.database, json, organization: 1, apiKey: none })
  const given = (...fields: ReadonlyArray<string>) => ({ ...as(), fields, input: none })
  const page = { limit: none, cursor: none }

  it("create, update, list, show and delete evaluators from arguments and files", async () => {
    const file = path.join(at.folder, "evaluator.json")
    await writeFile(file, JSON.stringify({ agent: 1, name: "From a file", scenario_type: "instruction", tags: ["a"] }))
    const made = await run(create({ ...given("instructions=a = \u001b[31m b", "name=One"), input: file }))
    expect([made.code, made.err]).toEqual([0, ""])
    expect(made.out).toMatch(/^name +One$/m)
    expect(made.out).not.toContain("\u001b")
    await run(folders.create(given("project=1", "path=smoke")))
    const changed = await run(update({ ...given("folder_path=smoke", 'tags=["x","y"]', "max_duration=30"), id: 1 }))
    expect(changed.out).toMatch(/^max_duration +30$/m)
    const listed = await run(list({ ...as(), ...page, selection: { tag: "y", folder_path: "smoke", agent: none } }))
    expect(listed.out).toMatch(/ 1 {2}One +instruction/)
    const shown = await run(show({ ...as(true), id: 1 }))
    expect(JSON.parse(shown.out)).toMatchObject({ id: 1, tags: ["x", "y"], folder_path: "smoke" })
    const many = await run(
      bulkUpdate({ ...given("scenarios=[1]", "project=1", "append_instruction=!"), json: true, many: true })
    )
    expect(JSON.parse(many.out)).toMatchObject([{ id: 1, instructions: "a = \u001b[31m b!" }])
    expect((await run(remove({ ...as(), id: 1 }))).code).toBe(0)
    expect(await run(show({ ...as(), id: 1 }))).toMatchObject({ code: 1, out: "" })
  })

  it("report every field error, and arguments without = as usage errors", async () => {
    const rejected = await run(bulkUpdate({ ...given("scenarios=[9]", "project=1", "max_duration=-1"), many: false }))
    expect(rejected.code).toBe(1)
    expect(rejected.err).toContain("scenarios: ")
    expect(rejected.err).toContain("max_duration: ")
    expect(await run(create(given("name")))).toMatchObject({ code: 2, out: "" })
    expect(await run(create(given("tags=[1")))).toMatchObject({ code: 2, out: "" })
    expect(await run(create({ ...given(), input: "nowhere.json" }))).toMatchObject({ code: 1 })
  })

  it("belong to projects and agents, whose secrets are never shown", async () => {
    expect((await run(projects.create(given("name=Hotels")))).out).toMatch(/^name +Hotels$/m)
    const endpoint = '{"url": "https://agent.example/chat", "kind": "webhook", "headers": {"Authorization": "hidden"}}'
    const made = await run(
      agents.create({ ...given("project=2", "name=Concierge", `chat_endpoint=${endpoint}`), json: true })
    )
    expect(made.err).toBe("")
    const { id } = JSON.parse(made.out)
    expect(JSON.parse(made.out)).toMatchObject({ project: 2, chat_endpoint: { url: "https://agent.example/chat" } })
    expect((await run(agents.update({ ...given("provider=provider_a"), id }))).out).toMatch(/^provider +provider_a$/m)
    const listed = await run(agents.list({ ...as(), ...page, selection: { project: 2 } }))
    expect(listed.out).toMatch(/ 2 {2}Concierge +provider_a/)
    for (const { out } of [made, await run(agents.show({ ...as(), id }))]) expect(out).not.toContain("hidden")
    expect((await run(agents.remove({ ...as(), id }))).code).toBe(0)
    expect((await run(projects.remove({ ...as(), id: 2 }))).code).toBe(0)
    expect(await run(projects.show({ ...as(), id: 2 }))).toMatchObject({ code: 1, out: "" })
  })

  it("enable personalities for a project", async () => {
    expect((await run(personalities.create(given("project=1", "name=Calm", "language=en")))).code).toBe(0)
    const enabled = await run(enable({ ...given("personalities=all"), json: true, id: 1 }))
    expect(JSON.parse(enabled.out)).toMatchObject([{ name: "Calm", language: "en" }])
    expect(await run(enable({ ...given("personalities=77"), id: 1 }))).toMatchObject({ code: 1 })
  })
})
