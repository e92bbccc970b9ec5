import { createHmac } from "node:crypto"
import { PlatformKit } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"
import { at } from "./support/Contract.js"
import { serverForBlock } from "./support/TestServer.js"
import { CALLS } from "./support/paths.js"

const INTEGRATIONS = "/observability/v1/integrations/"
const path = (platform: string, query = "") => `/observability/v1/${platform}/observe/${query}`

const elevenLabs = (secret: string, body: string, at: number) => ({
  "content-type": "application/json",
  "elevenlabs-signature": `t=${at},v0=${createHmac("sha256", secret).update(`${at}.${body}`).digest("hex")}`
})

describe("the addresses of integrations", async () => {
  const server = await serverForBlock()

  /** Not by `server.send`, which compares answers with the OpenAPI document: endpoints with signatures are not in it. */
  const post = async (path: string, headers: Readonly<Record<string, string>>, body: string) => {
    const answer = await fetch(`${server.url}${path}`, { method: "POST", headers, body })
    const json: unknown = await answer.json()
    return { status: answer.status, challenge: answer.headers.get("www-authenticate"), json }
  }

  it("take signed requests without a key, and answer 401 to all others, which are counted", async () => {
    const { agent, key } = await server.tenant()
    const secret = "wsec_of_the_platform"
    const draft = { platform: "elevenlabs", agent, secret }
    const made = await server.send("POST", INTEGRATIONS, { key, json: draft })
    expect([made.status, at(made.json, "secret")]).toEqual([201, null])
    const hook = `/observability/v1/hooks/${String(at(made.json, "public_id"))}/`
    const body = JSON.stringify(PlatformKit.documentedEvents.provider_f[0]?.body)
    const now = Math.floor(Date.now() / 1000)
    const headers = elevenLabs(secret, body, now)
    const accepted = await post(hook, headers, body)
    expect([accepted.status, at(accepted.json, "outcome")]).toEqual([200, "stored"])
    const again = await post(hook, headers, body)
    expect([again.status, again.json]).toEqual([
      200,
      {
        event: "post_call_transcription",
        outcome: "repeated",
        reason: "The same request was accepted before.",
        call: null
      }
    ])
    const refusals = [
      { headers: { ...headers, "elevenlabs-signature": "t=1,v0=00" }, body },
      { headers: elevenLabs(secret, body, now - 1801), body },
      { headers: elevenLabs("another secret", body, now), body },
      { headers, body: `${body} ` },
      { headers: { "content-type": "application/json" }, body }
    ]
    for (const request of refusals) {
      expect(await post(hook, request.headers, request.body)).toEqual({
        status: 401,
        challenge: 'Signature realm="earshot"',
        json: { detail: "Invalid signature." }
      })
    }
    expect((await post(`/observability/v1/hooks/${"A".repeat(27)}/`, headers, body)).status).toBe(401)
    expect((await server.send("GET", CALLS, { key })).text).toContain("conv-1")
    expect((await server.send("GET", "/metrics", { key })).text).toContain("earshot_webhook_refusals_total 6")
    const bad = "{"
    expect((await post(hook, elevenLabs(secret, bad, now), bad)).status).toBe(400)
    const deep = `${'{"a":'.repeat(200)}1${"}".repeat(200)}`
    expect((await post(hook, elevenLabs(secret, deep, now), deep)).status).toBe(400)
    expect((await fetch(`${server.url}${hook}`)).status).toBe(405)
  })

  it("are managed by people with the permission, and their secrets are never returned", async () => {
    const { agent, key } = await server.tenant()
    const made = await server.send("POST", INTEGRATIONS, { key, json: { platform: "vapi", agent } })
    const one = `${INTEGRATIONS}${String(at(made.json, "id"))}/`
    const secret = String(at(made.json, "secret"))
    const rotated = await server.send("POST", `${one}rotate_secret/`, { key, json: { previous_valid_seconds: 60 } })
    expect([rotated.status, rotated.headers.get("cache-control")]).toEqual([200, "no-store"])
    const answers = [
      await server.send("GET", one, { key }),
      await server.send("GET", INTEGRATIONS, { key }),
      await server.send("PATCH", one, { key, json: { name: "Desk" } })
    ]
    for (const { status, text } of answers) {
      expect(status).toBe(200)
      expect(text).not.toContain(secret)
    }
    expect((await server.send("GET", INTEGRATIONS)).status).toBe(401)
    expect((await server.send("DELETE", one, { key })).status).toBe(204)
    expect((await server.send("GET", one, { key })).status).toBe(404)
  })
})

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

  it("ignore what is no envelope; answer 401 without a key, 404 for other platforms, 400, 405 and 415", async () => {
    const { agent, key } = await server.tenant()
    const wrong = await server.send("POST", path("vapi", `?agent_id=${agent}`), { key, json: { hello: 1 } })
    expect([wrong.status, wrong.json]).toEqual([
      200,
      {
        event: "unknown",
        outcome: "ignored",
        reason: "The body is not an envelope of vapi (provider_a).",
        call: null
      }
    ])
    expect((await server.send("POST", path("vapi"), { json: {} })).status).toBe(401)
    expect((await server.send("POST", path("bland"), { key, json: {} })).status).toBe(404)
    expect((await server.send("GET", path("vapi"), { key })).status).toBe(405)
    expect((await server.send("POST", path("vapi"), { key, json: [] })).status).toBe(200)
    expect((await server.send("POST", path("vapi", "?agent_id=x"), { key, json: {} })).status).toBe(400)
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
    expect(before.text).toContain('earshot_webhook_events_total{platform="provider_a",outcome="ignored"}')
  })
})
