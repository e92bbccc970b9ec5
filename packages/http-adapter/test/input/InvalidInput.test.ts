import { CallKit, TestEngine } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"
import { at } from "../support/Contract.js"
import { type RequestOptions, type TestResponse, serverForBlock, type Tenant } from "../support/TestServer.js"
import { withType, json } from "../support/Bodies.js"
import { CALLS, DASHBOARDS, OBSERVE, WIDGETS } from "../support/paths.js"

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels)

const parts = (count: number): RequestOptions => {
  const one = (n: number) => `--x\r\nContent-Disposition: form-data; name="f${n}"\r\n\r\nv\r\n`
  return withType(
    "multipart/form-data; boundary=x",
    Array.from({ length: count }, (_, n) => one(n)).join("") + "--x--\r\n"
  )
}

/** Bodies that every endpoint rejects. */
const messages: ReadonlyArray<readonly [what: string, status: number, asked: RequestOptions]> = [
  ["no JSON", 400, json("{")],
  ["text after the JSON", 400, json('{"call_id": "x"} y')],
  ["malformed UTF-8", 400, json(Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]))],
  ["truncated UTF-8", 400, json(Buffer.from([0x22, 0xe2, 0x82]))],
  ["surrogates in UTF-8", 400, json(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))],
  ["a list", 400, json("[]")],
  ["null", 400, json("null")],
  ["a number", 400, json("5")],
  ["a text", 400, json('"x"')],
  ["an empty body", 400, json("")],
  ["JSON nested 100,000 deep", 400, json(nested(100_000))],
  ["JSON nested 100,000 deep in a field", 400, json(`{"call_id": ${nested(100_000)}}`)],
  ["objects nested 100,000 deep", 400, json('{"a":'.repeat(100_000) + "1" + "}".repeat(100_000))],
  ["JSON nested 101 deep", 400, json(`{"filters": ${nested(100)}}`)],
  ["two million values", 400, json(`{"a": [${"1,".repeat(2_000_000)}1]}`)],
  ["a key __proto__", 400, json('{"__proto__": {"call_id": "x"}}')],
  ["a body one byte over the limit", 413, json(Buffer.alloc(10 * 1024 * 1024 + 1, 0x20))],
  ["a text", 415, withType("text/plain", "call_id=x")],
  ["XML", 415, withType("application/xml", "<a/>")],
  ["an invalid media type", 415, withType("json", "{}")],
  ["JSON in another charset", 415, withType("application/json; charset=utf-16", "{}")],
  ["compressed JSON", 415, { headers: { "content-type": "application/json", "content-encoding": "gzip" }, body: "{}" }],
  ["a multipart body without a boundary", 400, withType("multipart/form-data", "x")],
  ["a truncated multipart body", 400, withType("multipart/form-data; boundary=x", "--x\r\nContent-Dispos")],
  ["a body that is not multipart", 400, withType("multipart/form-data; boundary=x", '{"call_id": "x"}')],
  ["50,000 parts", 400, parts(50_000)],
  [
    "a part without a name",
    400,
    withType("multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data\r\n\r\nv\r\n--x--\r\n")
  ],
  [
    "malformed UTF-8 in a part",
    400,
    withType(
      "multipart/form-data; boundary=x",
      Buffer.from('--x\r\nContent-Disposition: form-data; name="call_id"\r\n\r\n\xff\r\n--x--\r\n', "latin1")
    )
  ],
  [
    "a part named __proto__",
    400,
    withType(
      "multipart/form-data; boundary=x",
      '--x\r\nContent-Disposition: form-data; name="__proto__"\r\n\r\nv\r\n--x--\r\n'
    )
  ]
]

const forms: ReadonlyArray<readonly [what: string, status: number, asked: RequestOptions]> = [
  ["malformed percents", 400, withType("application/x-www-form-urlencoded", "name=%zz")],
  ["percents that are no UTF-8", 400, withType("application/x-www-form-urlencoded", "name=%ff")],
  ["50,000 fields", 400, withType("application/x-www-form-urlencoded", "a=b&".repeat(50_000))],
  ["a field __proto__", 400, withType("application/x-www-form-urlencoded", "__proto__=x")],
  ["an object nested 100,000 deep", 400, withType("application/x-www-form-urlencoded", `filters=${nested(100_000)}`)]
]

const hasMessage = ({ json }: TestResponse): boolean =>
  typeof at(json, "detail") === "string" ||
  Object.values(Object(json)).every(
    (messages) =>
      Array.isArray(messages) && messages.length > 0 && messages.every((one) => typeof one === "string" && one !== "")
  )

