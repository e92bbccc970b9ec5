/** `fetch` for libraries that take one: requests of theirs go the way of all others. */
import type * as Context from "effect/Context"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { OutboundHttp, OutboundLimits } from "./OutboundHttp.js"

export interface OutboundFetchConfig {
  readonly limits: OutboundLimits
  /** A URL that the operator configured; its host may have a private address. */
  readonly trustedUrl?: string
}

/** Statuses whose responses have no body, by the Fetch standard. */
const NULL_BODY = new Set([204, 205, 304])

/**
 * A `fetch` that reads whole responses, and follows no redirects. It rejects with a `TypeError` as the standard has it,
 * whose cause is the `OutboundError`.
 */
export const makeFetch =
  (http: Context.Tag.Service<OutboundHttp>, { limits, trustedUrl }: OutboundFetchConfig): typeof globalThis.fetch =>
  async (input, init) => {
    const request = new Request(input, init)
    const { method, url } = request
    if (method !== "GET" && method !== "POST" && method !== "DELETE") {
      return Promise.reject(new TypeError(`This fetch sends GET, POST and DELETE, not ${method}.`))
    }
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer())
    const sending = http.send({
      url,
      method,
      headers: Object.fromEntries(request.headers),
      ...(body === undefined ? {} : { body }),
      limits,
      isTrusted: trustedUrl !== undefined && new URL(trustedUrl).origin === new URL(url).origin
    })
    const exit = await Effect.runPromiseExit(sending, { signal: request.signal })
    if (Exit.isFailure(exit)) {
      request.signal.throwIfAborted()
      return Promise.reject(new TypeError("fetch failed", { cause: Cause.squash(exit.cause) }))
    }
    const response = exit.value
    const headers = new Headers()
    for (const [name, value] of Object.entries(response.headers)) {
      for (const one of typeof value === "string" ? [value] : (value ?? [])) headers.append(name, one)
    }
    const content = NULL_BODY.has(response.status) ? null : new Uint8Array(response.body)
    return new Response(content, { status: response.status, headers })
  }
