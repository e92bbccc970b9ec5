/** JSON requests to code hosts. */
import { isIP } from "node:net"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { CodeHostFailed } from "../checkouts/CheckoutErrors.js"
import { type BufferedResponse, hostOf, type OutboundHttp } from "./OutboundHttp.js"
import { isPublic } from "./PublicAddresses.js"

export interface CodeHostHttpConfig {
  /** Milliseconds for one request to a code host. Default: 10,000. */
  readonly timeoutMillis?: number
}

/** A response: its JSON, or undefined where it has none. */
export interface CodeHostResponse {
  readonly status: number
  readonly headers: BufferedResponse["headers"]
  readonly body: unknown
}

export interface CodeHostRequest {
  readonly method: "GET" | "POST" | "DELETE"
  /** Below the base address, with a slash in front. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** A description of a repository or a group takes some kilobytes. */
const MAX_RESPONSE_BYTES = 1024 * 1024

export const failed = (reason: string, retryAfterSeconds: number | null = null): CodeHostFailed =>
  new CodeHostFailed({ reason, retryAfterSeconds })

export interface CodeHostHttp {
  /** The normalized base address of a host, or the field error of `base_url`. */
  readonly readBaseUrl: (text: string) => Either.Either<string, string>
  /**
   * Sends a request. Redirects are returned, not followed. A failure repeats nothing of the request, which holds secrets.
   */
  readonly send: (baseUrl: string, request: CodeHostRequest) => Effect.Effect<CodeHostResponse, CodeHostFailed>
}

export const makeCodeHostHttp = (
  http: Context.Tag.Service<OutboundHttp>,
  { timeoutMillis = 10_000 }: CodeHostHttpConfig = {}
): CodeHostHttp => {
  const readBaseUrl = (text: string): Either.Either<string, string> => {
    if (!URL.canParse(text)) return Either.left("Enter a valid URL.")
    const url = new URL(text)
    if (url.username !== "" || url.password !== "") return Either.left("Enter a URL without credentials.")
    if (url.search !== "" || url.hash !== "") return Either.left("Enter a URL without query and fragment.")
    if (url.protocol !== "https:" && !(url.protocol === "http:" && http.allows(url))) {
      return Either.left("Use https. The operator can allow a host of their own by name.")
    }
    if (!http.allows(url) && isIP(hostOf(url)) !== 0 && !isPublic(hostOf(url))) {
      return Either.left("This address is not a public one. The operator can allow it by name.")
    }
    return Either.right(url.href.replace(/\/+$/, ""))
  }

  return {
    readBaseUrl,
    send: (baseUrl, { body, headers, method, path }) =>
      Effect.suspend(() => {
        const url = baseUrl + path
        // The operator may have withdrawn what was allowed when the connection was made.
        if (Either.isLeft(readBaseUrl(baseUrl)) || !URL.canParse(url)) {
          return failed("The connection's base_url is not allowed.")
        }
        return http
          .send({
            url,
            method,
            headers: {
              accept: "application/json",
              ...headers,
              ...(body === undefined ? {} : { "content-type": "application/json" })
            },
            ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
            limits: { maxBytes: MAX_RESPONSE_BYTES, totalMillis: timeoutMillis }
          })
          .pipe(
            Effect.mapBoth({
              onFailure: ({ message }) => failed(`The code host ${message}.`),
              onSuccess: (response) => ({ ...response, body: parseJson(response.body) })
            })
          )
      })
  }
}

const parseJson = (bytes: Buffer): unknown =>
  Either.getOrUndefined(Either.try((): unknown => JSON.parse(bytes.toString())))

export const INVALID_RESPONSE = failed("The code host sent an invalid response.")

/** Decodes the JSON of a response. */
export const decodeBody = <A, I>(
  schema: Schema.Schema<A, I>
): ((response: CodeHostResponse) => Effect.Effect<A, CodeHostFailed>) => {
  const decode = Schema.decodeUnknownEither(schema)
  return (response) => Either.mapLeft(decode(response.body), () => INVALID_RESPONSE)
}

const header = (headers: CodeHostResponse["headers"], name: string): string | undefined => {
  const value = headers[name]
  return typeof value === "string" ? value : undefined
}

/** Seconds until a host that limits requests can be asked again. Default where it does not say: 60. */
const retryAfterOf = (headers: CodeHostResponse["headers"], nowMillis: number): number => {
  const after = Number(header(headers, "retry-after") ?? Number.NaN)
  const reset = Number(header(headers, "x-ratelimit-reset") ?? header(headers, "ratelimit-reset") ?? Number.NaN)
  const seconds = Number.isFinite(after) ? after : Number.isFinite(reset) ? reset - nowMillis / 1000 : 60
  return Math.min(86_400, Math.max(1, Math.ceil(seconds)))
}

/** The failure of a status that a step does not expect. */
export const unexpectedStatus = (response: CodeHostResponse): Effect.Effect<never, CodeHostFailed> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const { headers, status } = response
    const isLimited =
      status === 429 ||
      (status === 403 &&
        (header(headers, "retry-after") !== undefined || header(headers, "x-ratelimit-remaining") === "0"))
    if (isLimited) return failed(`The code host's rate limit is exceeded (HTTP ${status}).`, retryAfterOf(headers, now))
    if (status === 401) return failed("The code host refuses the connection's credential (HTTP 401).")
    if (status === 403) return failed("The code host forbids this to the connection (HTTP 403).")
    return failed(`The code host answered HTTP ${status}.`, status === 503 ? retryAfterOf(headers, now) : null)
  })

/**
 * A clone URL of a host as it is given to clients: over https, or over the protocol of the base URL, and without a
 * credential. A token that was issued over https is not sent over plain http.
 */
export const readCloneUrl = (text: string, baseUrl: string): Either.Either<string, CodeHostFailed> => {
  if (!URL.canParse(text)) return Either.left(INVALID_RESPONSE)
  const url = new URL(text)
  const hasCredential = url.username !== "" || url.password !== ""
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && baseUrl.startsWith("http:"))
  return isSafe && !hasCredential ? Either.right(url.href) : Either.left(INVALID_RESPONSE)
}
