import { EvaluatorKit, TestEngine } from "@earshot/test-kit"
import { describe, it } from "vitest"
import { at } from "./support/Contract.js"
import { serving } from "./support/TestServer.js"

const SUBJECTS = "/test_framework/v1/"

describe.each(TestEngine.databases)("any walk through evaluators and folders over HTTP on %s", async (database) => {
  const server = await serving({ database })

  const world = async (): Promise<EvaluatorKit.EvaluatorWorld> => {
    const { agent, key, organization, project } = await server.tenant()
    const ask = async (method: string, path: string, json?: object): Promise<EvaluatorKit.DoorAnswer> => {
      const answer = await server.send(method, SUBJECTS + path, { key, ...(json === undefined ? {} : { json }) })
      if (answer.status === 400) return { id: null, faults: Object.keys(Object(answer.json)) }
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
      return { id: Number(at(answer.json, "id")), faults: [] }
    }
    const results = async (subject: string): Promise<ReadonlyArray<unknown>> => {
      const page = (await server.send("GET", `${SUBJECTS}${subject}/?project=${project}&limit=200`, { key })).json
      const found = at(page, "results")
      return Array.isArray(found) ? found : []
    }
    const numbers = (value: unknown): ReadonlyArray<number> => (Array.isArray(value) ? value.map(Number) : [])
    const tools: Array<number> = []
    for (const name of ["a", "b", "c", "d", "e"]) tools.push((await ask("POST", "tools/", { project, name })).id ?? 0)
    return {
      project,
      agent,
      metrics: await server.run(EvaluatorKit.insertMetrics({ organization, project, agent }, 5)),
      tools,
      door: {
        create: (input) => ask("POST", "scenarios/", input),
        patch: (id, input) => ask("PATCH", `scenarios/${id}/`, input),
        remove: (id) => ask("DELETE", `scenarios/${id}/`),
        bulkUpdate: (input) => ask("POST", "scenarios/adv_update/", input),
        createFolder: (input) => ask("POST", "folders/", input),
        moveFolder: (id, input) => ask("PATCH", `folders/${id}/`, input),
        removeFolder: (id) => ask("DELETE", `folders/${id}/`),
        all: async () =>
          (await results("scenarios")).map((one) => ({
            id: Number(at(one, "id")),
            instructions: String(at(one, "instructions")),
            metrics: numbers(at(one, "metrics")),
            tool_ids: numbers(at(one, "tool_ids")),
            folder_path: String(at(one, "folder_path")),
            first_message: String(at(one, "first_message")),
            max_duration: at(one, "max_duration") === null ? null : Number(at(one, "max_duration"))
          })),
        folders: async () => (await results("folders")).map((one) => String(at(one, "path")))
      }
    }
  }

  it("shows what the reference model says, and refuses what it refuses", async () => {
    await EvaluatorKit.checkEvaluatorModel(world, { walks: 6, steps: 20 })
  }, 120_000)
})
