import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { ProviderKit } from "@earshot/test-kit"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { redact } from "../../src/actions/Redact.js"
import { earshot } from "../support/binary.js"
import { run } from "../support/inProcess.js"

const UTTERANCES = "Main Agent: Your social?\nTesting Agent: it's four oh two, double seven, one two three four\n"

describe("earshot redact", () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "earshot-redact-"))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const options = {
    json: false,
    fields: [],
    type: undefined,
    everyday: false,
    numbered: false,
    lexicon: undefined,
    model: undefined,
    analyzer: undefined,
    explain: false
  }
  const file = async (text: string): Promise<string> => {
    const name = path.join(folder, "call.txt")
    await writeFile(name, text)
    return name
  }

  it("prints the counts by field, place and recognizer without a value, and finds the values of a lexicon", async () => {
    const lexicon = path.join(folder, "lexicon.json")
    await writeFile(lexicon, JSON.stringify({ event: ["Zubrovka Days"] }))
    const text = await file("Agent: your social?\nCaller: 308-63-0237, and see you at zubrovka days\n")
    const shown = await run(redact({ ...options, explain: true, lexicon, file: text }))
    expect(shown.out).toMatch(/ssn +transcript +answers +1/)
    expect(shown.out).toMatch(/event +transcript +provider +1/)
    expect(shown.out).not.toMatch(/0237|zubrovka/)
    const model = path.join(folder, "model")
    ProviderKit.writeTokenModel(model, { labels: ["O", "B-EVENT"], tokens: { gala: 1 } })
    const gala = await file("Caller: see you at the gala\n")
    expect((await run(redact({ ...options, model, file: gala }))).out).toMatch(/event +\d\.\d\d +gala +model EVENT/)
    const missing = await run(redact({ ...options, model: folder, file: gala }))
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining("--model: ")])
    await writeFile(lexicon, "[]")
    const rejected = await run(redact({ ...options, lexicon, file: text }))
    expect(rejected.code).toBe(2)
    expect(rejected.err).toContain("--lexicon")
  })

  it("asks an analyzer, and says what is wrong with it", async () => {
    const server = createServer((request, response) => {
      const isAnalyze = request.method === "POST" && request.url === "/analyze"
      response.writeHead(isAnalyze ? 200 : 404, { "content-type": "application/json" })
      response.end(JSON.stringify([{ entity_type: "PERSON", start: 8, end: 13, score: 0.9 }]))
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    try {
      const address = server.address()
      const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
      const text = await file("Caller: this is zorvo speaking\n")
      const shown = await run(redact({ ...options, analyzer: url, file: text }))
      expect(shown).toMatchObject({ code: 0, err: "" })
      expect(shown.out).toContain("this is [PERSON_NAME] speaking")
      expect(shown.out).toMatch(/person_name +\d\.\d\d +zorvo +analyzer PERSON/)
      expect(await run(redact({ ...options, analyzer: `${url}/other`, file: text }))).toMatchObject({
        code: 1,
        out: "",
        err: "The named-entity model failed. Check that the server of --analyzer runs and answers POST /analyze."
      })
      expect(await run(redact({ ...options, analyzer: "127.0.0.1:5002", file: text }))).toMatchObject({
        code: 2,
        err: "--analyzer: The URL must start with http:// or https://."
      })
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })

  it("shows what would go of a text, and why", async () => {
    const shown = await run(redact({ ...options, file: await file(UTTERANCES) }))
    expect(shown).toMatchObject({ code: 0, err: "" })
    expect(shown.out).toContain("Main Agent: Your social?\nTesting Agent: it's [SSN]\n")
    expect(shown.out).toMatch(/2 +ssn +0\.\d\d +four oh two, double seven/)
    const none = await run(redact({ ...options, fields: ["date"], file: await file(UTTERANCES) }))
    expect(none.out).toContain("Nothing to redact.")
    const unknown = await run(redact({ ...options, fields: ["social"], file: await file(UTTERANCES) }))
    expect(unknown.code).not.toBe(0)
    expect(unknown.err).toContain("--field")
  })

  it.each([
    ["Agent", "Caller"],
    ["AI", "User"],
    ["bot", "human"]
  ])("reads who speaks from prefixes such as %s: and %s:", async (agent, caller) => {
    const text = `${agent}: Your social?\n${caller}: it's four oh two, double seven, one two three four\n`
    const shown = await run(redact({ ...options, file: await file(text) }))
    expect(shown.out).toContain("Main Agent: Your social?\nTesting Agent: it's [SSN]\n")
  })

  it("reads a body of E10, and answers JSON", async () => {
    const body = {
      call_id: "a",
      agent: 1,
      transcript_json: [
        { role: "Testing Agent", content: "Call 415-555-2671 or 415-555-2671", start_time: 0, end_time: 1 }
      ]
    }
    const shown = await run(redact({ ...options, json: true, numbered: true, file: await file(JSON.stringify(body)) }))
    expect(JSON.parse(shown.out)).toMatchObject({
      turns: [{ role: "Testing Agent", content: "Call [PHONE_NUMBER_1] or [PHONE_NUMBER_1]" }],
      spans: [{ turn: 0, start: 5, end: 17, field: "phone_number", text: "415-555-2671" }, { start: 21 }],
      tool_call_spans: 0
    })
    const withTool = {
      transcript_type: "provider_a",
      transcript_json: [
        { role: "user", message: "My number is 415-555-2671.", secondsFromStart: 3, duration: 3000 },
        {
          role: "tool_calls",
          secondsFromStart: 7,
          toolCalls: [{ id: "415-555-2671", function: { name: "call 4155552671", arguments: '{"to":"415-555-2671"}' } }]
        }
      ]
    }
    const tools = await run(redact({ ...options, json: true, file: await file(JSON.stringify(withTool)) }))
    expect(JSON.parse(tools.out)).toMatchObject({
      tool_calls: [{ name: "call [PHONE_NUMBER]", arguments: '{"to":"[PHONE_NUMBER]"}', result: null }]
    })
    const wrong = await run(redact({ ...options, file: await file('[{"role": "Nobody", "content": "x"}]') }))
    expect(wrong.code).toBe(1)
    expect(wrong.err).toContain("transcript_json[0].role")
    const none = path.join(folder, "none")
    expect(await run(redact({ ...options, file: none }))).toEqual({
      code: 1,
      out: "",
      err: `${none}: There is no such file.`
    })
    expect(await run(redact({ ...options, file: folder }))).toMatchObject({
      code: 1,
      err: `${folder}: This is a folder.`
    })
    await writeFile(none, Uint8Array.of(0x4d, 0x5a, 0xff, 0xfe, 0x0a))
    expect(await run(redact({ ...options, file: none }))).toMatchObject({
      code: 1,
      out: "",
      err: `${none}: This is not valid UTF-8.`
    })
  })

  it("reads stdin", async () => {
    const shown = await earshot(["redact", "--json", "-"], { input: UTTERANCES })
    expect(shown).toMatchObject({ code: 0, err: "" })
    expect(JSON.parse(shown.out)).toMatchObject({ turns: [{}, { content: "it's [SSN]" }] })
  })
})
