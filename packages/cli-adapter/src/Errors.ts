/** The errors of commands, their exit codes, and how they are printed. */
import * as Data from "effect/Data"
import { ApiRejected, ReceiptOnly, ServerUnusable } from "./Api.js"

/** The command cannot do what was asked. Exit code 1. */
export class CommandRejected extends Data.TaggedError("CommandRejected")<{ readonly reason: string }> {
  override get message(): string {
    return this.reason
  }
}

/** The command line or the environment is invalid. Exit code 2. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly reason: string }> {
  override get message(): string {
    return this.reason
  }
}

/** Some of the work failed, and each failure has been printed already. Exit code 1. */
export class ReportedFailure extends Data.TaggedError("ReportedFailure") {}

/** The reader of stdout has closed it, as `head` does. Exit code 0. */
export class OutputClosed extends Data.TaggedError("OutputClosed") {}

/** Messages by the path of the field. */
export type FieldErrors = Readonly<Record<string, ReadonlyArray<string>>>

/** How a command ended: its exit code, and what is printed on stderr. */
export interface Report {
  /** 0 done, 1 error in the request, 2 usage error, 3 system failure. */
  readonly code: 0 | 1 | 2 | 3
  readonly lines: ReadonlyArray<string>
  /** What `--json` prints instead of the lines: the body of the server's response. */
  readonly body: object | undefined
  /** The field errors, by the names of the API. */
  readonly errors?: FieldErrors
  /** Of a system failure: whether there is nothing to add, since the message is complete or was printed already. */
  readonly isExplained?: boolean
}

const reportWith = (code: Report["code"], message: string): Report => ({
  code,
  lines: message.split("\n"),
  body: { detail: message }
})

/** Field errors as lines: `agent: This field is required.` */
export const fieldErrorLines = (errors: FieldErrors): ReadonlyArray<string> =>
  Object.entries(errors).flatMap(([path, messages]) =>
    messages.map((message) => (path === "non_field_errors" ? message : `${path}: ${message}`))
  )

/** Options whose names differ from the fields that they set. */
const OPTION_OF_FIELD: Readonly<Record<string, string>> = {
  agent_id: "--agent",
  bounds: "--bound",
  expires_at: "--expires",
  filters_v2: "--filter",
  metric_ids: "--metrics",
  permissions: "--permission",
  scopes: "--scope",
  secret: "--secret-file",
  settings: "--set"
}

/** Field errors as lines that name the command's option for the field, if it has one: `--filter: conditions[0].op: ...`. */
export const optionErrorLines = (errors: FieldErrors, options: ReadonlyArray<string>): ReadonlyArray<string> =>
  fieldErrorLines(
    Object.fromEntries(
      Object.entries(errors).map(([path, messages]) => {
        const [, field = "", rest = ""] = /^([a-z0-9_]+)(?:\[\d+\])?\.?(.*)$/s.exec(path) ?? []
        const option = OPTION_OF_FIELD[field] ?? `--${field.replaceAll("_", "-")}`
        return [options.includes(option) ? (rest === "" ? option : `${option}: ${rest}`) : path, messages]
      })
    )
  )

const tagOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : ""

const messageOf = (error: unknown): string =>
  error instanceof Error && error.message !== "" ? error.message : "The command failed."

export const isFieldErrors = (value: unknown): value is FieldErrors =>
  typeof value === "object" && value !== null && Object.values(value).every((messages) => Array.isArray(messages))

/** Errors in the request. All others are system failures. */
const REQUEST_ERRORS = new Set(["CommandRejected", "NotFound", "Forbidden", "Unauthenticated", "RateLimited"])

/** What to do about a status, where the response's message does not say it. */
const ADVICE: Readonly<Record<number, string>> = {
  401: "Set EARSHOT_API_KEY or --api-key-file to a valid key.",
  403: "Use a key with this permission; `earshot keys create --scope` creates one."
}

/** The report of an error response: the server's message, and what to do about it. */
const reportOfResponse = ({ body, message, requestId, status }: ApiRejected): Report => {
  if (isFieldErrors(body)) return { code: 1, lines: fieldErrorLines(body), body, errors: body }
  const advice = ADVICE[status]
  return status < 500
    ? { code: 1, lines: [message, ...(advice === undefined ? [] : [advice])], body }
    : {
        code: 3,
        lines: [
          message,
          ...(requestId === null ? [] : [`The server's log has the cause under request id ${requestId}.`])
        ],
        body,
        isExplained: true
      }
}

/** Another process of the server has failed and has printed why: this one exits with its code. */
const reportOfProcess = (error: unknown): Report => {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined
  return code === 1 || code === 2 || code === 3
    ? { code, lines: [], body: undefined, isExplained: true }
    : reportWith(3, messageOf(error))
}

/** The report of a typed error. It goes by tags, so that no engine is loaded for it. */
export const reportOf = (error: unknown): Report => {
  const tag = tagOf(error)
  if (tag === "OutputClosed") return { code: 0, lines: [], body: undefined }
  if (tag === "ReportedFailure") return { code: 1, lines: [], body: undefined }
  if (error instanceof ApiRejected) return reportOfResponse(error)
  // What was asked is done. The ids are printed, since the caller may not read the result.
  if (error instanceof ReceiptOnly) {
    return { code: 0, lines: [messageOf(error), JSON.stringify(error.receipt)], body: error.receipt }
  }
  if (error instanceof ServerUnusable) return { ...reportWith(3, messageOf(error)), isExplained: true }
  if (tag === "UsageError") return reportWith(2, messageOf(error))
  if (tag === "WorkerEnded" || tag === "ProcessEnded") return reportOfProcess(error)
  if (REQUEST_ERRORS.has(tag)) return reportWith(1, messageOf(error))
  if (tag === "ValidationFailed" && typeof error === "object" && error !== null && "errors" in error) {
    return isFieldErrors(error.errors)
      ? { code: 1, lines: fieldErrorLines(error.errors), body: error.errors, errors: error.errors }
      : reportWith(1, messageOf(error))
  }
  return reportWith(3, messageOf(error))
}