describe.each(TestEngine.databases)("invalid input on %s", async (database) => {
  const server = await serverForBlock({ database })
  const tenant = await server.tenant()
  const { agent, key, project } = tenant

  /** Whether nothing at all is kept for this tenant. */
  const isEmpty = async ({ key }: Tenant): Promise<void> => {
    for (const path of [CALLS, DASHBOARDS, WIDGETS]) {
      expect(at((await server.send("GET", path, { key })).json, "results")).toEqual([])
    }
  }

  it.each(messages)("is rejected: %s", async (_, status, asked) => {
    for (const path of [OBSERVE, DASHBOARDS, WIDGETS]) {
      // E10 takes no form, and widgets are patched as JSON alone; each takes these two.
      const answer = await server.send("POST", path, { key, ...asked })
      expect([path, answer.status], answer.text.slice(0, 300)).toEqual([path, status])
      expect(hasMessage(answer), answer.text.slice(0, 300)).toBe(true)
      expect(answer.text.length).toBeLessThan(20_000)
    }
    await isEmpty(tenant)
  })

  it.each(forms)("is rejected in a form: %s", async (_, status, asked) => {
    const answer = await server.send("POST", DASHBOARDS, { key, ...asked })
    expect([answer.status, hasMessage(answer)], answer.text.slice(0, 300)).toEqual([status, true])
    expect((await server.send("POST", OBSERVE, { key, ...asked })).status).toBe(415)
    await isEmpty(tenant)
  })

  it("gets the same 404 for unknown and for malformed ids in paths", async () => {
    const document = (await server.send("GET", "/openapi.json")).json
    const paths = Object.entries(at(document, "paths") ?? {})
      .filter(([path, methods]) => path.endsWith("/{id}/") && at(methods, "get") !== undefined)
      .map(([path]) => path)
    expect(paths.length).toBeGreaterThan(10)
    for (const path of paths) {
      const messages = []
      for (const id of ["99999", "abc", "-1", "0"]) {
        const { json, status } = await server.send("GET", path.replace("{id}", id), { key })
        expect([path, id, status]).toEqual([path, id, 404])
        messages.push(at(json, "detail"))
      }
      expect(new Set(messages).size, `${path}: ${messages.join(" ")}`).toBe(1)
    }
  })

  it("is rejected under its field in every field of a call", async () => {
    for (const [wrong, field, value, path] of CallKit.invalidIngestFields) {
      // The server's own limit is reached first; such bodies are in the list above.
      if (wrong.startsWith("metadata nested")) continue
      // JSON can say with escapes what UTF-8 cannot.
      const answer = await server.send("POST", OBSERVE, { key, json: { call_id: "bad", agent, [field]: value } })
      expect(answer.status, wrong).toBe(400)
      expect(Object.keys(Object(answer.json)), wrong).toContain(path ?? field)
    }
    await isEmpty(tenant)
  })

  it("is reported with all field errors of a call at once", async () => {
    const { json, status } = await server.send("POST", OBSERVE, {
      key,
      json: {
        agent: 999_999,
        transcript_type: "provider_z",
        trace_id: "x".repeat(33),
        timestamp: "noon",
        redact_fields: ["shoe"]
      }
    })
    expect(status).toBe(400)
    expect(Object.keys(Object(json)).sort()).toEqual([
      "agent",
      "call_id",
      "redact_fields[0]",
      "timestamp",
      "trace_id",
      "transcript_type"
    ])
  })

  it("is rejected for the role `agent` in the format `service`, unknown metrics, and `none-mono` without a transcriber", async () => {
    const role = await server.send("POST", OBSERVE, {
      key,
      json: { call_id: "r", agent, transcript_json: [{ role: "agent", content: "Hi", start_time: 0, end_time: 1 }] }
    })
    expect([role.status, role.json]).toEqual([
      400,
      { "transcript_json[0].role": [expect.stringContaining('"agent" is not a valid choice. Choose from ')] }
    ])
    for (const [field, value] of [
      ["metric_ids", "999999"],
      ["transcript_type", "none-mono"]
    ] as const) {
      const { json, status } = await server.send("POST", OBSERVE, {
        key,
        json: { call_id: "r", agent, [field]: value }
      })
      expect([status, Object.keys(Object(json))[0]]).toEqual([400, field])
    }
    await isEmpty(tenant)
  })

  it("is rejected for recording URLs that point or redirect to loopback, private or link-local addresses", async () => {
    const urls = [
      "http://127.0.0.1/a.wav",
      "http://127.1:8080/a.wav",
      "http://2130706433/a.wav",
      "http://0x7f.0.0.1/",
      "http://localhost:22/",
      "http://0.0.0.0/",
      "http://[::1]/a.wav",
      "http://[::ffff:127.0.0.1]/",
      "http://[::ffff:169.254.169.254]/latest/meta-data/",
      "http://169.254.169.254/latest/meta-data/",
      "http://10.0.0.1/",
      "http://192.168.1.1/",
      "https://172.16.0.1/",
      "http://100.64.0.1/",
      "http://[fd00::1]/",
      "http://[fe80::1]/",
      "file:///etc/passwd",
      "ftp://example.com/a.wav",
      "gopher://127.0.0.1/",
      "not a url"
    ]
    for (const url of urls) {
      const answer = await server.send("POST", OBSERVE, {
        key,
        json: { call_id: "u", agent, voice_recording_url: url }
      })
      expect([url, answer.status, Object.keys(Object(answer.json))]).toEqual([url, 400, ["voice_recording_url"]])
    }
    await isEmpty(tenant)
  })

  it("is rejected under its field in dashboards, widgets and queries", async () => {
    const made = await server.send("POST", DASHBOARDS, { key, json: { name: "D", project } })
    const dashboard = at(made.json, "id")
    const filter = (value: unknown) => ({ name: "x", project, filters: value })
    const faulty: ReadonlyArray<readonly [path: string, json: object, field: string]> = [
      [DASHBOARDS, { project }, "name"],
      [DASHBOARDS, { name: "x".repeat(256), project }, "name"],
      [DASHBOARDS, { name: "a\0b", project }, "name"],
      [DASHBOARDS, { name: "a\ud800b", project }, "name"],
      [DASHBOARDS, { name: "x", project: 2 ** 53 }, "project"],
      [DASHBOARDS, { name: "x", project: 1e300 }, "project"],
      [DASHBOARDS, filter({ field: "nothing", op: "eq", value: 1 }), "filters.field"],
      [DASHBOARDS, filter({ field: "duration", op: "like", value: 1 }), "filters.op"],
      [
        DASHBOARDS,
        filter({ operator: "and", conditions: [{ field: "duration", op: "gte", value: "x" }] }),
        "filters.conditions[0].value"
      ],
      [DASHBOARDS, filter({ operator: "nand", conditions: [] }), "filters.operator"],
      [DASHBOARDS, filter({ field: "call_id", op: "eq", value: "\0" }), "filters.value"],
      [DASHBOARDS, filter({ field: "duration", op: "eq", value: 2 ** 53 }), "filters.value"],
      [WIDGETS, { dashboard, chart_type: "donut" }, "chart_type"],
      [WIDGETS, { dashboard, chart_type: "bar", field: "duration" }, "aggregation_function"],
      [WIDGETS, { dashboard, chart_type: "line", field: "metric_evaluations.value" }, "metric"],
      [WIDGETS, { dashboard, chart_type: "stat", metadata: { a: "\0" } }, "metadata"],
      [
        WIDGETS,
        { dashboard, chart_type: "line", field: "duration", group_by: { type: "bucket", interval: 2 ** 53 } },
        "group_by.interval"
      ]
    ]
    for (const [path, json, field] of faulty) {
      const answer = await server.send("POST", path, { key, json })
      expect([answer.status, Object.keys(Object(answer.json))], JSON.stringify(json).slice(0, 200)).toEqual([
        400,
        expect.arrayContaining([field])
      ])
    }
    const queries: ReadonlyArray<readonly [query: string, field: string]> = [
      ["limit=0", "limit"],
      ["limit=201", "limit"],
      ["limit=ten", "limit"],
      ["cursor=nowhere", "cursor"],
      ["cursor=%00", "cursor"],
      ["agent_id=9007199254740993", "agent_id"],
      ["project=-1", "project"],
      ["filters_v2=%7B", "filters_v2"],
      [`filters_v2=${encodeURIComponent('{"field":"duration","op":"eq"}')}`, "filters_v2.value"],
      [`filters_v2=${encodeURIComponent('{"field":"call_id","op":"regex","value":"(("}')}`, "filters_v2.value"],
      ["limit=0&cursor=x&agent_id=x", "agent_id"],
      ["limit=%zz", "detail"],
      ["limit=%ff", "detail"],
      [`filters_v2=${encodeURIComponent(nested(500))}`, "detail"]
    ]
    for (const path of [CALLS, `${CALLS}export/`]) {
      for (const [query, field] of queries) {
        const answer = await server.send("GET", `${path}?${query}`, { key })
        expect([query, answer.status, Object.keys(Object(answer.json))]).toEqual([
          query,
          400,
          expect.arrayContaining([field])
        ])
      }
    }
    for (const id of ["0", "-1", "1.5", "x", "9007199254740993", "1e3", "%20", "1%00", "__proto__", "9".repeat(150)]) {
      expect([id, (await server.send("GET", `${DASHBOARDS}${id}/`, { key })).status]).toEqual([id, 404])
    }
    expect((await server.send("DELETE", `${DASHBOARDS}${String(dashboard)}/`, { key })).status).toBe(204)
  })

  it("stores nothing if a recording is invalid, too large or given twice", async () => {
    const form = (...files: ReadonlyArray<Blob>) => {
      const body = new FormData()
      body.append("call_id", "file")
      body.append("agent", String(agent))
      for (const file of files) body.append("voice_recording", file, "a.wav")
      return { key, body }
    }
    for (const asked of [
      form(new Blob(["not audio"])),
      form(new Blob([])),
      form(new Blob([CallKit.wav(1)]), new Blob([CallKit.wav(1)]))
    ]) {
      const { json, status } = await server.send("POST", OBSERVE, asked)
      expect([status, Object.keys(Object(json))]).toEqual([400, ["voice_recording"]])
    }
    const asText = new FormData()
    asText.append("call_id", "text")
    asText.append("agent", String(agent))
    asText.append("voice_recording", "https://example.com/a.wav")
    expect((await server.send("POST", OBSERVE, { key, body: asText })).status).toBe(400)
    await isEmpty(tenant)
  })
})
