import { AccessKit, TestEngine } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"
import { RECEIPT_TYPE } from "../../src/Endpoint.js"
import { endpoints } from "../../src/routes/index.js"
import { textAt } from "../support/Contract.js"
import { API_KEYS, CALLS, OBSERVE } from "../support/paths.js"
import { serverForBlock, type TestServer } from "../support/TestServer.js"

/** Requests with a key, of the endpoint of each operation. */
const requester =
  (server: TestServer, key: string): AccessKit.Requester =>
  async ({ id, input, operation, platform }) => {
    const endpoint = endpoints.find((one) => one.operation === operation)
    if (endpoint === undefined) throw new Error(`No endpoint for ${operation}`)
    const path = endpoint.path.replace(":id", String(id)).replace(":platform", platform ?? "")
    const isQuery = endpoint.method === "GET" && input !== undefined
    const { headers, status, text } = await server.send(endpoint.method, isQuery ? `${path}?${queryOf(input)}` : path, {
      key,
      ...(isQuery || input === undefined ? {} : { json: input })
    })
    const isLines = headers.get("content-type")?.startsWith("application/x-ndjson") === true
    return { succeeded: status < 300, text: isLines ? `[${text.trimEnd().split("\n").join(",")}]` : text || "null" }
  }

const queryOf = (input: unknown): string =>
  new URLSearchParams(
    Object.entries(Object(input)).map(([name, value]): [string, string] => [name, String(value)])
  ).toString()

const typeOf = ({ headers }: { readonly headers: Headers }): string | undefined =>
  headers.get("content-type")?.split(";")[0]

describe.each(TestEngine.databases)("reading over HTTP on %s", async (database) => {
  const server = await serverForBlock({ database })

  const organization = async () => {
    const { agent, key, project } = await server.tenant()
    return {
      project,
      agent,
      caller: async (scopes: ReadonlyArray<string>) =>
        requester(
          server,
          textAt((await server.send("POST", API_KEYS, { key, json: { name: "Caller", scopes } })).json, "api_key")
        )
    }
  }

  it("needs a permission to read, whatever the operation", async () => {
    await AccessKit.readingCoverage(organization)
    // In process the property has more runs: these show that no response adds to what the engine returned.
    await AccessKit.readingProperty(organization, 3).check()
  }, 60_000)

  it("gives a receipt to a key that may write calls and not read them", async () => {
    const { agent, key } = await server.tenant()
    const scoped = await server.send("POST", API_KEYS, { key, json: { name: "Webhook", scopes: ["calls:write"] } })
    const webhook = textAt(scoped.json, "api_key")
    const json = {
      call_id: "1",
      agent,
      transcript_json: [{ role: "Main Agent", content: "My secret", start_time: 0, end_time: 1 }]
    }
    const created = await server.send("POST", OBSERVE, { key: webhook, json })
    const id = Number(textAt(created.json, "id"))
    expect([created.status, typeOf(created), created.json]).toEqual([201, RECEIPT_TYPE, { id }])
    const again = await server.send("POST", OBSERVE, { key: webhook, json: { call_id: "1", agent } })
    expect([again.status, typeOf(again), again.json]).toEqual([200, RECEIPT_TYPE, { id }])
    const reviewed = await server.send("PATCH", `${CALLS}${id}/`, { key: webhook, json: { topic: "Tables" } })
    expect([reviewed.status, reviewed.json]).toEqual([200, { id }])
    expect((await server.send("GET", `${CALLS}${id}/`, { key: webhook })).status).toBe(403)
    const record = await server.send("PATCH", `${CALLS}${id}/`, { key, json: {} })
    expect(textAt(record.json, "transcript")).toContain("My secret")
    expect(textAt(record.json, "topic")).toBe("Tables")
  })
})
