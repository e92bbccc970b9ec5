/** The API key of a command. */
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { CommandRejected, UsageError } from "./Errors.js"
import { readText } from "./ReadText.js"
import { type CallerOptions, secretFrom } from "./Settings.js"

/** The key of `--api-key` or `--api-key-file`, else of EARSHOT_API_KEY, which `--organization` overrides. */
export const apiKeyOf = ({
  apiKey,
  apiKeyFile,
  organization
}: CallerOptions): Effect.Effect<Redacted.Redacted | undefined, UsageError | CommandRejected> =>
  Effect.gen(function* () {
    if (apiKey !== undefined && apiKeyFile !== undefined) {
      return yield* new UsageError({ reason: "Use --api-key or --api-key-file, not both." })
    }
    if (organization !== undefined && (apiKey ?? apiKeyFile) !== undefined) {
      return yield* new UsageError({
        reason: "Use --organization or an API key, not both: a key belongs to one organization."
      })
    }
    if (organization !== undefined) return undefined
    const text =
      apiKeyFile === undefined
        ? (apiKey ?? process.env.EARSHOT_API_KEY)
        : yield* Effect.mapError(
            readText(apiKeyFile),
            ({ reason }) => new CommandRejected({ reason: `--api-key-file: ${reason}` })
          )
    const key = secretFrom(text)
    if (apiKeyFile !== undefined && key === undefined) {
      return yield* new CommandRejected({ reason: "--api-key-file: The file is empty." })
    }
    // As a header, where other characters would be an error that prints the key.
    return text === undefined || /^[\x21-\x7e]*$/.test(text.trim())
      ? key
      : yield* new UsageError({ reason: "The API key has characters that no key has. Copy it again, without quotes." })
  })
