/**
 * Reads the calls of an account from its voice platform's API: newest first, page by page, each as the platform's call
 * object, which `PlatformWebhooks.observe` takes as it is.
 *
 * Source: the platforms' API references: Vapi `GET /call`; Retell `POST /v3/list-calls` and `GET /v2/get-call/{id}`;
 * ElevenLabs `GET /v1/convai/conversations`, `GET /v1/convai/conversations/{id}` and `GET /v1/convai/conversations/{id}/audio`.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { isPlainObject } from "../kernel/Json.js"
import { firstInstant, firstText, type Row, rowIn } from "../platforms/Envelope.js"
import {
  type ListedPlatformCall,
  type ListingPlatform,
  type Period,
  type PlatformAccount,
  PlatformCallsFailed
} from "../platforms/PlatformAccount.js"
import { mayPass, type OutboundError } from "./OutboundError.js"
import { type BufferedResponse, OutboundHttp } from "./OutboundHttp.js"

interface ApiRequest {
  readonly method: "GET" | "POST"
  /** With its query. */
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
}

/** Where a page begins: what the platform's list takes for it. */
type Position = Readonly<Record<string, string>>

interface ApiPage {
  readonly rows: ReadonlyArray<Row>
  /** Undefined on the last page. */
  readonly next: Position | undefined
}

/** How an API lists calls. Pure. */
interface ListApi {
  readonly baseUrl: string
  readonly headers: (key: string) => Readonly<Record<string, string>>
  readonly page: (period: Period, position: Position) => ApiRequest
  /** Undefined for what is no page. */
  readonly read: (body: unknown, position: Position) => ApiPage | undefined
  readonly idOf: (row: Row) => string | undefined
  readonly at: (row: Row) => number | undefined
  /** The request for a whole call, if the list has summaries. */
  readonly detail?: (id: string) => ApiRequest
  /** Where the recordings of whole calls are, if call objects have no URLs of them. */
  readonly recordings?: {
    /** The request for the recording of a call; undefined if it has none. */
    readonly request: (id: string, call: Row) => ApiRequest | undefined
    /** The call with its recording in base64, as an event has it. */
    readonly withRecording: (call: Row, base64: string) => Row
  }
}

const PAGE = 100

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

const queryOf = (fields: Readonly<Record<string, string>>): string => new URLSearchParams(fields).toString()

const isoOf = (at: DateTime.Utc): string => DateTime.formatIso(at)

const rowsOf = (value: unknown): ReadonlyArray<Row> | undefined =>
  Array.isArray(value) && value.every((row): row is Row => isPlainObject(row)) ? value : undefined

/** A page with a cursor to the next one. */
const cursorPage = (body: unknown, rowsKey: string, cursorKey: string, position: Position): ApiPage | undefined => {
  const page: Row = isPlainObject(body) ? body : {}
  const rows = rowsOf(page[rowsKey])
  if (rows === undefined) return undefined
  if (page.has_more !== true) return { rows, next: undefined }
  const cursor = page[cursorKey]
  // The same cursor again would be the same page without end.
  return typeof cursor === "string" && cursor !== "" && cursor !== position.cursor
    ? { rows, next: { cursor } }
    : undefined
}

const vapiAt = (row: Row) => firstInstant(row.createdAt)

/** Has no cursor: the next page begins at the time of the last call, with the calls of that very millisecond again. */
const vapi: ListApi = {
  baseUrl: "https://api.vapi.ai",
  headers: bearer,
  page: ({ since, until }, { createdAtLe = isoOf(until), ...position }) => ({
    method: "GET",
    path: `/call?${queryOf({
      limit: String(PAGE),
      createdAtGe: isoOf(since),
      ...(position.createdAtLt === undefined ? { createdAtLe } : position)
    })}`
  }),
  read: (body, position) => {
    const rows = rowsOf(body)
    if (rows === undefined || rows.length < PAGE) return rows && { rows, next: undefined }
    const times = rows.map(vapiAt).filter((at) => at !== undefined)
    if (times.length < rows.length) return undefined
    const last = new Date(Math.min(...times)).toISOString()
    // A whole page of one millisecond: what else it has cannot be listed.
    return { rows, next: last === position.createdAtLe ? { createdAtLt: last } : { createdAtLe: last } }
  },
  idOf: (row) => firstText(row.id),
  at: vapiAt
}

