import { createEngine } from "@earshot/core/promise"
import * as MemoryBlobStore from "@earshot/core/providers/MemoryBlobStore"
import { once } from "node:events"
import { createServer } from "node:http"
import { describe, expect, it } from "vitest"
import { earshotListener } from "../../src/index.js"
import { contractOf } from "../support/Contract.js"
import { OBSERVE } from "../support/paths.js"

describe("a listener mounted in an existing server", () => {
  it("serves its base path and leaves other paths to the host, until it is closed", async () => {
    const engine = await createEngine({ database: "sqlite::memory:", blobs: MemoryBlobStore.layer })
    const { agent, api_key } = await engine.organizations.create({ name: "Host" })
    const earshot = await earshotListener(await engine.runtime(), { basePath: "/ear", logLevel: "silent" })
    const host = createServer((request, response) => {
      if (request.url?.startsWith("/ear/") === true) earshot.listener(request, response)
      else response.end("host")
    })
    host.listen(0, "127.0.0.1")
    await once(host, "listening")
    const address = host.address()
    const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    try {
      const contract = contractOf(await (await fetch(`${url}/ear/openapi.json`)).text(), "/ear")
      const send = async (body: string) => {
        const answer = await fetch(`${url}/ear${OBSERVE}`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-service-api-key": api_key.api_key },
          body
        })
        const text = await answer.text()
        const type = answer.headers.get("content-type") ?? ""
        expect(
          contract.violation({ method: "POST", path: `/ear${OBSERVE}`, status: answer.status, type, text })
        ).toBeUndefined()
        return answer.status
      }
      expect(await send(JSON.stringify({ call_id: "1", agent: agent.id }))).toBe(201)
      expect(await send("{")).toBe(400)
      expect(await (await fetch(url)).text()).toBe("host")
      expect((await fetch(`${url}/ear/nowhere`)).status).toBe(404)
    } finally {
      host.close()
      host.closeAllConnections()
      await earshot.close()
      await engine.close()
    }
    await expect(earshotListener(await createdRuntime(), { basePath: "ear/" })).rejects.toThrow("Invalid base path")
  })
})

/** Any runtime of an engine; it is not reached. */
const createdRuntime = async () => {
  const engine = await createEngine({ database: "sqlite::memory:" })
  const runtime = await engine.runtime()
  await engine.close()
  return runtime
}
