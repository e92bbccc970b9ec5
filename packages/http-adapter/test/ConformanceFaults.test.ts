import { checksFor, runCommand, runConformance } from "@earshot/test-kit/conformance"
import { once } from "node:events"
import { createServer } from "node:http"
import { describe, expect, it } from "vitest"
import { at, isNode } from "./support/Contract.js"
import { type Passed, type Passing, type Spoiling, startProxy } from "./support/FaultyProxy.js"
import { serving } from "./support/TestServer.js"

const parsed = (text: string | Buffer): unknown => {
  try {
    return JSON.parse(text.toString())
  } catch {
    return undefined
  }
}

const fieldsOf = ({ body }: Passing): Readonly<Record<string, unknown>> => {
  const json = parsed(body)
  return isNode(json) ? json : {}
}

const withFields = (asked: Passing, fields: object): Passing => ({
  ...asked,
  body: Buffer.from(JSON.stringify(fields))
})

const isTo = ({ method, path }: Passing, wanted: string, how = "POST") =>
  method === how && path.split("?")[0] === wanted

/** Changes every answer of a status with a JSON body. */
const spoil =
  (change: (json: unknown, asked: Passing) => unknown, status = [200, 201]): NonNullable<Spoiling["answer"]> =>
  (answer, asked) => {
    const json = parsed(answer.text)
    return status.includes(answer.status) && json !== undefined
      ? { ...answer, text: JSON.stringify(change(json, asked)) }
      : answer
  }

/** Changes what stands under a name, wherever it stands. */
const under = (name: string, change: (value: unknown) => unknown) => {
  const walk = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(walk)
      : isNode(value)
        ? Object.fromEntries(
            Object.entries(value).map(([key, held]) => [key, key === name ? change(held) : walk(held)])
          )
        : value
  return walk
}

const OBSERVE = "/observability/v1/observe/"
const DASHBOARDS = "/dashboards/dashboards/"
const BULK = "/test_framework/v1/scenarios/adv_update/"

/** A server's fault, the check that has to tell it, and what makes it. */
const faults = (key: string): ReadonlyArray<readonly [what: string, check: string, spoiling: Spoiling]> => [
  [
    "faults with another status",
    "E5/required",
    { answer: (a) => ({ ...a, status: a.status === 400 ? 422 : a.status }) }
  ],
  ["a message that is no list", "E5/required", { answer: spoil((json) => under("name", String)(json), [400]) }],
  [
    "the first fault alone",
    "E10/every-fault",
    { answer: spoil((json) => Object.fromEntries(Object.entries(Object(json)).slice(0, 1)), [400]) }
  ],
  [
    "a name of 256 characters is taken",
    "E5/name-limit",
    {
      request: (asked) => {
        const { name, ...fields } = fieldsOf(asked)
        return isTo(asked, DASHBOARDS) && typeof name === "string"
          ? withFields(asked, { ...fields, name: [...name].length === 256 ? name.slice(1) : name })
          : asked
      }
    }
  ],
  [
    "a name of 255 characters is refused",
    "E5/name-limit",
    {
      answer: (answer, asked) =>
        String(fieldsOf(asked).name).length === 255
          ? { ...answer, status: 400, text: '{"name": ["Too long."]}' }
          : answer
    }
  ],
  [
    "characters counted as UTF-16 units",
    "E10/call-id-limit",
    {
      answer: (answer, asked) =>
        isTo(asked, OBSERVE) && String(fieldsOf(asked).call_id).length > 100
          ? { ...answer, status: 400, text: '{"call_id": ["Too long."]}' }
          : answer
    }
  ],
  ["a field that is missing", "E3/answered-200", { answer: spoil(under("metric_name", () => undefined)) }],
  [
    "a call delivered again is new",
    "E10/repeat-200",
    { answer: (a) => ({ ...a, status: a.status === 200 ? 201 : a.status }) }
  ],
  [
    "or for and in the merge",
    "filters/merged",
    { answer: spoil(under("effective_filters", (filter) => under("operator", () => "or")(filter))) }
  ],
  [
    "a percentile off by one rank",
    "widget-data/aggregates",
    { answer: spoil((json) => (at(json, "aggregation_function") === "p95" ? under("value", () => 19)(json) : json)) }
  ],
  [
    "milliseconds read as seconds",
    "E10/format-provider_a",
    { answer: spoil(under("start_time", (time) => (typeof time === "number" ? time * 1000 : time))) }
  ],
  [
    "redaction of one field too many",
    "E10/redaction",
    {
      request: (asked) => {
        const fields = fieldsOf(asked)
        return Array.isArray(fields.redact_fields)
          ? withFields(asked, { ...fields, redact_fields: [...fields.redact_fields, "email_address"] })
          : asked
      }
    }
  ],
  [
    "a charge twice",
    "E10/redaction-price",
    { answer: spoil(under("results", (all) => (Array.isArray(all) ? all.flatMap((one: unknown) => [one, one]) : all))) }
  ],
  [
    "a missing rollback",
    "E4/all-or-nothing",
    {
      answer: async (answer, asked, send) => {
        const fields = fieldsOf(asked)
        if (isTo(asked, BULK) && answer.status === 400 && fields.folder_path === "no.such") {
          await send(withFields(asked, { ...fields, folder_path: "" }))
        }
        return answer
      }
    }
  ],
  [
    "a link accepted where it is not",
    "credentials/shareable_link",
    {
      request: (asked) =>
        asked.headers["x-shareable-link"] !== undefined && isTo(asked, OBSERVE)
          ? { ...asked, headers: { ...asked.headers, "x-service-api-key": key } }
          : asked
    }
  ],
  [
    "a leaked other tenant's thing",
    "credentials/other-organization",
    {
      request: (asked) =>
        asked.method === "GET" ? { ...asked, headers: { ...asked.headers, "x-service-api-key": key } } : asked
    }
  ],
  [
    "a revoked key that lives on",
    "credentials/revoked",
    { answer: (answer): Passed => (answer.status === 401 ? { ...answer, status: 200 } : answer) }
  ],
  [
    "401 without a way in",
    "credentials/none",
    {
      answer: (answer) => ({
        ...answer,
        headers: Object.fromEntries(Object.entries(answer.headers).filter(([name]) => name !== "www-authenticate"))
      })
    }
  ],
  [
    "a checkout that caches may keep",
    "E2/repo",
    { answer: (answer) => ({ ...answer, headers: { "content-type": "application/json" } }) }
  ],
  [
    "a row that is skipped between pages",
    "pages/walk",
    { answer: spoil(under("results", (all) => (Array.isArray(all) ? all.slice(0, 1) : all))) }
  ],
  [
    "a body that no parser takes answered with 500",
    "messages/bodies",
    { answer: (answer) => (answer.text.includes("JSON parse error") ? { ...answer, status: 500 } : answer) }
  ],
  [
    "an append that happens once",
    "E4/append",
    {
      request: (asked) => {
        const { append_instruction: text, ...fields } = fieldsOf(asked)
        appended += text === undefined ? 0 : 1
        return isTo(asked, BULK) && appended % 2 === 0 ? withFields(asked, fields) : asked
      }
    }
  ],
  ["a slug that is none", "E11/listed", { answer: spoil(under("slug", (slug) => `${String(slug)} `)) }],
  [
    "a language that keeps nothing back",
    "E7/language",
    {
      request: (asked) => {
        const { language, ...fields } = fieldsOf(asked)
        return isTo(asked, asked.path) && language !== undefined && fields.personalities !== undefined
          ? withFields(asked, fields)
          : asked
      }
    }
  ],
  ["a metric that is answered as it was", "E12/answered-200", { answer: spoil(under("display_order", () => 0)) }]
]

