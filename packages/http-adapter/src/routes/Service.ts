import { Organizations } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { docsFiles } from "../Docs.js"
import { type Endpoint, json, type OpenEndpoint } from "../Endpoint.js"
import { MessageFaults } from "../Faults.js"
import type { HttpMetrics } from "../Metrics.js"
import { openApi } from "../openapi/OpenApi.js"

const tag = "Service"

/** How long the database may take to answer before the server counts as not ready. */
const READY_WITHIN = "2 seconds"

const Status = (word: string) => ({ name: "Status", schema: Schema.Struct({ status: Schema.Literal(word) }) })

/** What is asked about the server itself; nobody is asked for a credential here. */
export const serviceEndpoints = (
  metrics: HttpMetrics,
  basePath: string,
  others: ReadonlyArray<Endpoint>
): ReadonlyArray<OpenEndpoint> => {
  const described: ReadonlyArray<OpenEndpoint> = [
    {
      method: "GET",
      path: "/health",
      id: "service.health",
      operation: null,
      tag,
      summary: "Whether the process answers",
      outcomes: [{ status: 200, description: "It does.", shape: { ...Status("ok"), name: "Health" } }],
      handle: () => Effect.succeed(json(200, { status: "ok" }))
    },
    {
      method: "GET",
      path: "/ready",
      id: "service.ready",
      operation: null,
      tag,
      summary: "Whether requests can be served",
      description: "Asks the database. Send no traffic here while it answers 503.",
      outcomes: [{ status: 200, description: "They can.", shape: { ...Status("ready"), name: "Readiness" } }],
      handle: () =>
        Effect.flatMap(Organizations, (organizations) => organizations.list({ limit: 1 })).pipe(
          Effect.as(json(200, { status: "ready" })),
          Effect.timeout(READY_WITHIN),
          Effect.mapError(() => MessageFaults.notReady)
        )
    },
    {
      method: "GET",
      path: "/metrics",
      id: "service.metrics",
      operation: null,
      tag,
      summary: "Metrics for Prometheus",
      outcomes: [{ status: 200, description: "In Prometheus' text format.", mediaType: "text/plain" }],
      handle: () =>
        Effect.tryPromise({ try: metrics.print, catch: () => MessageFaults.busy }).pipe(
          Effect.map((text) => ({ status: 200, content: { as: "text", type: metrics.contentType, text } }))
        )
    }
  ]
  const document = Buffer.from(JSON.stringify(openApi([...others, ...described], basePath)))
  return [
    ...described,
    file("/openapi.json", "service.openapi", "application/json; charset=utf-8", document),
    ...docsFiles(basePath).map(({ content, path, type }) =>
      file(path, `service${path.replaceAll("/", ".")}`, type, content)
    )
  ]
}

/** Same-origin only, and nothing is fetched from elsewhere: the page works where there is no way out. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'"

const file = (path: `/${string}`, id: string, type: string, text: Buffer): OpenEndpoint => ({
  method: "GET",
  path,
  id,
  operation: null,
  tag,
  summary: path,
  outcomes: [{ status: 200, description: "The file.", mediaType: type }],
  handle: () =>
    Effect.succeed({
      status: 200,
      content: { as: "text", type, text },
      headers: { "content-security-policy": POLICY, "x-content-type-options": "nosniff" }
    })
})
