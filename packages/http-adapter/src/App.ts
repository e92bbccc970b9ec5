import { randomBytes } from "node:crypto"
import { type IncomingMessage, METHODS, type ServerResponse } from "node:http"
import {
  type Engine,
  Jobs,
  type OperationRule,
  operations,
  PlatformWebhooks,
  Tracing,
  TurnScheduler
} from "@earshot/core"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify"
import { makeAllowedMethods } from "./allowedMethods.js"
import { type Client, makeClientFinder, type TrustProxy } from "./ClientAddress.js"
import { type ConnectionGuard, makeConnectionGuard } from "./ConnectionGuard.js"
import { clientNetwork } from "./requestCredentials.js"
import { makeOriginPolicy } from "./SecurityHeaders.js"
import { discardRest, makeClientErrorHandler } from "./clientErrors.js"
import { JSON_TYPE, type ServedEndpoint, type SuccessResponse } from "./Endpoint.js"
import {
  challengeFor,
  type ErrorResponse,
  type HttpError,
  messageErrors,
  serverError,
  toErrorResponse
} from "./ErrorResponses.js"
import { jsonParts } from "./JsonParts.js"
import type { HttpLimits } from "./Limits.js"
import { callerFields, type Log, logFailure, logRequest } from "./Log.js"
import { type HttpMetrics, makeMetrics } from "./Metrics.js"
import { pacedBody, partsOf } from "./PacedBody.js"
import { makeRequestRunner, type RequestState } from "./requestRunner.js"
import type { ServerState } from "./routes/Service.js"
import { makeStorageDefects } from "./storageDefects.js"

export interface AppSettings {
  readonly limits: HttpLimits
  readonly log: Log
  /** The prefix of all paths, without a trailing slash; empty for none. */
  readonly basePath: string
  readonly trustProxy: TrustProxy
  /** Origins whose pages may embed the server and call it with embedded sessions and shareable links. */
  readonly allowOrigins: ReadonlyArray<string>
}

/** The endpoints over a running engine, not listening yet. */
export interface App {
  readonly fastify: FastifyInstance
  readonly connections: ConnectionGuard
  /** Handles a request whose client waits for `100 Continue` before it sends its body (`Expect: 100-continue`). */
  readonly expectContinue: (message: IncomingMessage, response: ServerResponse) => void
  /** Answers a request with any other expectation. */
  readonly expectationFailed: (message: IncomingMessage, response: ServerResponse) => void
  /** Makes every further response close its connection. */
  readonly drain: () => void
  /** Interrupts all running requests and waits until they have ended. */
  readonly interrupt: () => Promise<void>
}

declare module "fastify" {
  interface FastifyRequest {
    /** Undefined for requests that match no endpoint. */
    state: RequestState | undefined
    endpoint: ServedEndpoint | undefined
    client: Client | undefined
  }
}

/** The route of requests that match no endpoint, in logs and metrics. */
const UNMATCHED_ROUTE = "none"

/** The status that is logged and counted for requests whose client disconnected before the response. */
const CLIENT_CLOSED_REQUEST = 499

/** Stored bytes of a response from which it is sent in parts. */
const LARGE_RESPONSE_BYTES = 128 * 1024

