import { PlatformKit } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"
import { at } from "./support/Contract.js"
import { serverForBlock } from "./support/TestServer.js"
import { CALLS } from "./support/paths.js"

const path = (platform: string, query = "") => `/observability/v1/${platform}/observe/${query}`

describe("the webhook endpoints of platforms", async () => {
  const server = await serverForBlock()

  it("answer 200 to every documented event under the token and the alias of its platform", async () => {
    const { agent, key } = await server.tenant()
    const names = [
      ["provider_a", "vapi"],
      ["provider_b", "retell"],
      ["provider_d", "pipecat"],
      ["provider_e", "livekit"],
      ["provider_f", "elevenlabs"]
    ] as const
    for (const [platform, alias] of names) {
      for (const { body, event, isFinished } of PlatformKit.documentedEvents[platform]) {
        // Nothing listens there; the recording's URL must not cost the call.
        for (const name of [platform, alias]) {
          const answer = await server.send("POST", path(name, `?agent_id=${agent}`), { key, json: body })
          expect([event, answer.status, at(answer.json, "event"), at(answer.json, "outcome")]).toEqual([
            event,
            200,
            event,
            isFinished ? "stored" : "skipped"
          ])
        }
      }
    }
    const { json } = await server.send("GET", CALLS, { key })
    const results = at(json, "results")
    expect(Array.isArray(results) ? results.length : 0).toBe(6)
  }, 60_000)

  it("answer 400 to what is no envelope, 401 without a key, 404 for other platforms, 405 and 415", async () => {
    const { agent, key } = await server.tenant()
    const wrong = await server.send("POST", path("vapi", `?agent_id=${agent}`), { key, json: { hello: 1 } })
    expect([wrong.status, wrong.json]).toEqual([
      400,
      { non_field_errors: ["The body is not an envelope of vapi (provider_a)."] }
    ])
    expect((await server.send("POST", path("vapi"), { json: {} })).status).toBe(401)
    expect((await server.send("POST", path("bland"), { key, json: {} })).status).toBe(404)
    expect((await server.send("GET", path("vapi"), { key })).status).toBe(405)
    expect((await server.send("POST", path("vapi"), { key, json: [] })).status).toBe(400)
    const deep = `${'{"message":'.repeat(200)}1${"}".repeat(200)}`
    const headers = { "content-type": "application/json" }
    expect((await server.send("POST", path("vapi"), { key, headers, body: deep })).status).toBe(400)
    expect((await server.send("POST", path("vapi"), { key, headers, body: "{" })).status).toBe(400)
    const text = { "content-type": "text/plain" }
    expect((await server.send("POST", path("vapi"), { key, headers: text, body: "{}" })).status).toBe(415)
  })

  it("count the events by platform and outcome in the metrics", async () => {
    const { key } = await server.tenant()
    const before = await server.send("GET", "/metrics", { key })
    expect(before.text).toContain('earshot_webhook_events_total{platform="provider_a",outcome="skipped"}')
    expect(before.text).toContain('earshot_webhook_events_total{platform="provider_a",outcome="rejected"}')
  })
})
