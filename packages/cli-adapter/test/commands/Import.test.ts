/** Imports from local servers with the platforms' list endpoints. */
import { once } from "node:events"
import { readFile, writeFile } from "node:fs/promises"
import { createServer, type IncomingMessage } from "node:http"
import * as path from "node:path"
import { earshotListener } from "@earshot/http-adapter"
import * as AudioKit from "@earshot/test-kit/audio"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as FileBlobStore from "@earshot/core/providers/FileBlobStore"
import { retryAfterOf } from "@earshot/core/providers/PlatformCalls"
import { makeProgress, parseMoment } from "../../src/actions/Import.js"
import { plainEngine } from "../../src/EngineSettings.js"
import { place, type Place } from "../support/databases.js"
import { engineOn, engineWith, type Ran, run } from "../support/inProcess.js"
import { parse } from "../support/parse.js"

const START = Date.parse("2026-03-14T09:00:00Z")

/** Call `n` of an account; the first is the newest. */
const startOf = (n: number): number => START - n * 60_000

/** An account with calls, its key `right`, and errors of the server. */
interface Account {
  calls: number
  /** Responses to give first. */
  errors: Array<{
    readonly status: number
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
  }>
  /** From this request on the server answers 500 without a retry that helps. */
  brokenFrom: number
  /** Calls that are gone once they are listed. */
  gone: Set<string>
  unfinished: Set<string>
  /** The recordings that the platform has by calls; of an empty one it answers that there is none. */
  recordings: Map<string, Buffer>
  requests: Array<string>
}

interface FakePlatform {
  readonly name: "vapi" | "retell" | "elevenlabs"
  readonly variable: string
  /** Requests for 130 calls. */
  readonly pages: number
  readonly hasDetails: boolean
  readonly answer: (account: Account, request: IncomingMessage, url: URL, body: unknown) => unknown
  readonly keyOf: (request: IncomingMessage) => unknown
}

const page = (account: Account, from: number, to: (n: number) => object) =>
  Array.from({ length: Math.max(0, Math.min(100, account.calls - from)) }, (_, n) => to(from + n))

const within = (n: number, since: number, until: number) => startOf(n) >= since && startOf(n) <= until

const numberOf = (id: string): number => Number(id.replace("call-", ""))

const vapi: FakePlatform = {
  name: "vapi",
  variable: "VAPI_API_KEY",
  pages: 2,
  hasDetails: false,
  keyOf: (request) => request.headers.authorization?.replace("Bearer ", ""),
  answer: (account, _, url) => {
    if (url.pathname !== "/call") return undefined
    const until = Date.parse(url.searchParams.get("createdAtLe") ?? "")
    const since = Date.parse(url.searchParams.get("createdAtGe") ?? "")
    const all = Array.from({ length: account.calls }, (_unused, n) => n).filter((n) => within(n, since, until))
    return all.slice(0, Number(url.searchParams.get("limit"))).map((n) => ({
      id: `call-${n}`,
      orgId: "o",
      assistantId: "assistant-1",
      createdAt: new Date(startOf(n)).toISOString(),
      startedAt: new Date(startOf(n)).toISOString(),
      status: account.unfinished.has(`call-${n}`) ? "in-progress" : "ended",
      messages: [{ role: "bot", message: "Hello from 415-555-0123.", secondsFromStart: 1 }]
    }))
  }
}

const filterOf = (body: unknown): readonly [number, number] => {
  const value: unknown = Object(Object(Object(body).filter_criteria).start_timestamp).value
  return Array.isArray(value) ? [Number(value[0]), Number(value[1])] : [0, 0]
}

