/** Imports the calls of an account from its voice platform's API. */
import type { Platforms } from "@earshot/core"
import * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { CommandEffect } from "../CommandEffect.js"
import type { ParsedCall } from "../Documents.js"
import { CommandRejected, ReportedFailure, UsageError } from "../Errors.js"
import type { LISTING_PLATFORM_NAMES } from "../ListingPlatforms.js"
import { readSecret } from "../ReadText.js"
import { Screen } from "../Screen.js"
import { type CommonOptions, type IngestingOptions, nonBlank, parseFields, secretFrom } from "../Settings.js"
import { onTarget } from "../Target.js"
import { sanitize } from "../Text.js"
import { Wiring } from "../Wiring.js"
import { ingestCalls } from "./Ingest.js"

export interface ImportOptions extends CommonOptions, IngestingOptions {
  readonly platform: (typeof LISTING_PLATFORM_NAMES)[number]
  readonly since: string
  readonly until: string | undefined
  readonly platformKeyFile: string | undefined
  readonly baseUrl: string | undefined
  readonly agent: number | undefined
  readonly concurrency: number
  readonly redact: ReadonlyArray<string>
}

/** The platforms by their names, with the variable that their own tools read the key from. */
const PLATFORMS = (() => {
  const vapi = { token: "provider_a", variable: "VAPI_API_KEY" } as const
  const retell = { token: "provider_b", variable: "RETELL_API_KEY" } as const
  const elevenlabs = { token: "provider_f", variable: "ELEVENLABS_API_KEY" } as const
  return { vapi, retell, elevenlabs, provider_a: vapi, provider_b: retell, provider_f: elevenlabs }
})()

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** An instant: a time in ISO 8601, or so many minutes, hours, days or weeks ago. */
export const parseMoment = (
  option: string,
  text: string,
  now: DateTime.Utc
): Effect.Effect<DateTime.Utc, UsageError> => {
  const [, count, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text.trim()) ?? []
  const moment =
    count === undefined
      ? /^\d{4}-\d\d-\d\d/.test(text.trim())
        ? DateTime.make(text.trim())
        : Option.none()
      : DateTime.make(now.epochMillis - Number(count) * (UNITS[unit] ?? 0))
  return Option.match(moment, {
    onNone: () =>
      new UsageError({
        reason: `${option}: Enter a time such as 2030-01-31T00:00:00Z, or 7d, 24h or 30m for so long ago.`
      }),
    onSome: (at) => Effect.succeed(DateTime.toUtc(at))
  })
}

/** The address of an API: a key must not cross a network unencrypted. */
const parseBaseUrl = (text: string | undefined): Effect.Effect<string | undefined, UsageError> => {
  if (text === undefined) return Effect.succeed(undefined)
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isLocal = url !== undefined && ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)
  const isFit =
    url !== undefined &&
    (url.protocol === "https:" || (url.protocol === "http:" && isLocal)) &&
    [url.username, url.password, url.search, url.hash].every((part) => part === "")
  return isFit
    ? Effect.succeed(url.href)
    : new UsageError({
        reason:
          "--base-url: Enter an address that starts with https:// (or http:// on this machine), without a password and a query."
      })
}

const keyOf = (
  file: string | undefined,
  variable: string
): Effect.Effect<Redacted.Redacted, UsageError | CommandRejected> =>
  Effect.gen(function* () {
    const text = file === undefined ? process.env[variable] : yield* readSecret(file, "--platform-key-file")
    const key = secretFrom(text)
    if (key === undefined) {
      return yield* file === undefined
        ? new UsageError({ reason: `The platform's API key is missing. Set ${variable} or --platform-key-file.` })
        : new CommandRejected({ reason: "--platform-key-file: The file is empty." })
    }
    // As a header, where other characters would be an error that prints the key.
    return /^[\x21-\x7e]*$/.test(text?.trim() ?? "")
      ? key
      : yield* new UsageError({ reason: "The platform's API key has characters that no key has. Copy it again." })
  })

/**
 * How far an import has come, newest first: no call after `position` is missing. Calls are ingested concurrently, so it is
 * the newest one that is not done, otherwise the oldest one that is.
 */
export const makeProgress = () => {
  const pending = new Map<string, number>()
  let oldest: number | undefined
  return {
    begin: (place: string, at: number | undefined) => {
      if (at !== undefined) pending.set(place, at)
    },
    end: (place: string) => {
      const at = pending.get(place)
      pending.delete(place)
      if (at !== undefined) oldest = Math.min(oldest ?? at, at)
    },
    position: (): number | undefined => (pending.size === 0 ? oldest : Math.max(...pending.values()))
  }
}

const advice = (failure: Platforms.PlatformCallsFailed, name: string, variable: string): CommandRejected => {
  const { reason, status } = failure
  const isRejected = status === 401 || status === 403
  return new CommandRejected({
    reason: `The API of ${name} ${reason}.${isRejected ? ` Check the key in ${variable} or --platform-key-file.` : ""}`
  })
}

export const importCalls = (options: ImportOptions): CommandEffect =>
  Effect.gen(function* () {
    const { platform: name } = options
    const platform = PLATFORMS[name]
    // Before the database is opened: invalid arguments must not change it.
    const now = yield* DateTime.now
    const since = yield* parseMoment("--since", options.since, now)
    const until = options.until === undefined ? now : yield* parseMoment("--until", options.until, now)
    if (since.epochMillis >= until.epochMillis) {
      return yield* new UsageError({ reason: "--since: It must be before --until and in the past." })
    }
    const baseUrl = yield* parseBaseUrl(nonBlank(options.baseUrl))
    const fields = yield* parseFields(options.redact, "--redact")
    const apiKey = yield* keyOf(options.platformKeyFile, platform.variable)
    const { platformCalls } = yield* Wiring
    const screen = yield* Screen
    const progress = makeProgress()
    let count = 0
    const parsedOf = ({ at, call, id, recordingError }: Platforms.ListedPlatformCall): Effect.Effect<ParsedCall> => {
      count += 1
      const place = id === undefined ? `${name} call ${count}` : `${name} ${id}`
      progress.begin(place, at)
      return Effect.as(
        recordingError === undefined
          ? Effect.void
          : screen.note(sanitize(`${place}: imported without its recording. ${recordingError}`)),
        { place, call }
      )
    }
    const calls = platformCalls({ platform: platform.token, apiKey, baseUrl }, { since, until }).pipe(
      Stream.mapEffect(parsedOf),
      Stream.mapError((failure) => advice(failure, name, platform.variable))
    )
    const noteOf = (position: number | undefined) =>
      position === undefined
        ? Effect.void
        : screen.note(
            `To continue, run it again with --since ${DateTime.formatIso(since)} --until ${new Date(position).toISOString()}`
          )
    yield* ingestCalls(
      calls,
      { ...options, format: name },
      {
        fields,
        part: () => undefined,
        onDone: ({ place }) => {
          progress.end(place)
        }
      }
    ).pipe(
      Effect.onError((cause) => {
        // Calls that were rejected are reported: the import has come to its end.
        const failure = Option.getOrUndefined(Cause.failureOption(cause))
        return failure instanceof ReportedFailure ? Effect.void : noteOf(progress.position())
      }),
      onTarget(options, async () => (await import("../EngineSettings.js")).ingestingEngine(options))
    )
  })
