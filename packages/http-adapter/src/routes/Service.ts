import { Readiness, type ReadinessCheck } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { docsFiles } from "../Docs.js"
import { json, type PublicEndpoint } from "../Endpoint.js"
import { messageErrors } from "../ErrorResponses.js"
import type { HttpMetrics } from "../Metrics.js"
import { openApi } from "../openapi/OpenApi.js"
import { hooks } from "./Hooks.js"
import { endpoints } from "./index.js"

const tag = "Service"

const CheckBody = Schema.Struct({ status: Schema.Literal("ok", "failed"), detail: Schema.NullOr(Schema.String) })

const ReadinessBody = Schema.Struct({
  status: Schema.Literal("ready", "not_ready"),
  checks: Schema.Struct({ database: CheckBody, schema: CheckBody, recordings: CheckBody, shutdown: CheckBody })
})

/** A check that was not made counts as failed. */
const readinessBody = (
  checks: ReadonlyArray<ReadinessCheck>,
  isDraining: boolean,
  defect: string | null
): typeof ReadinessBody.Type => {
  const bodyOf = (name: ReadinessCheck["name"]): typeof CheckBody.Type => {
    const check = checks.find((one) => one.name === name)
    const found = check === undefined ? "The check was not made." : check.failure
    const detail = name === "database" ? (found ?? defect) : found
    return { status: detail === null ? "ok" : "failed", detail }
  }
  const all = {
    database: bodyOf("database"),
    schema: bodyOf("schema"),
    recordings: bodyOf("recordings"),
    shutdown: isDraining
      ? { status: "failed" as const, detail: "The server is shutting down." }
      : { status: "ok" as const, detail: null }
  }
  const isReady = Object.values(all).every(({ status }) => status === "ok")
  return { status: isReady ? "ready" : "not_ready", checks: all }
}

const statusSchema = (name: string, status: string) => ({
  name,
  schema: Schema.Struct({ status: Schema.Literal(status) })
})

/** What the server knows about itself. */
export interface ServerState {
  readonly isDraining: () => boolean
  /** What requests of the last seconds found wrong with the database; null if nothing. */
  readonly databaseDefect: () => string | null
}

/** Endpoints of the server itself. They require no credential. */
export const serviceEndpoints = (
  metrics: HttpMetrics,
  basePath: string,
  state: ServerState
): ReadonlyArray<PublicEndpoint> => {
  const described: ReadonlyArray<PublicEndpoint> = [
    {
      method: "GET",
      path: "/health",
      id: "service.health",
      operation: null,
      tag,
      summary: "Check that the process is alive",
      responses: [{ status: 200, description: "The process is alive.", body: statusSchema("Health", "ok") }],
      handle: () => Effect.succeed(json(200, { status: "ok" }))
    },
    {
      method: "GET",
      path: "/ready",
      id: "service.ready",
      operation: null,
      tag,
      summary: "Check that the server is ready for traffic",
      description:
        "Writes to the database and to the store of recordings. Send no traffic while this returns 503, whose body has the same form.",
      responses: [
        {
          status: 200,
          description: "The server is ready for traffic.",
          body: { name: "Readiness", schema: ReadinessBody }
        }
      ],
      handle: () =>
        Effect.flatMap(Readiness, ({ checks }) =>
          Effect.flatMap(checks, (found) => {
            const body = readinessBody(found, state.isDraining(), state.databaseDefect())
            return body.status === "ready" ? Effect.succeed(json(200, body)) : messageErrors.notReady(body)
          })
        )
    },
    {
      method: "GET",
      path: "/metrics",
      id: "service.metrics",
      operation: null,
      tag,
      summary: "Read Prometheus metrics",
      responses: [{ status: 200, description: "Metrics in the Prometheus text format.", mediaType: "text/plain" }],
      handle: () =>
        Effect.tryPromise({ try: metrics.print, catch: () => messageErrors.busy }).pipe(
          Effect.map((text) => ({ status: 200, content: { as: "text", type: metrics.contentType, text } }))
        )
    }
  ]
  return [
    ...described,
    staticFile("/openapi.json", "service.openapi", "application/json; charset=utf-8", () =>
      documentOf(basePath, described)
    ),
    ...docsFiles(basePath).map(({ content, path, type }) =>
      staticFile(path, `service${path.replaceAll("/", ".")}`, type, () => content)
    )
  ]
}

const documents = new Map<string, Buffer>()

/** The OpenAPI document, the same for all servers with a base path. Made for its first reader, since it takes 0.2 s. */
const documentOf = (basePath: string, described: ReadonlyArray<PublicEndpoint>): Buffer => {
  const known = documents.get(basePath)
  if (known !== undefined) return known
  const made = Buffer.from(JSON.stringify(openApi([...endpoints, ...hooks, ...described], basePath)))
  documents.set(basePath, made)
  return made
}

/** Same-origin only: the page works without internet access. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'"

const staticFile = (path: `/${string}`, id: string, type: string, text: () => Buffer): PublicEndpoint => ({
  method: "GET",
  path,
  id,
  operation: null,
  tag,
  summary: path,
  responses: [{ status: 200, description: "The file.", mediaType: type }],
  handle: () =>
    Effect.sync(() => ({
      status: 200,
      content: { as: "text", type, text: text() },
      headers: { "content-security-policy": CONTENT_SECURITY_POLICY, "cache-control": "public, max-age=300" }
    }))
})
