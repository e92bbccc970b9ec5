/** Runs an endpoint for a request: credentials, query and body, use case; and keeps count of what is in flight. */
import type { IncomingMessage, ServerResponse } from "node:http"
import {
  type Actor,
  Credentials,
  CurrentActor,
  type Engine,
  ResponseBytes,
  type ResultWithheld,
  untrusted,
  withReceipts
} from "@earshot/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"
import type { FastifyReply, FastifyRequest } from "fastify"
import { bodyReader, decodeFormPairs, type IncomingBody, readRaw } from "./Body.js"
import {
  type Endpoint,
  type EndpointRequest,
  RECEIPT_TYPE,
  type ServedEndpoint,
  type SuccessResponse,
  type Visitor
} from "./Endpoint.js"
import { type HttpError, messageErrors } from "./ErrorResponses.js"
import { formFields } from "./FormFields.js"
import { parseJson } from "./JsonText.js"
import { LARGE_BODY_BYTES, makeTurns } from "./LargeBodies.js"
import type { HttpLimits } from "./Limits.js"
import { originOf, sessionCookie, sessionOf } from "./browserSession.js"
import { presentedCredentials } from "./requestCredentials.js"
import { budgetOf, makeResponseBudget, type ResponseLease } from "./ResponseBudget.js"

/** State of a request that is being handled. */
export interface RequestState {
  actor: Actor | undefined
  /** Bytes of its body that are held in memory. */
  reservedBytes: number
  /** Bytes of its response that are in memory. */
  lease: ResponseLease | undefined
  /** Lets the next request with a large body begin; undefined unless this one is such a request, and has begun. */
  endTurn: Effect.Effect<void> | undefined
}

const hasLargeBody = ({ reservedBytes }: RequestState): boolean => reservedBytes >= LARGE_BODY_BYTES

/** Lets other requests run between two steps of one with a large body. */
const yieldIfLarge = (state: RequestState): Effect.Effect<void> =>
  Effect.suspend(() => (hasLargeBody(state) ? Effect.yieldNow() : Effect.void))

type RequestExit = Exit.Exit<SuccessResponse, HttpError>

export interface RequestRunner {
  /** Runs an endpoint for each request handed to the returned function, and reports its exit. */
  readonly run: (
    endpoint: ServedEndpoint
  ) => (request: FastifyRequest, reply: FastifyReply, onExit: (exit: RequestExit) => void) => void
  /** Registers a request whose client waits for `100 Continue` before it sends its body. */
  readonly awaitContinue: (message: IncomingMessage, response: ServerResponse) => void
  readonly requestsInFlight: () => number
  readonly bodyBytesInFlight: () => number
  readonly responseBytesInFlight: () => number
  /** Interrupts all running requests and waits until they have ended. */
  readonly interrupt: () => Promise<void>
}

/** What the runner needs to know of a request's client. */
export interface ClientHooks {
  /** What failed authentication attempts are counted by. */
  readonly addressOf: (request: FastifyRequest) => string
  /** Whether it is connected by TLS. */
  readonly isSecure: (request: FastifyRequest) => boolean
  readonly onAuthenticated: (request: FastifyRequest) => void
}

