import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { CheckoutKit } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"
import { textAt } from "../support/Contract.js"
import { basic, git, makeServer, bearer, localTenant } from "../support/CheckoutServer.js"

describe("a running clone", async () => {
  const fixture = await makeServer("sqlite", { maxProcesses: 1 })
  const { server } = fixture

  it("counts toward the limit, is streamed with backpressure, and is stopped when its client disconnects", async () => {
    const { checkout, home } = await localTenant(fixture)
    const noise = Object.fromEntries(Array.from({ length: 14 }, (_, n) => [`noise-${n}`, randomBytes(1024 * 1024)]))
    await CheckoutKit.makeRepository(join(home, "large.git"), noise)
    const { json } = await checkout("large")
    const [token, url] = [textAt(json, "token"), textAt(json, "clone_url")]
    const header = basic("x-access-token", token)
    const { stdout } = await git(["ls-remote", url, "refs/heads/main"], { headers: [header] })
    const want = stdout.slice(0, 40)
    const line = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text
    const request = `${line(`want ${want} side-band-64k ofs-delta\n`)}0000${line("done\n")}`
    const controller = new AbortController()
    const slow = await fetch(`${url}/git-upload-pack`, {
      method: "POST",
      body: request,
      signal: controller.signal,
      headers: { ...bearer(token), "content-type": "application/x-git-upload-pack-request" }
    })
    expect(slow.status).toBe(200)
    const reader = slow.body!.getReader()
    await reader.read()
    // The clone waits for its reader and occupies the only process.
    const other = await fetch(`${url}/info/refs?service=git-upload-pack`, { headers: bearer(token) })
    expect([other.status, other.headers.get("retry-after")]).toEqual([503, "1"])
    controller.abort()
    let code = 1
    for (let tries = 0; tries < 100 && code !== 0; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      code = (await git(["ls-remote", url], { headers: [header] })).code
    }
    expect(code).toBe(0)
    const whole = join(fixture.clones, "large")
    expect((await git(["clone", "--quiet", url, whole], { headers: [header] })).code).toBe(0)
    expect(existsSync(join(whole, "noise-13"))).toBe(true)
    // No git process is left running.
    const processes = await new Promise<string>((resolve) => {
      const ps = spawn("ps", ["-eo", "args"])
      let text = ""
      ps.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()))
      ps.on("error", () => resolve(""))
      ps.on("close", () => resolve(text))
    })
    expect(processes).not.toContain(join(home, "large.git"))
    expect(server.logs()).not.toContain(token)
  })
})

describe("clones of one organization", async () => {
  const fixture = await makeServer("sqlite", { maxProcesses: 2 })

  it("use at most half of the processes and release them however they end", async () => {
    const { server } = fixture
    const noise = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`noise-${n}`, randomBytes(1024 * 1024)]))
    const [mine, theirs] = [await localTenant(fixture), await localTenant(fixture)]
    await CheckoutKit.makeRepository(join(mine.home, "large.git"), noise)
    const { json } = await mine.checkout("large")
    const [token, url] = [textAt(json, "token"), textAt(json, "clone_url")]
    const head = (await git(["ls-remote", url, "HEAD"], { headers: [basic("x", token)] })).stdout.slice(0, 40)
    const line = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text
    const controller = new AbortController()
    const slow = await fetch(`${url}/git-upload-pack`, {
      method: "POST",
      body: `${line(`want ${head} side-band-64k ofs-delta\n`)}0000${line("done\n")}`,
      signal: controller.signal,
      headers: { ...bearer(token), "content-type": "application/x-git-upload-pack-request" }
    })
    await slow.body!.getReader().read()
    const refs = (to: string, key: string, method = "GET") =>
      fetch(`${to}/info/refs?service=git-upload-pack`, { method, headers: bearer(key) })
    expect((await refs(url, token)).status).toBe(503)
    const other = (await theirs.checkout("web")).json
    expect((await refs(textAt(other, "clone_url"), textAt(other, "token"))).status).toBe(200)
    controller.abort()
    let status = 503
    for (let tries = 0; tries < 100 && status !== 200; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      status = (await refs(url, token)).status
    }
    expect(status).toBe(200)
    // Neither a HEAD nor a client that goes at once keeps a place.
    const address = url.slice(server.url.length)
    for (let n = 0; n < 10; n++) {
      expect([200, 503]).toContain((await refs(url, token, "HEAD")).status)
      const socket = connect(server.port, "127.0.0.1", () => {
        socket.write(
          `GET ${address}/info/refs?service=git-upload-pack HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
        )
        setTimeout(() => socket.destroy(), n)
      })
      await new Promise((resolve) => socket.once("close", resolve))
    }
    for (let tries = 0; tries < 100 && status !== 0; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      status = (await git(["ls-remote", url], { headers: [basic("x", token)] })).code
    }
    expect(status).toBe(0)
  })
})
