/** JSON requests to code hosts, whose addresses come from outside. */
import * as http from "node:http"
import * as https from "node:https"
import { isIP } from "node:net"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { CodeHostFailed } from "../checkouts/CheckoutErrors.js"
import { isPublic, NotPublic, publicLookup } from "./PublicAddresses.js"

export interface CodeHostHttpConfig {
  /**
   * Hosts, by the name or address that stands in the URL, that may lie in private networks and may be asked over plain
   * http: an operator's own code host. Every other host has to have a public address and speak https.
   */
  readonly allowedHosts?: ReadonlyArray<string>
  /** Milliseconds for one request to a code host; 10 seconds unless told. */
  readonly timeoutMillis?: number
}

/** An answer: its JSON, or undefined where it has none. */
export interface HostAnswer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: unknown
}

export interface HostRequest {
  readonly method: "GET" | "POST" | "DELETE"
  /** Below the base address, with a slash in front. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** A description of a repository or a group takes some kilobytes. */
const MAX_ANSWER_BYTES = 1024 * 1024

export const failed = (reason: string, retryAfterSeconds: number | null = null): CodeHostFailed =>
  new CodeHostFailed({ reason, retryAfterSeconds })

/** The host as it stands in a URL, without the brackets of an IPv6 address. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "").toLowerCase()

export interface CodeHostHttp {
  /** The base address of a host as it is kept, or the sentence that says what is wrong with it. */
  readonly readBaseUrl: (text: string) => Either.Either<string, string>
  /**
   * Asks a host. Redirects are answered, not followed, so that credentials go nowhere else. What fails says nothing of
   * the request, which holds secrets.
   */
  readonly ask: (baseUrl: string, request: HostRequest) => Effect.Effect<HostAnswer, CodeHostFailed>
}

export const makeCodeHostHttp = (config: CodeHostHttpConfig = {}): CodeHostHttp => {
  const { timeoutMillis = 10_000 } = config
  const allowed = new Set((config.allowedHosts ?? []).map((host) => host.toLowerCase()))
  const isAllowed = (url: URL) => allowed.has(hostOf(url)) || allowed.has(url.host.toLowerCase())

  const readBaseUrl = (text: string): Either.Either<string, string> => {
    if (!URL.canParse(text)) return Either.left("Enter a valid URL.")
    const url = new URL(text)
    if (url.username !== "" || url.password !== "") return Either.left("A URL with a credential in it is not taken.")
    if (url.search !== "" || url.hash !== "") return Either.left("The URL ends with its path.")
    if (url.protocol !== "https:" && !(url.protocol === "http:" && isAllowed(url))) {
      return Either.left("Use https. The operator can allow a host of their own by name.")
    }
    if (!isAllowed(url) && isIP(hostOf(url)) !== 0 && !isPublic(hostOf(url))) {
      return Either.left("This address is not a public one. The operator can allow it by name.")
    }
    return Either.right(url.href.replace(/\/+$/, ""))
  }

  const send = (url: URL, request: HostRequest, signal: AbortSignal): Effect.Effect<HostAnswer, CodeHostFailed> =>
    Effect.async((resume) => {
      const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body))
      const options = {
        method: request.method,
        agent: false,
        signal,
        headers: {
          "user-agent": "earshot",
          "accept-encoding": "identity",
          accept: "application/json",
          ...request.headers,
          ...(body === undefined ? {} : { "content-type": "application/json", "content-length": body.length })
        },
        ...(isAllowed(url) ? {} : { lookup: publicLookup })
      }
      const fail = (error: unknown) => resume(Effect.fail(unreachable(error, signal, timeoutMillis)))
      const sent = url.protocol === "https:" ? https.request(url, options) : http.request(url, options)
      sent.on("error", fail)
      sent.once("response", (response) => {
        const chunks: Array<Buffer> = []
        let length = 0
        response.on("error", fail)
        response.on("data", (chunk: Buffer) => {
          length += chunk.length
          if (length > MAX_ANSWER_BYTES) {
            resume(Effect.fail(NOT_UNDERSTOOD))
            response.destroy()
          } else chunks.push(chunk)
        })
        response.on("end", () =>
          resume(
            Effect.succeed({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: parseJson(Buffer.concat(chunks))
            })
          )
        )
      })
      sent.end(body)
    })

  return {
    readBaseUrl,
    ask: (baseUrl, request) =>
      Effect.suspend(() => {
        // What the operator allowed once may not be allowed any more.
        if (Either.isLeft(readBaseUrl(baseUrl)) || !URL.canParse(baseUrl + request.path)) {
          return failed("The connection's base_url is not one that this engine may ask.")
        }
        const url = new URL(baseUrl + request.path)
        return Effect.acquireUseRelease(
          Effect.sync(() => {
            const controller = new AbortController()
            return { controller, timer: setTimeout(() => controller.abort(), timeoutMillis) }
          }),
          ({ controller }) => send(url, request, controller.signal),
          ({ controller, timer }) =>
            Effect.sync(() => {
              clearTimeout(timer)
              controller.abort()
            })
        )
      })
  }
}

