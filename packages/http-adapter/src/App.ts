import { randomBytes } from "node:crypto"
import { type IncomingMessage, METHODS, type ServerResponse } from "node:http"
import { isIPv6, type Socket } from "node:net"
import { type Actor, Credentials, CurrentActor, type Engine, type Presented } from "@earshot/core"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify"
import { bodyReader, decodeFormPairs, type IncomingBody, readRaw } from "./Body.js"
import type { SuccessResponse, EndpointRequest, ServedEndpoint } from "./Endpoint.js"
import {
  challengeFor,
  type ErrorResponse,
  type HttpError,
  messageErrors,
  serverError,
  toErrorResponse
} from "./ErrorResponses.js"
import { formFields } from "./FormFields.js"
import type { HttpLimits } from "./Limits.js"
import { callerFields, type Log, logFailure, logRequest } from "./Log.js"
import { type HttpMetrics, makeMetrics } from "./Metrics.js"

/** Whether the word of a proxy in front is taken on a caller's address: everybody's, or that of these addresses. */
export type TrustProxy = boolean | ReadonlyArray<string>

export interface AppSettings {
  readonly limits: HttpLimits
  readonly log: Log
  /** A path that all paths begin with, without a slash at its end; empty for none. */
  readonly basePath: string
  readonly trustProxy: TrustProxy
}

/** The endpoints over a running engine. It listens nowhere yet. */
export interface App {
  readonly fastify: FastifyInstance
  /** Answers a request whose client waits to be told to send its body (`Expect: 100-continue`). */
  readonly expectContinue: (message: IncomingMessage, response: ServerResponse) => void
  /** From now on every answer is the last one on its connection. */
  readonly drain: () => void
  /** Stops what still runs for requests, and waits until it has. */
  readonly interrupt: () => Promise<void>
}

/** What is known of a request that is being answered. */
interface RequestState {
  actor: Actor | undefined
  /** Bytes of its body that are held. */
  reservedBytes: number
}

declare module "fastify" {
  interface FastifyRequest {
    /** Undefined for requests that no endpoint answers. */
    exchange: RequestState | undefined
  }
}

/** The route of requests that no endpoint answers, in logs and metrics. */
const UNMATCHED_ROUTE = "none"

/** The status under which requests are counted whose client went away before the answer. */
const CLIENT_CLOSED_REQUEST = 499

