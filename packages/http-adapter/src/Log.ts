/** JSON log lines on one stream. No line contains a body, a query, a credential or other text of a caller. */
import type { Actor } from "@earshot/core"
import * as Cause from "effect/Cause"
import * as HashMap from "effect/HashMap"
import type * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as EffectLogLevel from "effect/LogLevel"
import { type DestinationStream, type Logger as Pino, pino } from "pino"

export type LogLevel = "silent" | "error" | "warn" | "info" | "debug"

export interface LogOptions {
  /** The least severe level that is written. Default: `info`, which logs every request. */
  readonly level?: LogLevel
  /** Default: stderr. */
  readonly destination?: DestinationStream | undefined
}

export type Log = Pino

export const makeLog = ({ destination, level = "info" }: LogOptions = {}): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) }
    },
    destination ?? sharedStderr()
  )

let shared: ReturnType<typeof pino.destination> | undefined

/** One writer for all servers of a process. It does not block on a slow reader, and is flushed when the process exits. */
const sharedStderr = () => (shared ??= pino.destination({ fd: 2, sync: false }))

/** Writes buffered lines. */
export const flush = (log: Log): void => {
  log.flush()
  shared?.flushSync()
}

/** A request that was answered, or whose client disconnected. */
export interface RequestLine {
  readonly request_id: string
  readonly method: string
  /** The endpoint's path template, never the requested path, which may contain data. */
  readonly route: string
  readonly status: number
  readonly ms: number
  readonly organization?: number
  readonly credential?: string
}

export const logRequest = (log: Log, line: RequestLine): void => {
  log.info(line, "request")
}

export const callerFields = (actor: Actor | undefined) =>
  actor === undefined ? {} : { organization: actor.organizationId, credential: actor.credentialId }

/** Logs an internal error: types, codes and stack frames, without messages. */
export const logFailure = (log: Log, requestId: string, cause: Cause.Cause<unknown>): void => {
  log.error({ request_id: requestId, errors: describeErrors(cause) }, "request failed")
}

const describeErrors = (cause: Cause.Cause<unknown>): ReadonlyArray<unknown> =>
  [...Cause.failures(cause), ...Cause.defects(cause)].map((error) => describeError(error))

const MAX_CAUSES = 5

/**
 * An error and its causes without their messages. Messages of drivers and parsers quote their input, such as a transcript;
 * type, code and stack frames are enough to find the reason.
 */
const describeError = (error: unknown, depth = MAX_CAUSES): unknown => {
  if (!(error instanceof Error)) return { type: typeof error }
  const cause = depth > 0 && error.cause !== undefined ? { cause: describeError(error.cause, depth - 1) } : {}
  return {
    type: error.name,
    ...identifyingFields(error),
    at: stackWithoutMessage(error)
      .split("\n")
      .filter((line) => /^ {4}at /.test(line))
      .slice(0, 12)
      .map((line) => line.trim()),
    ...cause
  }
}

/** The stack without the message at its start, since a line of the message may look like a stack frame. */
const stackWithoutMessage = ({ message, stack = "" }: Error): string => {
  const start = message === "" ? -1 : stack.indexOf(message)
  return start === -1 ? stack : stack.slice(start + message.length)
}

/** Properties that identify errors of the engine (`operation`) and of database drivers. */
const IDENTIFYING_FIELDS = [
  "code",
  "errno",
  "syscall",
  "operation",
  "severity",
  "schema",
  "table",
  "column",
  "constraint",
  "routine"
]

const identifyingFields = (error: Error): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    IDENTIFYING_FIELDS.flatMap((name) => {
      const value: unknown = Reflect.get(error, name)
      return (typeof value === "string" && value.length <= 100) || typeof value === "number"
        ? [[name, value] as const]
        : []
    })
  )

/** Writes the engine's log entries to the server's log. */
export const effectLogger = (log: Log): Logger.Logger<unknown, void> =>
  Logger.make(({ annotations, cause, logLevel, message }) => {
    const level = pinoLevel(logLevel)
    if (level === undefined || !log.isLevelEnabled(level)) return
    const parts = Array.isArray(message) ? message : [message]
    log[level](
      {
        ...Object.fromEntries(HashMap.toEntries(annotations).map(([key, value]) => [key, toLogValue(value)])),
        ...Object.assign({}, ...parts.filter((part) => typeof part === "object").map(toLogFields)),
        ...(Cause.isEmpty(cause) ? {} : { errors: describeErrors(cause) })
      },
      parts.filter((part) => typeof part === "string").join(" ")
    )
  })

const pinoLevel = (level: EffectLogLevel.LogLevel): "error" | "warn" | "info" | "debug" | undefined => {
  switch (level._tag) {
    case "Fatal":
    case "Error":
      return "error"
    case "Warning":
      return "warn"
    case "Info":
      return "info"
    case "All":
    case "Debug":
    case "Trace":
      return "debug"
    case "None":
      return undefined
  }
}

const toLogValue = (value: unknown): unknown =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null
    ? value
    : value instanceof Error
      ? describeError(value)
      : { type: typeof value }

const toLogFields = (part: object | null): Readonly<Record<string, unknown>> =>
  part === null
    ? {}
    : part instanceof Error
      ? { error: describeError(part) }
      : Object.fromEntries(Object.entries(part).map(([key, value]) => [key, toLogValue(value)]))

/** Logs as JSON lines, for a program that runs the server. */
export const layer = (options: LogOptions = {}): Layer.Layer<never> =>
  Logger.replace(Logger.defaultLogger, effectLogger(makeLog(options)))
