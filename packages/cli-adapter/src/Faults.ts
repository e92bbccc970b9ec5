/** What can go wrong with a command, as its exit code and as a person or a program reads it. */
import * as Data from "effect/Data"

/** What was asked cannot be done as it was asked. */
export class Refused extends Data.TaggedError("Refused")<{ readonly reason: string }> {
  override get message(): string {
    return this.reason
  }
}

/** The command line itself is not understood. */
export class Misused extends Data.TaggedError("Misused")<{ readonly reason: string }> {
  override get message(): string {
    return this.reason
  }
}

/** Everything worked that could be done by itself, and what did not was reported as it went. */
export class PartlyRefused extends Data.TaggedError("PartlyRefused") {}

/** Whoever read our output has read enough. */
export class OutputClosed extends Data.TaggedError("OutputClosed") {}

/** What is wrong, by the path of the field. */
type FieldFaults = Readonly<Record<string, ReadonlyArray<string>>>

/** How a command ended: exit code, and what is said about it on stderr. */
export interface Report {
  /** 0 done, 1 a fault in what was asked, 2 usage, 3 the system failed. */
  readonly code: 0 | 1 | 2 | 3
  readonly lines: ReadonlyArray<string>
  /** The same for `--json`: the bodies that the server answers with. */
  readonly body: object | undefined
  /** What is wrong field by field, as the engine names them. */
  readonly faults?: FieldFaults
  /** Whether another process of the command has said it all already. */
  readonly told?: boolean
}

const said = (code: Report["code"], message: string): Report => ({
  code,
  lines: message.split("\n"),
  body: { detail: message }
})

/** Field faults as lines: `agent: This field is required.` */
export const faultLines = (faults: FieldFaults): ReadonlyArray<string> =>
  Object.entries(faults).flatMap(([path, messages]) =>
    messages.map((message) => (path === "non_field_errors" ? message : `${path}: ${message}`))
  )

/** Options that are not called as the fields that they fill. */
const OPTIONS: Readonly<Record<string, string>> = {
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

/** Field faults as lines that name the command's options where it has one for the field: `--filter: conditions[0].op: ...`. */
export const optionLines = (faults: FieldFaults, options: ReadonlyArray<string>): ReadonlyArray<string> =>
  faultLines(
    Object.fromEntries(
      Object.entries(faults).map(([path, messages]) => {
        const [, field = "", rest = ""] = /^([a-z0-9_]+)(?:\[\d+\])?\.?(.*)$/s.exec(path) ?? []
        const option = OPTIONS[field] ?? `--${field.replaceAll("_", "-")}`
        return [options.includes(option) ? (rest === "" ? option : `${option}: ${rest}`) : path, messages]
      })
    )
  )

const tagOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : ""

const messageOf = (error: unknown): string =>
  error instanceof Error && error.message !== "" ? error.message : "The command failed."

const isFieldFaults = (value: unknown): value is FieldFaults =>
  typeof value === "object" && value !== null && Object.values(value).every((messages) => Array.isArray(messages))

/** Faults of the engine's callers; those that it names and are not here are the system's. */
const ASKED = new Set([
  "Refused",
  "NotFound",
  "Forbidden",
  "Unauthenticated",
  "RateLimited",
  "JobNotDead",
  "RunIsOver",
  "NoActiveConnection",
  "ConnectionRevoked"
])

/** Tags of the command line parser, whose own words `Main` reports. */
const PARSER = new Set([
  "CommandMismatch",
  "CorrectedFlag",
  "InvalidArgument",
  "InvalidValue",
  "KeyValuesDetected",
  "MissingFlag",
  "MissingValue",
  "MissingSubcommand",
  "MultipleValuesDetected",
  "NoBuiltInMatch",
  "UnclusteredFlag"
])

/** A process of the command ended: one that failed has said why, and this one ends as it did. */
const ofProcess = (error: unknown): Report => {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined
  return code === 1 || code === 2 || code === 3
    ? { code, lines: [], body: undefined, told: true }
    : said(3, messageOf(error))
}

/** What became of a command that failed with a typed error. It goes by tags, so that it loads no engine for it. */
export const reportOf = (error: unknown): Report => {
  const tag = tagOf(error)
  if (tag === "OutputClosed") return { code: 0, lines: [], body: undefined }
  if (tag === "PartlyRefused") return { code: 1, lines: [], body: undefined }
  if (PARSER.has(tag)) return { code: 2, lines: [], body: undefined }
  if (tag === "Misused") return said(2, messageOf(error))
  if (tag === "ProcessEnded") return ofProcess(error)
  if (ASKED.has(tag)) return said(1, messageOf(error))
  if (tag === "ValidationFailed" && typeof error === "object" && error !== null && "faults" in error) {
    return isFieldFaults(error.faults)
      ? { code: 1, lines: faultLines(error.faults), body: error.faults, faults: error.faults }
      : said(1, messageOf(error))
  }
  return said(3, messageOf(error))
}
