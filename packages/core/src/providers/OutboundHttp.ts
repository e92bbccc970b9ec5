/**
 * The HTTP client of everything that calls out: code hosts, chat endpoints, recordings, speech servers, language models.
 *
 * - Addresses are checked as the socket connects, on every hop, so that neither a redirect nor a name that resolves to
 *   something else the second time leads into a private network.
 * - A request ends at its limits of bytes and time, whatever the other side does.
 * - Redirects are counted. Headers of the caller, which hold credentials, are not sent to another origin.
 * - Connections are kept alive. Those whose address was checked are never shared with those whose address was not.
 */
import * as http from "node:http"
import * as https from "node:https"
import { isIP } from "node:net"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { OutboundError, type OutboundReason } from "./OutboundError.js"
import { AddressNotPublic, isPublic, publicLookup } from "./PublicAddresses.js"

export { OutboundError, type OutboundReason }

/** What ends a request whatever the other side does. */
export interface OutboundLimits {
  /** Bytes of the body. */
  readonly maxBytes: number
  /** Milliseconds from the first byte sent to the last byte read, redirects included. */
  readonly totalMillis: number
  /** Milliseconds without a byte from the other side. Default: no limit of its own. */
  readonly idleMillis?: number
}

export interface OutboundRequest {
  readonly url: string
  /** Default: GET. */
  readonly method?: "GET" | "POST" | "PUT" | "DELETE"
  /** Sent to the URL's origin alone: a redirect to another origin is followed without them. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  readonly limits: OutboundLimits
  /** Redirects that a GET follows; any other method gets the redirect as its response. Default: 0. */
  readonly maxRedirects?: number
  /**
   * Whether the operator configured this URL, such as that of a language model: its own host may have a private address.
   * Default: false.
   */
  readonly isTrusted?: boolean
}

export interface OutboundResponse {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  /** To be read once, while the scope of the request is open. */
  readonly body: Stream.Stream<Uint8Array, OutboundError>
}

export interface BufferedResponse {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}

export interface OutboundHttpConfig {
  /**
   * Hosts that may have a private address and may be reached over plain http: `minio.internal` for every port of a host,
   * `127.0.0.1:8080` for one port. Names and addresses are compared with what stands in the URL. Default: none.
   */
  readonly allowHosts?: ReadonlyArray<string>
}

export class OutboundHttp extends Context.Tag("@earshot/core/providers/OutboundHttp")<
  OutboundHttp,
  {
    /** Whether the operator allows this URL's host by name. */
    readonly allows: (url: URL) => boolean
    /** A response whose body is a stream; the connection is given up when the scope closes. */
    readonly open: (request: OutboundRequest) => Effect.Effect<OutboundResponse, OutboundError, Scope.Scope>
    /** A response with its whole body. The body of an error status is empty where it cannot be read. */
    readonly send: (request: OutboundRequest) => Effect.Effect<BufferedResponse, OutboundError>
  }
>() {}

/** The host as it stands in a URL, without the brackets of an IPv6 address. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "").toLowerCase()

const failed = (reason: OutboundReason): OutboundError => new OutboundError({ reason })

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Sent to every origin. `identity`, so that the limit of bytes is that of what is read. */
const COMMON_HEADERS = { "user-agent": "earshot", "accept-encoding": "identity" }

/**
 * How long an unused connection is kept. Below the 5 seconds after which servers close it by default (Node, uvicorn), so
 * that a request seldom meets a connection that is being closed.
 */
const KEEP_ALIVE_MILLIS = 4_000

/** Connections that were made with the same check of their address. */
const makePool = (): { readonly "http:": http.Agent; readonly "https:": https.Agent; readonly destroy: () => void } => {
  const options = { keepAlive: true, maxFreeSockets: 16, timeout: KEEP_ALIVE_MILLIS }
  const pool = { "http:": new http.Agent(options), "https:": new https.Agent(options) }
  return {
    ...pool,
    destroy: () => {
      pool["http:"].destroy()
      pool["https:"].destroy()
    }
  }
}

/** One request with its redirects: its timers, and the hop that is under way. */
interface Exchange {
  readonly signal: AbortSignal
  hop: http.ClientRequest | undefined
  /** To be called when the other side has to send something, and when it has. */
  readonly expect: () => void
  readonly received: () => void
}

