/** Repeats requests that the server could not serve at the moment. */
import { retryAfterSeconds } from "./Errors.js"

export interface RetryOptions {
  /** Number of attempts in all; 1 disables retries. Default: 4. */
  readonly attempts?: number
  /** Longest wait between two attempts in milliseconds. If the server asks for more, its response is returned. Default: 30,000. */
  readonly maxWaitMillis?: number
}

type Fetch = (request: Request) => Promise<Response>

/** Requests whose repetition has the same effect as one: methods by RFC 9110, section 9.2.2, and a PATCH of the server. */
const IDEMPOTENT_METHODS = new Set(["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"])

/** POST endpoints that store nothing, or that identify what they store by the body. */
const IDEMPOTENT_PATHS = [
  "/observability/v1/observe/",
  "/dashboards/widgets/preview_data/",
  "/test_framework/v2/scenarios/validate_scenarios_json/"
]

const FIRST_WAIT_MILLIS = 250

const isIdempotent = (request: Request): boolean => {
  if (IDEMPOTENT_METHODS.has(request.method)) return true
  const path = new URL(request.url).pathname
  return IDEMPOTENT_PATHS.some((idempotent) => `${path}/`.replace(/\/\/$/, "/").endsWith(idempotent))
}

/**
 * Wraps a `fetch`. A 429 is always repeated, since the server did not execute the request. A 503 and a failed connection are
 * repeated only if the request is idempotent: whether it was executed is unknown. Waits are those of `Retry-After`, or else
 * grow exponentially from 250 ms with random jitter.
 */
export const withRetries = (fetch: Fetch, { attempts = 4, maxWaitMillis = 30_000 }: RetryOptions): Fetch => {
  const attempt = async (request: Request, number: number): Promise<Response> => {
    const isLast = number >= attempts
    // A body can be read once, so every attempt but the last sends a copy.
    const sent = isLast ? request : request.clone()
    let response: Response
    try {
      response = await fetch(sent)
    } catch (error) {
      if (isLast || request.signal.aborted || !isIdempotent(request)) throw error
      await wait(backoffMillis(number, maxWaitMillis), request.signal)
      return attempt(request, number + 1)
    }
    if (isLast || !(response.status === 429 || (response.status === 503 && isIdempotent(request)))) return response
    const asked = retryAfterSeconds(response.headers, Date.now())
    const millis = asked === undefined ? backoffMillis(number, maxWaitMillis) : asked * 1000
    if (millis > maxWaitMillis) return response
    // An unread body keeps its connection.
    await response.body?.cancel()
    await wait(millis, request.signal)
    return attempt(request, number + 1)
  }
  return (request) => attempt(request, 1)
}

const backoffMillis = (number: number, maxWaitMillis: number): number =>
  Math.min(maxWaitMillis, FIRST_WAIT_MILLIS * 2 ** (number - 1)) * (0.5 + Math.random() / 2)

const wait = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(abortReason(signal))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort)
      resolve()
    }, millis)
    if (signal.aborted) abort()
    else signal.addEventListener("abort", abort, { once: true })
  })

const abortReason = (signal: AbortSignal): Error =>
  signal.reason instanceof Error ? signal.reason : new DOMException("The request was aborted.", "AbortError")
