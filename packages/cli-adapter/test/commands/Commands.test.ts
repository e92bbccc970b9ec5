import { writeFile } from "node:fs/promises"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Platforms } from "@earshot/core"
import { VoiceKit } from "@earshot/test-kit"
import { PLATFORM_NAMES } from "../../src/commands/Calls.js"
import { exportCalls, list as listCalls, show as showCall } from "../../src/actions/Calls.js"
import { list as listCharges, totals } from "../../src/actions/Credits.js"
import { list as listDashboards, show as showDashboard } from "../../src/actions/Dashboards.js"
import { ingest } from "../../src/actions/Ingest.js"
import {
  create as createIntegration,
  list as listIntegrations,
  remove as removeIntegration,
  rotate as rotateIntegration,
  update as updateIntegration
} from "../../src/actions/Integrations.js"
import { init } from "../../src/actions/Init.js"
import { create, list as listKeys, revoke } from "../../src/actions/Keys.js"
import { list as listOrganizations } from "../../src/actions/Organizations.js"
import { agents, checkVoice } from "../../src/actions/TestCatalog.js"
import { displayWidth } from "../../src/Text.js"
import { place, type Place } from "../support/databases.js"
import { engineWith, run } from "../support/inProcess.js"
import { acts } from "../support/text.js"

const none = undefined

const call = (id: string, more: object = {}) => ({
  call_id: id,
  agent: 1,
  timestamp: "2026-03-14T09:00:00Z",
  transcript_type: "service",
  transcript_json: [
    { role: "Testing Agent", content: "Hello \u001b[31m\u001b]0;owned\u0007\u202e 日本", start_time: 0.5, end_time: 2 },
    { role: "Main Agent", content: "Yes? 👩‍👩‍👧", start_time: 2.5, end_time: 9.7 }
  ],
  call_ended_reason: "hung\u001b[2Jup",
  ...more
})

