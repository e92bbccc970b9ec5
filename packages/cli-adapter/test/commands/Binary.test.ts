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

  it("creates a database, ingests calls from stdin and serves them", async () => {
    const init = await earshot(["init", "--json", "--database", at.database])
    expect(init).toMatchObject({ code: 0, err: "" })
    expect(init.out).toMatch(/^\{"organization":1,"project":1,"agent":1,"api_key":"ear_[0-9A-Za-z]{49}"\}\n$/)
    const key = /ear_[0-9A-Za-z]{49}/.exec(init.out)?.[0] ?? ""

    const input = [call("one", 1), "{broken", call("two", 99), call("three", 1)].join("\n")
    const ingest = await earshot(["calls", "ingest", "--json", "--database", at.database], { input })
    expect(ingest.code).toBe(1)
    expect(ingest.out).toBe('{"created":2,"updated":0,"rejected":2}\n')
    expect(ingest.err.trim().split("\n").toSorted()).toEqual([
      '{"place":"stdin:2","errors":{"non_field_errors":["This is not valid JSON."]}}',
      '{"place":"stdin:3","errors":{"agent":["Invalid pk \\"99\\" - object does not exist."]}}'
    ])

    const server = start(["serve", "--port", "0", "--json", "--database", at.database, "--log-level", "none"])
    const line = await server.until("\n")
    expect(line).toMatch(/^\{"url":"http:\/\/127\.0\.0\.1:\d+","sign_in":"http[^"]+"\}\n$/)
    const url = /http[^"]+/.exec(line)?.[0] ?? ""
    const answer = await fetch(`${url}/observability/v1/call-logs/`, { headers: { "X-SERVICE-API-KEY": key } })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ results: [{}, {}] })
    server.child.kill("SIGTERM")
    expect(await server.ended).toMatchObject({ code: 0, out: line })
  })

  it("logs the server's requests and the engine's messages as JSON lines of one format", async () => {
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

  it("prints usage errors on stderr, once, and exits with 2", async () => {
    const [unknown, stray, json] = await Promise.all([
      earshot(["calls", "lst"]),
      earshot(["calls", "list", "--organization", "x"]),
      earshot(["calls", "list", "--json", "--limt", "3"])
    ])
    expect(unknown).toEqual({
      code: 2,
      out: "",
      err: "error: unknown command 'lst'\n(Did you mean list?)\nSee: earshot calls --help (options follow the command)\n"
    })
    expect(stray).toEqual({
      code: 2,
      out: "",
      err: "error: option '--organization <id>' argument 'x' is invalid. It is not an integer.\nSee: earshot calls list --help\n"
    })
    expect(json).toEqual({ code: 2, out: "", err: `{"detail":"unknown option '--limt' (Did you mean --limit?)"}\n` })
  })

  it.each([
    [["calls", "list", "--channel", "x"], "unknown option '--channel'"],
    [["runs", "list", "--status", "zzz"], "argument 'zzz' is invalid. It must be one of queued, running, evaluating,"],
    [["tokens", "issue", "--kind=zzz"], "argument 'zzz' is invalid. It must be one of oauth2, dashboard_session,"],
    [["tokens", "issue"], "required option '--kind <kind>' not specified"],
    [["results", "compare", "--tolerance", "x", "1", "2"], "argument 'x' is invalid. It is not a number."],
    [["calls", "show"], "missing required argument 'id'"],
    [
      ["integrations", "create", "zzz"],
      "argument value 'zzz' is invalid for argument 'platform'. It must be one of provider_a,"
    ],
    [["calls", "show", "x"], "argument value 'x' is invalid for argument 'id'. It is not an integer."],
    [["calls", "list", "--limit"], "option '--limit <n>' argument missing"],
    [["calls", "list", "--limit", "0"], "It must be at least 1."],
    [["serve", "--port", "65536"], "It must be from 0 to 65535."],
    [["serve", "--max-page", "0"], "It must be at least 1."],
    [["serve", "--stall-timeout", "86401"], "It must be from 1 to 86400."],
    [["serve", "--headers-timeout", "61"], "--headers-timeout: It must be at most --request-timeout."],
    [["serve", "--max-responses", "1000"], "--max-org-responses: It must be at most --max-responses."],
    [["serve", "--log-level", "loud"], "Allowed choices are all, trace, debug, info, warning,"],
    [
      ["--api-key=secret", "calls", "list"],
      "unknown option '--api-key'\nSee: earshot --help (options follow the command)"
    ],
    [["calls", "list", "--apikey=secret'x"], "unknown option '--apikey'\nSee: earshot calls list --help"],
    [["calls", "--organization", "1", "list"], "See: earshot calls --help (options follow the command)"],
    [["calls", "\u001b[31mred"], "unknown command '␛[31mred'"],
    [["connections", "create", "local"], "Connections to local need --repositories (EARSHOT_REPOSITORIES)."]
  ])("rejects %j with exit code 2 and a message that names the problem", async (args, sentence) => {
    const ran = await earshot(args, { env: { EARSHOT_DATABASE: "sqlite::memory:" } })
    expect(ran).toMatchObject({ code: 2, out: "", err: expect.stringContaining(sentence) })
    expect(ran.err).not.toContain("secret")
  })

  it("names options in field errors, and the fields of the API with --json", async () => {
    const env = { EARSHOT_DATABASE: at.database }
    const [text, json, level] = await Promise.all([
      earshot(["calls", "list", "--filter", "xyz"], { env }),
      earshot(["calls", "list", "--filter", "xyz", "--json"], { env }),
      earshot(["calls", "list", "--log-level", "warn"], { env })
    ])
    expect(text).toEqual({ code: 1, out: "", err: "--filter: Value must be valid JSON.\n" })
    expect(json).toEqual({ code: 1, out: "", err: '{"filters_v2":["Value must be valid JSON."]}\n' })
    expect(level.code).toBe(0)
  })

  it("exits with 1 if the database does not exist, and with 3 if it cannot be reached", async () => {
    const [missing, unreachable] = await Promise.all([
      earshot(["calls", "list", "--database", `sqlite:${at.folder}/typo.db`]),
      earshot(["init", "--database", "postgres://nobody:secret@127.0.0.1:1/none"])
    ])
    expect(missing).toMatchObject({ code: 1, out: "" })
    expect(missing.err).toContain("Create it with `earshot init`")
    expect(unreachable).toMatchObject({ code: 3, out: "" })
    expect(unreachable.err).not.toContain("secret")
  })
})