const parseJson = (bytes: Buffer): unknown =>
  Either.getOrUndefined(Either.try((): unknown => JSON.parse(bytes.toString())))

const unreachable = (error: unknown, signal: AbortSignal, timeoutMillis: number): CodeHostFailed => {
  if (error instanceof NotPublic) return failed("The code host's name leads to an address that is not a public one.")
  if (signal.aborted) return failed(`The code host took longer than ${timeoutMillis / 1000} seconds.`)
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined
  return failed(`The code host cannot be reached${code === undefined ? "" : ` (${code})`}.`)
}

export const NOT_UNDERSTOOD = failed("The code host's answer was not understood.")

/** What the JSON of an answer holds. */
export const readAnswer = <A, I>(
  schema: Schema.Schema<A, I>
): ((answer: HostAnswer) => Effect.Effect<A, CodeHostFailed>) => {
  const decode = Schema.decodeUnknownEither(schema)
  return (answer) => Either.mapLeft(decode(answer.body), () => NOT_UNDERSTOOD)
}

const header = (headers: http.IncomingHttpHeaders, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === "string" ? value : undefined
}

/** How long a host that is asked too often wants to be left alone, in seconds; a minute where it does not say. */
const pauseOf = (headers: http.IncomingHttpHeaders, nowMillis: number): number => {
  const after = Number(header(headers, "retry-after") ?? Number.NaN)
  const reset = Number(header(headers, "x-ratelimit-reset") ?? header(headers, "ratelimit-reset") ?? Number.NaN)
  const seconds = Number.isFinite(after) ? after : Number.isFinite(reset) ? reset - nowMillis / 1000 : 60
  return Math.min(86_400, Math.max(1, Math.ceil(seconds)))
}

/** A refusal that no step of a conversation expects, as what it says about the connection. */
export const refusal = (answer: HostAnswer): Effect.Effect<never, CodeHostFailed> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const { headers, status } = answer
    const isLimited =
      status === 429 ||
      (status === 403 &&
        (header(headers, "retry-after") !== undefined || header(headers, "x-ratelimit-remaining") === "0"))
    if (isLimited) return failed("The code host is asked too often.", pauseOf(headers, now))
    if (status === 401) return failed("The code host refuses the connection's credential (HTTP 401).")
    if (status === 403) return failed("The code host forbids this to the connection (HTTP 403).")
    return failed(`The code host answered HTTP ${status}.`, status === 503 ? pauseOf(headers, now) : null)
  })

/**
 * A clone URL of a host as it is handed on: over https, or as the host itself is asked, and without a credential in it. A
 * key that was had over https is not sent over plain http afterwards.
 */
export const readCloneUrl = (text: string, baseUrl: string): Either.Either<string, CodeHostFailed> => {
  if (!URL.canParse(text)) return Either.left(NOT_UNDERSTOOD)
  const url = new URL(text)
  const isPlain = url.username === "" && url.password === ""
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && baseUrl.startsWith("http:"))
  return isPlain && isSafe ? Either.right(url.href) : Either.left(NOT_UNDERSTOOD)
}
