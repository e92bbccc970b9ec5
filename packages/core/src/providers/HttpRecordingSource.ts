import * as http from "node:http"
import * as https from "node:https"
import { isIP } from "node:net"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { RecordingSource, RecordingUnavailable, RecordingUrlRefused } from "../calls/RecordingSource.js"
import { isPublic, NotPublic, publicLookup } from "./PublicAddresses.js"

export interface HttpRecordingSourceConfig {
  /** The largest recording that is taken; 200 MB unless told. */
  readonly maxBytes?: number
  /** Milliseconds for the whole of it, redirects included; 20 seconds unless told. */
  readonly timeoutMillis?: number
  readonly maxRedirects?: number
  /**
   * Hosts, by the name or address that stands in the URL, that may lie in private networks: an operator's own storage.
   * Every other host has to have a public address.
   */
  readonly allowedHosts?: ReadonlyArray<string>
}

const REFUSED = "Recordings are not fetched from this address: it is not a public one."
const REDIRECTS = new Set([301, 302, 303, 307, 308])

const codeOf = (error: Error): string | undefined =>
  "code" in error && typeof error.code === "string" ? error.code : undefined

const sentenceOf = (error: Error): string => {
  const code = codeOf(error)
  return code === "ENOTFOUND" || code === "EAI_AGAIN"
    ? "the server's name could not be resolved."
    : `the connection failed${code === undefined ? "" : ` (${code})`}.`
}

/**
 * Recordings over HTTP. Every hop's address is checked as the connection to it is made, so neither a redirect nor a name
 * that resolves to something else the second time leads into a private network.
 */
export const layer = (config: HttpRecordingSourceConfig = {}): Layer.Layer<RecordingSource> =>
  Layer.sync(RecordingSource, () => {
    const { maxBytes = 200_000_000, maxRedirects = 5, timeoutMillis = 20_000 } = config
    const allowed = new Set((config.allowedHosts ?? []).map((host) => host.toLowerCase()))
    const request = (url: URL, signal: AbortSignal) =>
      Effect.async<http.IncomingMessage, RecordingUrlRefused | RecordingUnavailable>((resume) => {
        const host = hostOf(url)
        const isOpen = allowed.has(host)
        // An address in the URL itself is looked up by nobody.
        if (!isOpen && isIP(host) !== 0 && !isPublic(host)) {
          resume(new RecordingUrlRefused({ reason: REFUSED }))
          return
        }
        const options = {
          headers: { "accept-encoding": "identity", accept: "audio/*, */*;q=0.5" },
          agent: false,
          signal,
          ...(isOpen ? {} : { lookup: publicLookup })
        }
        const sent = url.protocol === "https:" ? https.get(url, options) : http.get(url, options)
        sent.once("response", (response) => resume(Effect.succeed(response)))
        sent.on("error", (error) =>
          resume(
            error instanceof NotPublic
              ? new RecordingUrlRefused({ reason: REFUSED })
              : new RecordingUnavailable({ reason: signal.aborted ? tookTooLong(timeoutMillis) : sentenceOf(error) })
          )
        )
        // A server that switches protocols brings neither a response nor an error.
        sent.once("close", () => resume(new RecordingUnavailable({ reason: "the server sent no answer." })))
      })

    /** Follows redirects to the answer that has the recording. */
    const open = (
      url: URL,
      signal: AbortSignal,
      hops: number
    ): Effect.Effect<http.IncomingMessage, RecordingUrlRefused | RecordingUnavailable> =>
      Effect.flatMap(request(url, signal), (response) => {
        const { headers, statusCode = 0 } = response
        if (REDIRECTS.has(statusCode) && headers.location !== undefined) {
          response.destroy()
          if (hops >= maxRedirects) {
            return new RecordingUnavailable({ reason: `it was redirected more than ${maxRedirects} times.` })
          }
          if (!URL.canParse(headers.location, url.href)) {
            return new RecordingUnavailable({ reason: "the server redirected to no valid URL." })
          }
          const next = new URL(headers.location, url)
          return next.protocol === "http:" || next.protocol === "https:"
            ? open(next, signal, hops + 1)
            : new RecordingUrlRefused({ reason: "Recordings are fetched over http and https only." })
        }
        if (statusCode !== 200) {
          response.destroy()
          return new RecordingUnavailable({ reason: `the server answered ${statusCode}.` })
        }
        if (!["identity", "", undefined].includes(headers["content-encoding"])) {
          response.destroy()
          return new RecordingUnavailable({ reason: "the server sent it compressed." })
        }
        if (Number(headers["content-length"] ?? 0) > maxBytes) {
          response.destroy()
          return new RecordingUnavailable({ reason: tooLarge(maxBytes) })
        }
        return Effect.succeed(response)
      })

    return RecordingSource.of({
      fetch: (text) =>
        Stream.unwrapScoped(
          Effect.gen(function* () {
            if (!URL.canParse(text)) return yield* new RecordingUrlRefused({ reason: "Enter a valid URL." })
            const url = new URL(text)
            if (url.protocol !== "http:" && url.protocol !== "https:") {
              return yield* new RecordingUrlRefused({ reason: "Recordings are fetched over http and https only." })
            }
            const controller = yield* Effect.acquireRelease(
              Effect.sync(() => new AbortController()),
              (one) => Effect.sync(() => one.abort())
            )
            yield* Effect.acquireRelease(
              Effect.sync(() => setTimeout(() => controller.abort(), timeoutMillis)),
              (timer) => Effect.sync(() => clearTimeout(timer))
            )
            const response = yield* open(url, controller.signal, 0)
            yield* Effect.addFinalizer(() => Effect.sync(() => response.destroy()))
            return Stream.fromAsyncIterable(
              response,
              (error) =>
                new RecordingUnavailable({
                  reason: controller.signal.aborted
                    ? tookTooLong(timeoutMillis)
                    : sentenceOf(error instanceof Error ? error : new Error("unknown"))
                })
            ).pipe(
              Stream.map((chunk: unknown) => (chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk)))),
              Stream.mapAccumEffect(0, (sum, chunk) =>
                sum + chunk.length > maxBytes
                  ? new RecordingUnavailable({ reason: tooLarge(maxBytes) })
                  : Effect.succeed([sum + chunk.length, chunk] as const)
              )
            )
          })
        )
    })
  })

/** The host as it stands in a URL, without the brackets of an IPv6 address. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "").toLowerCase()

const tooLarge = (maxBytes: number): string => `it is larger than ${maxBytes} bytes.`
const tookTooLong = (millis: number): string => `it took longer than ${millis / 1000} seconds.`
