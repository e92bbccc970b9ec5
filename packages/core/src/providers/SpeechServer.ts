/** Requests to servers that transcribe or synthesize speech. */
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { mayPass, type OutboundError } from "./OutboundError.js"
import type { BufferedResponse, OutboundHttp, OutboundRequest, OutboundResponse } from "./OutboundHttp.js"

export interface SpeechServerRequest<Response, A, R = never> {
  readonly url: string
  readonly apiKey: Redacted.Redacted | undefined
  readonly contentType: string
  readonly body: Uint8Array
  /** The largest response in bytes. */
  readonly maxBytes: number
  /** Until the response is read, retries included. */
  readonly timeout: Duration.Duration
  /** Reads a successful response, or fails with a predicate: `sent an invalid response`; it may succeed when sent again. */
  readonly read: (response: Response) => Effect.Effect<A, string | OutboundError, R>
}

/** A failure of one request, and whether a later one may succeed. */
interface FailedRequest {
  readonly reason: string
  readonly retry: boolean
}

type Http = Context.Tag.Service<OutboundHttp>

const requestOf = ({
  apiKey,
  body,
  contentType,
  maxBytes,
  timeout,
  url
}: Omit<SpeechServerRequest<never, never>, "read">): OutboundRequest => ({
  url,
  method: "POST",
  headers: {
    "content-type": contentType,
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${Redacted.value(apiKey)}` })
  },
  body,
  isTrusted: true,
  // Later than the limit of all attempts, whose error names it.
  limits: { maxBytes, totalMillis: Duration.toMillis(timeout) + 1000 }
})

const failedBy = (error: OutboundError): FailedRequest => ({ reason: error.message, retry: mayPass(error) })

/** One attempt. */
const attemptOf = <Response extends { readonly status: number }, A, R, R2>(
  sent: Effect.Effect<Response, OutboundError, R>,
  read: (response: Response) => Effect.Effect<A, string | OutboundError, R2>
): Effect.Effect<A, FailedRequest, R | R2> =>
  sent.pipe(
    Effect.mapError(failedBy),
    Effect.filterOrFail(
      ({ status }) => status >= 200 && status <= 299,
      ({ status }): FailedRequest => ({ reason: `answered HTTP ${status}`, retry: mayPass({ status }) })
    ),
    Effect.flatMap((response) =>
      Effect.mapError(read(response), (error) =>
        typeof error === "string" ? { reason: error, retry: true } : failedBy(error)
      )
    )
  )

/** Attempts up to three times. */
const repeated = <A, R>(
  attempt: Effect.Effect<A, FailedRequest, R>,
  timeout: Duration.Duration
): Effect.Effect<A, string, R> =>
  attempt.pipe(
    Effect.retry({
      while: ({ retry }) => retry,
      schedule: Schedule.jittered(Schedule.exponential("500 millis")),
      times: 2
    }),
    Effect.mapError(({ reason }) => reason),
    Effect.timeoutFail({ duration: timeout, onTimeout: () => tookLongerThan(timeout) })
  )

export const tookLongerThan = (timeout: Duration.Duration): string => `took longer than ${Duration.format(timeout)}`

/**
 * Sends a request, and again up to twice if the server is overloaded, cannot be reached or sends an unusable response. Fails
 * with a predicate that repeats nothing of the request or the response: `answered HTTP 401`.
 */
export const askSpeechServer = <A>(
  http: Http,
  request: SpeechServerRequest<BufferedResponse, A>
): Effect.Effect<A, string> => repeated(attemptOf(http.send(requestOf(request)), request.read), request.timeout)

/** As `askSpeechServer`, with a response that is read as it comes; `read` decides whether it is usable. */
export const openSpeechServer = <A>(
  http: Http,
  request: SpeechServerRequest<OutboundResponse, A, Scope.Scope>
): Effect.Effect<A, string, Scope.Scope> => {
  // The connection of an attempt that failed is given up before the next one.
  const attempt = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const outer = yield* Effect.scope
      const scope = yield* Scope.fork(outer, outer.strategy)
      return yield* restore(attemptOf(http.open(requestOf(request)), request.read)).pipe(
        Scope.extend(scope),
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
    })
  )
  return repeated(attempt, request.timeout)
}
