/** The API of a server, by its address and a key. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Api, clientOver, type Fetch, ServerUnusable, Thrown } from "./Api.js"
import { apiKeyOf } from "./ApiKey.js"
import { type CommandRejected, UsageError } from "./Errors.js"
import { type CallerOptions, secretFrom } from "./Settings.js"

/** The base address of the API; the message of an error does not contain it, since it may have a password. */
const parseUrl = (text: string): Effect.Effect<URL, UsageError> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return new UsageError({
      reason: "--url: The address must start with http:// or https://, such as http://127.0.0.1:8080."
    })
  }
  if (url.username !== "" || url.password !== "") {
    return new UsageError({
      reason: "--url: The address must not contain a password. Set EARSHOT_API_KEY or --api-key-file."
    })
  }
  return url.search === "" && url.hash === ""
    ? Effect.succeed(url)
    : new UsageError({ reason: "--url: The address must not have a query or a fragment." })
}

const CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was closed",
  ENOTFOUND: "the host is unknown",
  EAI_AGAIN: "the host name cannot be resolved at the moment",
  EHOSTUNREACH: "there is no route to the host",
  ENETUNREACH: "there is no route to the network",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  UND_ERR_HEADERS_TIMEOUT: "it did not answer in time",
  UND_ERR_SOCKET: "the connection was closed"
}

const causeCode = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined
  // A host with several addresses fails with one error for each.
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  return typeof first === "object" && first !== null && "code" in first ? String(first.code) : ""
}

const unreachable = ({ origin }: URL, error: unknown): ServerUnusable => {
  const code = causeCode(error)
  const why = CODES[code] ?? (/CERT|TLS|SSL|ALTNAME/.test(code) ? `its certificate is not accepted (${code})` : code)
  return new ServerUnusable({
    reason: `Cannot reach the server at ${origin}${why === "" ? "" : `: ${why}`}. Check --url (EARSHOT_URL), and that the server is running.`
  })
}

/** Sends requests to a server. Redirects are not followed: a key would be sent along to another host. */
const fetchFrom =
  (url: URL, ended: AbortSignal): Fetch =>
  async (request) => {
    try {
      return await fetch(request, { redirect: "manual", signal: ended })
    } catch (error) {
      throw new Thrown(Cause.fail(unreachable(url, error)))
    }
  }

export const layer = (address: string, options: CallerOptions): Layer.Layer<Api, UsageError | CommandRejected> =>
  Layer.scoped(
    Api,
    Effect.gen(function* () {
      const url = yield* parseUrl(address)
      const key = yield* apiKeyOf(options)
      if (key === undefined) {
        return yield* new UsageError({
          reason: "--url needs an API key. Set EARSHOT_API_KEY or --api-key-file; `earshot keys create` creates a key."
        })
      }
      const session = "session" in options ? secretFrom(options.session ?? process.env.EARSHOT_SESSION) : undefined
      const ended = new AbortController()
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          ended.abort()
        })
      )
      return {
        client: clientOver(fetchFrom(url, ended.signal), {
          baseUrl: url.href.replace(/\/+$/, ""),
          apiKey: Redacted.value(key),
          ...(session === undefined ? {} : { token: Redacted.value(session) })
        }),
        isLocal: false,
        runJobs: Effect.void
      }
    })
  )
