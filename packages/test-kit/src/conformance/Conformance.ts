/**
 * Runs the interface's rules against any server that is known by its URL, over HTTP alone: no engine is in the process,
 * and every server of the interface can be tried. See packages/test-kit/README.md, "A server by its URL".
 */
import { randomBytes } from "node:crypto"
import type { Check } from "./Check.js"
import { checks } from "./checks.js"
import { makeClient } from "./Client.js"
import { Mismatch, Skipped } from "./Expect.js"
import { makeFixture, type ServerLimits } from "./Fixture.js"

export interface ConformanceOptions {
  /** The server's base address. */
  readonly url: string
  /** A key that may do everything, of an organisation that is used for nothing else. */
  readonly apiKey: string
  /** A key of another organisation: what the two must not see of each other is tried with both. */
  readonly otherApiKey?: string | undefined
  /** A project and an agent in it, for servers that make none. */
  readonly project?: number | undefined
  readonly agent?: number | undefined
  /** The short name of a repository that the key's organisation may check out; a checkout is not tried unless told. */
  readonly repo?: string | undefined
  /** What the server was started with; what is not told is tried with a default, or skipped. */
  readonly limits?: ServerLimits | undefined
  /** Runs the checks alone whose ids begin with one of these, such as `E4` or `E10/redact`; all unless told. */
  readonly only?: ReadonlyArray<string> | undefined
  /** Seconds that all of it may take; what is not tried by then counts as failed. 300 unless told. */
  readonly seconds?: number | undefined
  /** Seconds that one request may take; 20 unless told. */
  readonly requestSeconds?: number | undefined
  /** Tells what this run makes from what others make; random unless told. */
  readonly run?: string | undefined
  /** Is told of every check as it ends. */
  readonly onResult?: ((result: CheckResult) => void) | undefined
}

export interface CheckResult {
  readonly id: string
  /** The rule in a sentence. */
  readonly rule: string
  /** `skipped` where this server, or what was told of it, leaves nothing to try. */
  readonly outcome: "passed" | "failed" | "skipped"
  /** What was expected and what came, or why it was skipped; empty where it passed. */
  readonly detail: string
  readonly milliseconds: number
}

export interface ConformanceReport {
  readonly url: string
  readonly results: ReadonlyArray<CheckResult>
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** Paths of things that were made and could not be taken away. */
  readonly left: ReadonlyArray<string>
}

/** Seconds for taking away what was made, after the time for the checks is over. */
const CLEAN_UP_SECONDS = 60

const DEFAULT_SECONDS = 300
const DEFAULT_REQUEST_SECONDS = 20

/** The checks of these names: an endpoint's, the one of an id, or those whose ids begin so. All of them without names. */
export const checksFor = (only: ReadonlyArray<string> = []): ReadonlyArray<Check> =>
  only.length === 0
    ? checks
    : checks.filter(({ id }) => only.some((name) => isNamed(id.toLowerCase(), name.toLowerCase())))

/** E1 is not the beginning of E10, nor is a check of an id meant by others that begin with it. */
const isNamed = (id: string, name: string): boolean =>
  id === name ||
  id.startsWith(`${name}/`) ||
  (name.includes("/") && id.startsWith(name) && !checks.some((check) => check.id.toLowerCase() === name))

const saying = (error: unknown): string => {
  if (error instanceof Mismatch || error instanceof Skipped) return error.message
  if (!(error instanceof Error)) return String(error)
  if (error.name === "TimeoutError") return "the server did not answer in time"
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ""
  return `${error.message}${cause}`
}

/** Tries every rule, one after the other, and takes away what it made. Never rejects. */
export const runConformance = async (options: ConformanceOptions): Promise<ConformanceReport> => {
  const url = options.url.replace(/\/+$/, "")
  const requestMillis = (options.requestSeconds ?? DEFAULT_REQUEST_SECONDS) * 1000
  const time = AbortSignal.timeout((options.seconds ?? DEFAULT_SECONDS) * 1000)
  // What is taken away at the end has a time of its own.
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
      ? (["failed", "not tried: the time was over"] as const)
      : await check.run(fixture).then(
          () => ["passed", ""] as const,
          (error: unknown) => [error instanceof Skipped ? "skipped" : "failed", saying(error)] as const
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
  return { url, results, passed: count("passed"), failed: count("failed"), skipped: count("skipped"), left }
}
