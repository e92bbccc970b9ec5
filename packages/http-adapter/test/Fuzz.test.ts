import { codePoint, TestEngine } from "@earshot/test-kit"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Endpoint } from "../src/Endpoint.js"
import { makeSchemaGenerator, propertiesOf } from "../src/JsonSchemas.js"
import { endpoints } from "../src/routes/index.js"
import { serviceEndpoints } from "../src/routes/Service.js"
import { makeMetrics } from "../src/Metrics.js"
import { at } from "./support/Contract.js"
import { type RequestOptions, serverForBlock, type Tenant } from "./support/TestServer.js"

const metrics = makeMetrics(
  {
    requestsInFlight: () => 0,
    bodyBytesInFlight: () => 0,
    responseBytesInFlight: () => 0,
    connections: { openConnections: () => 0, closed: () => 0 }
  },
  { counts: () => [], refusals: () => 0 },
  { counts: () => [] },
  { counts: () => Promise.resolve([]), activity: new Map() }
)
const all: ReadonlyArray<Endpoint> = [
  ...endpoints,
  ...serviceEndpoints(metrics, "", { isDraining: () => false, databaseDefect: () => null })
]

const namesOf = (schema: Endpoint["query"]): ReadonlyArray<string> => {
  if (schema === undefined) return []
  const describer = makeSchemaGenerator()
  return propertiesOf(describer.follow(describer.describe(schema))).map(([name]) => name)
}

const text = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "\0",
    "\ud800",
    "__proto__",
    "constructor",
    "null",
    "true",
    "1",
    "-1",
    "9007199254740993",
    "1e400",
    "[]",
    "{}"
  ),
  fc.constantFrom(
    "today-7d",
    "now+1M",
    "2026-02-30",
    "2026-01-01T00:00:00Z",
    "9999-12-31T23:59:59-23:59",
    "stat",
    "bar",
    "all"
  ),
  fc.string({ unit: codePoint, maxLength: 20 }),
  fc.string({ maxLength: 300 })
)
const leaf = fc.oneof(
  text,
  fc.constantFrom<unknown>(null, true, false, 0, -0, 1, -1, 2 ** 31, 2 ** 53, 1e308, 5e-324, 0.1),
  fc.integer(),
  fc.double()
)
const filter = fc.letrec((tie) => ({
  one: fc.oneof(
    { maxDepth: 4 },
    fc.record(
      {
        field: fc.oneof(
          fc.constantFrom(
            "duration",
            "success",
            "call_id",
            "metadata.a",
            "metric_evaluations.value",
            "timestamp",
            "agent.id"
          ),
          text
        ),
        op: fc.oneof(fc.constantFrom("eq", "neq", "gt", "in", "isnull", "regex", "contains"), text),
        value: fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }))
      },
      { requiredKeys: [] }
    ),
    fc.record({
      operator: fc.oneof(fc.constantFrom("and", "or", "not", "same_row"), text),
      conditions: fc.oneof(fc.array(tie("one"), { maxLength: 3 }), leaf)
    })
  )
})).one
const value = fc.oneof(
  { weight: 4, arbitrary: leaf },
  { weight: 2, arbitrary: filter },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.array(leaf, { maxLength: 4 }) }
)

/** Bodies with some of the endpoint's own fields, so that more than the outermost checks is reached. */
const fields = (names: ReadonlyArray<string>, tenant: Tenant): fc.Arbitrary<Readonly<Record<string, unknown>>> =>
  names.length === 0
    ? fc.constant({})
    : fc
        .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: names.length })
        .map((pairs) => ({ ...Object.fromEntries(pairs) }))
        .chain((body) =>
          fc.constantFrom(
            body,
            // Right where it is most often wrong.
            { ...body, name: "x", project: tenant.project },
            { ...body, call_id: "x", agent: tenant.agent },
            { ...body, dashboard: 1, chart_type: "pie", field: "duration" }
          )
        )

const printed = (one: unknown): string =>
  (typeof one === "string" ? one : one === undefined ? "" : JSON.stringify(one)).toWellFormed()

const TYPES = [
  "application/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "multipart/form-data; boundary=x",
  "text/plain",
  "",
  "a/b;;;=",
  "application/json; charset=latin1"
]