const retell: FakePlatform = {
  name: "retell",
  variable: "RETELL_API_KEY",
  pages: 2,
  hasDetails: true,
  keyOf: (request) => request.headers.authorization?.replace("Bearer ", ""),
  answer: (account, _, url, body) => {
    const summary = (n: number) => ({
      call_id: `call-${n}`,
      agent_id: "assistant-1",
      call_type: "web_call",
      call_status: account.unfinished.has(`call-${n}`) ? "ongoing" : "ended",
      start_timestamp: startOf(n)
    })
    if (url.pathname.startsWith("/v2/get-call/")) {
      const id = url.pathname.replace("/v2/get-call/", "")
      return account.gone.has(id)
        ? undefined
        : { ...summary(numberOf(id)), transcript_object: [{ role: "agent", content: "Hello from 415-555-0123." }] }
    }
    if (url.pathname !== "/v3/list-calls") return undefined
    const [since, until] = filterOf(body)
    const first = Array.from({ length: account.calls }, (_unused, n) => n).findIndex((n) => within(n, since, until))
    const from = Object(body).pagination_key === undefined ? first : Number(Object(body).pagination_key)
    const items = first === -1 ? [] : page(account, from, summary)
    const hasMore = from + items.length < account.calls
    return { items, has_more: hasMore, ...(hasMore ? { pagination_key: String(from + items.length) } : {}) }
  }
}

const elevenLabs: FakePlatform = {
  name: "elevenlabs",
  variable: "ELEVENLABS_API_KEY",
  pages: 2,
  hasDetails: true,
  keyOf: (request) => request.headers["xi-api-key"],
  answer: (account, _, url) => {
    const base = "/v1/convai/conversations"
    const status = (id: string) => (account.unfinished.has(id) ? "in-progress" : "done")
    if (url.pathname.endsWith("/audio")) return account.recordings.get(url.pathname.split("/").at(-2) ?? "")
    if (url.pathname.startsWith(`${base}/`)) {
      const id = url.pathname.replace(`${base}/`, "")
      return account.gone.has(id)
        ? undefined
        : {
            conversation_id: id,
            agent_id: "assistant-1",
            status: status(id),
            has_audio: account.recordings.has(id),
            metadata: { start_time_unix_secs: startOf(numberOf(id)) / 1000, call_duration_secs: 4 },
            transcript: [{ role: "agent", message: "Hello from 415-555-0123.", time_in_call_secs: 1 }]
          }
    }
    if (url.pathname !== base) return undefined
    const since = Number(url.searchParams.get("call_start_after_unix")) * 1000
    const until = Number(url.searchParams.get("call_start_before_unix")) * 1000
    const first = Array.from({ length: account.calls }, (_unused, n) => n).findIndex((n) => within(n, since, until))
    const from = Number(url.searchParams.get("cursor") ?? first)
    const conversations =
      first === -1
        ? []
        : page(account, from, (n) => ({
            conversation_id: `call-${n}`,
            agent_id: "assistant-1",
            start_time_unix_secs: startOf(n) / 1000,
            status: status(`call-${n}`)
          }))
    const hasMore = from + conversations.length < account.calls
    return { conversations, has_more: hasMore, next_cursor: hasMore ? String(from + conversations.length) : null }
  }
}

const earshot = async (args: ReadonlyArray<string>): Promise<Ran> => {
  const { code, err, invocation, out } = await parse(args)
  // Recordings are in the folder that is given, so that one command reads what another has stored.
  const folder = args[args.indexOf("--recordings") + 1]
  const engine = args.includes("--recordings")
    ? engineWith({ blobs: FileBlobStore.layer({ directory: folder ?? "" }) })
    : engineOn
  return invocation === undefined
    ? { code: code === 0 ? 0 : 2, err, out }
    : run(Effect.flatten(Effect.promise(invocation.start)), 80, engine)
}

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const parts: Array<Buffer> = []
  for await (const part of request) parts.push(Buffer.from(part))
  const text = Buffer.concat(parts).toString()
  return text === "" ? undefined : JSON.parse(text)
}

const PERIOD = ["--since", "2026-03-01", "--until", "2026-03-15T00:00:00Z"]