describe.each(["sqlite", "postgres"] as const)("commands on %s", (kind) => {
  let at: Place
  beforeAll(async () => {
    at = await place(kind)
  })
  afterAll(() => at.remove())

  const host = (organization = 1) => ({
    database: at.database,
    json: false,
    organization: organization,
    apiKey: none
  })
  const page = { limit: none, cursor: none }
  const all = { filter: none, agent: none, project: none }
  const taking = (files: ReadonlyArray<string>) => ({
    ...host(),
    ...{
      recordings: at.folder,
      allowedHosts: [],
      redact: [],
      keepDetails: [],
      redactEveryday: false,
      redactLexicon: none,
      redactModel: none,
      redactAnalyzer: none,
      maxRecordingBytes: none
    },
    ...{ files, agent: none, concurrency: 4, format: none }
  })

  it("init creates an organization once, and another one by its name", async () => {
    const first = await run(init({ database: at.database, json: false, organization: none }))
    expect(first.code).toBe(0)
    expect(first.out).toMatch(/^API key {7}ear_[0-9A-Za-z]{49}$/m)
    const again = await run(init({ database: at.database, json: false, organization: none }))
    expect(again).toMatchObject({ code: 1, out: "" })
    expect(again.err).toContain("Add another with `earshot init --organization NAME`")
    const second = await run(init({ database: at.database, json: true, organization: "Two \u001b[1m" }))
    expect(JSON.parse(second.out)).toMatchObject({ organization: 2, project: 2, agent: 2 })
    const listed = await run(listOrganizations({ database: at.database, json: false, ...page }))
    expect(listed.out).toMatch(/2 {2}Two ␛\[1m/)
    const blank = await run(init({ database: at.database, json: false, organization: " " }))
    expect(blank).toEqual({ code: 1, out: "", err: "name: This field may not be blank." })
  })

  it("require --organization if the database has several organizations", async () => {
    const asked = await run(listCalls({ ...host(), organization: none, ...all, ...page }))
    expect(asked).toMatchObject({ code: 1, out: "" })
    expect(asked.err).toContain("Choose one with --organization ID")
    const key = "ear_wrong"
    expect(await run(listCalls({ ...host(), organization: none, apiKey: key, ...all, ...page }))).toMatchObject({
      code: 1,
      err: "Invalid credentials.\nSet EARSHOT_API_KEY or --api-key-file to a valid key."
    })
    expect((await run(listCalls({ ...host(), apiKey: key, ...all, ...page }))).code).toBe(2)
  })

  it("ingest files and patterns, report invalid calls with their place, and store the others", async () => {
    const file = (name: string) => path.join(at.folder, name)
    await writeFile(
      file("a.ndjson"),
      `${JSON.stringify(call("one"))}\n{broken\n${JSON.stringify(call("two", { agent: 99 }))}\n`
    )
    await writeFile(file("b.json"), JSON.stringify([call("three", { metadata: { region: "east" } }), {}], null, 2))
    const took = await run(ingest(taking([file("a.ndjson"), file("*.json"), file("missing.json")])))
    expect(took).toMatchObject({ code: 1, out: "2 created, 0 updated, 4 rejected." })
    const lines = took.err.split("\n").map((line) => line.replace(`${at.folder}/`, ""))
    expect(lines).toContain("a.ndjson:2: This is not valid JSON.")
    expect(lines).toContain('a.ndjson:3: agent: Invalid pk "99" - object does not exist.')
    expect(lines).toContain("b.json[1]: call_id: This field is required.")
    expect(lines).toContain("missing.json: There is no such file.")
    const again = await run(ingest({ ...taking([file("b.json")]), json: true }))
    expect(again).toMatchObject({ code: 1, out: '{"created":0,"updated":1,"rejected":1}' })
  })

  it("ingest a platform's call objects as it exports them, and skip those that have not ended", async () => {
    const dump = path.join(at.folder, "vapi.txt")
    const object = (id: string, status: string) => ({
      id,
      orgId: "o",
      status,
      messages: [{ role: "bot", message: "Hi" }]
    })
    await writeFile(
      dump,
      JSON.stringify([object("v1", "ended"), object("v2", "ended"), object("v3", "in-progress"), {}])
    )
    const took = await run(ingest({ ...taking([dump]), agent: 1, format: "vapi", redact: ["ssn"] }))
    expect(took).toMatchObject({
      code: 1,
      out: "2 created, 0 updated, 1 rejected, 1 skipped: not about a finished call."
    })
    expect(took.err).toContain("[3]: The body is not an envelope of vapi (provider_a).")
    expect(PLATFORM_NAMES).toEqual(Platforms.platformNames)
  })

  it("create, list, rotate and delete an integration without printing a secret that was given", async () => {
    const secretFile = path.join(at.folder, "platform.secret")
    await writeFile(secretFile, "key_0123456789\n")
    const given = { agent: 1, project: none, name: "Desk", secretFile, redact: ["ssn"], metrics: none }
    const made = await run(createIntegration({ ...host(), ...given, platform: "retell" }))
    expect(made.code).toBe(0)
    expect(made.out).toMatch(/^\/observability\/v1\/hooks\/[\w-]{27}\/$/)
    const own = await run(createIntegration({ ...host(), ...given, platform: "vapi", secretFile: none, redact: [] }))
    expect(own.out).toMatch(/^\/observability\/v1\/hooks\/[\w-]{27}\/\nwhsec_\S+$/)
    const listed = await run(listIntegrations({ ...host(), ...page }))
    expect(listed.out).toContain(made.out)
    expect(listed.out).not.toContain("key_0123456789")
    const rotated = await run(rotateIntegration({ ...host(), id: 2, secretFile: none, previousValid: 0 }))
    expect(rotated.out).toMatch(/\nwhsec_\S+$/)
    expect((await run(updateIntegration({ ...host(), id: 2, name: "New", redact: [], metrics: none }))).code).toBe(0)
    expect((await run(removeIntegration({ ...host(), id: 2 }))).code).toBe(0)
    expect(await run(removeIntegration({ ...host(), id: 2 }))).toMatchObject({ code: 1 })
    const missing = await run(createIntegration({ ...host(), ...given, platform: "retell", secretFile: none }))
    expect(missing).toMatchObject({ code: 1, out: "" })
  })

  it("list, show and export calls without printing control characters", async () => {
    for (const columns of [60, 80, 120]) {
      const listed = await run(listCalls({ ...host(), ...all, ...page }), columns)
      expect(acts(listed.out)).toBe(false)
      for (const line of listed.out.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(columns, 80))
      expect(listed.out.split("\n")).toHaveLength(5)
    }
    const filter = '{"field":"metadata.region","op":"eq","value":"east"}'
    const found = await run(exportCalls({ ...host(), ...all, filter }))
    expect(found.out.split("\n")).toHaveLength(1)
    expect(acts(found.out)).toBe(false)
    const exported: { readonly id: number; readonly call_id: string; readonly transcript_object: unknown } = JSON.parse(
      found.out
    )
    expect(exported.call_id).toBe("three")
    expect(exported.transcript_object).toMatchObject(call("three").transcript_json)

    const shown = await run(showCall({ ...host(), id: exported.id }))
    expect(shown.out).toContain("Call         three\n")
    expect(shown.out).toContain("Length       00:09\n")
    expect(shown.out).toContain("[00:00] Testing Agent: Hello ␛[31m␛]0;owned␇<U+202E> 日本\n")
    expect(acts(shown.out)).toBe(false)

    const wrong = await run(listCalls({ ...host(), ...all, ...page, filter: "{bad" }))
    expect(wrong).toEqual({ code: 1, out: "", err: "filters_v2: Value must be valid JSON." })
    expect(await run(showCall({ ...host(2), id: exported.id }))).toMatchObject({ code: 1, out: "" })
    expect(await run(listCalls({ ...host(2), ...all, ...page }))).toEqual({
      code: 0,
      out: "",
      err: "No calls found."
    })
  })

  it("sum up charges by reason, for the filter of their list", async () => {
    const charged = path.join(at.folder, "charged.ndjson")
    await writeFile(charged, JSON.stringify(call("charged", { redact_fields: ["ssn"] })))
    expect((await run(ingest(taking([charged])))).code).toBe(0)
    const filter = { reason: none, project: none, agent: none, call: none, since: none, until: none }
    const listed = await run(listCharges({ ...host(), ...page, ...filter, reason: "redaction", json: true }))
    const amounts = (JSON.parse(listed.out) as { results: ReadonlyArray<{ amount: string }> }).results
    expect(amounts.length).toBeGreaterThan(0)
    const found = await run(totals({ ...host(), ...filter, reason: "redaction", json: true }))
    const { amount, entries } = JSON.parse(found.out) as { amount: string; entries: number }
    expect(entries).toBe(amounts.length)
    expect(Number(amount)).toBeCloseTo(
      amounts.reduce((sum, one) => sum + Number(one.amount), 0),
      6
    )
    const printed = await run(totals({ ...host(), ...filter, reason: "redaction" }))
    expect(printed.out.split("\n")).toHaveLength(3)
    expect(printed.out).toMatch(new RegExp(`^total +${entries} +${amount}$`, "m"))
    const wrong = await run(totals({ ...host(), ...filter, since: "yesterday" }))
    expect(wrong).toMatchObject({ code: 1, out: "" })
    expect(wrong.err).toMatch(/^since: /)
  })

  it("create keys that grant their scopes until they are revoked", async () => {
    const made = await run(create({ ...host(), name: "Reader", scopes: ["calls:read"], expires: none }))
    expect(made.out).toMatch(/^ear_[0-9A-Za-z]{49}$/)
    const holder = { ...host(), organization: none, apiKey: made.out }
    expect((await run(listCalls({ ...holder, ...all, ...page }))).code).toBe(0)
    expect((await run(listDashboards({ ...holder, ...page, project: none }))).err).toContain("needs dashboards:read")

    const first = await run(listKeys({ ...host(), ...page, limit: 1 }))
    expect(first.out).toMatch(
      /^ID {2}NAME {4}KEY {10}SCOPES {6}CREATED {11}STATE\n *(\d+) {2}Reader {2}ear_\.\.\..{4} {2}calls:read/
    )
    expect(first.out).not.toContain(made.out)
    expect(first.err).toMatch(/^More: --cursor \S+$/)
    const id = Number(/^ *(\d+) {2}Reader/m.exec(first.out)?.[1])
    expect((await run(revoke({ ...host(2), id }))).code).toBe(1)
    expect((await run(revoke({ ...host(), id }))).code).toBe(0)
    expect((await run(listKeys({ ...host(), ...page }))).out).toMatch(/Reader.*revoked/)
    const wrong = await run(create({ ...host(), name: "", scopes: ["nonsense"], expires: "soon" }))
    expect(wrong.code).toBe(1)
    expect(wrong.err.split("\n").map((line) => line.split(":")[0])).toEqual(["name", "scopes[0]", "expires_at"])
  })

  it("check an agent's voice endpoint", async () => {
    const fields = ['voice_endpoint={"url": "wss://agent.example"}']
    expect((await run(agents.update({ ...host(), id: 1, fields, input: none }))).code).toBe(0)
    const check = (json: boolean, ...script: ReadonlyArray<VoiceKit.AgentStep>) =>
      run(
        checkVoice({ ...host(), json, id: 1, allowedHosts: [] }),
        80,
        engineWith({ voiceConnections: VoiceKit.scriptedConnections(script) })
      )
    const spoke = await check(false, { does: "say", text: "Good morning to you" })
    expect(spoke).toEqual({
      code: 0,
      out: "",
      err: expect.stringMatching(/^The agent answered: its first audio came after \d\.\d\d s\.$/)
    })
    const closing = await check(false, { does: "close" })
    expect(closing).toMatchObject({ code: 1, out: "", err: expect.stringContaining("closed the connection") })
    const json = await check(true, { does: "close" })
    expect(json).toMatchObject({ code: 1, err: "" })
    expect(JSON.parse(json.out)).toMatchObject({ agent: 1, ok: false, problem: "closed", first_audio_seconds: null })
  })

  it("report that no dashboard exists", async () => {
    expect(await run(listDashboards({ ...host(), ...page, project: none }))).toEqual({
      code: 0,
      out: "",
      err: "No dashboards found."
    })
    for (const id of [1, -1, 0, Number.MAX_SAFE_INTEGER]) {
      expect(await run(showDashboard({ ...host(), id }))).toMatchObject({ code: 1, out: "" })
    }
  })
})
