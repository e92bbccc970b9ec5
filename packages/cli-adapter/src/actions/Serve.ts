import { type Engine, JobRunner, Organizations } from "@earshot/core"
import {
  HttpServer,
  type HttpServerOptions,
  startCluster,
  isOrigin,
  type LogLevel,
  parseNetworks,
  type TrustProxy,
  canStartCluster,
  workerPort,
  reportJobMetrics,
  reportReady,
  workerRole
} from "@earshot/http-adapter"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Level from "effect/LogLevel"
import type * as Scope from "effect/Scope"
import { UsageError, type OutputClosed } from "../Errors.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { parseAddress, runEngine } from "../Session.js"
import { codeHostSettings, ingestingEngine } from "../EngineSettings.js"
import { type CodeHostOptions, type IngestingOptions, nonBlank, type StorageOptions } from "../Settings.js"
import { Signals } from "../Signals.js"
import { limitHeapGrowth } from "../ServerHeap.js"
import { jsonLine } from "../Text.js"
import { Wiring } from "../Wiring.js"
import { hostSignInLink } from "../HostSignIn.js"

export interface ServeOptions extends StorageOptions, IngestingOptions, CodeHostOptions {
  readonly json: boolean
  readonly host: string
  readonly port: number
  readonly processes: number
  readonly analytics: string | undefined
  readonly maxBody: number
  readonly maxUpload: number
  readonly maxBodies: number
  readonly maxResponses: number
  readonly maxResponsesPerOrganization: number
  readonly pageBytes: number
  readonly maxHead: number
  readonly maxParts: number
  readonly maxJsonDepth: number
  readonly maxJsonValues: number
  readonly headersTimeoutSeconds: number
  readonly requestTimeoutSeconds: number
  readonly idleTimeoutSeconds: number
  readonly keepAliveSeconds: number
  readonly stallTimeoutSeconds: number
  readonly statementTimeoutSeconds: number
  readonly databaseConnections: number
  readonly maxConnections: number
  readonly graceSeconds: number
  readonly readers: number | undefined
  readonly queryTimeoutSeconds: number
  readonly maxConnectionsPerAddress: number
  readonly answerTimeoutSeconds: number
  readonly trustProxy: ReadonlyArray<string>
  readonly allowOrigins: ReadonlyArray<string>
  readonly rateLimit: number | undefined
  readonly refusalLimit: number
}

/** The server's name of the level that `--log-level` sets. */
const serverLevel = (level: Level.LogLevel): LogLevel =>
  Level.lessThanEqual(level, Level.Debug)
    ? "debug"
    : Level.lessThanEqual(level, Level.Info)
      ? "info"
      : Level.lessThanEqual(level, Level.Warning)
        ? "warn"
        : level._tag === "None"
          ? "silent"
          : "error"

const givenLimits = (options: ServeOptions) => ({
  bodyBytes: options.maxBody,
  multipartBytes: options.maxUpload,
  bytesInFlight: options.maxBodies,
  responseBytes: options.maxResponses,
  organizationResponseBytes: options.maxResponsesPerOrganization,
  headBytes: options.maxHead,
  parts: options.maxParts,
  jsonDepth: options.maxJsonDepth,
  jsonNodes: options.maxJsonValues,
  headersMillis: options.headersTimeoutSeconds * 1000,
  requestMillis: options.requestTimeoutSeconds * 1000,
  idleMillis: options.idleTimeoutSeconds * 1000,
  keepAliveMillis: options.keepAliveSeconds * 1000,
  stallMillis: options.stallTimeoutSeconds * 1000,
  connections: options.maxConnections,
  connectionsPerAddress: options.maxConnectionsPerAddress,
  answerMillis: options.answerTimeoutSeconds * 1000,
  graceMillis: options.graceSeconds * 1000
})

/** Limits of which one has to be at most another: by their options, which the server knows nothing of. */
const ORDERED: ReadonlyArray<readonly [lower: string, upper: string, isOrdered: (options: ServeOptions) => boolean]> = [
  ["--headers-timeout", "--request-timeout", (given) => given.headersTimeoutSeconds <= given.requestTimeoutSeconds],
  ["--max-org-responses", "--max-responses", (given) => given.maxResponsesPerOrganization <= given.maxResponses],
  ["--max-body", "--max-bodies", (given) => given.maxBody <= given.maxBodies],
  ["--max-upload", "--max-bodies", (given) => given.maxUpload <= given.maxBodies]
]

const limitsOf = (options: ServeOptions): Effect.Effect<NonNullable<HttpServerOptions["limits"]>, UsageError> => {
  const wrong = ORDERED.find(([, , isOrdered]) => !isOrdered(options))
  return wrong === undefined
    ? Effect.succeed(givenLimits(options))
    : new UsageError({ reason: `${wrong[0]}: It must be at most ${wrong[1]}.` })
}

/** Proxies by their addresses, or by their number. */
const trustProxyOf = (given: ReadonlyArray<string>): Effect.Effect<TrustProxy, UsageError> => {
  const [first] = given
  if (first === undefined) return Effect.succeed(false)
  if (given.length === 1 && /^[1-9]\d?$/.test(first)) return Effect.succeed(Number(first))
  return parseNetworks(given) === undefined
    ? new UsageError({
        reason: "--trust-proxy: Give addresses or networks such as 10.0.0.0/8, or a number of proxies."
      })
    : Effect.succeed(given)
}

