import { JobRunner } from "@earshot/core"
import { CallKit, TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { decideRange } from "../src/ByteRanges.js"
import { at, textAt } from "./support/Contract.js"
import { serverForBlock, type Tenant, type TestServer } from "./support/TestServer.js"
import { API_KEYS, CALLS, OBSERVE, TOKENS } from "./support/paths.js"

/** Three seconds of a tone. */
const sound = Buffer.from(CallKit.wav(3))
for (let at = 44; at < sound.length; at += 2) sound.writeInt16LE(Math.round(20_000 * Math.sin(at / 5)), at)

const ingest = async (server: TestServer, { agent, key }: Tenant, fields: Readonly<Record<string, string>>) => {
  const form = new FormData()
  form.append("agent", String(agent))
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append("voice_recording", new Blob([sound]), "call.wav")
  const { json } = await server.send("POST", OBSERVE, { key, body: form })
  return `${CALLS}${textAt(json, "id")}/recording/`
}

const bytesOf = async (server: TestServer, path: string, headers: Readonly<Record<string, string>>, method = "GET") => {
  const response = await fetch(server.url + path, { method, headers })
  return { response, status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
}

const drain = (server: TestServer) => server.run(Effect.flatMap(JobRunner, (runner) => runner.drain))

describe("the range of a request", () => {
  const size = 1_000
  it("is what the specification says it is", () => {
    fc.assert(
      fc.property(fc.nat(1_200), fc.option(fc.nat(1_200), { nil: undefined }), (first, last) => {
        const decided = decideRange({ range: `bytes=${first}-${last ?? ""}` }, size, '"a"')
        if (last !== undefined && last < first) expect(decided).toEqual({ send: "all" })
        else if (first >= size) expect(decided).toEqual({ send: "unsatisfiable" })
        else expect(decided).toEqual({ send: "part", start: first, end: Math.min(size, (last ?? size) + 1) })
      })
    )
    expect(decideRange({ range: "bytes=-10" }, size, '"a"')).toEqual({ send: "part", start: 990, end: 1_000 })
    expect(decideRange({ range: "bytes=-5000" }, size, '"a"')).toEqual({ send: "part", start: 0, end: 1_000 })
    expect(decideRange({ range: "bytes=-0" }, size, '"a"')).toEqual({ send: "unsatisfiable" })
    expect(decideRange({ range: "bytes=0-" }, 0, '"a"')).toEqual({ send: "unsatisfiable" })
    const long = "9".repeat(400)
    expect(decideRange({ range: `bytes=${long}-` }, size, '"a"')).toEqual({ send: "unsatisfiable" })
    expect(decideRange({ range: `bytes=5-${long}` }, size, '"a"')).toEqual({ send: "part", start: 5, end: 1_000 })
    expect(decideRange({ range: `bytes=-${long}` }, size, '"a"')).toEqual({ send: "part", start: 0, end: 1_000 })
  })

  it.each(["", "bytes", "bytes=", "bytes=a-b", "bytes=0-1,5-6", "items=0-5", "bytes=--1", "0-5"])(
    "is everything for %j",
    (range) => {
      expect(decideRange({ range }, size, '"a"')).toEqual({ send: "all" })
    }
  )

  it("holds only for the bytes that the client has a part of", () => {
    expect(decideRange({ range: "bytes=0-1", "if-range": '"a"' }, size, '"a"').send).toBe("part")
    for (const condition of ['"b"', 'W/"a"', "Wed, 21 Oct 2015 07:28:00 GMT"]) {
      expect(decideRange({ range: "bytes=0-1", "if-range": condition }, size, '"a"').send).toBe("all")
    }
    for (const known of ['"a"', '"b", W/"a"', "*"]) {
      expect(decideRange({ "if-none-match": known }, size, '"a"').send).toBe("not_modified")
    }
    expect(decideRange({ "if-none-match": '"b"' }, size, '"a"').send).toBe("all")
  })
})

for (const database of TestEngine.databases) {
  describe(`recordings over HTTP on ${database}`, async () => {
    const server = await serverForBlock({ database })

    it("are sent whole, in parts, or as headers alone", async () => {
      const tenant = await server.tenant()
      const path = await ingest(server, tenant, { call_id: "whole" })
      const key = { "x-service-api-key": tenant.key }
      const whole = await bytesOf(server, path, key)
      expect(whole.status).toBe(200)
      expect(whole.bytes.equals(sound)).toBe(true)
      const etag = `"${createHash("sha256").update(sound).digest("hex")}"`
      expect(Object.fromEntries(whole.response.headers)).toMatchObject({
        "content-type": "audio/wav",
        "content-length": String(sound.length),
        "accept-ranges": "bytes",
        etag,
        "x-content-type-options": "nosniff"
      })
      const part = await bytesOf(server, path, { ...key, range: "bytes=100-199" })
      expect([part.status, part.response.headers.get("content-range")]).toEqual([206, `bytes 100-199/${sound.length}`])
      expect(part.bytes.equals(sound.subarray(100, 200))).toBe(true)
      const tail = await bytesOf(server, path, { ...key, range: "bytes=-7", "if-range": etag })
      expect([tail.status, tail.bytes.equals(sound.subarray(-7))]).toEqual([206, true])
      const head = await bytesOf(server, path, key, "HEAD")
      expect([head.status, head.response.headers.get("content-length"), head.bytes.length]).toEqual([
        200,
        String(sound.length),
        0
      ])
      for (const range of ["bytes=0-9", `bytes=${sound.length}-`]) {
        const asked = await bytesOf(server, path, { ...key, range }, "HEAD")
        expect([asked.status, asked.response.headers.get("content-length")]).toEqual([200, String(sound.length)])
      }
      const known = await bytesOf(server, path, { ...key, "if-none-match": etag })
      expect([known.status, known.bytes.length]).toEqual([304, 0])
      const beyond = await server.send("GET", path, { key: tenant.key, headers: { range: `bytes=${sound.length}-` } })
      expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, `bytes */${sound.length}`])
    })

    it("need their own permission, and are those of calls in reach", async () => {
      const tenant = await server.tenant()
      const path = await ingest(server, tenant, { call_id: "mine" })
      const reader = await server.send("POST", API_KEYS, {
        key: tenant.key,
        json: { name: "Reader", scopes: ["calls:read"] }
      })
      const forbidden = await server.send("GET", path, { key: textAt(reader.json, "api_key") })
      expect([forbidden.status, at(forbidden.json, "detail")]).toEqual([
        403,
        "You do not have permission to perform this action (needs recordings:read)."
      ])
      const { key: other } = await server.tenant()
      const project = textAt(
        (await server.send("POST", "/user/v1/projects/", { key: tenant.key, json: { name: "Other" } })).json,
        "id"
      )
      const embedded = await server.send("POST", TOKENS, {
        key: tenant.key,
        json: { kind: "embedded_session", bounds: [{ type: "project", id: Number(project) }] }
      })
      const elsewhere = { authorization: `Bearer ${textAt(embedded.json, "token")}` }
      const empty = await server.send("POST", OBSERVE, {
        key: tenant.key,
        json: { call_id: "no", agent: tenant.agent }
      })
      const none = `${CALLS}${textAt(empty.json, "id")}/recording/`
      for (const [method, rest] of [
        ["GET", ""],
        ["POST", "url/"],
        ["GET", "peaks/"]
      ] as const) {
        const missing = [
          await server.send(method, path + rest, { key: other }),
          await server.send(method, path + rest, { headers: elsewhere }),
          await server.send(method, none + rest, { key: tenant.key })
        ]
        for (const { json, status } of missing) {
          expect([status, json]).toEqual([404, { detail: "No Recording matches the given query." }])
        }
      }
    })

    it("are read by a signed URL until it expires, and by no other", async () => {
      const tenant = await server.tenant()
      const path = await ingest(server, tenant, { call_id: "signed" })
      const second = await ingest(server, tenant, { call_id: "second" })
      const made = await server.send("POST", `${path}url/`, { key: tenant.key, json: { ttl: 60 } })
      expect(made.status).toBe(201)
      const url = textAt(made.json, "url")
      const seconds = (Date.parse(textAt(made.json, "expires_at")) - Date.now()) / 1000
      expect(seconds).toBeGreaterThan(50)
      expect(seconds).toBeLessThanOrEqual(60)
      const played = await bytesOf(server, url, { range: "bytes=0-9" })
      expect([played.status, played.bytes.equals(sound.subarray(0, 10))]).toEqual([206, true])
      for (const ttl of [0, 3_601, "x"]) {
        const invalid = await server.send("POST", `${path}url/`, { key: tenant.key, json: { ttl } })
        expect([invalid.status, Object.keys(Object(invalid.json))]).toEqual([400, ["ttl"]])
      }

      // Forged: any other character, another call in the claims, another kind of token, no signature.
      const token = url.slice(url.indexOf("=") + 1)
      const [header = "", claims = "", signature = ""] = token.split(".")
      const decoded: Record<string, unknown> = JSON.parse(Buffer.from(claims, "base64url").toString())
      const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
      const otherCall = Number(/call-logs\/(\d+)/.exec(second)?.[1])
      const session = await server.send("POST", TOKENS, {
        key: tenant.key,
        json: { kind: "dashboard_session", permissions: ["recordings:read"] }
      })
      const flipped = signature.startsWith("A") ? `B${signature.slice(1)}` : `A${signature.slice(1)}`
      const forged = [
        "",
        "x",
        `${header}.${claims}.`,
        `${header}.${claims}.${flipped}`,
        `${header}.${encoded({ ...decoded, call: otherCall })}.${signature}`,
        `${header}.${encoded({ ...decoded, exp: 9_999_999_999 })}.${signature}`,
        `${encoded({ alg: "none", typ: "earshot.recording_url+jwt", kid: "x" })}.${claims}.`,
        textAt(session.json, "token")
      ]
      for (const one of forged) {
        const { json, status } = await server.send("GET", `/observability/v1/recordings/?token=${one}`)
        expect([status, json], one.slice(0, 20)).toEqual([
          403,
          { detail: "The URL is invalid or has expired. Request a new one." }
        ])
      }
      // It is no credential.
      const bearer = await server.send("GET", path, { headers: { authorization: `Bearer ${token}` } })
      expect(bearer.status).toBe(401)
      expect((await server.send("DELETE", path.replace("recording/", ""), { key: tenant.key })).status).toBe(204)
      expect((await server.send("GET", url)).status).toBe(404)
    })

    it("have a waveform once a job has computed it, and lose it with the recording", async () => {
      const tenant = await server.tenant()
      const { key } = tenant
      const path = await ingest(server, tenant, { call_id: "wave" })
      const first = await server.send("GET", `${path}peaks/`, { key })
      expect([first.status, first.json, first.headers.get("retry-after")]).toEqual([200, { status: "pending" }, "1"])
      expect((await server.send("GET", `${path}peaks/`, { key })).json).toEqual({ status: "pending" })
      await drain(server)
      const { json } = await server.send("GET", `${path}peaks/?points=10`, { key })
      expect(json).toMatchObject({ status: "ready", duration: 3, channels: 1 })
      expect(at(json, "peaks", "0")).toHaveLength(20)
      expect(Number(at(json, "peaks_per_second"))).toBeCloseTo(10 / 3, 6)
      expect(at((await server.send("GET", `${path}peaks/`, { key })).json, "peaks", "0")).toHaveLength(300)
      for (const points of ["0", "20001", "x"]) {
        expect((await server.send("GET", `${path}peaks/?points=${points}`, { key })).status).toBe(400)
      }
      const stored = () =>
        server.run(
          Effect.map(TestEngine.execute("SELECT COUNT(*) AS n FROM recording_peaks"), (rows) =>
            Number(at(rows, "0", "n"))
          )
        )
      const before = await stored()
      // A redelivery with fields to redact replaces the recording by a muted one.
      await ingest(server, tenant, {
        call_id: "wave",
        redact_fields: JSON.stringify(["ssn"]),
        transcript_json: JSON.stringify([
          { role: "Testing Agent", content: "402-77-1234", start_time: 0.5, end_time: 2 }
        ])
      })
      expect(await stored()).toBe(before - 1)
      expect((await server.send("GET", `${path}peaks/`, { key })).json).toEqual({ status: "pending" })
      await drain(server)
      expect(at((await server.send("GET", `${path}peaks/`, { key })).json, "status")).toBe("ready")
      expect(await stored()).toBe(before)
      await server.send("DELETE", path.replace("recording/", ""), { key })
      expect(await stored()).toBe(before - 1)
      expect((await server.send("GET", `${path}peaks/`, { key })).status).toBe(404)
    })

    it("of other formats have no waveform, and say why", async () => {
      const tenant = await server.tenant()
      const form = new FormData()
      form.append("agent", String(tenant.agent))
      form.append("call_id", "amr")
      form.append("voice_recording", new Blob([Buffer.concat([Buffer.from("#!AMR"), Buffer.alloc(100)])]), "call.amr")
      const { json } = await server.send("POST", OBSERVE, { key: tenant.key, body: form })
      const path = `${CALLS}${textAt(json, "id")}/recording/peaks/`
      await server.send("GET", path, { key: tenant.key })
      await drain(server)
      expect((await server.send("GET", path, { key: tenant.key })).json).toEqual({
        status: "unavailable",
        reason: "Waveforms are available for WAV, FLAC, MP3 and Opus only."
      })
    })
  })
}
