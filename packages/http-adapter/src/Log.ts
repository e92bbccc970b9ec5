/**
 * What the server says of itself: JSON lines on one stream. A line has no body, no query, no credential and no text of a
 * caller in it, whatever failed.
 */
import type { Actor } from "@earshot/core"
import * as Cause from "effect/Cause"
import * as HashMap from "effect/HashMap"
import type * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as EffectLogLevel from "effect/LogLevel"
import { type DestinationStream, type Logger as Pino, pino } from "pino"

export type LogLevel = "silent" | "error" | "warn" | "info" | "debug"

export interface LogOptions {
  /** From which level on lines are written; `info`, which has a line a request, unless told. */
  readonly level?: LogLevel
  /** Where lines go; stderr unless told. */
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

/** One writer for all servers of a process. It does not block on a slow reader, and is flushed when the process ends. */
const sharedStderr = () => (shared ??= pino.destination({ fd: 2, sync: false }))

/** Writes out what is still held back. */
export const flush = (log: Log): void => {
  log.flush()
  shared?.flushSync()
}

/** A request that was answered, or whose client went away. */
export interface RequestLine {
  readonly request_id: string
  readonly method: string
  /** The endpoint's path, never the path that was asked for: that may name things. */
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

/** Something that is our fault, told so that it can be found: kinds, codes and places, no messages. */
export const logFailure = (log: Log, requestId: string, cause: Cause.Cause<unknown>): void => {
  log.error({ request_id: requestId, errors: describeErrors(cause) }, "request failed")
}

const describeErrors = (cause: Cause.Cause<unknown>): ReadonlyArray<unknown> =>
  [...Cause.failures(cause), ...Cause.defects(cause)].map((error) => describeError(error))

const MAX_CAUSES = 5

/**
 * An error without its message, and those that caused it. Messages of drivers and parsers quote what they stumbled over,
 * such as a transcript; the kind, the code and the place are enough to find the reason.
 */
export const describeError = (error: unknown, depth = MAX_CAUSES): unknown => {
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

/** The stack without the message that it begins with: a line of that may look like a place. */
const stackWithoutMessage = ({ message, stack = "" }: Error): string => {
  const start = message === "" ? -1 : stack.indexOf(message)
  return start === -1 ? stack : stack.slice(start + message.length)
}

/** Properties by which errors are told apart, of the engine (`operation`) and of drivers. */
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

/** Sends what the engine logs to the same stream as the server's own lines. */
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

/** The engine's own log lines as JSON lines, for a program that runs the server. */
export const layer = (options: LogOptions = {}): Layer.Layer<never> =>
  Logger.replace(Logger.defaultLogger, effectLogger(makeLog(options)))