const makeExchange = (limits: OutboundLimits): Effect.Effect<Exchange, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const controller = new AbortController()
        const end = (reason: OutboundReason) => {
          controller.abort(failed(reason))
        }
        const total = setTimeout(end, limits.totalMillis, { is: "TimedOut", seconds: limits.totalMillis / 1000 })
        let idle: NodeJS.Timeout | undefined
        const received = () => {
          clearTimeout(idle)
        }
        const expect = () => {
          received()
          if (limits.idleMillis !== undefined) {
            idle = setTimeout(end, limits.idleMillis, { is: "Idle", seconds: limits.idleMillis / 1000 })
          }
        }
        const exchange: Exchange = { signal: controller.signal, hop: undefined, expect, received }
        return { exchange, total }
      }),
      ({ exchange, total }) =>
        Effect.sync(() => {
          clearTimeout(total)
          exchange.received()
          // Without effect on a response that was read to its end: its connection is in the pool again.
          exchange.hop?.destroy()
        })
    ),
    ({ exchange }) => exchange
  )

const endOf = (signal: AbortSignal): OutboundError => {
  const reason: unknown = signal.reason
  return reason instanceof OutboundError ? reason : failed({ is: "NoResponse" })
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined

/** Sends one request and waits for the head of its response. */
const headOf = (
  exchange: Exchange,
  start: () => http.ClientRequest,
  body: Uint8Array | undefined
): Effect.Effect<http.IncomingMessage, OutboundError> =>
  Effect.async((resume) => {
    const { signal } = exchange
    if (signal.aborted) {
      resume(endOf(signal))
      return
    }
    let sent: http.ClientRequest
    try {
      sent = start()
    } catch {
      resume(failed({ is: "InvalidRequest" }))
      return
    }
    exchange.hop = sent
    const settle = (outcome: Effect.Effect<http.IncomingMessage, OutboundError>) => {
      signal.removeEventListener("abort", expire)
      exchange.received()
      resume(outcome)
    }
    const fail = (error: OutboundError) => {
      settle(error)
      sent.destroy()
    }
    const expire = () => {
      fail(endOf(signal))
    }
    signal.addEventListener("abort", expire, { once: true })
    sent.once("response", (response) => {
      settle(Effect.succeed(response))
    })
    sent.once("upgrade", (_, socket) => {
      socket.destroy()
      fail(failed({ is: "NoResponse" }))
    })
    sent.on("error", (error) => {
      fail(
        failed(
          error instanceof AddressNotPublic ? { is: "AddressNotPublic" } : { is: "Unreachable", code: codeOf(error) }
        )
      )
    })
    // Node closes a request that a protocol it does not know answers, with neither a response nor an error.
    sent.once("close", () => {
      fail(failed({ is: "NoResponse" }))
    })
    exchange.expect()
    sent.end(body)
    return Effect.sync(() => {
      signal.removeEventListener("abort", expire)
      sent.destroy()
    })
  })

/** The body as it comes, within the limits. */
const bodyOf = (
  exchange: Exchange,
  response: http.IncomingMessage,
  maxBytes: number
): Stream.Stream<Uint8Array, OutboundError> => {
  const { signal } = exchange
  const chunks: AsyncIterator<unknown> = response[Symbol.asyncIterator]()
  const expired = new Promise<never>((_, reject) => {
    const expire = () => {
      reject(endOf(signal))
    }
    if (signal.aborted) expire()
    else signal.addEventListener("abort", expire, { once: true })
  })
  // It is raced against every chunk; after the last one it has no handler.
  expired.catch(() => undefined)
  let length = 0
  const next = Effect.tryPromise({
    try: () => {
      exchange.expect()
      return Promise.race([chunks.next(), expired]).finally(exchange.received)
    },
    catch: (cause) => Option.some(signal.aborted ? endOf(signal) : failed({ is: "Incomplete", code: codeOf(cause) }))
  }).pipe(
    Effect.flatMap((step): Effect.Effect<Uint8Array, Option.Option<OutboundError>> => {
      if (step.done === true) return Effect.fail(Option.none())
      const chunk = step.value instanceof Uint8Array ? step.value : Buffer.from(String(step.value))
      length += chunk.length
      return length > maxBytes ? Effect.fail(Option.some(failed({ is: "TooLarge", maxBytes }))) : Effect.succeed(chunk)
    })
  )
  return Stream.repeatEffectOption(next)
}

/** Why a body is not read at all. */
const refusalOf = ({ headers }: http.IncomingMessage, maxBytes: number): OutboundReason | undefined => {
  if (!["identity", "", undefined].includes(headers["content-encoding"])) return { is: "Encoded" }
  return Number(headers["content-length"] ?? 0) > maxBytes ? { is: "TooLarge", maxBytes } : undefined
}

const isIdempotent = (method: string): boolean => method !== "POST"

export const layer = (config: OutboundHttpConfig = {}): Layer.Layer<OutboundHttp> =>
  Layer.scoped(
    OutboundHttp,
    Effect.gen(function* () {
      const allowed = new Set((config.allowHosts ?? []).map((host) => host.toLowerCase()))
      const pools = yield* Effect.acquireRelease(
        Effect.sync(() => ({ checked: makePool(), open: makePool() })),
        ({ checked, open }) =>
          Effect.sync(() => {
            checked.destroy()
            open.destroy()
          })
      )
      const allows = (url: URL): boolean => allowed.has(hostOf(url)) || allowed.has(url.host.toLowerCase())

      /** One hop: the response to a request, whatever its status. */
      const hop = (
        exchange: Exchange,
        url: URL,
        isOpen: boolean,
        options: { readonly method: string; readonly headers: Record<string, string>; readonly body?: Uint8Array }
      ): Effect.Effect<http.IncomingMessage, OutboundError> => {
        const { protocol } = url
        if (protocol !== "http:" && protocol !== "https:") return failed({ is: "UnsupportedScheme" })
        const host = hostOf(url)
        // An address in the URL itself is not looked up.
        if (!isOpen && isIP(host) !== 0 && !isPublic(host)) return failed({ is: "AddressNotPublic" })
        const start = (agent: http.Agent | false) => () =>
          (protocol === "https:" ? https : http).request(url, {
            method: options.method,
            headers: options.headers,
            agent,
            ...(isOpen ? {} : { lookup: publicLookup })
          })
        return Effect.catchIf(
          headOf(exchange, start(isOpen ? pools.open[protocol] : pools.checked[protocol]), options.body),
          // RFC 9112, section 9.3.1: a connection that was kept may be closed at any time. As in Go's net/http, only what
          // may be sent twice is.
          ({ reason }) =>
            reason.is === "Unreachable" && exchange.hop?.reusedSocket === true && isIdempotent(options.method),
          () => headOf(exchange, start(false), options.body)
        )
      }

      const follow = (
        exchange: Exchange,
        request: OutboundRequest,
        url: URL,
        redirects: number
      ): Effect.Effect<http.IncomingMessage, OutboundError> => {
        const { body, headers = {}, isTrusted = false, maxRedirects = 0, method = "GET" } = request
        const isOwnOrigin = url.origin === new URL(request.url).origin
        const options = {
          method,
          headers: {
            ...COMMON_HEADERS,
            ...(isOwnOrigin ? headers : headers.accept === undefined ? {} : { accept: headers.accept }),
            ...(body === undefined ? {} : { "content-length": String(body.length) })
          },
          ...(body === undefined ? {} : { body })
        }
        return Effect.flatMap(hop(exchange, url, allows(url) || (isTrusted && isOwnOrigin), options), (response) => {
          const { location } = response.headers
          const isFollowed = method === "GET" && maxRedirects > 0 && REDIRECTS.has(response.statusCode ?? 0)
          if (!isFollowed || location === undefined) return Effect.succeed(response)
          exchange.hop?.destroy()
          if (redirects >= maxRedirects) return failed({ is: "TooManyRedirects", maxRedirects })
          if (!URL.canParse(location, url.href)) return failed({ is: "InvalidRedirect" })
          return follow(exchange, request, new URL(location, url), redirects + 1)
        })
      }

      const open = (request: OutboundRequest): Effect.Effect<OutboundResponse, OutboundError, Scope.Scope> =>
        Effect.gen(function* () {
          if (!URL.canParse(request.url)) return yield* failed({ is: "InvalidUrl" })
          const { limits, url } = request
          const exchange = yield* makeExchange(limits)
          const response = yield* follow(exchange, request, new URL(url), 0)
          // The scope destroys an unread body; without a listener its error would end the process.
          response.on("error", () => undefined)
          const refusal = refusalOf(response, limits.maxBytes)
          return {
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: refusal === undefined ? bodyOf(exchange, response, limits.maxBytes) : Stream.fail(failed(refusal))
          }
        })

      return OutboundHttp.of({
        allows,
        open,
        send: (request) =>
          Effect.scoped(
            Effect.flatMap(open(request), ({ body, headers, status }) => {
              const whole = Effect.map(Stream.runCollect(body), (chunks) =>
                Buffer.concat(Chunk.toReadonlyArray(chunks))
              )
              const isError = status < 200 || status > 299
              return Effect.map(
                isError ? Effect.orElseSucceed(whole, () => Buffer.alloc(0)) : whole,
                (bytes): BufferedResponse => ({ status, headers, body: bytes })
              )
            })
          )
      })
    })
  )
