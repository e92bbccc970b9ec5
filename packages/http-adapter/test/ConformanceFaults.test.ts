import * as RateLimits from "@earshot/core/providers/RateLimits"
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
const VALIDATE = "/test_framework/v2/scenarios/validate_scenarios_json/"
const SIMPLIFY = "/test_framework/v1/metrics/simplify_prompt/"
const RESULTS = "/test_framework/v1/results/"
const BULK_DELETE = `${RESULTS}bulk_delete/`
const CAPACITY = "/test_framework/v1/capacity/"
const BULK = "/test_framework/v1/scenarios/adv_update/"

const withHeaders = (asked: Passing, headers: Passing["headers"]): Passing => ({
  ...asked,
  headers: { ...asked.headers, ...headers }
})

const credentialOf = ({ headers }: Passing): string =>
  [headers["x-service-api-key"], headers.authorization, headers["x-shareable-link"]].join(" ")

const isRevoking = ({ method, path }: Passing): boolean =>
  (method === "DELETE" && path.startsWith("/user/v1/")) || path === "/user/v1/tokens/revoke/"

/** Refuses every wrong credential once, and lets it in from then on. */
const refusingOnce = (): Spoiling => {
  const refused = new Set<string>()
  return {
    answer: (answer, asked) => {
      if (answer.status !== 401) return answer
      const isKnown = refused.has(credentialOf(asked))
      refused.add(credentialOf(asked))
      return isKnown ? { ...answer, status: 200 } : answer
    }
  }
}

/** Lets in for so long what was revoked. */
const livingOn = (milliseconds: number): Spoiling => {
  let until = 0
  return {
    answer: (answer, asked) => {
      if (isRevoking(asked)) until = Date.now() + milliseconds
      return answer.status === 401 && Date.now() < until ? { ...answer, status: 200 } : answer
    }
  }
}

