/**
 * Checks the interface's rules on any server, over HTTP alone: no engine runs in this process, so that every
 * implementation of the interface can be checked. See packages/test-kit/README.md, "Conformance of a server".
 */
import { randomBytes } from "node:crypto"
import type { Check } from "./Check.js"
import { checks } from "./checks.js"
import { makeClient } from "./Client.js"
import { Mismatch, Skipped } from "./Expect.js"
import { makeFixture, PATHS, type ServerLimits } from "./Fixture.js"

export interface ConformanceOptions {
  /** The server's base URL. */
  readonly url: string
  /** A key with all permissions, of an organization that is used for nothing else. */
  readonly apiKey: string
  /** A key of another organization, to check that the two are isolated. */
  readonly otherApiKey?: string | undefined
  /** A project and an agent in it, for servers that cannot create them. */
  readonly project?: number | undefined
  readonly agent?: number | undefined
  /** The short name of a repository that the key's organization may check out. Default: successful checkouts are skipped. */
  readonly repo?: string | undefined
  /** The server's configured limits; a missing one is checked with a default, or skipped. */
  readonly limits?: ServerLimits | undefined
  /** Runs only the checks whose ids have one of these prefixes, such as `E4` or `E10/redact` (default: all). */
  readonly only?: ReadonlyArray<string> | undefined
  /** The time limit of all checks in seconds (default: 300); a check that does not run in time counts as failed. */
  readonly seconds?: number | undefined
  /** The timeout of one request in seconds (default: 20). */
  readonly requestSeconds?: number | undefined
  /** Distinguishes what this run creates from other runs (default: random). */
  readonly run?: string | undefined
  /** Called when a check ends. */
  readonly onResult?: ((result: CheckResult) => void) | undefined
}

export interface CheckResult {
  readonly id: string
  /** The rule in a sentence. */
  readonly rule: string
  /** `skipped` where the server or the options do not allow the check. */
  readonly outcome: "passed" | "failed" | "skipped"
  /** The expected and the actual response, or why it was skipped; empty where it passed. */
  readonly detail: string
  readonly milliseconds: number
}

export interface ConformanceReport {
  readonly url: string
  readonly results: ReadonlyArray<CheckResult>
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** Paths of resources that were created and could not be deleted. */
  readonly notDeleted: ReadonlyArray<string>
}

/** The time limit of deleting what was created, in seconds, after that of the checks. */
const CLEAN_UP_SECONDS = 60

const DEFAULT_SECONDS = 300
const DEFAULT_REQUEST_SECONDS = 20

/** The checks of an endpoint, with an id, or with an id prefix; all of them without names. */
export const checksFor = (only: ReadonlyArray<string> = []): ReadonlyArray<Check> =>
  only.length === 0
    ? checks
    : checks.filter(({ id }) => only.some((name) => isNamed(id.toLowerCase(), name.toLowerCase())))

/** E1 does not match E10, and the full id of a check matches no other check. */
const isNamed = (id: string, name: string): boolean =>
  id === name ||
  id.startsWith(`${name}/`) ||
  (name.includes("/") && id.startsWith(name) && !checks.some((check) => check.id.toLowerCase() === name))

const messageOf = (error: unknown): string => {
  if (error instanceof Mismatch || error instanceof Skipped) return error.message
  if (!(error instanceof Error)) return String(error)
  if (error.name === "TimeoutError") return "the server did not answer in time"
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ""
  return `${error.message}${cause}`
}

/**
 * Why no check can pass: the server cannot be reached, or rejects the key. Null if it lets the key list the predefined metrics,
 * or answers otherwise, which is for the checks to report.
 */
export const findObstacle = async (
  options: Pick<ConformanceOptions, "url" | "apiKey" | "requestSeconds">
): Promise<string | null> => {
  const url = options.url.replace(/\/+$/, "")
  const requestMillis = (options.requestSeconds ?? DEFAULT_REQUEST_SECONDS) * 1000
  const client = makeClient({ url, apiKey: options.apiKey, requestMillis, signal: new AbortController().signal })
  return client.ask("GET", PATHS.predefined).then(
    ({ status }) => (status === 401 ? `The server at ${url} rejects the API key (HTTP 401).` : null),
    (error: unknown) => `Cannot reach the server at ${url}: ${messageOf(error)}.`
  )
}

/** Runs the checks one after the other and deletes what they created. Never rejects. */
export const runConformance = async (options: ConformanceOptions): Promise<ConformanceReport> => {
  const url = options.url.replace(/\/+$/, "")
  const requestMillis = (options.requestSeconds ?? DEFAULT_REQUEST_SECONDS) * 1000
  const time = AbortSignal.timeout((options.seconds ?? DEFAULT_SECONDS) * 1000)
  // Cleaning up has a time limit of its own.
  const cleaning = new AbortController()
  const client = (apiKey: string, signal: AbortSignal) => makeClient({ url, apiKey, requestMillis, signal })
  const duringChecks = client(options.apiKey, time)
  const afterwards = client(options.apiKey, cleaning.signal)
  const fixture = makeFixture({
    client: {
      url,
      ask: (method, path, request) => (time.aborted ? afterwards : duringChecks).ask(method, path, request)
    },
    other: options.otherApiKey === undefined ? null : client(options.otherApiKey, time),
    project: options.project,
    agent: options.agent,
    repo: options.repo,
    limits: options.limits ?? {},
    run: options.run ?? randomBytes(4).toString("hex")
  })

  const results: Array<CheckResult> = []
  for (const check of checksFor(options.only)) {
    const started = performance.now()
    const [outcome, detail] = time.aborted
      ? (["failed", "not run: the time limit was reached"] as const)
      : await check.run(fixture).then(
          () => ["passed", ""] as const,
          (error: unknown) => [error instanceof Skipped ? "skipped" : "failed", messageOf(error)] as const
        )
    const milliseconds = Math.round(performance.now() - started)
    const result: CheckResult = { id: check.id, rule: check.rule, outcome, detail, milliseconds }
    results.push(result)
    options.onResult?.(result)
  }

  const timer = setTimeout(() => {
    cleaning.abort()
  }, CLEAN_UP_SECONDS * 1000)
  const left = await fixture.cleanUp()
  clearTimeout(timer)
  const count = (outcome: CheckResult["outcome"]) => results.filter((result) => result.outcome === outcome).length
  return { url, results, passed: count("passed"), failed: count("failed"), skipped: count("skipped"), notDeleted: left }
}
