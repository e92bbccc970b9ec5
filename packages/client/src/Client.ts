import createFetchClient, { type Client } from "openapi-fetch"
import { EarshotError } from "./Errors.js"
import { type RetryOptions, withRetries } from "./Retry.js"
import type { paths } from "./schema.js"

/** The credentials of a request; `docs/access.md` describes the kinds. An agent session is sent in addition to an API key. */
export interface Credentials {
  /** Sent as `X-SERVICE-API-KEY`. */
  readonly apiKey?: string | undefined
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string | undefined
  /** Sent as `X-SHAREABLE-LINK`. */
  readonly link?: string | undefined
}

export interface ClientOptions extends Credentials {
  /** The server, such as `https://earshot.example`, with its base path if it has one. */
  readonly baseUrl: string
  readonly retry?: RetryOptions
  /** Default: the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/** One method for each HTTP method, typed by the server's OpenAPI document: `client.GET("/dashboards/dashboards/")`. */
export type EarshotClient = Client<paths, ResultMedia>

/**
 * The media types of results. A caller that may change something but not read it gets a receipt with ids instead of the
 * result, whose media type is `application/vnd.earshot.receipt+json`.
 */
type ResultMedia = "application/json" | "application/x-ndjson" | "application/xml" | "text/plain"

/** Creates a client. It opens no connection until its first request, and there is nothing to close. */
export const createClient = ({ baseUrl, fetch, retry = {}, ...credentials }: ClientOptions): EarshotClient =>
  createFetchClient<paths, ResultMedia>({
    baseUrl,
    fetch: withRetries(fetch ?? ((request) => globalThis.fetch(request)), retry),
    headers: credentialHeaders(credentials)
  })

const credentialHeaders = ({ apiKey, link, token }: Credentials): Record<string, string> => ({
  ...(apiKey === undefined ? {} : { "X-SERVICE-API-KEY": apiKey }),
  ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  ...(link === undefined ? {} : { "X-SHAREABLE-LINK": link })
})

interface Outcome {
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}

type Data<R> = R extends { readonly data: infer D } ? D : never

/**
 * Awaits a request and returns its data.
 *
 *     const call = await dataOf(client.GET("/observability/v1/call-logs/{id}/", { params: { path: { id: 1 } } }))
 *
 * Throws an {@link EarshotError} for every status other than 2xx. Without this function, `error` of the result has the body.
 */
export const dataOf = async <R extends Outcome>(request: Promise<R>): Promise<Data<R>> => {
  const { data, error, response } = await request
  if (!response.ok) throw new EarshotError(response, error)
  // eslint-disable-next-line typescript/consistent-type-assertions -- the outcome of a 2xx is the variant with data
  return data as Data<R>
}