describe.each([vapi, retell, elevenLabs])("calls import $name", (platform) => {
  const account: Account = {
    calls: 0,
    errors: [],
    brokenFrom: Infinity,
    gone: new Set(),
    unfinished: new Set(),
    recordings: new Map(),
    requests: []
  }
  let target: Place
  let apiKey = ""
  let base = ""
  let keyFile = ""
  const server = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request)
      const url = new URL(request.url ?? "", "http://fake")
      account.requests.push(url.pathname)
      const error = account.requests.length > account.brokenFrom ? { status: 400 } : account.errors.shift()
      if (error !== undefined) {
        response.writeHead(error.status, { ...("headers" in error ? error.headers : {}) })
        response.end("body" in error ? error.body : "{}")
        return
      }
      if (platform.keyOf(request) !== "right") {
        response.writeHead(401).end("{}")
        return
      }
      const answer = platform.answer(account, request, url, body)
      if (Buffer.isBuffer(answer) && answer.length > 0) {
        response.writeHead(200, { "content-type": "audio/mpeg" }).end(answer)
        return
      }
      response.writeHead(answer === undefined || Buffer.isBuffer(answer) ? 404 : 200, {
        "content-type": "application/json"
      })
      response.end(JSON.stringify(answer ?? {}))
    })()
  })

  const importing = (...more: ReadonlyArray<string>) =>
    earshot([
      ...["calls", "import", platform.name, "--base-url", base, "--platform-key-file", keyFile, "--agent", "1"],
      ...(more.includes("--since") ? [] : PERIOD),
      ...(more.includes("--url") ? [] : ["--database", target.database, "--api-key", apiKey]),
      ...more
    ])
  const stored = async (): Promise<ReadonlyArray<{ id: number; call_id: string; transcript: string }>> => {
    const listed = await earshot([
      ...["calls", "export", "--expand", "transcript", "--database", target.database, "--api-key", apiKey]
    ])
    return listed.out === "" ? [] : listed.out.split("\n").map((line) => JSON.parse(line))
  }

  beforeAll(async () => {
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    base = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    target = await place("sqlite")
    const made = await earshot(["init", "--json", "--database", target.database])
    apiKey = /ear_\w{49}/.exec(made.out)?.[0] ?? ""
    keyFile = path.join(target.folder, "platform-key")
    await writeFile(keyFile, "right\n")
  })
  afterEach(() => {
    Object.assign(account, { calls: 0, errors: [], brokenFrom: Infinity, requests: [] })
    account.gone.clear()
    account.unfinished.clear()
    account.recordings.clear()
  })
  afterAll(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, "close")
    await target.remove()
  })

  it("rejects a wrong key, a platform's errors and pages of another form", async () => {
    account.calls = 1
    await writeFile(`${keyFile}-wrong`, "wrong")
    const rejected = await importing("--platform-key-file", `${keyFile}-wrong`)
    expect(rejected).toMatchObject({
      code: 1,
      out: "0 created, 0 updated, 0 rejected, 0 skipped: not about a finished call."
    })
    expect(rejected.err).toBe(
      `The API of ${platform.name} answered HTTP 401. Check the key in ${platform.variable} or --platform-key-file.`
    )
    expect(account.requests).toHaveLength(1)
    for (const body of [
      "{}",
      "[1]",
      "null",
      "<p>",
      '{"items":{},"conversations":5}',
      '{"items":[],"conversations":[],"has_more":true}'
    ]) {
      account.errors = [{ status: 200, body }]
      expect(await importing()).toMatchObject({
        code: 1,
        err: `The API of ${platform.name} returned a page that is not a list of calls.`
      })
    }
    account.errors = [{ status: 302, headers: { location: "https://other.example/" } }]
    expect(await importing()).toMatchObject({ code: 1, err: `The API of ${platform.name} answered HTTP 302.` })
    expect(await stored()).toEqual([])
  })

  it("follows pages, waits where it is asked to, and stores nothing twice", async () => {
    account.calls = 130
    account.unfinished.add("call-7")
    account.errors = [
      { status: 429, headers: { "retry-after": "0" } },
      { status: 503, headers: { "retry-after": "Sun, 06 Nov 1994 08:49:37 GMT" } }
    ]
    expect(await importing("--json")).toMatchObject({
      code: 0,
      out: '{"created":129,"updated":0,"rejected":0,"skipped":1}',
      err: ""
    })
    expect(account.requests).toHaveLength(2 + platform.pages + (platform.hasDetails ? 130 : 0))
    const calls = await stored()
    expect(new Set(calls.map(({ call_id }) => call_id)).size).toBe(129)
    expect(calls.every(({ transcript }) => transcript.includes("415-555-0123"))).toBe(true)
    expect(await importing()).toMatchObject({
      code: 0,
      out: "0 created, 129 updated, 0 rejected, 1 skipped: not about a finished call."
    })
    expect(await stored()).toHaveLength(129)
  }, 120_000)

  it("says where to continue after an error, and continues there", async () => {
    account.calls = 130
    account.brokenFrom = platform.hasDetails ? 60 : 1
    const broken = await importing("--redact", "phone_number")
    expect(broken.code).toBe(1)
    expect(broken.err).toContain(`The API of ${platform.name} answered HTTP 400.`)
    const [, since = "", until = ""] = /--since (\S+) --until (\S+)/.exec(broken.err) ?? []
    expect(Date.parse(until)).toBeLessThan(START)
    account.brokenFrom = Infinity
    account.requests = []
    const rest = await importing("--since", since, "--until", until, "--redact", "phone_number")
    expect(rest.code).toBe(0)
    expect(account.requests.length).toBeLessThan(platform.pages + (platform.hasDetails ? 130 : 0))
    const done = (ran: Ran) =>
      [.../(\d+) created, (\d+) updated/.exec(ran.out)!].slice(1).reduce((sum, n) => sum + Number(n), 0)
    expect(done(broken) + done(rest)).toBeGreaterThanOrEqual(130)
    const calls = await stored()
    expect(calls).toHaveLength(130)
    expect(calls.filter(({ transcript }) => transcript.includes("415-555-0123"))).toEqual([])
  }, 120_000)

  it("reports calls that cannot be read or stored, and goes on", async () => {
    account.calls = 5
    account.gone.add("call-2")
    const unknown = await importing("--agent", "99")
    expect(unknown.code).toBe(1)
    expect(unknown.err).toContain(`${platform.name} call-0: agent: Invalid pk "99" - object does not exist.`)
    const ran = await importing()
    expect(ran).toMatchObject(
      platform.hasDetails
        ? {
            code: 1,
            out: "0 created, 4 updated, 1 rejected, 0 skipped: not about a finished call.",
            err: `${platform.name} call-2: The platform's API answered HTTP 404.`
          }
        : { code: 0, out: "0 created, 5 updated, 0 rejected, 0 skipped: not about a finished call." }
    )
  })

  it("gives up a platform that asks for a long delay", async () => {
    account.errors = [{ status: 429, headers: { "retry-after": "3600" } }]
    expect(await importing()).toMatchObject({
      code: 1,
      err: `The API of ${platform.name} accepts no requests for the next 3600 seconds.`
    })
    expect(account.requests).toHaveLength(1)
  })

  it.runIf(platform.name === "elevenlabs")("imports recordings, and calls whose recording cannot be read", async () => {
    account.calls = 2
    const wav = AudioKit.wavFileOf(new Uint8Array(16_000), { tag: "pcm", bits: 16, channels: 1, sampleRate: 8_000 })
    const recordings = ["--recordings", path.join(target.folder, "recordings")]
    const onDatabase = ["--database", target.database, "--api-key", apiKey]
    const idOf = async () => (await stored()).find((call) => call.call_id === "call-0")?.id
    // Stored by the tests before with fields to redact, so that its recording would be muted.
    await earshot(["calls", "delete", String(await idOf()), ...onDatabase])
    account.recordings.set("call-0", Buffer.from(wav)).set("call-1", Buffer.alloc(0))
    expect(await importing(...recordings)).toMatchObject({
      code: 0,
      out: "1 created, 1 updated, 0 rejected, 0 skipped: not about a finished call.",
      err: "elevenlabs call-1: imported without its recording. The platform's API answered HTTP 404."
    })
    const saved = path.join(target.folder, "call-0.wav")
    const ran = await earshot([
      "calls",
      "recording",
      String(await idOf()),
      "--output",
      saved,
      ...recordings,
      ...onDatabase
    ])
    expect(ran).toMatchObject({ code: 0 })
    expect(await readFile(saved)).toEqual(Buffer.from(wav))
  })

  it("imports into a server", async () => {
    account.calls = 3
    const runtime = ManagedRuntime.make(engineOn(plainEngine({ database: target.database })))
    const http = await earshotListener(await runtime.runtime(), { logLevel: "silent" })
    const earshotServer = createServer(http.listener)
    earshotServer.listen(0, "127.0.0.1")
    await once(earshotServer, "listening")
    const address = earshotServer.address()
    const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    expect(await importing("--url", url, "--api-key", apiKey)).toMatchObject({
      code: 0,
      out: "0 created, 3 updated, 0 rejected, 0 skipped: not about a finished call."
    })
    earshotServer.closeAllConnections()
    earshotServer.close()
    await http.close()
    await runtime.dispose()
  })
})