export const makeApp = async (
  runtime: Runtime.Runtime<Engine.Services>,
  endpointsFor: (metrics: HttpMetrics, state: ServerState) => ReadonlyArray<ServedEndpoint>,
  settings: AppSettings
): Promise<App> => {
  const { basePath, limits, log } = settings
  const findClient = makeClientFinder(settings.trustProxy)
  const policy = makeOriginPolicy(settings.allowOrigins)
  // A trusted proxy has a client behind it, whatever address that is.
  const isProxy = (peer: string): boolean => findClient(peer, PROXIED).address !== findClient(peer, {}).address
  const connections = makeConnectionGuard(limits, isProxy)
  const runner = makeRequestRunner(runtime, limits, {
    addressOf: (request) => clientNetwork(clientOf(request).address),
    isSecure: (request) => clientOf(request).isSecure,
    onAuthenticated: (request) => {
      connections.admit(request.socket.remoteAddress ?? "")
    }
  })
  const jobs = Context.get(runtime.context, Jobs)
  const metrics = makeMetrics(
    { ...runner, connections },
    Context.get(runtime.context, PlatformWebhooks),
    Context.get(runtime.context, Tracing.Traces),
    {
      counts: () => Runtime.runPromise(runtime)(Effect.orElseSucceed(jobs.counts, () => null)),
      activity: jobs.activity
    }
  )
  let draining = false
  const defects = makeStorageDefects()
  const endpoints = endpointsFor(metrics, { isDraining: () => draining, databaseDefect: defects.current })

  const fastify = Fastify({
    ...fastifyOptions(settings),
    clientErrorHandler: makeClientErrorHandler(policy.headers(false, {})),
    frameworkErrors: (_, request, reply) => {
      sendError(request, reply, messageErrors.malformedUrl.response)
    }
  })
  fastify.server.on("connection", (socket) => {
    TurnScheduler.turnScheduler.hurry()
    connections.open(socket)
  })
  const trackRequest = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    connections.beginRequest(socket)
    response.once("close", () => {
      connections.endRequest(socket)
    })
  }
  fastify.server.on("request", trackRequest)
  // Declared as a property: a WeakMap keyed by request would slow down every collection of young objects.
  fastify.decorateRequest("state", undefined)
  fastify.decorateRequest("endpoint", undefined)
  fastify.decorateRequest("client", undefined)
  const clientOf = (request: FastifyRequest): Client =>
    (request.client ??= findClient(request.socket.remoteAddress, request.headers))

  const setHead = (
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    headers: Readonly<Record<string, string>> | undefined
  ): void => {
    reply.code(status).header("x-request-id", request.id)
    reply.headers(policy.headers(clientOf(request).isSecure, { ...request.endpoint?.headers, ...headers }))
    reply.headers(
      policy.crossOrigin(request.headers.origin, acceptedBy(request.endpoint), request.state?.actor?.credential)
    )
    if (draining) reply.header("connection", "close")
  }

  const sendError = (request: FastifyRequest, reply: FastifyReply, response: ErrorResponse): void => {
    setHead(request, reply, response.status, response.headers)
    const { endpoint } = request
    const encoded =
      endpoint !== undefined && "encodeError" in endpoint
        ? endpoint.encodeError(response, request.headers["content-type"] ?? "")
        : undefined
    if (encoded?.as === "text") void reply.type(encoded.type).send(encoded.text)
    else void reply.send(response.body)
  }

  const isLarge = ({ state }: FastifyRequest): boolean => (state?.lease?.held() ?? 0) >= LARGE_RESPONSE_BYTES

  /** Large values are sent in parts, so that neither they nor what is not yet read of them is one string. */
  const sendJson = (
    request: FastifyRequest,
    reply: FastifyReply,
    { type = JSON_TYPE, value }: { readonly value: unknown; readonly type?: string }
  ): void => {
    void reply
      .type(type)
      .send(isLarge(request) ? pacedBody(partsOf(jsonParts(value)), limits.stallMillis) : JSON.stringify(value))
  }

  const sendSuccess = (request: FastifyRequest, reply: FastifyReply, response: SuccessResponse): void => {
    const { content } = response
    setHead(request, reply, response.status, response.headers)
    if (content === undefined) void reply.send()
    else if (content.as === "json") sendJson(request, reply, content)
    else if (content.as === "text") {
      const { text, type } = content
      const inParts = typeof text === "string" && isLarge(request)
      void reply.type(type).send(inParts ? pacedBody(partsOf([text].values()), limits.stallMillis) : text)
    } else void reply.type(content.type).send(pacedBody(content.source, limits.stallMillis))
  }

  const handler = (endpoint: ServedEndpoint) => {
    const challenge = challengeOf(endpoint)
    const run = runner.run(endpoint)
    return (request: FastifyRequest, reply: FastifyReply): void => {
      request.endpoint = endpoint
      run(request, reply, (exit) => {
        if (exit._tag === "Success") {
          sendSuccess(request, reply, exit.value)
          return
        }
        const response = Either.match(Cause.failureOrCause(exit.cause), {
          onLeft: (error) => {
            if (error._tag === "StorageUnusable") defects.report(error.message)
            return toErrorResponse(error, request.id, challenge)
          },
          // Interrupted: the server is closing, or the client has disconnected.
          onRight: (cause) => (Cause.isInterruptedOnly(cause) ? messageErrors.busy.response : serverError(request.id))
        })
        if (response.status === 503 || response.status === 507) metrics.countUnavailable(unavailableReason(exit.cause))
        if (response.status === 500) logFailure(log, request.id, exit.cause)
        sendError(request, reply, response)
      })
    }
  }

  for (const endpoint of endpoints) {
    fastify.route({
      method: endpoint.method === "GET" ? ["GET", "HEAD"] : endpoint.method,
      url: `${basePath}${endpoint.path}`,
      // Handled in this hook, since Fastify reads the body after it, and the caller is authenticated before that.
      onRequest: handler(endpoint),
      handler: () => undefined
    })
  }

  const allowedMethods = makeAllowedMethods(endpoints, basePath)
  for (const method of METHODS) if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method)
  fastify.setNotFoundHandler((request, reply) => {
    const found = allowedMethods(request.raw.url ?? "")
    if (found === undefined) {
      sendError(request, reply, messageErrors.notFound.response)
      return
    }
    const { allow } = found
    if (request.method === "OPTIONS") {
      const method = request.headers["access-control-request-method"]
      const asked = found.endpoints.find((endpoint) => endpoint.method === (method === "HEAD" ? "GET" : method))
      const preflight = policy.preflight(request.headers.origin, acceptedBy(asked), method)
      sendSuccess(request, reply, { status: 204, headers: { allow, ...preflight } })
    } else sendError(request, reply, messageErrors.methodNotAllowed(request.method, allow).response)
  })
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser("*", (_request, _payload, done) => {
    done(null)
  })
  fastify.setErrorHandler((error, request, reply) => {
    const status = errorStatus(error)
    if (status >= 500) logFailure(log, request.id, Cause.die(error))
    sendError(
      request,
      reply,
      status >= 500 ? serverError(request.id) : { ...messageErrors.malformedRequest.response, status }
    )
  })

  fastify.addHook("onResponse", (request, reply, done) => {
    const { raw } = request
    const ms = reply.elapsedTime
    const status = reply.raw.writableFinished ? reply.statusCode : CLIENT_CLOSED_REQUEST
    const route = request.routeOptions.url ?? UNMATCHED_ROUTE
    metrics.observe(request.method, route, status, ms / 1000)
    if (log.isLevelEnabled("info")) {
      logRequest(log, {
        request_id: request.id,
        method: request.method,
        route,
        status,
        ms: Math.round(ms * 1000) / 1000,
        ...callerFields(request.state?.actor)
      })
    }
    if (!raw.complete) discardRest(raw, limits)
    done()
  })

  await fastify.ready()

  return {
    fastify,
    connections,
    expectContinue: (message, response) => {
      trackRequest(message, response)
      runner.awaitContinue(message, response)
      fastify.routing(message, response)
    },
    expectationFailed: (_message, response) => {
      const { body, status } = messageErrors.expectationFailed.response
      response.writeHead(status, { "content-type": JSON_TYPE, ...policy.headers(false, {}) }).end(JSON.stringify(body))
    },
    drain: () => {
      draining = true
    },
    interrupt: runner.interrupt
  }
}

