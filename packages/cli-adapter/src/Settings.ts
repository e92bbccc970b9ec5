/** Options that several commands take, and what is read from them. */
import { type SensitiveField, sensitiveFields } from "@earshot/redaction"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { UsageError } from "./Errors.js"

/** Where the engine's tables are. */
export interface StorageOptions {
  readonly database: string
  readonly tablePrefix?: string | undefined
}

/** Who a command acts as. */
export interface CallerOptions {
  readonly organization: number | undefined
  readonly apiKey: string | undefined
  /** A file with the key; `-` is stdin. */
  readonly apiKeyFile?: string | undefined
  readonly session?: string | undefined
}

/** What every command over one organization's data takes. */
export interface CommonOptions extends CallerOptions, StorageOptions {
  /** The address of a server, which is used instead of the database. */
  readonly url?: string | undefined
  readonly json: boolean
}

export interface OutboundOptions {
  readonly allowedHosts: ReadonlyArray<string>
}

export interface IngestingOptions extends OutboundOptions {
  readonly recordings: string
  readonly maxRecordingBytes: number | undefined
  readonly collectAfter?: number | undefined
  readonly keepDetails: ReadonlyArray<string>
  readonly redactEveryday: boolean
  readonly redactLexicon: string | undefined
  readonly redactModel: string | undefined
  readonly redactAnalyzer: string | undefined
}

export interface CodeHostOptions extends OutboundOptions {
  readonly repositories: string | undefined
  readonly publicUrl: string | undefined
}

/** The entries that have a value. */
export const defined = (fields: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

export const nonBlank = (text: string | undefined): string | undefined =>
  text === undefined || text.trim() === "" ? undefined : text.trim()

/** A secret of the environment. */
export const secretFrom = (text: string | undefined): Redacted.Redacted | undefined => {
  const secret = nonBlank(text)
  return secret === undefined ? undefined : Redacted.make(secret)
}

/** Names given one by one, or several separated by commas. */
export const splitList = (given: ReadonlyArray<string>): ReadonlyArray<string> =>
  given
    .flatMap((text) => text.split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "")

/** The given names among the known ones; `all` is every one of them. */
export const parseChoices = <A extends string>(
  option: string,
  known: ReadonlyArray<A>,
  given: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<A>, UsageError> => {
  if (given.includes("all")) return Effect.succeed(known)
  const unknown = given.find((name) => !known.some((one) => one === name))
  return unknown === undefined
    ? Effect.succeed(known.filter((one) => given.includes(one)))
    : new UsageError({
        reason: `${option}: "${unknown}" is not a valid choice. Choose all, or from ${known.join(", ")}.`
      })
}

/** The fields to redact that an option names. */
export const parseFields = (
  given: ReadonlyArray<string>,
  option: string
): Effect.Effect<ReadonlyArray<SensitiveField>, UsageError> => parseChoices(option, sensitiveFields, splitList(given))
