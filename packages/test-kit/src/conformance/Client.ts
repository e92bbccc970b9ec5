/** Requests to a server that is known by its URL alone. */
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

export const makeClient = ({ apiKey, requestMillis, signal, url }: ClientOptions): Client => {
  const send = async (method: string, path: string, request: Request): Promise<Reply> => {
    const key = request.key === undefined ? apiKey : request.key
    const answer = await fetch(url + path, {
      method,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(requestMillis)]),
      headers: {
        ...(key === null ? {} : { "x-service-api-key": key }),
        ...(request.json === undefined ? {} : { "content-type": "application/json" }),
        ...request.headers
      },
      ...bodyOf(request)
    })
    const text = await answer.text()
    return { method, path, status: answer.status, headers: answer.headers, text, json: parsed(text) }
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
