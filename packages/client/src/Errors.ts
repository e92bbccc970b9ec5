/** An error response of the server, as an exception. */

/** Messages by field path, such as `{"agent": ["This field may not be null."]}`. */
export type FieldErrors = Readonly<Record<string, ReadonlyArray<string>>>

/**
 * The server answered with a status other than 2xx.
 *
 * @property status the HTTP status
 * @property detail the server's message; undefined for field errors
 * @property errors all field errors of a 400; empty otherwise
 * @property retryAfterSeconds `Retry-After` of a 429 or 503; undefined if the server sent none
 * @property requestId `X-Request-Id`, under which the server logs the request
 */
export class EarshotError extends Error {
  override readonly name = "EarshotError"
  readonly status: number
  readonly detail: string | undefined
  readonly errors: FieldErrors
  readonly retryAfterSeconds: number | undefined
  readonly requestId: string | undefined

  constructor(response: Response, body: unknown) {
    const detail = detailOf(body)
    const errors = fieldErrorsOf(body)
    super(messageOf(response.status, detail, errors))
    this.status = response.status
    this.detail = detail
    this.errors = errors
    this.retryAfterSeconds = retryAfterSeconds(response.headers, Date.now())
    this.requestId = response.headers.get("x-request-id") ?? undefined
  }
}

/**
 * Seconds until a request should be repeated, from `Retry-After`: a number of seconds or an HTTP date (RFC 9110, section
 * 10.2.3); undefined if the header is missing or invalid.
 */
export const retryAfterSeconds = (headers: Headers, now: number): number | undefined => {
  const value = headers.get("retry-after")?.trim()
  if (value === undefined || value === "") return undefined
  if (/^\d+$/.test(value)) return Number(value)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000)
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const detailOf = (body: unknown): string | undefined =>
  isObject(body) && typeof body.detail === "string" ? body.detail : undefined

const isMessages = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((message) => typeof message === "string")

const fieldErrorsOf = (body: unknown): FieldErrors => {
  const errors: Record<string, ReadonlyArray<string>> = {}
  for (const [field, messages] of Object.entries(isObject(body) ? body : {})) {
    if (isMessages(messages)) errors[field] = messages
  }
  return errors
}

const messageOf = (status: number, detail: string | undefined, errors: FieldErrors): string => {
  const fields = Object.entries(errors).map(([field, messages]) => `${field}: ${messages.join(" ")}`)
  return [`HTTP ${status}`, ...(detail === undefined ? [] : [detail]), ...fields].join("; ")
}
