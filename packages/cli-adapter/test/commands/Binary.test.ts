import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { earshot, start } from "../support/binary.js"
import { place, type Place } from "../support/databases.js"

const call = (id: string, agent: unknown) =>
  JSON.stringify({ call_id: id, agent, transcript_json: [{ role: "Testing Agent", content: "Hi \u001b[31m" }] })

describe("the earshot command", () => {
  let at: Place
  beforeAll(async () => {
    at = await place("sqlite")
  })
  afterAll(() => at.remove())

  it("makes a database, takes calls from stdin and serves them", async () => {
    const init = await earshot(["init", "--json", "--database", at.database])
    expect(init).toMatchObject({ code: 0, err: "" })
    expect(init.out).toMatch(/^\{"organization":1,"project":1,"agent":1,"api_key":"ear_[0-9A-Za-z]{49}"\}\n$/)
    const key = /ear_[0-9A-Za-z]{49}/.exec(init.out)?.[0] ?? ""

    const input = [call("one", 1), "{broken", call("two", 99), call("three", 1)].join("\n")
    const ingest = await earshot(["calls", "ingest", "--json", "--database", at.database], { input })
    expect(ingest.code).toBe(1)
    expect(ingest.out).toBe('{"created":2,"updated":0,"rejected":2}\n')
    expect(ingest.err.trim().split("\n").toSorted()).toEqual([
      '{"place":"stdin:2","faults":{"non_field_errors":["This is not valid JSON."]}}',
      '{"place":"stdin:3","faults":{"agent":["Invalid pk \\"99\\" - object does not exist."]}}'
    ])

    const server = start(["serve", "--port", "0", "--json", "--database", at.database, "--log-level", "none"])
    const line = await server.until("\n")
    expect(line).toMatch(/^\{"url":"http:\/\/127\.0\.0\.1:\d+"\}\n$/)
    const url = /http[^"]+/.exec(line)?.[0] ?? ""
    const answer = await fetch(`${url}/observability/v1/call-logs/`, { headers: { "X-SERVICE-API-KEY": key } })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ results: [{}, {}] })
    server.child.kill("SIGTERM")
    expect(await server.ended).toMatchObject({ code: 0, out: line })
  })

  it("says what it serves in lines of one form, the engine's own among them", async () => {
    const server = start(["serve", "--port", "0", "--json", "--database", at.database, "--log-level", "all"])
    const url = /http[^"]+/.exec(await server.until("\n"))?.[0] ?? ""
    expect((await fetch(`${url}/health`)).status).toBe(200)
    server.child.kill("SIGTERM")
    const { code, err } = await server.ended
    expect(code).toBe(0)
    const lines = err
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line))
    expect(lines).toContainEqual(expect.objectContaining({ level: "info", msg: "request", status: 200 }))
    expect(lines).toContainEqual(expect.not.objectContaining({ msg: "request" }))
    for (const line of lines) {
      const text = expect.any(String)
      expect(line).toEqual(expect.objectContaining({ level: text, time: text, msg: text }))
    }
  })

  it("says what is wrong with a command line on stderr, once, and ends with 2", async () => {
    const [unknown, stray, json] = await Promise.all([
      earshot(["calls", "lst"]),
      earshot(["calls", "list", "--organization", "x"]),
      earshot(["calls", "list", "--json", "--limt", "3"])
    ])
    expect(unknown).toEqual({
      code: 2,
      out: "",
      err: "There is no command `earshot calls lst`. There are: ingest, list, show, scores, evaluate, export.\n"
    })
    expect(stray).toEqual({
      code: 2,
      out: "",
      err: '--organization: "x" is not a whole number.\nSee: earshot calls list --help\n'
    })
    expect(json).toEqual({ code: 2, out: "", err: `{"detail":"Received unknown argument: '--limt'"}\n` })
  })

  it.each([
    [["calls", "list", "--channel", "x"], "Received unknown argument: '--channel'"],
    [["runs", "list", "--status", "zzz"], '--status: "zzz" is none of queued, running, evaluating,'],
    [["tokens", "issue", "--kind=zzz"], '--kind: "zzz" is none of oauth2, dashboard_session,'],
    [["results", "compare", "--tolerance", "x", "1", "2"], '--tolerance: "x" is not a number.'],
    [["serve", "--log-level", "loud"], '--log-level: "loud" is none of all, trace, debug, info, warning, error,'],
    [
      ["--api-key=secret", "calls", "list"],
      "Put options behind the command: earshot COMMAND --api-key. There are: demo,"
    ],
    [["calls", "--organization", "1", "list"], "Put options behind the command: earshot calls COMMAND --organization."],
    [["help"], "`earshot --help` tells more."],
    [["connections", "create", "local"], "local connections need --repositories (EARSHOT_REPOSITORIES)."]
  ])("says what is wrong with %j", async (args, sentence) => {
    const ran = await earshot(args, { env: { EARSHOT_DATABASE: "sqlite::memory:" } })
    expect(ran).toMatchObject({ code: 2, out: "", err: expect.stringContaining(sentence) })
    expect(ran.err).not.toContain("secret")
  })

  it("names options in faults, and the server's fields in JSON", async () => {
    const env = { EARSHOT_DATABASE: at.database }
    const [said, json, level] = await Promise.all([
      earshot(["calls", "list", "--filter", "xyz"], { env }),
      earshot(["calls", "list", "--filter", "xyz", "--json"], { env }),
      earshot(["calls", "list", "--log-level", "warn"], { env })
    ])
    expect(said).toEqual({ code: 1, out: "", err: "--filter: Value must be valid JSON.\n" })
    expect(json).toEqual({ code: 1, out: "", err: '{"filters_v2":["Value must be valid JSON."]}\n' })
    expect(level.code).toBe(0)
  })

  it("ends with 1 where there is no such database, and with 3 where it cannot be reached", async () => {
    const [missing, unreachable] = await Promise.all([
      earshot(["calls", "list", "--database", `sqlite:${at.folder}/typo.db`]),
      earshot(["init", "--database", "postgres://nobody:secret@127.0.0.1:1/none"])
    ])
    expect(missing).toMatchObject({ code: 1, out: "" })
    expect(missing.err).toContain("`earshot init` makes one")
    expect(unreachable).toMatchObject({ code: 3, out: "" })
    expect(unreachable.err).not.toContain("secret")
  })
})