describe("the options of calls import", () => {
  const now = DateTime.unsafeMake("2026-03-14T09:00:00Z")
  const moment = (text: string) => Effect.runSync(Effect.either(parseMoment("--since", text, now)))

  it.each([
    ["7d", "2026-03-07T09:00:00.000Z"],
    ["2w", "2026-02-28T09:00:00.000Z"],
    ["24h", "2026-03-13T09:00:00.000Z"],
    ["30m", "2026-03-14T08:30:00.000Z"],
    ["2026-03-01", "2026-03-01T00:00:00.000Z"],
    ["2026-03-01T02:00:00+02:00", "2026-03-01T00:00:00.000Z"]
  ])("read %s as a time", (text, expected) => {
    expect(Either.map(moment(text), DateTime.formatIso)).toEqual(Either.right(expected))
  })

  it.each(["", "7", "d", "-7d", "7y", "yesterday", "2026-13-01", "9999999d"])("reject %j", (text) => {
    expect(Either.isLeft(moment(text))).toBe(true)
  })

  it.each([
    [["livekit"], "It must be one of vapi, retell, elevenlabs, provider_a"],
    [["vapi", "--since", "1h", "--until", "2h"], "--since: It must be before --until"],
    [["vapi", "--since", "soon"], "--since: Enter a time"],
    [["vapi", "--base-url", "http://api.example"], "--base-url: Enter an address that starts with https://"],
    [["vapi", "--base-url", "https://a:b@api.example"], "--base-url: Enter an address"],
    [["vapi"], "The platform's API key is missing. Set VAPI_API_KEY or --platform-key-file."]
  ])("reject %j before anything is opened", async (args, sentence) => {
    const ran = await earshot([
      ...["calls", "import", ...args, "--database", "sqlite:/nowhere/x.db"],
      ...(args.includes("--since") ? [] : ["--since", "7d"])
    ])
    expect(ran).toMatchObject({ code: 2, out: "", err: expect.stringContaining(sentence) })
  })

  it("read the header Retry-After", () => {
    const at = Date.parse("2026-03-14T09:00:00Z")
    expect(retryAfterOf("3", at)).toBe(3000)
    expect(retryAfterOf("Sat, 14 Mar 2026 09:00:10 GMT", at)).toBe(10_000)
    expect(retryAfterOf("Sun, 06 Nov 1994 08:49:37 GMT", at)).toBe(0)
    for (const text of [undefined, "", "-1", "soon", "99999999999"]) expect(retryAfterOf(text, at)).toBe(undefined)
  })

  it("continue at the newest call that is not done", () => {
    const progress = makeProgress()
    expect(progress.position()).toBe(undefined)
    for (const at of [9, 8, 7]) progress.begin(String(at), at)
    progress.end("7")
    expect(progress.position()).toBe(9)
    progress.end("9")
    expect(progress.position()).toBe(8)
    progress.end("8")
    expect(progress.position()).toBe(7)
  })
})