export const makeApp = async (
  runtime: Runtime.Runtime<Engine.Services>,
  endpointsFor: (metrics: HttpMetrics) => ReadonlyArray<ServedEndpoint>,
  settings: AppSettings
): Promise<App> => {
  const { limits, log } = settings
  const credentials = Context.get(runtime.context, Credentials)
  const runFork = Runtime.runFork(runtime)
  const running = new Set<Fiber.RuntimeFiber<SuccessResponse, HttpError>>()
  const waiting = new WeakMap<IncomingMessage, ServerResponse>()
  let bytesInFlight = 0
  let draining = false

  const metrics = makeMetrics({ requestsInFlight: () => running.size, bodyBytesInFlight: () => bytesInFlight })
  const endpoints = endpointsFor(metrics)

  const process = randomBytes(6).toString("hex")
  let requests = 0

  const { trustProxy } = settings
  const fastify = Fastify({
    logger: false,
    genReqId: () => `${process}-${(requests++).toString(36)}`,
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
    forceCloseConnections: "idle",
    trustProxy: typeof trustProxy === "boolean" ? trustProxy : [...trustProxy],
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: 200,
      // Taken apart by the endpoint that knows its fields.
      querystringParser: (text) => ({ text })
    },
    clientErrorHandler: handleClientError,
    frameworkErrors: (_, request, reply) => {
      refuse(request, reply, messageErrors.malformedUrl.response)
    }
  })
  fastify.server.maxConnections = limits.connections
  // A property, declared beforehand: with a WeakMap beside requests, collecting young memory would go through its entries.
  fastify.decorateRequest("exchange", undefined)

  const refuse = (request: FastifyRequest, reply: FastifyReply, answer: ErrorResponse): void => {
    prepare(request, reply, answer.status, answer.headers)
    void reply.send(answer.body)
  }

  const prepare = (
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    headers: Readonly<Record<string, string>> | undefined
  ): void => {
    reply.code(status).header("x-request-id", request.id)
    if (headers !== undefined) reply.headers(headers)
    if (draining) reply.header("connection", "close")
  }

  const succeed = (request: FastifyRequest, reply: FastifyReply, answer: SuccessResponse): void => {
    const { content } = answer
    prepare(request, reply, answer.status, answer.headers)
    if (content === undefined) void reply.send()
    else if (content.as === "json") void reply.send(content.value)
    else void reply.type(content.type).send(content.as === "text" ? content.text : content.stream)
  }

  const serve = (endpoint: ServedEndpoint) => {
    const input = inputReader(endpoint, limits)
    const challenge =
      endpoint.operation === null
        ? ""
        : endpoint.operation === "raw"
          ? endpoint.challenge
          : challengeFor(endpoint.operation)
    const isRead = endpoint.method === "GET"

    const program = (
      request: FastifyRequest,
      exchange: RequestState
    ): Effect.Effect<SuccessResponse, HttpError, Engine.Services> => {
      const incoming: IncomingBody = {
        message: request.raw,
        budget: {
          reserve: (bytes) => {
            if (bytesInFlight + bytes > limits.bytesInFlight) return false
            bytesInFlight += bytes
            exchange.reservedBytes += bytes
            return true
          }
        },
        sendContinue: () => waiting.get(request.raw)?.writeContinue()
      }
      if (endpoint.operation === null) return Effect.flatMap(input(request, incoming), endpoint.handle)
      if (endpoint.operation === "raw") {
        const { handle, mediaType } = endpoint
        const bytes = mediaType === undefined ? Effect.succeed(new Uint8Array()) : readRaw(mediaType, limits, incoming)
        const { headers } = request
        return Effect.flatMap(input(request, incoming), (asked) => handle({ ...asked, headers, bytes }))
      }
      const { handle, operation } = endpoint
      // Who calls is asked before a byte of the body is read.
      return Effect.flatMap(
        credentials.admit(operation, presentedCredentials(request), { from: clientNetwork(request.ip) }),
        (actor) => {
          exchange.actor = actor
          return Effect.provideService(Effect.flatMap(input(request, incoming), handle), CurrentActor, actor)
        }
      )
    }

    return (request: FastifyRequest, reply: FastifyReply): void => {
      const exchange: RequestState = { actor: undefined, reservedBytes: 0 }
      request.exchange = exchange
      if (endpoint.headers !== undefined) reply.headers(endpoint.headers)
      const fiber = runFork(program(request, exchange))
      running.add(fiber)
      // What only reads is not worth finishing for a client that has gone; what writes is finished, as it was asked for.
      if (isRead) reply.raw.once("close", () => fiber.unsafeInterruptAsFork(FiberId.none))
      fiber.addObserver((exit: Exit.Exit<SuccessResponse, HttpError>) => {
        running.delete(fiber)
        bytesInFlight -= exchange.reservedBytes
        if (exit._tag === "Success") {
          succeed(request, reply, exit.value)
          return
        }
        const failure = Cause.failureOrCause(exit.cause)
        const answer = Either.match(failure, {
          onLeft: (fault) => toErrorResponse(fault, request.id, challenge),
          // Interrupted: the server closes, or nobody is there any more to be answered.
          onRight: (cause) => (Cause.isInterruptedOnly(cause) ? messageErrors.busy.response : serverError(request.id))
        })
        if (answer.status === 500) logFailure(log, request.id, exit.cause)
        refuse(request, reply, answer)
      })
    }
  }

  for (const endpoint of endpoints) {
    const serveIt = serve(endpoint)
    fastify.route({
      method: endpoint.method === "GET" ? ["GET", "HEAD"] : endpoint.method,
      url: `${settings.basePath}${endpoint.path}`,
      // A hook that answers: what comes after it in Fastify is the reading of bodies, which is not asked for yet here.
      onRequest: serveIt,
      handler: () => undefined
    })
  }

  const allowed = makeAllowedMethods(endpoints, settings.basePath)
  for (const method of METHODS) if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method)
  fastify.setNotFoundHandler((request, reply) => {
    const allow = allowed(request.raw.url ?? "")
    if (allow === undefined) refuse(request, reply, messageErrors.notFound.response)
    else if (request.method === "OPTIONS") succeed(request, reply, { status: 204, headers: { allow } })
    else refuse(request, reply, messageErrors.methodNotAllowed(request.method, allow).response)
  })
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser("*", (_request, _payload, done) => {
    done(null)
  })
  fastify.setErrorHandler((error, request, reply) => {
    const status = errorStatus(error)
    if (status >= 500) logFailure(log, request.id, Cause.die(error))
    refuse(
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
        ...callerFields(request.exchange?.actor)
      })
    }
    if (!raw.complete) discardRest(raw, limits)
    done()
  })

  await fastify.ready()

  return {
    fastify,
    expectContinue: (message, response) => {
      waiting.set(message, response)
      fastify.routing(message, response)
    },
    drain: () => {
      draining = true
    },
    interrupt: async () => {
      const ended = [...running].map(
        (fiber) =>
          new Promise<void>((resolve) => {
            fiber.addObserver(() => {
              resolve()
            })
            fiber.unsafeInterruptAsFork(FiberId.none)
          })
      )
      await Promise.all(ended)
    }
  }
}

