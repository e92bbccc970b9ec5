import { createServer } from "node:http"
import { describe, expect, it } from "vitest"
import { at } from "../support/Contract.js"
import { serverForBlock } from "../support/TestServer.js"
import { CALLS, OBSERVE } from "../support/paths.js"

describe("a recording URL", async () => {
  const server = await serverForBlock({
    // This name is allowed, so that its redirects can be followed to where nothing is.
    ports: { allowHosts: ["localhost"] }
  })

  it("is rejected if it redirects to a private address", async () => {
    const { agent, key } = await server.tenant()
    let target = ""
    const redirecting = createServer((_, response) => response.writeHead(302, { location: target }).end())
    await new Promise<void>((resolve) => redirecting.listen(0, "localhost", resolve))
    const address = redirecting.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    try {
      for (target of [
        "http://127.0.0.1:9/a",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]:9/",
        "file:///etc/passwd"
      ]) {
        const answer = await server.send("POST", OBSERVE, {
          key,
          json: { call_id: "redirected", agent, voice_recording_url: `http://localhost:${port}/a.wav` }
        })
        expect([target, answer.status, Object.keys(Object(answer.json))]).toEqual([
          target,
          400,
          ["voice_recording_url"]
        ])
      }
      expect(at((await server.send("GET", CALLS, { key })).json, "results")).toEqual([])
    } finally {
      redirecting.close()
      redirecting.closeAllConnections()
    }
  })
})