/** A header's value as HTTP can carry it. */
const header = fc.string({ maxLength: 60 }).map((one) => one.replace(/[^\x20-\x7e]/g, "?").trim())

const askedOf = (
  endpoint: Endpoint,
  tenant: Tenant
): fc.Arbitrary<{ readonly path: string; readonly asked: RequestOptions }> => {
  const bodyNames = namesOf(endpoint.body?.schema)
  const queryNames = [...namesOf(endpoint.query), "x", "__proto__"]
  const query = fc
    .array(fc.tuple(fc.constantFrom(...queryNames), value), { maxLength: 4 })
    .map((pairs) => pairs.map(([name, one]) => `${name}=${encodeURIComponent(printed(one))}`).join("&"))
  const rawQuery = fc.string({ maxLength: 30 }).map((one) => one.replace(/[^\x21-\x7e]|#/g, "%"))
  const id = fc.oneof(
    fc.constantFrom(
      "1",
      "2",
      "3",
      "0",
      "-1",
      "x",
      "9007199254740991",
      "9007199254740992",
      "%00",
      "%ff",
      "%zz",
      "..",
      "1%2F2"
    ),
    fc.integer().map(String),
    fc
      .string({ maxLength: 20 })
      .map((one) => encodeURIComponent(one.toWellFormed()) || "_")
      // A client takes dots for steps through the path, and never sends them.
      .map((one) => one.replace(/^\.+$/, "_"))
  )
  const body: fc.Arbitrary<RequestOptions> =
    endpoint.method === "GET"
      ? fc.constant({})
      : fc.oneof(
          { weight: 6, arbitrary: fields(bodyNames, tenant).map((json) => ({ json })) },
          { weight: 1, arbitrary: value.map((json) => ({ json: json ?? null })) },
          {
            weight: 2,
            arbitrary: fields(bodyNames, tenant).map((body) => ({
              body: new URLSearchParams(
                Object.entries(body).map(([name, one]): [string, string] => [name, printed(one)])
              )
            }))
          },
          {
            weight: 2,
            arbitrary: fields(bodyNames, tenant).map((body) => {
              const form = new FormData()
              for (const [name, one] of Object.entries(body)) form.append(name, printed(one))
              return { body: form }
            })
          },
          {
            weight: 1,
            arbitrary: fc
              .tuple(fc.constantFrom(...TYPES), fc.uint8Array({ maxLength: 60 }))
              .map(([type, body]) => ({ body, headers: type === "" ? {} : { "content-type": type } }))
          }
        )
  const credentials = fc.oneof(
    { weight: 8, arbitrary: fc.constant({ "x-service-api-key": tenant.key }) },
    { weight: 1, arbitrary: header.map((one) => ({ "x-service-api-key": one })) },
    { weight: 1, arbitrary: header.map((one) => ({ authorization: `Bearer ${one}` })) },
    { weight: 1, arbitrary: header.map((one) => ({ "x-shareable-link": one, accept: one })) }
  )
  return fc
    .record({ id, query: fc.oneof(query, rawQuery), body, credentials })
    .map(({ body, credentials, id, query }) => ({
      path: `${endpoint.path.replace(":id", id)}${query === "" ? "" : `?${query}`}`,
      asked: { ...body, headers: { ...body.headers, ...credentials } }
    }))
}

describe.each(TestEngine.databases)("generated requests on %s", async (database) => {
  const server = await serverForBlock({ database, logLevel: "error" })
  const tenant = await server.tenant()

  it.each(all.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    "get documented responses from %s",
    async (_, endpoint) => {
      await fc.assert(
        fc.asyncProperty(askedOf(endpoint, tenant), async ({ asked, path }) => {
          // `send` validates the response against the document.
          const { json, status } = await server.send(endpoint.method, path, asked)
          expect(status).toBeLessThan(500)
          if (status === 400 && at(json, "detail") === undefined) {
            expect(
              Object.values(Object(json))
                .flat()
                .every((message) => typeof message === "string" && message !== "")
            ).toBe(true)
          }
        }),
        {
          numRuns: endpoint.body === undefined ? 8 : endpoint.operation === "calls.ingest" ? 80 : 30,
          seed: 20260101,
          endOnFailure: true
        }
      )
    }
  )

  it("cause no internal error in the log", () => {
    expect(server.logs()).toBe("")
  })
})
