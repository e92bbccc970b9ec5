/** Requests to servers that transcribe or synthesize speech. */
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { mayPass } from "./OutboundError.js"
import type { BufferedResponse, OutboundHttp } from "./OutboundHttp.js"

export interface SpeechServerRequest<A> {
  readonly url: string
  readonly apiKey: Redacted.Redacted | undefined
  readonly contentType: string
  readonly body: Uint8Array
  /** The largest response in bytes. */
  readonly maxBytes: number
  /** Retries included. */
  readonly timeout: Duration.Duration
  /** Reads a successful response, or fails with a predicate: `sent an invalid response`. */
  readonly read: (response: BufferedResponse) => Effect.Effect<A, string>
}

/** A failure of one request, and whether a later one may succeed. */
interface FailedRequest {
  readonly reason: string
  readonly retry: boolean
}

/**
 * Sends a request, and again up to twice if the server is overloaded, cannot be reached or sends an unusable response. Fails
 * with a predicate that repeats nothing of the request or the response: `answered HTTP 401`.
 */
export const askSpeechServer = <A>(
  http: Context.Tag.Service<OutboundHttp>,
  { apiKey, body, contentType, maxBytes, read, timeout, url }: SpeechServerRequest<A>
): Effect.Effect<A, string> =>
  http
    .send({
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
    .pipe(
      Effect.mapError((error): FailedRequest => ({ reason: error.message, retry: mayPass(error) })),
      Effect.filterOrFail(
        ({ status }) => status >= 200 && status <= 299,
        ({ status }): FailedRequest => ({ reason: `answered HTTP ${status}`, retry: mayPass({ status }) })
      ),
      Effect.flatMap((response) =>
        Effect.mapError(read(response), (reason): FailedRequest => ({ reason, retry: true }))
      ),
      Effect.retry({
        while: ({ retry }) => retry,
        schedule: Schedule.jittered(Schedule.exponential("500 millis")),
        times: 2
      }),
      Effect.mapError(({ reason }) => reason),
      Effect.timeoutFail({ duration: timeout, onTimeout: () => `took longer than ${Duration.format(timeout)}` })
    )
