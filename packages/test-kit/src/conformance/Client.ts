/** HTTP requests to a server. */
import { request as plainRequest } from "node:http"
import { request as secureRequest } from "node:https"
import { text as textOf } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"

/** A response. */
export interface Reply {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; undefined where it is not JSON. */
  readonly json: unknown
}

export interface Request {
  /** The API key (default: the client's); null for none. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Headers with several lines of one name, which fetch would join; the body is JSON or none then. */
  readonly lines?: Readonly<Record<string, ReadonlyArray<string>>>
  /** Uses a connection of its own, so that another process of the server may answer. */
  readonly ownConnection?: boolean
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent form-urlencoded; objects and lists as JSON text. */
  readonly form?: Readonly<Record<string, unknown>>
  /** Sent as multipart/form-data, files as they are, objects and lists as JSON text. */
  readonly multipart?: Readonly<Record<string, unknown>>
  /** Sent unchanged, with the content type in `headers`, or that of a form. */
  readonly body?: string | Uint8Array<ArrayBuffer> | URLSearchParams | FormData
  /** Returns a 429 response; otherwise the request is retried after `Retry-After`. */
  readonly returnsThrottled?: boolean
}

export interface Client {
  readonly url: string
  readonly ask: (method: string, path: string, request?: Request) => Promise<Reply>
}

interface ClientOptions {
  /** The server's base URL, without a trailing slash. */
  readonly url: string
  readonly apiKey: string
  /** The timeout of one request, in milliseconds. */
  readonly requestMillis: number
  /** Aborts all requests. */
  readonly signal: AbortSignal
}

const fieldText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const bodyOf = ({ body, form, json, multipart }: Request): Pick<RequestInit, "body"> => {
  if (json !== undefined) return { body: JSON.stringify(json) }
  if (form !== undefined) {
    const fields = Object.entries(form).map(([name, value]): [string, string] => [name, fieldText(value)])
    return { body: new URLSearchParams(fields) }
  }
  if (multipart !== undefined) {
    const parts = new FormData()
    for (const [name, value] of Object.entries(multipart)) {
      if (value instanceof File) parts.append(name, value)
      else if (value instanceof Blob) parts.append(name, value, `${name}.bin`)
      else parts.append(name, fieldText(value))
    }
    return { body: parts }
  }
  return body === undefined ? {} : { body }
}

/** Retries of a request after 429; a server that always answers so fails the check. */
const MAX_RETRIES = 3

/** The longest wait before a retry, in seconds. */
const MAX_WAIT = 60

/** The wait that the server asks for, in milliseconds; undefined where it asks for none, or for too long. */
const waitOf = ({ headers, status }: Reply): number | undefined => {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN)
  return status === 429 && seconds >= 0 && seconds <= MAX_WAIT ? seconds * 1000 : undefined
}

type Answer = Pick<Reply, "status" | "headers" | "text">

type Lines = Readonly<Record<string, string | ReadonlyArray<string>>>

/** Sends a request without fetch, on its own connection, with one line for each value of a header. */
const sendLines = (method: string, url: string, headers: Lines, body: string, signal: AbortSignal): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const send = url.startsWith("https:") ? secureRequest : plainRequest
    const lines = Object.entries(headers).map(([name, value]): [string, string | Array<string>] => [
      name,
      typeof value === "string" ? value : [...value]
    ])
    const sent = send(url, { method, signal, agent: false, headers: Object.fromEntries(lines) }, (answer) => {
      const received = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
      textOf(answer).then((text) => {
        resolve({ status: answer.statusCode ?? 0, headers: new Headers(received), text })
      }, reject)
    })
    sent.on("error", reject)
    sent.end(body)
  })

export const makeClient = ({ apiKey, requestMillis, signal, url }: ClientOptions): Client => {
  const answerOf = async (method: string, path: string, request: Request): Promise<Answer> => {
    const key = request.key === undefined ? apiKey : request.key
    const headers = {
      ...(key === null ? {} : { "x-service-api-key": key }),
      ...(request.json === undefined ? {} : { "content-type": "application/json" }),
      ...(request.ownConnection === true ? { connection: "close" } : {}),
      ...request.headers
    }
    const time = AbortSignal.any([signal, AbortSignal.timeout(requestMillis)])
    if (request.lines !== undefined) {
      const body = request.json === undefined ? "" : JSON.stringify(request.json)
      return sendLines(method, url + path, { ...headers, ...request.lines }, body, time)
    }
    const answer = await fetch(url + path, {
      method,
      redirect: "manual",
      signal: time,
      headers,
      ...bodyOf(request)
    })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const send = async (method: string, path: string, request: Request): Promise<Reply> => {
    const answer = await answerOf(method, path, request)
    return { method, path, ...answer, json: parseJson(answer.text) }
  }
  return {
    url,
    ask: async (method, path, request = {}) => {
      let reply = await send(method, path, request)
      for (let retries = 0; retries < MAX_RETRIES && request.returnsThrottled !== true; retries++) {
        const wait = waitOf(reply)
        if (wait === undefined) break
        await sleep(wait, undefined, { signal })
        reply = await send(method, path, request)
      }
      return reply
    }
  }
}
