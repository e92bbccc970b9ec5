/** The HTTP API as commands call it: a server's, or the engine's in this process. docs/decisions/0204 has the reasons. */
import {
  type ClientOptions,
  createClient,
  type EarshotClient,
  events as readEvents,
  lines as readLines,
  type paths
} from "@earshot/client"
import type { StorageError } from "@earshot/core"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** The API answered with an error. Its exit code follows from the status. */
export class ApiRejected extends Data.TaggedError("ApiRejected")<{
  readonly status: number
  /** The response's JSON: `{"detail": "..."}`, or messages by field. */
  readonly body: Readonly<Record<string, unknown>>
  /** Under which a server logs the request; null in this process. */
  readonly requestId: string | null
}> {
  override get message(): string {
    return typeof this.body.detail === "string" ? this.body.detail : `The server responded with status ${this.status}.`
  }
}

/** What was asked is done, but the caller may not read its result. */
export class ReceiptOnly extends Data.TaggedError("ReceiptOnly")<{
  readonly receipt: object
  readonly status: number
}> {
  override get message(): string {
    return "The operation has succeeded. Its result is not shown: the key may not read it."
  }
}

/** The server of `--url` cannot be reached, or is none of Earshot's. Exit code 3. */
export class ServerUnusable extends Data.TaggedError("ServerUnusable")<{ readonly reason: string }> {
  override get message(): string {
    return this.reason
  }
}

/** Why a request has no response. Failures of the storage are those of an engine in this process. */
export type ApiFailure = ApiRejected | ReceiptOnly | ServerUnusable | StorageError

/** Sends a request. Fails with what `Thrown` holds. */
export type Fetch = (request: Request) => Promise<Response>

/** A failure as an exception, through code that knows only promises. */
export class Thrown extends Error {
  readonly failure: Cause.Cause<ApiFailure>
  constructor(failure: Cause.Cause<ApiFailure>) {
    super("The request failed.")
    this.failure = failure
  }
}

export class Api extends Context.Tag("@earshot/cli-adapter/Api")<
  Api,
  {
    readonly client: EarshotClient
    /** Whether the engine is in this process. */
    readonly isLocal: boolean
    /** Runs due jobs until the scope ends, where no server does. */
    readonly runJobs: Effect.Effect<void, never, Scope.Scope>
  }
>() {}

const RECEIPT_TYPE = "application/vnd.earshot.receipt+json"
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether a JSON value is an error response of the API. */
const isErrorBody = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isRecord(value) &&
  (typeof value.detail === "string" || Object.values(value).every((messages) => Array.isArray(messages)))

/** Passes on responses with the requested data; everything else is thrown. */
const check = async ({ request, response }: { readonly request: Request; readonly response: Response }) => {
  const type = response.headers.get("content-type") ?? ""
  if (response.ok && !type.startsWith(RECEIPT_TYPE)) return
  const text = await response.text()
  const body = JSON_TYPE.test(type) ? parsed(text) : undefined
  if (response.ok) {
    const receipt = typeof body === "object" && body !== null ? body : {}
    throw new Thrown(Cause.fail(new ReceiptOnly({ status: response.status, receipt })))
  }
  if (!isErrorBody(body)) throw new Thrown(Cause.fail(notEarshot(request, response)))
  const requestId = response.headers.get("x-request-id")
  throw new Thrown(Cause.fail(new ApiRejected({ status: response.status, body, requestId })))
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const notEarshot = ({ url }: Request, { headers, status }: Response): ServerUnusable => {
  const { origin } = new URL(url)
  const location = headers.get("location")
  return new ServerUnusable({
    reason:
      status >= 300 && status < 400
        ? `${origin} redirects${location === null ? "" : ` to ${location}`}. Set --url (EARSHOT_URL) to the address that it redirects to.`
        : status === 502 || status === 503 || status === 504
          ? `The proxy at ${origin} cannot reach the server (status ${status}). Try again when the server is up.`
          : `${origin} is not an Earshot server, or its API is at another path (status ${status}). Check --url (EARSHOT_URL).`
  })
}

/** The client over a way to send requests. */
export const clientOver = (fetch: Fetch, options: Omit<ClientOptions, "fetch">): EarshotClient => {
  const client = createClient({ ...options, fetch })
  client.use({ onResponse: check })
  return client
}

type Method = "get" | "post" | "patch" | "delete"

/** The paths that have a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P][M] extends { readonly responses: unknown } ? P : never
}[keyof paths]

type JsonOf<Responses, Status extends number> = Responses extends {
  readonly [S in Status]: { readonly content: { readonly "application/json": infer Body } }
}
  ? Body
  : never

/** The JSON of a successful response, as the API's document states it; undefined where there is none. */
export type Returned<M extends Method, P extends PathOf<M>> = paths[P][M] extends {
  readonly responses: infer Responses
}
  ? JsonOf<Responses, 200> | JsonOf<Responses, 201> | (Responses extends { readonly 204: unknown } ? undefined : never)
  : never

/** What a request sends. The API validates it. */
export interface Sent {
  /** The parameter `id` of the path. */
  readonly id?: number
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  /** Instead of a JSON body: a form with files. */
  readonly form?: FormData
}

interface Outcome {
  readonly data?: unknown
  readonly response: Response
}

const request = (
  method: Method,
  path: string,
  { body, form, id, params, query = {} }: Sent,
  parseAs: "json" | "stream" | "text"
): Effect.Effect<Outcome, ApiFailure, Api> =>
  Effect.flatMap(Api, ({ client }) =>
    Effect.tryPromise({
      try: () =>
        // eslint-disable-next-line typescript/consistent-type-assertions -- what a command sends is validated by the API; `send` states what it returns
        (client.request as unknown as (method: Method, path: string, init: object) => Promise<Outcome>)(method, path, {
          params: { query, path: { ...params, ...(id === undefined ? {} : { id }) } },
          parseAs,
          ...(form === undefined ? (body === undefined ? {} : { body }) : { body: form, bodySerializer: () => form })
        }),
      catch: causeOf
    }).pipe(Effect.catchAll(Effect.failCause))
  )

const causeOf = (error: unknown): Cause.Cause<ApiFailure> =>
  error instanceof Thrown
    ? error.failure
    : error instanceof SyntaxError
      ? Cause.fail(
          new ServerUnusable({
            reason: "The response is not JSON. Check that --url (EARSHOT_URL) is an Earshot server."
          })
        )
      : Cause.die(error)

/** Sends a request whose path is not known here, and returns the JSON of its response. */
export const sendUntyped = <A>(method: Method, path: string, sent: Sent = {}): Effect.Effect<A, ApiFailure, Api> =>
  // eslint-disable-next-line typescript/consistent-type-assertions -- the caller states what the path returns
  Effect.map(request(method, path, sent, "json"), ({ data }) => data as A)

/** Sends a request and returns the JSON of its response: `send("get", "/jobs/", { query: { state: "dead" } })`. */
export const send = <M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  sent: Sent = {}
): Effect.Effect<Returned<M, P>, ApiFailure, Api> => sendUntyped(method, path, sent)