const retell: ListApi = {
  baseUrl: "https://api.retellai.com",
  headers: bearer,
  page: ({ since, until }, { cursor }) => ({
    method: "POST",
    path: "/v3/list-calls",
    body: {
      limit: PAGE,
      sort_order: "descending",
      filter_criteria: {
        start_timestamp: { type: "range", op: "bt", value: [since.epochMillis, until.epochMillis] }
      },
      ...(cursor === undefined ? {} : { pagination_key: cursor })
    }
  }),
  read: (body, position) => cursorPage(body, "items", "pagination_key", position),
  idOf: (row) => firstText(row.call_id),
  at: (row) => firstInstant(row.start_timestamp),
  detail: (id) => ({ method: "GET", path: `/v2/get-call/${encodeURIComponent(id)}` })
}

const elevenLabs: ListApi = {
  baseUrl: "https://api.elevenlabs.io",
  headers: (key) => ({ "xi-api-key": key }),
  page: ({ since, until }, { cursor }) => ({
    method: "GET",
    path: `/v1/convai/conversations?${queryOf({
      page_size: String(PAGE),
      call_start_after_unix: String(Math.floor(since.epochMillis / 1000)),
      call_start_before_unix: String(Math.ceil(until.epochMillis / 1000)),
      ...(cursor === undefined ? {} : { cursor })
    })}`
  }),
  read: (body, position) => cursorPage(body, "conversations", "next_cursor", position),
  idOf: (row) => firstText(row.conversation_id),
  at: (row) => firstInstant(row.start_time_unix_secs, rowIn(row, "metadata").start_time_unix_secs),
  detail: (id) => ({ method: "GET", path: `/v1/convai/conversations/${encodeURIComponent(id)}` }),
  recordings: {
    request: (id, { has_audio: hasAudio }) =>
      hasAudio === true
        ? { method: "GET", path: `/v1/convai/conversations/${encodeURIComponent(id)}/audio` }
        : undefined,
    withRecording: (call, base64) => ({ ...call, full_audio: base64 })
  }
}

const apis: Readonly<Record<ListingPlatform, ListApi>> = {
  provider_a: vapi,
  provider_b: retell,
  provider_f: elevenLabs
}

/** A page of calls with whole transcripts is a few megabytes. */
const LIMITS = { maxBytes: 64 * 1024 * 1024, totalMillis: 120_000, idleMillis: 30_000 }

/** In base64, as an event has it, a recording of this size is within what a server accepts by default. */
const RECORDING_LIMITS = { ...LIMITS, maxBytes: 40_000_000 }

/** Calls whose details are requested at the same time. */
const DETAILS = 4

const ATTEMPTS = 6
const FIRST_DELAY_MILLIS = 500
/** A platform that asks for a longer delay is given up. */
const LONGEST_DELAY_MILLIS = 300_000

/** The delay that a response asks for, in milliseconds: seconds or an HTTP date. */
export const retryAfterOf = (header: string | undefined, now: number): number | undefined => {
  const text = header?.trim() ?? ""
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text) * 1000
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

const asFailed = ({ message }: OutboundError) => new PlatformCallsFailed({ reason: message })

/** A usable response, after as many attempts as a busy platform needs. */
const respond = (
  send: Effect.Effect<BufferedResponse, OutboundError>,
  attempt = 1
): Effect.Effect<BufferedResponse, PlatformCallsFailed> =>
  Effect.flatMap(Effect.either(send), (outcome) => {
    const response = Either.getOrUndefined(outcome)
    const status = response?.status
    if (response !== undefined && status !== undefined && status >= 200 && status < 300) {
      return Effect.succeed(response)
    }
    const failure = Either.match(outcome, {
      onLeft: asFailed,
      onRight: (answered) =>
        new PlatformCallsFailed({ reason: `answered HTTP ${answered.status}`, status: answered.status })
    })
    if (!mayPass(Either.merge(outcome)) || attempt >= ATTEMPTS) return failure
    return Effect.flatMap(DateTime.now, (now) => {
      const asked = retryAfterOf(response?.headers["retry-after"], now.epochMillis)
      const delay = asked ?? FIRST_DELAY_MILLIS * 2 ** (attempt - 1)
      return delay > LONGEST_DELAY_MILLIS
        ? new PlatformCallsFailed({
            reason: `accepts no requests for the next ${Math.ceil(delay / 1000)} seconds`,
            ...(status === undefined ? {} : { status })
          })
        : Effect.zipRight(Effect.sleep(delay), respond(send, attempt + 1))
    })
  })