/** Answers as two processes would, of which one never hears what was revoked. */
const halfDeaf = (): Spoiling => {
  let refused = 0
  return { answer: (answer) => (answer.status === 401 && ++refused % 2 === 0 ? { ...answer, status: 200 } : answer) }
}

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
  ["a revoked key that is refused once, and lives on", "credentials/revoked", refusingOnce()],
  ["a revoked key that lives on for four seconds in one process", "credentials/revoked", livingOn(4000)],
  [
    "a doubled key let in",
    "credentials/doubled",
    {
      request: (asked) => {
        const [first] = String(asked.headers["x-service-api-key"] ?? "").split(", ")
        return first === undefined || first === "" ? asked : withHeaders(asked, { "x-service-api-key": first })
      }
    }
  ],
  [
    "a missing scope let in",
    "credentials/scopes",
    { request: (asked) => (isTo(asked, BULK) ? withHeaders(asked, { "x-service-api-key": key }) : asked) }
  ],
  [
    "a link that deletes what it was not granted to",
    "E8/not-granted",
    {
      request: (asked) =>
        isTo(asked, BULK_DELETE) && asked.headers["x-shareable-link"] !== undefined
          ? withHeaders(asked, { "x-service-api-key": key })
          : asked
    }
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
  [
    "a suite whose channel is none unless given",
    "E1/channels",
    {
      answer: spoil((json, asked) =>
        isTo(asked, VALIDATE) && fieldsOf(asked).channel === undefined ? under("channel", () => "text")(json) : json
      )
    }
  ],
  [
    "a plan that forgets the frequency in its price",
    "E1/price",
    { answer: spoil(under("estimated_cost", () => "25.000000")) }
  ],
  [
    "a validation that has runs made",
    "E1/nothing-created",
    {
      answer: async (answer, asked, send) => {
        if (isTo(asked, VALIDATE) && answer.status === 200) {
          await send({ ...asked, path: "/test_framework/v2/scenarios/run_scenarios_json/" })
        }
        return answer
      }
    }
  ],
  [
    "faults of a spec under its name alone",
    "E1/every-fault",
    {
      answer: spoil(
        (json, asked) => (isTo(asked, VALIDATE) ? { spec: Object.values(Object(json)).flat() } : json),
        [400]
      )
    }
  ],
  [
    "an agent of the spec that wins over the request's",
    "E1/agent",
    {
      request: (asked) => {
        const { agent_id, ...fields } = fieldsOf(asked)
        return isTo(asked, VALIDATE) && at(fields.spec, "agent_id") !== undefined ? withFields(asked, fields) : asked
      }
    }
  ],
  [
    "defaults whose metrics count for nothing",
    "E1/references",
    {
      request: (asked) => {
        const { spec, ...fields } = fieldsOf(asked)
        return isTo(asked, VALIDATE) && isNode(spec)
          ? withFields(asked, { ...fields, spec: { ...spec, defaults: {} } })
          : asked
      }
    }
  ],
  [
    "a prompt that is lost from the answer",
    "E6/answered-200",
    { answer: spoil((json, asked) => (isTo(asked, SIMPLIFY) ? under("original_prompt", () => "")(json) : json)) }
  ],
  [
    "a metric that is not there, beside a prompt",
    "E6/refused",
    {
      request: (asked) => {
        const { metric_id, ...fields } = fieldsOf(asked)
        return isTo(asked, SIMPLIFY) && fields.original_prompt !== undefined ? withFields(asked, fields) : asked
      }
    }
  ],
  [
    "another organisation's prompt shown to whoever knows its id",
    "E6/progress-other-organization",
    {
      request: (asked) =>
        asked.method === "GET" ? { ...asked, headers: { ...asked.headers, "x-service-api-key": key } } : asked
    }
  ],
  ["deleting with a body", "E8/answered-204", { answer: (a) => ({ ...a, status: a.status === 204 ? 200 : a.status }) }],
  [
    "101 results at a time",
    "E8/limits",
    {
      request: (asked) => {
        const { result_ids: ids } = fieldsOf(asked)
        return isTo(asked, BULK_DELETE) && Array.isArray(ids)
          ? withFields(asked, { result_ids: ids.slice(0, 100) })
          : asked
      }
    }
  ],
  [
    "unknown results that are a fault",
    "E8/silent",
    {
      answer: (answer, asked) =>
        isTo(asked, BULK_DELETE) && asked.body.includes("999999999")
          ? { ...answer, status: 400, text: '{"result_ids": ["Unknown."]}' }
          : answer
    }
  ],
  [
    "a counter decremented twice",
    "E8/counters",
    {
      answer: (answer, asked) => {
        deleted += isTo(asked, BULK_DELETE) ? 1 : 0
        return isTo(asked, CAPACITY, "GET")
          ? spoil(under("pending_demand", (held) => Number(held) - (deleted > 1 ? 3 : 0)))(answer, asked, neverSent)
          : answer
      }
    }
  ],
  [
    "a number that is never released",
    "E8/numbers-shared",
    {
      answer: spoil((json, asked) => {
        if (!isTo(asked, CAPACITY, "GET")) return json
        const numbers = at(json, "phone_numbers_held")
        held = [...held, ...(Array.isArray(numbers) ? numbers.map(Number) : [])]
        return { ...Object(json), phone_numbers_held: held }
      })
    }
  ],
  [
    "another organisation's results deleted",
    "E8/other-organization",
    {
      request: (asked) =>
        isTo(asked, BULK_DELETE) ? { ...asked, headers: { ...asked.headers, "x-service-api-key": key } } : asked
    }
  ],
  [
    "a result that is not evaluated again",
    "E9/re-evaluation",
    { answer: spoil(under("success_rate", (rate) => (rate === null ? null : 1 / 3))) }
  ],
  [
    "runs of another result deleted in silence",
    "E9/not-its-own",
    {
      answer: (answer, asked) =>
        asked.path.endsWith("delete_runs/") && answer.status === 400 ? { ...answer, status: 204, text: "" } : answer
    }
  ],
  [
    "101 runs at a time",
    "E9/limits",
    {
      request: (asked) => {
        const { run_ids: ids } = fieldsOf(asked)
        return asked.path.endsWith("delete_runs/") && Array.isArray(ids)
          ? withFields(asked, { run_ids: ids.slice(0, 100) })
          : asked
      }
    }
  ],
  [
    "an agent's provider's name that is passed over",
    "E12/agent",
    {
      request: (asked) => {
        const { assistant_id, ...fields } = fieldsOf(asked)
        return asked.method === "PATCH" && assistant_id !== undefined ? withFields(asked, fields) : asked
      }
    }
  ],
  [
    "a spec of any size",
    "E1/size",
    {
      request: (asked) => {
        const { file, ...fields } = fieldsOf(asked)
        return isTo(asked, VALIDATE) && typeof file === "string"
          ? withFields(asked, { ...fields, file: file.trimEnd() })
          : asked
      }
    }
  ],
  [
    "a widget that is shown with another dashboard's filters",
    "E3/moved",
    {
      request: (asked) => {
        const { dashboard, ...fields } = fieldsOf(asked)
        return asked.method === "PATCH" && dashboard !== undefined ? withFields(asked, fields) : asked
      }
    }
  ],
  [
    "a lease that anybody may show",
    "results/lease",
    {
      answer: (answer, asked) =>
        asked.path.endsWith("heartbeat/") && answer.status === 400 ? { ...answer, status: 200 } : answer
    }
  ],
  [
    "cancelling twice is a fault",
    "results/cancel",
    {
      answer: (answer, asked) => {
        cancelled += asked.path.endsWith("cancel/") ? 1 : 0
        return cancelled > 2 && asked.path.endsWith("cancel/") ? { ...answer, status: 409 } : answer
      }
    }
  ],
  [
    "runs listed whatever their status",
    "results/read",
    {
      request: (asked) => ({ ...asked, path: asked.path.replace(/&status=\w+/, "") })
    }
  ],
  ["a metric that is answered as it was", "E12/answered-200", { answer: spoil(under("display_order", () => 0)) }]
]