export const makeRequestRunner = (
  runtime: Runtime.Runtime<Engine.Services>,
  limits: HttpLimits,
  client: ClientHooks
): RequestRunner => {
  const credentials = Context.get(runtime.context, Credentials)
  const runFork = Runtime.runFork(runtime)
  const running = new Set<Fiber.RuntimeFiber<SuccessResponse, HttpError>>()
  const awaitingContinue = new WeakMap<IncomingMessage, ServerResponse>()
  const responses = makeResponseBudget(limits)
  const turns = makeTurns()
  let bytesInFlight = 0

  const senderOf = (request: FastifyRequest, { actor }: RequestState): string =>
    actor === undefined ? `address ${client.addressOf(request)}` : `organization ${actor.organizationId}`

  const incomingBody = (request: FastifyRequest, state: RequestState): IncomingBody => ({
    message: request.raw,
    budget: {
      reserve: (bytes) => {
        if (bytesInFlight + bytes > limits.bytesInFlight) return false
        bytesInFlight += bytes
        state.reservedBytes += bytes
        return true
      }
    },
    sendContinue: () => awaitingContinue.get(request.raw)?.writeContinue(),
    turn: Effect.suspend(() =>
      hasLargeBody(state)
        ? Effect.uninterruptibleMask((restore) =>
            Effect.map(restore(turns.begin(senderOf(request, state))), (end) => {
              state.endTurn = end
            })
          )
        : Effect.void
    )
  })

  const program = (
    endpoint: ServedEndpoint,
    readInput: InputReader,
    request: FastifyRequest,
    state: RequestState
  ): Effect.Effect<SuccessResponse, HttpError, Engine.Services> => {
    const incoming = incomingBody(request, state)
    if (endpoint.operation === null) {
      return Effect.flatMap(readInput(request, incoming), (input) =>
        endpoint.handle({ ...input, visitor: visitorOf(request, client) })
      )
    }
    if (endpoint.operation === "raw") {
      const { handle, isLarge, mediaType } = endpoint
      const limit = isLarge === true ? limits.multipartBytes : limits.bodyBytes
      const bytes = mediaType === undefined ? Effect.succeed(new Uint8Array()) : readRaw(mediaType, limit, incoming)
      const from = client.addressOf(request)
      return Effect.flatMap(readInput(request, incoming), (input) =>
        handle({
          ...input,
          from,
          bytes,
          parseJson: (body) => parseJson(limits, Buffer.from(body.buffer, body.byteOffset, body.byteLength))
        })
      )
    }
    const { handle, operation } = endpoint
    // The caller is authenticated before any of the body is read.
    const presented = presentedCredentials(request, client.isSecure(request))
    return Effect.flatMap(
      credentials.admit(
        operation,
        endpoint.takesBearerKeys === true ? { ...presented, apiKey: presented.apiKey ?? presented.bearer } : presented,
        { from: client.addressOf(request) }
      ),
      (actor) => {
        state.actor = actor
        client.onAuthenticated(request)
        const lease = responses.open(actor.organizationId)
        state.lease = lease
        const input = Effect.zipLeft(readInput(request, incoming), yieldIfLarge(state))
        return withReceipts(Effect.flatMap(input, handle)).pipe(
          Effect.catchTag("ResultWithheld", (withheld) => Effect.succeed(receiptResponse(endpoint, withheld))),
          Effect.provideService(CurrentActor, actor),
          Effect.locally(ResponseBytes.currentResponseBytes, budgetOf(lease, endpoint.method === "GET"))
        )
      }
    )
  }

  return {
    run: (endpoint) => {
      const readInput = makeInputReader(endpoint, limits)
      const isRead = endpoint.method === "GET"
      return (request, reply, onExit) => {
        const state: RequestState = { actor: undefined, reservedBytes: 0, lease: undefined, endTurn: undefined }
        request.state = state
        const fiber = runFork(program(endpoint, readInput, request, state))
        running.add(fiber)
        let isAnswered = false
        // Answered at once, since the fiber may be in a statement that cannot be interrupted.
        const timer = setTimeout(() => {
          isAnswered = true
          fiber.unsafeInterruptAsFork(FiberId.none)
          onExit(Exit.fail(messageErrors.tookTooLong(limits.answerMillis / 1000)))
        }, limits.answerMillis)
        // A read is interrupted when its client disconnects; a write is completed.
        let closed = false
        reply.raw.once("close", () => {
          closed = true
          if (isRead) fiber.unsafeInterruptAsFork(FiberId.none)
          // What a fiber that still runs has read is in memory until it ends.
          if (!running.has(fiber)) state.lease?.close()
        })
        fiber.addObserver((exit) => {
          running.delete(fiber)
          if (closed || exit._tag === "Failure") state.lease?.close()
          bytesInFlight -= state.reservedBytes
          clearTimeout(timer)
          if (!isAnswered) onExit(exit)
          if (state.endTurn !== undefined) runFork(state.endTurn)
        })
      }
    },
    awaitContinue: (message, response) => {
      awaitingContinue.set(message, response)
    },
    requestsInFlight: () => running.size,
    bodyBytesInFlight: () => bytesInFlight,
    responseBytesInFlight: responses.bytesInFlight,
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

const visitorOf = (request: FastifyRequest, client: ClientHooks): Visitor => {
  const isSecure = client.isSecure(request)
  return {
    from: client.addressOf(request),
    session: sessionOf(request, isSecure),
    isOfOtherOrigin: originOf(request) === "other",
    sessionCookie: (session) => sessionCookie(request, isSecure, session)
  }
}

/** The response of a successful operation whose result the caller may not read. */
export const receiptResponse = ({ responses }: Endpoint, { created, receipt }: ResultWithheld): SuccessResponse => ({
  status: created ? (responses[0].status === 201 ? 201 : 200) : 200,
  content: { as: "json", value: receipt, type: RECEIPT_TYPE }
})

type InputReader = (request: FastifyRequest, incoming: IncomingBody) => Effect.Effect<EndpointRequest, HttpError>

/** Reads path parameters, query and body as the endpoint's schemas describe them. */
const makeInputReader = (endpoint: ServedEndpoint, limits: HttpLimits): InputReader => {
  const readBody = endpoint.body === undefined ? undefined : bodyReader(endpoint.body, limits)
  const queryFields = endpoint.query === undefined ? undefined : formFields(endpoint.query)
  return (request, incoming) => {
    const params = pathParams(request)
    const { headers } = request
    const isHead = request.method === "HEAD"
    const query =
      queryFields === undefined
        ? Either.right({})
        : Either.flatMap(
            Either.mapLeft(decodeFormPairs(queryText(request)), () => messageErrors.malformedQuery),
            (entries) => queryFields.collect(limits, entries)
          )
    if (Either.isLeft(query)) return Effect.fail(query.left)
    const asked: Readonly<Record<string, unknown>> = query.right
    return readBody === undefined
      ? Effect.succeed({ params, query: untrusted(asked), body: untrusted(undefined), headers, isHead })
      : Effect.map(readBody(incoming), (body) => ({
          params,
          query: untrusted(asked),
          body: untrusted(body),
          headers,
          isHead
        }))
  }
}

// Fastify types both as unknown.
const pathParams = ({ params }: FastifyRequest): Readonly<Record<string, string>> =>
  typeof params === "object" && params !== null ? { ...params } : {}

const queryText = ({ query }: FastifyRequest): string =>
  typeof query === "object" && query !== null && "text" in query && typeof query.text === "string" ? query.text : ""