const originsOf = (given: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>, UsageError> => {
  const invalid = given.find((origin) => !isOrigin(origin))
  return invalid === undefined
    ? Effect.succeed(given)
    : new UsageError({ reason: `--allow-origin: ${invalid} is not an origin such as https://app.example.com.` })
}

/** Runs jobs until the server stops; unfinished jobs are released then. */
const runBackgroundWork = (engine: Context.Context<Engine.Services>): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(JobRunner, (runner) => Effect.forkScoped(runner.run)).pipe(Effect.asVoid, Effect.provide(engine))

/**
 * Prints the URL, or reports it to the primary process, which prints it for all.
 *
 * @param signIn a link that signs in to the web app, where the process that prints has an engine and one organization
 */
const announce = (url: string, options: ServeOptions, signIn?: string): Effect.Effect<void, OutputClosed, Screen> =>
  workerRole() === undefined
    ? Effect.flatMap(Screen, (screen) =>
        screen.print(
          options.json
            ? jsonLine({ url, ...(signIn === undefined ? {} : { sign_in: signIn }) })
            : `Listening on ${url} (API docs: ${url}/docs)\n${
                signIn === undefined
                  ? `Web app: ${url}/app/ (sign in with an API key, or with a link of \`earshot sign-in\`)`
                  : `Web app: ${signIn}\nThe link signs in once, within 15 minutes; \`earshot sign-in\` prints another.`
              }`
        )
      )
    : reportReady(url)

/** Serves in this process, by its role in the cluster if it has one. */
const serveInProcess = (options: ServeOptions): CommandEffect =>
  Effect.scoped(
    Effect.gen(function* () {
      const screen = yield* Screen
      const wiring = yield* Wiring
      const role = workerRole()
      const trustProxy = yield* trustProxyOf(options.trustProxy)
      const allowOrigins = yield* originsOf(options.allowOrigins)
      const limits = yield* limitsOf(options)
      const listening: { url?: string } = {}
      const codeHosts = codeHostSettings(options)
      const settings = {
        ...(yield* ingestingEngine(options)),
        codeHosts: { ...codeHosts, publicUrl: () => codeHosts.publicUrl() ?? listening.url },
        requestsPerMinute: options.rateLimit,
        readers: options.readers,
        queryTimeoutSeconds: options.queryTimeoutSeconds,
        statementTimeoutSeconds: options.statementTimeoutSeconds,
        databaseConnections: options.databaseConnections,
        pageBytes: options.pageBytes,
        refusalsPerMinute: options.refusalLimit,
        processes: options.processes,
        analytics: nonBlank(options.analytics)
      }
      const engine = yield* runEngine(settings, { existing: false })
      if (role === undefined || role === "background") yield* runBackgroundWork(engine)
      if (role === "background") {
        yield* Effect.provide(reportJobMetrics, engine)
        yield* reportReady(null)
        return yield* Effect.never
      }
      const organizations = yield* Effect.provide(Organizations, engine)
      const present = yield* organizations.list({ limit: 2 })
      if (present.results.length === 0 && role !== "server") {
        yield* screen.note(
          "This database has no organization, so every request is rejected. Create one with `earshot init`."
        )
      }
      const server = yield* Layer.build(
        wiring
          .server({
            host: options.host,
            port: workerPort() ?? options.port,
            limits,
            trustProxy,
            allowOrigins,
            logLevel: serverLevel(yield* FiberRef.get(FiberRef.currentMinimumLogLevel))
          })
          .pipe(Layer.provide(Layer.succeedContext(engine)))
      )
      const { url } = yield* Effect.provide(HttpServer, server)
      listening.url = url
      const [only, other] = present.results
      const hasLink = role === undefined && only !== undefined && other === undefined
      const signIn = hasLink ? yield* Effect.provide(hostSignInLink(url, only.id), engine) : undefined
      yield* announce(url, options, signIn)
      return yield* Effect.never
    })
  )

/**
 * Serves in a cluster of processes. Background jobs have a process of their own: evaluating a call takes many times as long
 * as ingesting it, and must not delay deliveries.
 */
const serveInCluster = (options: ServeOptions): CommandEffect =>
  Effect.scoped(
    Effect.gen(function* () {
      const address = yield* parseAddress(options.database)
      if (!canStartCluster()) {
        return yield* new UsageError({
          reason: "--processes: This process is a worker of another cluster, such as a process manager's."
        })
      }
      if (address.kind === "sqlite") {
        if (address.filename === ":memory:") {
          return yield* new UsageError({ reason: "--processes: A database in memory cannot be shared by processes." })
        }
        yield* Effect.flatMap(Wiring, ({ countForOthers }) => countForOthers)
      }
      const { url } = yield* startCluster({ servers: options.processes, background: true })
      yield* announce(url, options)
      yield* Effect.never
    })
  )

/** Serves until a signal; then requests in flight finish, and it exits with 0. */
export const serve = (options: ServeOptions): CommandEffect =>
  Effect.gen(function* () {
    const signals = yield* Signals
    yield* limitHeapGrowth
    yield* signals.endWell
    if (workerRole() !== undefined) yield* signals.once
    return yield* options.processes > 1 && workerRole() === undefined
      ? serveInCluster(options)
      : serveInProcess(options)
  })
