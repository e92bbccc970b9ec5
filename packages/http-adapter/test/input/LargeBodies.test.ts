import { once } from "node:events"
import { request } from "node:http"
import { describe, expect, it, vi } from "vitest"
import { at } from "../support/Contract.js"
import { sendRaw, serverForBlock, startServer } from "../support/TestServer.js"
import { CALLS, OBSERVE } from "../support/paths.js"

describe("a body of 100 MB", async () => {
  const server = await serverForBlock()

  it("is rejected by its Content-Length, or by its actual length without one", async () => {
    const { key } = await server.tenant()
    for (const type of ["application/json", "multipart/form-data; boundary=x"]) {
      const head = `POST ${OBSERVE} HTTP/1.1\r\nhost: x\r\nx-service-api-key: ${key}\r\ncontent-type: ${type}\r\n`
      // Not a byte of it is sent.
      const declared = await sendRaw(server.port, `${head}content-length: 104857600\r\nconnection: close\r\n\r\n`)
      expect(declared).toMatch(/^HTTP\/1.1 413 /)
      const expecting = await sendRaw(server.port, `${head}content-length: 104857600\r\nexpect: 100-continue\r\n\r\n`)
      expect(expecting).toMatch(/^HTTP\/1.1 413 /)

      const mebibyte = Buffer.alloc(1024 * 1024, 0x20)
      const sending = request({
        port: server.port,
        method: "POST",
        path: OBSERVE,
        headers: { "x-service-api-key": key, "content-type": type }
      })
      // The server stops reading at some point; what matters is that it has answered by then.
      sending.on("error", () => undefined)
      const answered = new Promise<number | undefined>((resolve) => {
        sending.once("response", (response) => {
          response.resume()
          resolve(response.statusCode)
        })
      })
      if (type.startsWith("multipart"))
        sending.write('--x\r\nContent-Disposition: form-data; name="voice_recording"; filename="a"\r\n\r\n')
      let status: number | undefined
      void answered.then((received) => (status = received))
      for (let sent = 0; sent < 100 && status === undefined; sent++) {
        await new Promise<void>((resolve) => {
          if (sending.write(mebibyte)) setImmediate(resolve)
          else
            void Promise.race([once(sending, "drain"), answered]).then(() => {
              resolve()
            })
        })
      }
      expect(await answered).toBe(413)
      sending.destroy()
    }
    expect(at((await server.send("GET", CALLS, { key })).json, "results")).toEqual([])
  })

  it("counts toward the memory limit of all bodies, beyond which requests get 503", async () => {
    const small = await startServer({ limits: { bodyBytes: 2000, multipartBytes: 2000, bytesInFlight: 2000 } })
    try {
      const { key } = await small.tenant()
      // The key is cached from here on, so that the slow body is counted before the first probe.
      expect((await small.send("POST", OBSERVE, { key, json: {} })).status).toBe(400)
      const slow = request({
        port: small.port,
        method: "POST",
        path: OBSERVE,
        headers: { "x-service-api-key": key, "content-type": "application/json", "content-length": 1800 }
      })
      slow.on("error", () => undefined)
      await new Promise((written) => slow.write(" ".repeat(1700), written))
      // Until the server has read it.
      await vi.waitFor(async () => {
        const probe = await small.send("POST", OBSERVE, { key, json: { call_id: "x".repeat(500) } })
        expect(probe.status).toBe(503)
      })
      const answer = await small.send("POST", OBSERVE, { key, json: { call_id: "x".repeat(500) } })
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"])
      slow.destroy()
      await vi.waitFor(async () => {
        expect((await small.send("POST", OBSERVE, { key, json: {} })).status).toBe(400)
      })
    } finally {
      await small.close()
    }
  })
})