let appended = 0
let deleted = 0
let cancelled = 0
let held: ReadonlyArray<number> = []
const neverSent = () => Promise.reject(new Error("Nothing else is asked"))

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

  it("is given five seconds to hear in all its processes of what was revoked, and no more", async () => {
    const outcome = async (spoiling: Spoiling) => {
      const proxy = await startProxy(server.url, spoiling)
      const options = { url: proxy.url, apiKey: key, only: ["credentials/revoked"], limits: { processes: 2 } }
      const { results } = await runConformance(options).finally(proxy.close)
      return results.map((result) => result.outcome).join()
    }
    const spoilings = [livingOn(4000), livingOn(60_000), refusingOnce(), halfDeaf()]
    expect(await Promise.all(spoilings.map(outcome))).toEqual(["passed", "failed", "failed", "failed"])
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

/** Of a server with limits: a fault, the check that has to tell it, what makes it, and what is said then. */
const limitFaults = (): ReadonlyArray<readonly [what: string, check: string, spoiling: Spoiling, says: string]> => {
  let isSpent = false
  return [
    [
      "429 that does not say until when",
      "limits/rate",
      {
        answer: (answer) => ({
          ...answer,
          headers: Object.fromEntries(Object.entries(answer.headers).filter(([name]) => name !== "retry-after"))
        })
      },
      "Retry-After is nothing"
    ],
    [
      "a key that is not let in again",
      "limits/rate",
      {
        answer: (answer, asked, send) => {
          const isThrottled = answer.status === 429
          if (isThrottled) isSpent = true
          // Another key's request tells that the first one has waited.
          return isSpent && !isThrottled && asked.path.includes("predefined")
            ? send({ ...asked, path: "/no/such/path/" })
            : answer
        }
      },
      "answered 404"
    ],
    ["413 without a reason", "limits/body", { answer: (a) => (a.status === 413 ? { ...a, text: "" } : a) }, "detail"],
    [
      "what is too large read in part",
      "limits/upload",
      { request: (asked) => ({ ...asked, body: asked.body.subarray(0, 30_000) }) },
      "expected 413"
    ]
  ]
}

describe("a server with limits and a fault, known by its URL alone", async () => {
  const server = await serving({
    limits: { bodyBytes: 20_000, multipartBytes: 30_000 },
    ports: { rateLimiter: RateLimits.layerMemory({ requests: { points: 25, seconds: 2 } }) }
  })
  const limits = { bodyBytes: 20_000, uploadBytes: 30_000, requestsAMinute: 25 }

  it.each(limitFaults())("is found out: %s", async (_, check, spoiling, says) => {
    const { key } = await server.tenant()
    const proxy = await startProxy(server.url, spoiling)
    try {
      const { results } = await runConformance({ url: proxy.url, apiKey: key, only: [check], limits })
      expect(results).toMatchObject([{ id: check, outcome: "failed" }])
      expect(results[0]?.detail).toContain(says)
    } finally {
      await proxy.close()
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

  it("takes what the server was started with", async () => {
    const { code, said } = await run("--url", server.url, "--only", "limits/body", "--max-body", "5000")
    expect(code).toBe(1)
    expect(said).toContain("answered 400")
    expect(said).toContain("expected 413")
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
      ["--url", "ftp://127.0.0.1"],
      ["--url", server.url, "--only", "E99"],
      ["--colour"],
      ["--url", server.url, "--timeout", "0"],
      ["--url", server.url, "--rate-limit", "none"],
      ["--url", server.url, "--max-body", "1.5"],
      ["--url", server.url, "--processes", "0"]
    ]) {
      const { code, wrong } = await run(...args)
      expect([args, code, wrong.includes("earshot-conformance --url")]).toEqual([args, 2, true])
    }
    expect((await run("--list")).said.split("\n")).toHaveLength(checksFor().length)
    expect((await run("--help")).code).toBe(0)
  })

  it("means E1 by E1, and not E10", () => {
    expect(checksFor(["E1"]).every(({ id }) => id.startsWith("E1/"))).toBe(true)
    expect(checksFor(["E1"]).length).toBeGreaterThan(10)
    expect(checksFor(["e10"]).length).toBeGreaterThan(20)
    expect(new Set(checksFor().map(({ id }) => id)).size).toBe(checksFor().length)
  })
})