let appended = 0

describe("a server with a fault, known by its URL alone", async () => {
  const server = await serving()
  const { key } = await server.tenant()
  const other = await server.tenant()

  it.each(faults(key))("is found out: %s", async (_, check, spoiling) => {
    const options = { apiKey: key, otherApiKey: other.key, only: [check] }
    const proxy = await startProxy(server.url, spoiling)
    try {
      const [result, ...more] = (await runConformance({ ...options, url: proxy.url })).results
      expect(more).toEqual([])
      expect(result).toMatchObject({ id: check, outcome: "failed" })
      expect(result?.detail).not.toBe("")
    } finally {
      await proxy.close()
    }
    const right = await runConformance({ ...options, url: server.url })
    expect(right.results).toMatchObject([{ id: check, outcome: "passed" }])
  })

  it("has broken everything that was not tried in time, and what hangs ends", async () => {
    const silent = createServer(() => undefined)
    silent.listen(0, "127.0.0.1")
    await once(silent, "listening")
    try {
      const address = silent.address()
      const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
      const report = await runConformance({ url, apiKey: key, seconds: 1, only: ["E11", "pages"] })
      expect([report.passed, report.failed]).toEqual([0, 3])
      expect(report.results.map(({ detail }) => detail)).toContain("not tried: the time was over")
    } finally {
      silent.closeAllConnections()
      silent.close()
    }
  })
})

describe("the command", async () => {
  const server = await serving()
  const { key } = await server.tenant()

  const run = async (...args: ReadonlyArray<string>) => {
    const said: Array<string> = []
    const wrong: Array<string> = []
    const output = { out: (text: string) => void said.push(text), error: (text: string) => void wrong.push(text) }
    const code = await runCommand(args, { EARSHOT_API_KEY: key }, output)
    return { code, said: said.join("\n"), wrong: wrong.join("\n") }
  }

  it("prints a line a rule and ends with 0, or with 1 and what came", async () => {
    const kept = await run("--url", server.url, "--only", "E11", "--only", "pages/limits")
    expect([kept.code, kept.wrong]).toEqual([0, ""])
    expect(kept.said).toContain("ok    E11/listed")
    expect(kept.said).toContain("2 rules tried, 2 kept, 0 broken, 0 skipped")
    const broken = await run("--url", server.url, "--only", "E11", "--api-key", "wrong")
    expect(broken.code).toBe(1)
    expect(broken.said).toContain("FAULT E11/listed")
    expect(broken.said).toContain("answered 401")
  })

  it("prints JSON, and skips what it has no key for", async () => {
    const { code, said } = await run("--url", `${server.url}/`, "--json", "--only", "credentials/other")
    expect(code).toBe(0)
    expect(parsed(said)).toMatchObject({
      url: server.url,
      skipped: 1,
      results: [{ id: "credentials/other-organization", outcome: "skipped" }]
    })
  })

  it("tells what it was not given, and ends with 2", async () => {
    for (const args of [
      [],
      ["--url", "nowhere"],
      ["--url", server.url, "--only", "E99"],
      ["--colour"],
      ["--url", server.url, "--timeout", "0"]
    ]) {
      const { code, wrong } = await run(...args)
      expect([args, code, wrong.includes("earshot-conformance --url")]).toEqual([args, 2, true])
    }
    expect((await run("--list")).said.split("\n")).toHaveLength(checksFor().length)
    expect((await run("--help")).code).toBe(0)
  })

  it("means E1 by E1, and not E10", () => {
    expect(checksFor(["E1"])).toEqual([])
    expect(checksFor(["e10"]).length).toBeGreaterThan(20)
    expect(new Set(checksFor().map(({ id }) => id)).size).toBe(checksFor().length)
  })
})
