/** Commands on a database and at a server: the same output and exit codes. */
import { writeFile } from "node:fs/promises"
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import * as path from "node:path"
import { isDeepStrictEqual } from "node:util"
import { JobRunner } from "@earshot/core"
import { earshotListener } from "@earshot/http-adapter"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { Command } from "commander"
import { plainEngine } from "../../src/EngineSettings.js"
import { makeProgram } from "../../src/Program.js"
import { place, type Place } from "../support/databases.js"
import { engineOn, type Ran, run } from "../support/inProcess.js"
import { booking } from "../support/suites.js"
import { parse } from "../support/parse.js"

const earshot = async (args: ReadonlyArray<string>, engine: typeof engineOn = engineOn): Promise<Ran> => {
  const { code, err, invocation, out } = await parse(args)
  return invocation === undefined
    ? { code: code === 0 ? 0 : 2, err, out }
    : run(Effect.flatten(Effect.promise(invocation.start)), 100, engine)
}

/** An engine that lasts for a whole test. */
const openEngine = async (database: string) => {
  const runtime = ManagedRuntime.make(engineOn(plainEngine({ database, allowedHosts: ["127.0.0.1"] })))
  const services = await runtime.runtime()
  return { runtime: services, layer: () => Layer.succeedContext(services.context), close: () => runtime.dispose() }
}

const listen = async (listener: RequestListener) => {
  const server = createServer(listener)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    }
  }
}