const parsed = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

/** The calls of the account in the period, newest first. A call that the platform repeats on the next page is listed once. */
export const list = (
  { apiKey, baseUrl, platform }: PlatformAccount,
  period: Period
): Stream.Stream<ListedPlatformCall, PlatformCallsFailed, OutboundHttp> =>
  Stream.unwrap(
    Effect.map(OutboundHttp, (http) => {
      const api = apis[platform]
      const base = (baseUrl ?? api.baseUrl).replace(/\/+$/, "")

      const ask = ({ body, method, path }: ApiRequest, accept: string, limits: typeof LIMITS) =>
        respond(
          http.send({
            url: base + path,
            method,
            headers: {
              ...api.headers(Redacted.value(apiKey)),
              accept,
              ...(body === undefined ? {} : { "content-type": "application/json" })
            },
            ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
            limits,
            isTrusted: baseUrl !== undefined
          })
        )

      const request = (one: ApiRequest) =>
        Effect.map(ask(one, "application/json", LIMITS), (response) => parsed(response.body))

      /** The call with its recording. One that cannot be read does not cost the call. */
      const withRecording = (
        id: string,
        call: Row
      ): Effect.Effect<Pick<ListedPlatformCall, "call" | "recordingError">> => {
        const { recordings } = api
        const recording = recordings?.request(id, call)
        if (recordings === undefined || recording === undefined) return Effect.succeed({ call: Either.right(call) })
        return Effect.match(ask(recording, "audio/*", RECORDING_LIMITS), {
          onFailure: ({ message }) => ({ call: Either.right(call), recordingError: message }),
          onSuccess: ({ body }) => ({ call: Either.right(recordings.withRecording(call, body.toString("base64"))) })
        })
      }

      const whole = (row: Row): Effect.Effect<ListedPlatformCall, PlatformCallsFailed> => {
        const id = api.idOf(row)
        const listed = { id, at: api.at(row) }
        if (id === undefined)
          return Effect.succeed({ ...listed, call: Either.left("The list has a call without an id.") })
        if (api.detail === undefined) return Effect.succeed({ ...listed, call: Either.right(row) })
        return request(api.detail(id)).pipe(
          Effect.flatMap((call) =>
            isPlainObject(call)
              ? withRecording(id, call)
              : Effect.succeed({ call: Either.left("The platform's API returned no call.") })
          ),
          Effect.map((read) => ({ ...listed, ...read })),
          Effect.catchIf(
            // It was deleted after it was listed, or cannot be read for a reason of its own.
            ({ status }) => status === 404 || status === 410 || status === 422,
            ({ message }) => Effect.succeed({ ...listed, call: Either.left(message) })
          )
        )
      }

      const first: { readonly position: Position; readonly before: ReadonlySet<string> } = {
        position: {},
        before: new Set()
      }
      const pages = Stream.paginateEffect(first, ({ before, position }) =>
        Effect.flatMap(request(api.page(period, position)), (body) => {
          const page = api.read(body, position)
          if (page === undefined) {
            return new PlatformCallsFailed({ reason: "returned a page that is not a list of calls" })
          }
          const ids = page.rows.flatMap((row) => api.idOf(row) ?? [])
          const rows = page.rows.filter((row) => {
            const id = api.idOf(row)
            return id === undefined || !before.has(id)
          })
          return Effect.succeed([
            rows,
            Option.map(Option.fromNullable(page.next), (next) => ({ position: next, before: new Set(ids) }))
          ] as const)
        })
      )
      return pages.pipe(
        Stream.flatMap((rows) => Stream.fromIterable(rows)),
        Stream.mapEffect(whole, { concurrency: api.detail === undefined ? 1 : DETAILS })
      )
    })
  )
