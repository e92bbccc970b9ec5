import { Organizations } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { docsFiles } from "../Docs.js"
import { type Endpoint, json, type PublicEndpoint } from "../Endpoint.js"
import { messageErrors } from "../ErrorResponses.js"
import type { HttpMetrics } from "../Metrics.js"
import { openApi } from "../openapi/OpenApi.js"

const tag = "Service"

/** How long the database may take to answer before the server counts as not ready. */
const READINESS_TIMEOUT = "2 seconds"

const Status = (word: string) => ({ name: "Status", schema: Schema.Struct({ status: Schema.Literal(word) }) })

/** What is asked about the server itself; nobody is asked for a credential here. */
export const serviceEndpoints = (
  metrics: HttpMetrics,
  basePath: string,
  others: ReadonlyArray<Endpoint>
): ReadonlyArray<PublicEndpoint> => {
  const described: ReadonlyArray<PublicEndpoint> = [
    {
      method: "GET",
      path: "/health",
      id: "service.health",
      operation: null,
      tag,
      summary: "Whether the process answers",
      responses: [{ status: 200, description: "It does.", body: { ...Status("ok"), name: "Health" } }],
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
      responses: [{ status: 200, description: "They can.", body: { ...Status("ready"), name: "Readiness" } }],
      handle: () =>
        Effect.flatMap(Organizations, (organizations) => organizations.list({ limit: 1 })).pipe(
          Effect.as(json(200, { status: "ready" })),
          Effect.timeout(READINESS_TIMEOUT),
          Effect.mapError(() => messageErrors.notReady)
        )
    },
    {
      method: "GET",
      path: "/metrics",
      id: "service.metrics",
      operation: null,
      tag,
      summary: "Metrics for Prometheus",
      responses: [{ status: 200, description: "In Prometheus' text format.", mediaType: "text/plain" }],
      handle: () =>
        Effect.tryPromise({ try: metrics.print, catch: () => messageErrors.busy }).pipe(
          Effect.map((text) => ({ status: 200, content: { as: "text", type: metrics.contentType, text } }))
        )
    }
  ]
  const document = Buffer.from(JSON.stringify(openApi([...others, ...described], basePath)))
  return [
    ...described,
    staticFile("/openapi.json", "service.openapi", "application/json; charset=utf-8", document),
    ...docsFiles(basePath).map(({ content, path, type }) =>
      staticFile(path, `service${path.replaceAll("/", ".")}`, type, content)
    )
  ]
}

/** Same-origin only, and nothing is fetched from elsewhere: the page works where there is no way out. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'"

const staticFile = (path: `/${string}`, id: string, type: string, text: Buffer): PublicEndpoint => ({
  method: "GET",
  path,
  id,
  operation: null,
  tag,
  summary: path,
  responses: [{ status: 200, description: "The file.", mediaType: type }],
  handle: () =>
    Effect.succeed({
      status: 200,
      content: { as: "text", type, text },
      headers: { "content-security-policy": CONTENT_SECURITY_POLICY, "x-content-type-options": "nosniff" }
    })
})