/** What differs between two databases: instants, secrets and random ids. */
const normalized = ({ code, err, out }: Ran): Ran => {
  const of = (text: string) =>
    text
      .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?/g, "TIME")
      .replace(/\bear_(?:\w{49}|\.\.\.\w{4})/g, "KEY")
      .replace(/\bearlink_(?:\w{49}|\.\.\.\w{4})/g, "LINK")
      .replace(/\bearsignin_\w+/g, "SIGN_IN")
      .replace(/\bwhsec_[\w+/=]+/g, "SECRET")
      .replace(/[\w-]+\.[\w-]{40,}\.[\w-]{40,}/g, "TOKEN")
      .replace(/hooks\/[\w-]{27}/g, "hooks/PUBLIC")
      .replace(/"public_id":"[\w-]{27}"/g, '"public_id":"PUBLIC"')
      .replace(/("jti":"|token )[\w-]{22}/g, "$1JTI")
      .replace(/"progress_id":"[^"]*"/g, '"progress_id":"PROGRESS"')
      // Progress, and the length of a conversation between programs, depend on the machine's speed.
      .replace(/"duration":0\.\d+/g, '"duration":SHORT')
      .replace(/\b0\.\d s\b/g, "SHORT")
      .replace(/\b00:0[01]\b/g, "SHORT")
      .replace(/^\d+ of \d+ runs finished.*\n?/gm, "")
      .replace(/https?:\/\/127\.0\.0\.1:\d+/g, "URL")
  return { code, err: of(err), out: of(out) }
}

const SUITE = {
  version: "1",
  suite: { name: "Smoke" },
  agent_id: 1,
  scenarios: [{ key: "books", name: "Books a table", type: "instruction", instructions: "Ask for a table." }]
}

const call = (id: string, more: object = {}) => ({
  call_id: id,
  agent: 1,
  timestamp: "2026-03-14T09:00:00Z",
  transcript_json: [
    { role: "Testing Agent", content: "Hello \u001b[31m", start_time: 0.5, end_time: 2 },
    { role: "Main Agent", content: "Yes?", start_time: 2.5, end_time: 9.7 }
  ],
  call_ended_reason: "hangup",
  metadata: { region: "east" },
  ...more
})

/** A suite whose runs finish without a language model. */
const CONVERSATION = {
  ...SUITE,
  suite: { name: "Conversation" },
  defaults: { assertions: [{ type: "contains", text: "for which date" }] },
  scenarios: [booking("Friday. <endcall />")]
}

const WORDY = "Please make sure that you return TRUE if the agent is polite. Otherwise, return FALSE."

const FAILING = { ...CONVERSATION, defaults: { assertions: [{ type: "contains", text: "lighthouse" }] } }

const BAR = ["chart_type=bar", "field=duration", "aggregation_function=count", "time_period=day"]

/** The commands, in an order in which the later ones find what the earlier ones made. */
const commands = (folder: string): ReadonlyArray<ReadonlyArray<string>> => [
  ["calls", "ingest", path.join(folder, "calls.ndjson"), "--concurrency", "1"],
  ["calls", "ingest", path.join(folder, "calls.ndjson"), "--json", "--agent", "1", "--concurrency", "1"],
  ["calls", "ingest", path.join(folder, "vapi.json"), "--format", "vapi", "--agent", "1", "--concurrency", "1"],
  ["calls", "ingest", path.join(folder, "none.json")],
  ["calls", "list"],
  ["calls", "list", "--json", "--limit", "1", "--expand", "transcript,metadata"],
  ["calls", "list", "--filter", '{"field":"metadata.region","op":"eq","value":"west"}'],
  ["calls", "list", "--filter", "{bad"],
  ["calls", "list", "--filter", '{"field":"nope","op":"eq","value":1}', "--json"],
  ["calls", "list", "--cursor", "nonsense"],
  ["calls", "facets"],
  ["calls", "facets", "--json", "--fields", "metadata.region,is_reviewed", "--limit", "1"],
  ["calls", "facets", "--fields", "status,duration"],
  ["calls", "facets", "--filter", "{bad", "--json"],
  ["calls", "show", "1"],
  ["calls", "show", "1", "--json"],
  ["calls", "show", "99"],
  ["calls", "show", "0", "--json"],
  ["calls", "export"],
  ["calls", "export", "--agent", "1", "--expand", "transcript"],
  ["calls", "scores", "1"],
  ["calls", "evaluate", "1"],
  ["calls", "evaluate", "1", "--metrics", "x"],
  ["calls", "review", "1", "status=reviewed_success", "feedback=Good"],
  ["calls", "review", "1", "status=nonsense"],
  ["calls", "delete", "2"],
  ["calls", "delete", "2"],
  ["metrics", "predefined"],
  ["metrics", "list", "--agent", "1"],
  ["metrics", "create", "agent=1", "name=Polite", "type=llm_judge", "eval_type=binary", "prompt=Is the agent polite?"],
  ["metrics", "create", "agent=1", "type=nonsense"],
  ["metrics", "list"],
  ["metrics", "show", "1"],
  ["metrics", "update", "1", "name=Punctual", "--json"],
  ["metrics", "disable", "1"],
  ["metrics", "enable", "1"],
  ["metrics", "delete", "99"],
  ["dashboards", "create", "name=March", "project=1"],
  ["dashboards", "update", "1", "name=April"],
  ["dashboards", "list"],
  ["widgets", "create", "dashboard=1", "name=Calls", ...BAR],
  ["widgets", "create", "dashboard=1", "chart_type=bar"],
  ["widgets", "create", "dashboard=1", "chart_type=stat"],
  ["widgets", "update", "1", "name=Calls a day"],
  ["widgets", "list", "--dashboard", "1"],
  ["widgets", "show", "1", "--json"],
  ["widgets", "data", "1"],
  ["widgets", "data", "2", "--json"],
  ["widgets", "preview", "dashboard=1", "chart_type=pie", "field=call_ended_reason"],
  ["dashboards", "show", "1"],
  ["dashboards", "show", "1", "--json"],
  ["widgets", "delete", "2"],
  ["credits", "list"],
  ["credits", "list", "--json"],
  ["credits", "totals"],
  ["credits", "totals", "--json", "--since", "today-7d"],
  ["credits", "totals", "--reason", "nonsense"],
  ["agents", "list"],
  ["agents", "create", "name=Second", "project=1"],
  ["agents", "update", "2", "name=Other", "--json"],
  ["agents", "update", "2", "name="],
  ["agents", "check-voice", "2"],
  ["agents", "update", "2", 'voice_endpoint={"url":"ws://127.0.0.1:1"}'],
  ["agents", "check-voice", "2"],
  ["agents", "check-voice", "2", "--json"],
  ["agents", "check-voice", "99"],
  ["agents", "update", "2", "noequals"],
  ["agents", "delete", "2"],
  ["projects", "list", "--json"],
  ["personalities", "create", "project=1", "name=Calm", "language=en"],
  ["personalities", "enable", "1", "personalities=all"],
  ["personalities", "list", "--project", "1"],
  ["profiles", "create", "project=1", "name=Ann"],
  ["folders", "create", "project=1", "path=smoke"],
  ["folders", "list"],
  ["tools", "create", "project=1", "name=dtmf"],
  ["phone-numbers", "create", "project=1", "number=+12025550147"],
  ["evaluators", "create", "agent=1", "name=One", "scenario_type=instruction", "instructions=Ask."],
  ["evaluators", "bulk-update", "scenarios=[1]", "project=1", "folder_path=smoke", "--many"],
  ["evaluators", "list", "--folder-path", "smoke"],
  ["projects", "create", "name=Spare"],
  ...[
    ...["evaluators", "personalities", "profiles", "phone-numbers", "tools", "folders"].map((name) => [name, "1"]),
    ["projects", "2"],
    ["agents", "1"]
  ].flatMap(([name = "", id = ""]) => [
    [name, "list", "--limit", "1"],
    [name, "show", id],
    [name, "update", id, "name=Other", "--json"],
    [name, "delete", name === "agents" ? "99" : id],
    [name, "show", id, "--json"]
  ]),
  ["suites", "validate", path.join(folder, "suite.json")],
  ["suites", "validate", path.join(folder, "suite.json"), "--json", "--channel", "text"],
  ["suites", "validate", path.join(folder, "suite.json"), "--channel", "carrier-pigeon"],
  ["suites", "validate", path.join(folder, "broken.json")],
  ["suites", "validate", path.join(folder, "suite.json"), "--scenario", "nope"],
  ["suites", "run", path.join(folder, "suite.json"), "--no-wait", "--json"],
  ["results", "list"],
  ["results", "show", "1"],
  ["results", "cancel", "1"],
  ["results", "show", "1", "--json"],
  ["results", "export", "1"],
  ["results", "export", "1", "--junit", "-"],
  ["results", "compare", "1", "1"],
  ["runs", "list", "--result", "1"],
  ["runs", "list", "--status", "nonsense"],
  ["runs", "show", "1"],
  ["runs", "recording", "1", "--output", "-"],
  ["runs", "cancel", "1"],
  ["runs", "delete", "1", "1"],
  ["results", "delete", "1"],
  ["integrations", "create", "vapi", "--agent", "1"],
  ["integrations", "list"],
  ["integrations", "rotate", "1", "--json"],
  ["integrations", "update", "1", "--name", "Other"],
  ["integrations", "delete", "1"],
  ["traces", "list", "--state", "failed"],
  ["traces", "list", "--state", "nonsense"],
  ["traces", "show", "99"],
  ["connections", "create", "github", "--set", "owner=harbor"],
  ["connections", "create", "svn"],
  ["integrations", "create", "zzz"],
  ["connections", "list"],
  ["connections", "test", "99"],
  ["connections", "activate", "99"],
  ["connections", "revoke", "99"],
  ["checkout", "web"],
  ["keys", "create", "--name", "Reader", "--scope", "calls:read"],
  ["keys", "create", "--scope", "nonsense"],
  ["keys", "list"],
  ["keys", "revoke", "2"],
  ["links", "create", "--bound", "dashboard:1"],
  ["links", "create", "--bound", "nonsense"],
  ["links", "list"],
  ["links", "revoke", "1"],
  ["tokens", "issue", "--kind", "oauth2", "--json"],
  ["tokens", "issue", "--kind", "embedded_session", "--bound", "dashboard:1"],
  ["tokens", "revoke", "x"],
  ["sign-in", "--public-url", "https://earshot.example"],
  ["jobs", "list", "--state", "dead"],
  ["jobs", "retry", "99"],
  ["dashboards", "delete", "1"],
  ["calls", "list", "--limit", "0"],
  ["calls", "list", "--api-key", "ear_wrong"],
  ["calls", "list", "--json", "--api-key", "ear_wrong"],
  ["nonsense"]
]

/** Commands that wait for jobs, which an engine in this process runs by itself and a server with its worker. */
const waiting = (folder: string, metric: string): ReadonlyArray<ReadonlyArray<string>> => {
  const suite = (name: string) => ["suites", "run", path.join(folder, name), "--channel", "text"]
  return [
    suite("conversation.json"),
    [...suite("conversation.json"), "--json"],
    [...suite("failing.json"), "--name", "Failing"],
    [...suite("failing.json"), "--name", "Conversation", "--fail-on", "regression"],
    [...suite("failing.json"), "--min-pass-rate", "0", "--json"],
    [...suite("conversation.json"), "--phone-number", "99"],
    ["results", "list"],
    ["results", "report", "2"],
    ["results", "compare", "2", "4"],
    ["runs", "list", "--result", "2"],
    ["metrics", "simplify", metric],
    ["metrics", "simplify", metric, "--json"],
    ["metrics", "simplify", "1"],
    ["metrics", "simplify", "99"]
  ]
}

/** Commands that have a test of their own with `--url`, since they need more than a server. */
const ELSEWHERE = ["calls import", "calls recording"]

const commandsAtServers = (command: Command, parents: ReadonlyArray<string> = []): ReadonlyArray<string> =>
  command.commands.flatMap((one) => {
    const words = [...parents, one.name()]
    return one.commands.length > 0
      ? commandsAtServers(one, words)
      : one.options.some(({ hidden, long }) => long === "--url" && !hidden)
        ? [words.join(" ")]
        : []
  })

describe.each(["sqlite", "postgres"] as const)("commands with --url, on %s", (kind) => {
  let local: Place
  let remote: Place
  let server: { readonly url: string; readonly close: () => Promise<void> }
  const closing: Array<() => Promise<void>> = []
  const keys: Array<string> = []
  let remoteEngine: Awaited<ReturnType<typeof openEngine>>
  let localEngine: Awaited<ReturnType<typeof openEngine>>

  beforeAll(async () => {
    local = await place(kind)
    remote = await place(kind)
    for (const { database } of [local, remote]) {
      const { out } = await earshot(["init", "--json", "--database", database])
      keys.push(/ear_\w{49}/.exec(out)?.[0] ?? "")
    }
    remoteEngine = await openEngine(remote.database)
    localEngine = await openEngine(local.database)
    const http = await earshotListener(remoteEngine.runtime, { logLevel: "silent" })
    server = await listen(http.listener)
    closing.push(server.close, http.close, remoteEngine.close, localEngine.close)
    const file = (name: string) => path.join(local.folder, name)
    await writeFile(
      file("calls.ndjson"),
      [call("one"), { call_id: "two" }, call("three", { agent: 99 }), call("four", { metadata: { region: "west" } })]
        .map((one) => JSON.stringify(one))
        .join("\n")
        .concat("\n{broken\n")
    )
    const ended = { id: "v1", orgId: "o", status: "ended", messages: [{ role: "bot", message: "Hi" }] }
    await writeFile(file("vapi.json"), JSON.stringify([ended, { ...ended, id: "v2", status: "in-progress" }, {}]))
    await writeFile(file("suite.json"), JSON.stringify(SUITE, null, 2))
    await writeFile(file("conversation.json"), JSON.stringify(CONVERSATION))
    await writeFile(file("failing.json"), JSON.stringify(FAILING))
    await writeFile(file("broken.json"), JSON.stringify({ ...SUITE, scenarios: [{ key: "x", name: "" }] }, null, 2))
  })
  afterAll(async () => {
    for (const close of closing) await close()
    await local.remove()
    await remote.remove()
  })

  /** Runs the commands on the database and at the server: the exit codes, and the commands whose output differs. */
  const compare = async (lines: ReadonlyArray<ReadonlyArray<string>>) => {
    const [localKey = "", remoteKey = ""] = keys
    const codes: Array<number> = []
    let last: Ran = { code: 0, err: "", out: "" }
    const differences: Array<object> = []
    for (const command of lines) {
      const hasKey = command.includes("--api-key")
      const given = (key: string) => (hasKey || command.length === 1 ? [] : ["--api-key", key])
      const options = (...target: ReadonlyArray<string>) => (command.length === 1 ? [] : target)
      const onDatabase = await earshot(
        [...command, ...options("--database", local.database), ...given(localKey)],
        localEngine.layer
      )
      const atServer = await earshot([...command, ...options("--url", server.url), ...given(remoteKey)])
      if (!isDeepStrictEqual(normalized(atServer), normalized(onDatabase))) {
        differences.push({ command, onDatabase: normalized(onDatabase), atServer: normalized(atServer) })
      }
      codes.push(onDatabase.code)
      last = onDatabase
    }
    return { codes, differences, last }
  }

  it("print the same, and exit with the same code, as on a database", { timeout: 240_000 }, async () => {
    const { codes, differences } = await compare(commands(local.folder))
    expect(differences).toEqual([])
    expect([...new Set(codes)].toSorted()).toEqual([0, 1, 2])
  })

  it("print the same where they wait for runs and jobs", { timeout: 240_000 }, async () => {
    const agent = await listen((request, response) => {
      request.resume()
      request.on("end", () => response.end(JSON.stringify({ message: "For which date?" })))
    })
    const worker = Effect.runFork(
      Effect.provide(
        Effect.flatMap(JobRunner, (runner) => runner.run),
        remoteEngine.runtime.context
      )
    )
    try {
      const endpoint = `chat_endpoint=${JSON.stringify({ url: agent.url, kind: "webhook" })}`
      const made = await compare([
        ["agents", "update", "1", endpoint],
        [
          "metrics",
          "create",
          "agent=1",
          "name=Wordy",
          "type=llm_judge",
          "eval_type=binary",
          `prompt=${WORDY}`,
          "--json"
        ]
      ])
      const metric = /"id":(\d+)/.exec(made.last.out)?.[1] ?? ""
      const { codes, differences } = await compare(waiting(local.folder, metric))
      expect([...made.differences, ...differences]).toEqual([])
      expect(codes).toEqual([0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1])
    } finally {
      await Effect.runPromise(Fiber.interrupt(worker))
      await agent.close()
    }
  })

  it("need the server's API key, from the environment, a file or the command line", async () => {
    const [, key = ""] = keys
    const file = path.join(local.folder, "key")
    await writeFile(file, `${key}\n`)
    expect(await earshot(["agents", "list", "--url", server.url, "--api-key-file", file])).toMatchObject({ code: 0 })
    const without = await earshot(["agents", "list", "--url", server.url])
    expect(without).toMatchObject({ code: 2, out: "", err: expect.stringContaining("Set EARSHOT_API_KEY") })
    const both = await earshot(["agents", "list", "--url", server.url, "--api-key-file", file, "--api-key", key])
    expect(both).toMatchObject({ code: 2, err: "Use --api-key or --api-key-file, not both." })
    const invalid = await earshot(["agents", "list", "--url", server.url, "--api-key", "ear_\nx"])
    expect(invalid).toMatchObject({ code: 2, err: expect.not.stringContaining("ear_") })
  })

  it.each([
    [["--url", "ftp://host"], 2, "must start with http:// or https://"],
    [["--url", "http://name:secret@host"], 2, "must not contain a password"],
    [["--url", "http://host?x=1"], 2, "must not have a query"],
    [["--url", "http://127.0.0.1:1"], 3, "Cannot reach the server at http://127.0.0.1:1"],
    [["--url", "http://127.0.0.1:1", "--database", "sqlite:x.db"], 2, "use --url or --database, not both"],
    [["--url", "http://127.0.0.1:1", "--organization", "1"], 2, "works on a database only, not with --url"]
  ])("reject %j with exit code %i", async (target, code, sentence) => {
    const ran = await earshot([
      "agents",
      "list",
      ...target,
      ...(target.includes("--organization") ? [] : ["--api-key", "ear_x"])
    ])
    expect(ran).toMatchObject({ code, out: "", err: expect.stringContaining(sentence) })
    expect(ran.err).not.toContain("secret")
  })

  it("report a server that is not Earshot, one that redirects, and one that ends a response early", async () => {
    const at = async (listener: RequestListener, ...command: ReadonlyArray<string>) => {
      const other = await listen(listener)
      try {
        return await earshot([...command, "--url", other.url, "--api-key", "ear_x"])
      } finally {
        await other.close()
      }
    }
    const page = await at(
      (_, response) => response.setHeader("content-type", "text/html").end("<p>Hi"),
      "agents",
      "list"
    )
    expect(page).toMatchObject({ code: 3, out: "", err: expect.stringContaining("is not JSON") })
    const missing = await at((_, response) => response.writeHead(404).end("no"), "agents", "list")
    expect(missing).toMatchObject({ code: 3, err: expect.stringContaining("is not an Earshot server") })
    const proxy = await at((_, response) => response.writeHead(502).end("bad gateway"), "agents", "list")
    expect(proxy).toMatchObject({ code: 3, err: expect.stringContaining("cannot reach the server") })
    let sent: unknown
    const elsewhere = await at(
      (request, response) => {
        sent = request.headers["x-service-api-key"]
        response.writeHead(301, { location: "https://other.example/" }).end()
      },
      "agents",
      "list"
    )
    expect(sent).toBe("ear_x")
    expect(elsewhere).toMatchObject({ code: 3, err: expect.stringContaining("redirects to https://other.example/") })
    const cut = await at(
      (_, response) => {
        response.writeHead(200, { "content-type": "application/x-ndjson" })
        response.write('{"id":1}\n{"id"', () => response.destroy())
      },
      "calls",
      "export"
    )
    expect(cut).toMatchObject({ code: 3, err: expect.stringContaining("The connection was lost") })
  })

  it.each([
    ["init"],
    ["backup", "folder"],
    ["restore", "folder"],
    ["secrets", "check"],
    ["recordings", "check"],
    ["analytics", "status"],
    ["analytics", "rebuild"],
    ["analytics", "verify"],
    ["jobs", "run"],
    ["organizations", "list"],
    ["serve"]
  ])("say that %s works on a database only", async (...command) => {
    const ran = await earshot([...command, "--url", "http://127.0.0.1:1"])
    expect(ran).toMatchObject({ code: 2, out: "", err: expect.stringContaining("works on a database only") })
  })
})

it("every command that has --url is compared with the command on a database", () => {
  const screen = { out: () => undefined, err: () => undefined, columns: 80, color: false }
  const compared = [...commands(""), ...waiting("", "1")].flatMap((words) => [
    words[0] ?? "",
    words.slice(0, 2).join(" ")
  ])
  const program = makeProgram("1.2.3", () => Promise.resolve(), screen)
  const missing = commandsAtServers(program).filter((one) => !compared.includes(one))
  expect(missing).toEqual(ELSEWHERE)
})
