/** Requests to a server that is known by its URL alone. */
import { request as plainRequest } from "node:http"
import { request as secureRequest } from "node:https"
import { text as textOf } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"

/** What came back. */
export interface Reply {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; undefined where it is none. */
  readonly json: unknown
}

export interface Request {
  /** The API key; the client's own unless told, and null for none. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Headers that are sent as so many lines of one name, which fetch would join; with these the body is JSON or none. */
  readonly lines?: Readonly<Record<string, ReadonlyArray<string>>>
  /** Asks over a connection that nothing else is asked over, so that another process of the server may answer. */
  readonly isAlone?: boolean
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent form-urlencoded; objects and lists as JSON text. */
  readonly form?: Readonly<Record<string, unknown>>
  /** Sent as multipart/form-data, files as they are, objects and lists as JSON text. */
  readonly multipart?: Readonly<Record<string, unknown>>
  /** Sent as it is, of the type that `headers` name; a form's type goes without saying. */
  readonly body?: string | Uint8Array<ArrayBuffer> | URLSearchParams | FormData
  /** Takes 429 for the answer, where otherwise the request is sent again after the time that the server asks for. */
  readonly seesThrottling?: boolean
}

export interface Client {
  readonly url: string
  readonly ask: (method: string, path: string, request?: Request) => Promise<Reply>
}

interface ClientOptions {
  /** The server's base address, without a slash at its end. */
  readonly url: string
  readonly apiKey: string
  /** Milliseconds that one request may take. */
  readonly requestMillis: number
  /** Ends whatever is under way. */
  readonly signal: AbortSignal
}

const fieldText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const parsed = (text: string): unknown => {
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

/** Times that a request is sent again that came too often; a server that says so for ever is told by the check. */
const MOST_WAITS = 3

/** The longest that is waited at a time, in seconds. */
const LONGEST_WAIT = 60

/** What the server asks to be waited, in milliseconds; undefined where it asks for nothing, or for too much. */
const waitOf = ({ headers, status }: Reply): number | undefined => {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN)
  return status === 429 && seconds >= 0 && seconds <= LONGEST_WAIT ? seconds * 1000 : undefined
}

type Answer = Pick<Reply, "status" | "headers" | "text">

type Lines = Readonly<Record<string, string | ReadonlyArray<string>>>

/** Asks without fetch, over a connection of its own: a header with several values is as many lines. */
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
      ...(request.isAlone === true ? { connection: "close" } : {}),
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
    return { method, path, ...answer, json: parsed(answer.text) }
  }
  return {
    url,
    ask: async (method, path, request = {}) => {
      let reply = await send(method, path, request)
      for (let waits = 0; waits < MOST_WAITS && request.seesThrottling !== true; waits++) {
        const wait = waitOf(reply)
        if (wait === undefined) break
        await sleep(wait, undefined, { signal })
        reply = await send(method, path, request)
      }
      return reply
    }
  }
}
