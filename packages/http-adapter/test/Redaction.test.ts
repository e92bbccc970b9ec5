import { CallKit } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"
import { at } from "./support/Contract.js"
import { serverForBlock } from "./support/TestServer.js"
import { CALLS, LEDGER, OBSERVE } from "./support/paths.js"

const secrets = ["four oh two", "402-77-1234", "ending in 1"]

const transcript = [
  { role: "Main Agent", content: "And your social, please?", start_time: 0, end_time: 2 },
  {
    role: "Testing Agent",
    content: "my social is four oh two, double seven, one two three four",
    start_time: 3,
    end_time: 8
  },
  { role: "Main Agent", content: "Thank you, 402-77-1234, ending in 1234.", start_time: 9, end_time: 12 }
]

const redacted = ["And your social, please?", "my social is [SSN]", "Thank you, [SSN], ending in [SSN]."]

const body = (call_id: string, agent: number, more: object = {}) => ({
  call_id,
  agent,
  transcript_json: transcript,
  redact_fields: ["ssn"],
  ...more
})

const form = (fields: object, recording?: Uint8Array): FormData => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    data.append(name, typeof value === "string" ? value : JSON.stringify(value))
  }
  if (recording !== undefined) data.append("voice_recording", new Blob([recording]), "call.wav")
  return data
}

const contents = (call: unknown): ReadonlyArray<unknown> => {
  const turns = at(call, "transcript_object")
  return Array.isArray(turns) ? turns.map((turn: unknown) => at(turn, "content")) : []
}

const idsOf = (page: unknown): ReadonlyArray<unknown> => {
  const results = at(page, "results")
  return Array.isArray(results) ? results.map((one: unknown) => at(one, "id")) : []
}

describe("redaction over HTTP", async () => {
  const server = await serverForBlock()

  it("removes sensitive data from every response, error, log line and metric, for JSON and forms", async () => {
    const { agent, key } = await server.tenant()
    const answers = [
      await server.send("POST", OBSERVE, { key, json: body("json", agent) }),
      await server.send("POST", OBSERVE, { key, body: form(body("form", agent), CallKit.wav(15)) })
    ]
    for (const { json, status } of [...answers]) {
      expect(status).toBe(201)
      expect(contents(json)).toEqual(redacted)
      answers.push(await server.send("GET", `${CALLS}${String(at(json, "id"))}/`, { key }))
    }
    answers.push(
      await server.send("GET", CALLS, { key }),
      await server.send("GET", `${CALLS}export/`, { key }),
      await server.send("GET", "/metrics", { key })
    )
    const rejected = [
      body("bad", agent, { transcript_json: [...transcript, { role: "Main Agent", content: 402 }] }),
      body("bad", agent, { transcript_json: transcript[1]?.content }),
      body("bad", agent, { transcript_json: transcript.map((turn) => ({ ...turn, end_time: turn.content })) }),
      body("bad", agent, { transcript_type: "provider_a" }),
      body("bad", agent, { redact_fields: ["ssn", "social"] }),
      body("bad", agent + 1000)
    ]
    for (const json of rejected) {
      const answer = await server.send("POST", OBSERVE, { key, json })
      expect(answer.status).toBe(400)
      answers.push(answer)
    }
    const output = answers.map(({ text }) => text).join("\n") + server.logs()
    for (const secret of secrets) expect(output).not.toContain(secret)
  })

  it("applies to a call if either of two deliveries requests it, in sequence or concurrently", async () => {
    const { agent, key } = await server.tenant()
    const asking = (id: string) => server.send("POST", OBSERVE, { key, json: body(id, agent) })
    const silent = (id: string) => server.send("POST", OBSERVE, { key, json: body(id, agent, { redact_fields: [] }) })
    await asking("first")
    expect(contents((await silent("first")).json)).toEqual(redacted)
    await silent("last")
    expect(contents((await asking("last")).json)).toEqual(redacted)
    await Promise.all([silent("both"), asking("both"), silent("both"), asking("both")])
    const listed = await server.send("GET", CALLS, { key })
    expect(idsOf(listed.json)).toHaveLength(3)
    for (const secret of secrets) expect(listed.text).not.toContain(secret)
    const charges = await server.send("GET", LEDGER, { key })
    expect(idsOf(charges.json)).toHaveLength(3)
  })

  it("drops recordings that cannot be redacted and keeps the others", async () => {
    const { agent, key } = await server.tenant()
    const wav = Buffer.from(CallKit.wav(15))
    const lying = Buffer.from(wav)
    lying.writeUInt32LE(0xffff_fff0, 40)
    const silent = Buffer.from(wav)
    silent.writeUInt32LE(0, 24)
    const zipped = Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), Buffer.alloc(4096)])
    for (const [name, bytes] of Object.entries({
      cut: wav.subarray(0, 30),
      short: wav.subarray(0, wav.length / 4),
      lying,
      silent,
      zipped,
      ogg: Buffer.concat([Buffer.from("OggS"), Buffer.alloc(300, 0xff)]),
      mp3: Buffer.concat([Buffer.from("ID3\u0004\u0000\u0000\u007f\u007f\u007f\u007f"), Buffer.alloc(300, 0xff)])
    })) {
      const answer = await server.send("POST", OBSERVE, { key, body: form(body(name, agent), bytes) })
      expect([200, 201, 400], `${name}: ${answer.text}`).toContain(answer.status)
      if (answer.status === 400) continue
      expect(contents(answer.json)).toEqual(redacted)
      // What claims more than it holds is taken to its end; the rest cannot be relied on.
      if (name === "lying") expect(at(answer.json, "error_message")).toBeNull()
      else expect(at(answer.json, "error_message"), name).toMatch(/^The recording (was not stored|is missing):/)
    }
  })
})

describe("the ledger over HTTP", async () => {
  const server = await serverForBlock()

  it("lists the charges of the organization in pages, newest first", async () => {
    const one = await server.tenant()
    const other = await server.tenant()
    for (let n = 0; n < 5; n++) {
      await server.send("POST", OBSERVE, { key: one.key, json: body(`c${n}`, one.agent) })
    }
    await server.send("POST", OBSERVE, { key: other.key, json: body("c0", other.agent) })
    const seen: Array<unknown> = []
    let path: string | undefined = `${LEDGER}?limit=2`
    for (let pages = 0; path !== undefined && pages < 9; pages++) {
      const page = await server.send("GET", path, { key: one.key })
      expect(page.status).toBe(200)
      seen.push(...idsOf(page.json))
      const next = at(page.json, "next")
      path = typeof next === "string" ? next.replace(server.url, "") : undefined
      if (path !== undefined && !path.startsWith("/")) path = `${LEDGER}?limit=2&cursor=${encodeURIComponent(path)}`
    }
    expect(seen).toHaveLength(5)
    expect(new Set(seen).size).toBe(5)
    expect(seen).toEqual([...seen].sort((a, b) => Number(b) - Number(a)))
    const theirs = await server.send("GET", LEDGER, { key: other.key })
    expect(at(theirs.json, "results", "0")).toMatchObject({
      organization: other.organization,
      agent: other.agent,
      reason: "redaction",
      seconds: 12,
      amount: "0.080000"
    })
    expect(idsOf(theirs.json)).toHaveLength(1)
    expect((await server.send("GET", LEDGER)).status).toBe(401)
    expect((await server.send("GET", `${LEDGER}?limit=0`, { key: one.key })).status).toBe(400)
    expect((await server.send("POST", LEDGER, { key: one.key, json: {} })).status).toBe(405)
  })
})
