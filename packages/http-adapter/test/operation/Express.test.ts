import { createEngine, type PromiseEngine } from "@earshot/core/promise"
import express from "express"
import { once } from "node:events"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { earshotListener, type HttpListener } from "../../src/index.js"
import { OBSERVE } from "../support/paths.js"

describe("a listener in Express", () => {
  let engine: PromiseEngine
  let earshot: HttpListener
  let prefixed: HttpListener
  let agent: number
  let key: string
  beforeAll(async () => {
    engine = await createEngine({ database: "sqlite::memory:", worker: false })
    const founded = await engine.organizations.create({ name: "Host" })
    agent = founded.agent.id
    key = founded.api_key.api_key
    earshot = await earshotListener(await engine.runtime(), { logLevel: "silent" })
    prefixed = await earshotListener(await engine.runtime(), { logLevel: "silent", basePath: "/earshot" })
  })
  afterAll(async () => {
    await earshot.close()
    await prefixed.close()
    await engine.close()
  })

  /** The responses of an app to bodies posted to `/earshot/observability/v1/observe/`. */
  const post = async (
    app: express.Express,
    ...bodies: ReadonlyArray<readonly [type: string, body: string | FormData]>
  ): Promise<ReadonlyArray<{ readonly status: number; readonly body: unknown }>> => {
    app.get("/other", (_, response) => void response.send("another page"))
    const server = app.listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const base = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    try {
      expect(await (await fetch(`${base}/other`)).text()).toBe("another page")
      const responses = []
      for (const [type, body] of bodies) {
        const headers = { "x-service-api-key": key, ...(type === "" ? {} : { "content-type": type }) }
        const response = await fetch(`${base}/earshot${OBSERVE}`, { method: "POST", headers, body })
        responses.push({ status: response.status, body: await response.json() })
      }
      return responses
    } finally {
      server.close()
      server.closeAllConnections()
    }
  }
  const json = (call_id: string) => ["application/json", JSON.stringify({ call_id, agent })] as const
  const multipart = (call_id: string) => {
    const form = new FormData()
    form.set("call_id", call_id)
    form.set("agent", String(agent))
    return ["", form] as const
  }

  it("uses the body that express.json() parsed, below a mount path", async () => {
    const app = express().use(express.json()).use("/earshot", earshot.listener)
    expect(await post(app, json("mounted"), ["application/json", '{"agent": "x"}'])).toMatchObject([
      { status: 201, body: { call_id: "mounted" } },
      { status: 400, body: { call_id: expect.anything() } }
    ])
  })

  it("uses basePath where the app keeps the URL, and reads multipart bodies that the parsers leave", async () => {
    const app = express().use(express.json(), express.urlencoded())
    app.use((request, response, next) => {
      if (request.path.startsWith("/earshot/")) prefixed.listener(request, response)
      else next()
    })
    expect(await post(app, json("prefixed"), multipart("parts"))).toMatchObject([
      { status: 201, body: { call_id: "prefixed" } },
      { status: 201, body: { call_id: "parts" } }
    ])
  })

  it("says what to do where a parser left nothing of a body it read", async () => {
    const app = express()
      .use(express.raw({ type: () => true }))
      .use((request, _, next) => {
        delete request.body
        next()
      })
      .use("/earshot", earshot.listener)
    expect(await post(app, json("lost"))).toMatchObject([
      { status: 500, body: { detail: expect.stringContaining("Mount the listener before body parsers") } }
    ])
  })
})