/** What an endpoint is told of a request: its query and body read as their schemas have them. */
const inputReader = (endpoint: ServedEndpoint, limits: HttpLimits) => {
  const readBody = endpoint.body === undefined ? undefined : bodyReader(endpoint.body, limits)
  const queryFields = endpoint.query === undefined ? undefined : formFields(endpoint.query)
  return (request: FastifyRequest, incoming: IncomingBody): Effect.Effect<EndpointRequest, HttpError> => {
    const params = pathParams(request)
    const query =
      queryFields === undefined
        ? Either.right({})
        : Either.flatMap(
            Either.mapLeft(decodeFormPairs(queryText(request)), () => messageErrors.malformedQuery),
            (entries) => queryFields.collect(limits, entries)
          )
    if (Either.isLeft(query)) return Effect.fail(query.left)
    return readBody === undefined
      ? Effect.succeed({ params, query: query.right, body: undefined })
      : Effect.map(readBody(incoming), (body) => ({ params, query: query.right, body }))
  }
}

// Fastify leaves both to be typed by whoever names the route.
const pathParams = ({ params }: FastifyRequest): Readonly<Record<string, string>> =>
  typeof params === "object" && params !== null ? { ...params } : {}

const queryText = ({ query }: FastifyRequest): string =>
  typeof query === "object" && query !== null && "text" in query && typeof query.text === "string" ? query.text : ""

/** The credentials of a request as the engine's door takes them. A scheme other than Bearer presents nothing. */
const presentedCredentials = ({ headers }: FastifyRequest): Presented => ({
  apiKey: nonEmptyHeader(headers["x-service-api-key"]),
  bearer: headers.authorization === undefined ? undefined : /^bearer +(\S+) *$/i.exec(headers.authorization)?.[1],
  shareableLink: nonEmptyHeader(headers["x-shareable-link"])
})

const nonEmptyHeader = (header: string | Array<string> | undefined): string | undefined =>
  typeof header === "string" && header !== "" ? header : undefined

/**
 * Whose wrong credentials are counted together: an IPv4 address, or the network (/64) of an IPv6 one, of which a single
 * client has more addresses than can be counted.
 */
const clientNetwork = (address: string): string => {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [before = [], after] = address.split("::").map((half) => (half === "" ? [] : half.split(":")))
  const zeros = after === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  const groups = [...before, ...Array.from({ length: zeros }, () => "0"), ...(after ?? [])]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`
}

/** The methods that a path answers to, as the header Allow has them, or undefined for a path that there is not. */
const makeAllowedMethods = (endpoints: ReadonlyArray<ServedEndpoint>, basePath: string) => {
  // A path that is named goes before one with a parameter that would take its name.
  const ordered = Object.entries(Arr.groupBy(endpoints, (endpoint) => endpoint.path)).toSorted(
    ([one], [other]) => one.split(":").length - other.split(":").length
  )
  const paths = ordered.map(([path, group]) => {
    const methods = group.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]))
    const pattern = path
      .replace(/\/$/, "")
      .replaceAll(".", "\\.")
      .replace(/:[a-z_]+/g, "[^/]+")
    return { pattern: new RegExp(`^${pattern}/?$`), allow: [...methods, "OPTIONS"].join(", ") }
  })
  return (url: string): string | undefined => {
    const path = url.split("?", 1)[0] ?? ""
    if (!path.startsWith(basePath)) return undefined
    const own = path.slice(basePath.length)
    return paths.find(({ pattern }) => pattern.test(own))?.allow
  }
}

const errorStatus = (error: unknown): number => {
  const status: unknown = typeof error === "object" && error !== null && "statusCode" in error ? error.statusCode : 500
  return typeof status === "number" && status >= 400 && status < 600 ? status : 500
}

/**
 * Reads on for a while after an answer that came before the end of the request, and throws away what arrives. Closing
 * at once would reset the connection, and the client would never see the answer.
 */
const discardRest = (message: IncomingMessage, limits: HttpLimits): void => {
  const { socket } = message
  if (socket.destroyed) return
  const timer = setTimeout(() => socket.destroy(), limits.lingerMillis)
  timer.unref()
  const stop = () => {
    clearTimeout(timer)
  }
  message.once("end", stop).once("close", stop).resume()
}

/** Messages that are no HTTP, or too slow: there is no request to answer, so the answer is written by hand. */
const handleClientError = (error: Error & { readonly code?: string }, socket: Socket): void => {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy()
    return
  }
  const { body, status } = clientErrorResponse(error.code ?? "").response
  const text = JSON.stringify(body)
  socket.end(
    [
      `HTTP/1.1 ${status} ${REASON_PHRASES[status] ?? "Bad Request"}`,
      "connection: close",
      "content-type: application/json; charset=utf-8",
      `content-length: ${Buffer.byteLength(text)}`,
      "",
      text
    ].join("\r\n")
  )
}

const REASON_PHRASES: Readonly<Record<number, string>> = {
  408: "Request Timeout",
  431: "Request Header Fields Too Large"
}

const clientErrorResponse = (code: string) => {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return messageErrors.timeout
    case "HPE_HEADER_OVERFLOW":
      return messageErrors.headTooLarge
    default:
      return messageErrors.malformedRequest
  }
}