/** Headers that a trusted proxy would set; no client has this address (RFC 5737). */
const PROXIED = { "x-forwarded-for": "192.0.2.255" }

/** What the response says, or the tag of the engine's error, or `interrupted`. */
const unavailableReason = (cause: Cause.Cause<HttpError>): string =>
  Option.match(Cause.failureOption(cause), {
    onNone: () => "interrupted",
    onSome: (error) => (error._tag === "HttpResponseError" ? (error.response.reason ?? "busy") : error._tag)
  })

/** The kinds of credentials that an endpoint accepts. */
const acceptedBy = (endpoint: ServedEndpoint | undefined): ReadonlyArray<string> => {
  if (endpoint === undefined || endpoint.operation === null || endpoint.operation === "raw") return []
  const rule: OperationRule = operations[endpoint.operation]
  return rule.accepts
}

const fastifyOptions = ({ limits }: AppSettings) => {
  const processId = randomBytes(6).toString("hex")
  let requests = 0
  return {
    logger: false,
    genReqId: () => `${processId}-${(requests++).toString(36)}`,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    connectionTimeout: limits.idleMillis,
    keepAliveTimeout: limits.keepAliveMillis,
    requestTimeout: limits.requestMillis,
    http: {
      maxHeaderSize: limits.headBytes,
      headersTimeout: Math.min(limits.headersMillis, limits.requestMillis),
      connectionsCheckingInterval: Math.max(50, Math.min(limits.headersMillis, limits.requestMillis, 2_000) / 2)
    },
    forceCloseConnections: "idle" as const,
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: 200,
      // Parsed by the endpoint, which knows the fields.
      querystringParser: (text: string) => ({ text })
    }
  }
}

/** A session is begun with an API key. */
const SESSION_CHALLENGE = 'ApiKey realm="earshot"'

/** The header WWW-Authenticate of an endpoint's 401. */
const challengeOf = (endpoint: ServedEndpoint): string => {
  if (endpoint.operation === null) return endpoint.signsIn === true ? SESSION_CHALLENGE : ""
  return endpoint.operation === "raw" ? endpoint.challenge : challengeFor(endpoint.operation)
}

const errorStatus = (error: unknown): number => {
  const status: unknown = typeof error === "object" && error !== null && "statusCode" in error ? error.statusCode : 500
  return typeof status === "number" && status >= 400 && status < 600 ? status : 500
}