/** As `send`, with the status: 201 tells a new call from a redelivered one. */
export const sendForStatus = <M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  sent: Sent
): Effect.Effect<number, ApiFailure, Api> =>
  Effect.map(request(method, path, sent, "json"), ({ response }) => response.status)

/** The text of a response that is not JSON. */
export const sendForText = (path: PathOf<"get">, sent: Sent): Effect.Effect<string, ApiFailure, Api> =>
  Effect.map(request("get", path, sent, "text"), ({ data }) => String(data))

/** The bytes of a response, as they arrive, with its content type. */
export const sendForBytes = (
  path: PathOf<"get">,
  sent: Sent
): Effect.Effect<
  { readonly contentType: string; readonly bytes: ReadableStream<Uint8Array> | null },
  ApiFailure,
  Api
> =>
  Effect.map(request("get", path, sent, "stream"), ({ data, response }) => ({
    contentType: response.headers.get("content-type") ?? "",
    // eslint-disable-next-line typescript/consistent-type-assertions -- `parseAs` is "stream"
    bytes: data as ReadableStream<Uint8Array> | null
  }))

/** The documents of a response, as they arrive. */
const stream =
  (read: typeof readLines, lost: string) =>
  (path: PathOf<"get">, sent: Sent): Stream.Stream<unknown, ApiFailure, Api> =>
    Stream.unwrap(
      Effect.map(sendForBytes(path, sent), ({ bytes }) =>
        Stream.fromAsyncIterable(read(bytes), (cause) => cause).pipe(
          Stream.catchAll((cause) =>
            cause instanceof Thrown ? Stream.failCause(cause.failure) : new ServerUnusable({ reason: lost })
          )
        )
      )
    )

/** The documents of an export. */
export const streamLines = stream(readLines, "The connection was lost before the end of the export. Export again.")

/** The data of server-sent events. */
export const streamEvents = stream(readEvents, "The connection was lost.")

/** An item of the list at the path. */
export type ItemOf<P extends PathOf<"get">> =
  Returned<"get", P> extends { readonly results: ReadonlyArray<infer One> } ? One : never

export interface Page<One> {
  readonly next: string | null
  readonly previous: string | null
  readonly results: ReadonlyArray<One>
}

/** The first item of a list for which `isWanted` holds, over its pages. */
export const findItem = <P extends PathOf<"get">>(
  path: P,
  query: Readonly<Record<string, unknown>>,
  isWanted: (item: ItemOf<P>) => boolean
): Effect.Effect<ItemOf<P> | undefined, ApiFailure, Api> =>
  Effect.gen(function* () {
    let cursor: string | null = null
    do {
      const page: Page<ItemOf<P>> = yield* sendUntyped<Page<ItemOf<P>>>("get", path, {
        query: { ...query, limit: 200, ...(cursor === null ? {} : { cursor }) }
      })
      const found = page.results.find(isWanted)
      if (found !== undefined) return found
      cursor = page.next
    } while (cursor !== null)
    return undefined
  })

/** All items of a list. */
export const allItems = <P extends PathOf<"get">>(
  path: P,
  query: Readonly<Record<string, unknown>>
): Effect.Effect<ReadonlyArray<ItemOf<P>>, ApiFailure, Api> =>
  Effect.suspend(() => {
    const all: Array<ItemOf<P>> = []
    return Effect.as(
      findItem(path, query, (item) => {
        all.push(item)
        return false
      }),
      all
    )
  })
