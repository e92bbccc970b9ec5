/** ClickHouse's engine in a process beside this one, which all processes on the machine with the same directory share. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdir, readFile } from "node:fs/promises"
import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { ColumnStoreUnavailable } from "../../analytics/Projection.js"
import { installed } from "../../kernel/InstalledModule.js"
import { CHDB_PROGRAM, type ChdbSettings, ENDPOINT_FILE } from "./chdbProgram.js"
import type { ClickHouseEngine } from "./ClickHouseEngine.js"
import * as ClickHouseHttp from "./ClickHouseHttp.js"
import { plain } from "./Statement.js"

export interface EmbeddedConfig {
  /** An absolute path of a directory, which is created. It must be on a local disk. */
  readonly directory: string
  readonly queryTimeout: Duration.Duration
}

const USERNAME = "earshot"

/** How many statements run at a time; a batch of changes is up to four. */
const STATEMENTS = 4

/** The most memory of one statement, in bytes. */
const STATEMENT_MEMORY = 2_147_483_648

/** How long the process may take to start: 0.3 to 1 s were measured, more with many parts. */
const START_LIMIT = Duration.seconds(30)

/** How long the process may take to end, with the statements that run. */
const END_LIMIT = Duration.seconds(10)

/** How long the process that a directory states may take to answer. */
const ATTACH_LIMIT = Duration.seconds(2)

/** A process that fails to start is not started again before. */
const RESTART_DELAY = Duration.seconds(5)

const Endpoint = Schema.Struct({ port: Schema.Int, password: Schema.String, pid: Schema.Int })
type Endpoint = typeof Endpoint.Type

const Message = Schema.Union(
  Schema.Struct({ ready: Endpoint }),
  Schema.Struct({ taken: Schema.Literal(true) }),
  Schema.Struct({ failed: Schema.String })
)
type Message = typeof Message.Type

const unreachable = (message: string) =>
  new ColumnStoreUnavailable({ reason: "unreachable", operation: "connect", cause: new Error(message) })

interface Connection {
  readonly engine: ClickHouseEngine
  readonly close: Effect.Effect<void>
}

/** What the process has no use for: secrets of this program's settings, and flags meant for its parent. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:EARSHOT_|NODE_|VITEST)/.test(name)))

/** Whether the package of the engine is installed. */
export const isInstalled = (): boolean => installed("chdb") !== null

const started = (settings: ChdbSettings): ChildProcess => {
  const child = spawn(process.execPath, ["--no-warnings", "-e", CHDB_PROGRAM, "--", JSON.stringify(settings)], {
    stdio: ["pipe", "ignore", "ignore", "ipc"],
    windowsHide: true,
    env: environment()
  })
  // It keeps this process alive only while something waits for it.
  child.unref()
  child.channel?.unref()
  return child
}

/** Its first message. */
const firstMessage = (child: ChildProcess): Effect.Effect<Message, ColumnStoreUnavailable> =>
  Effect.async<unknown, ColumnStoreUnavailable>((resume) => {
    const fail = (message: string) => resume(Effect.fail(unreachable(message)))
    child.once("message", (message) => resume(Effect.succeed(message)))
    child.once("error", (error) => fail(error.message))
    child.once("exit", (code, signal) => fail(`The process ended with ${String(code ?? signal)} when it started.`))
  }).pipe(
    Effect.flatMap((message) =>
      Effect.mapError(Schema.decodeUnknown(Message)(message), (error) => unreachable(error.message))
    ),
    Effect.timeoutFail({ duration: START_LIMIT, onTimeout: () => unreachable("The process did not start in time.") })
  )

/** Lets the process end what it does; ends it if it takes too long. */
const stop = (child: ChildProcess): Effect.Effect<void> =>
  Effect.async((resume: (ended: Effect.Effect<void>) => void) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resume(Effect.void)
      return
    }
    child.once("exit", () => resume(Effect.void))
    child.ref()
    child.stdin?.destroy()
  }).pipe(
    Effect.timeout(END_LIMIT),
    Effect.catchAll(() => Effect.sync(() => child.kill("SIGKILL"))),
    Effect.asVoid
  )

/**
 * The engine of a directory: of the process that has it open, or else of a new one, which ends with this scope. If it ends or
 * crashes, statements in progress fail with `unreachable`, and the next one starts or finds another.
 */
export const make = (config: EmbeddedConfig): Effect.Effect<ClickHouseEngine, never, Scope.Scope> =>
  Effect.gen(function* () {
    const outer = yield* Effect.scope
    const turns = yield* Effect.makeSemaphore(1)
    let current: Connection | undefined
    let notBefore = 0

    const stated = Effect.tryPromise(() => readFile(path.join(config.directory, ENDPOINT_FILE), "utf8")).pipe(
      Effect.flatMap(Schema.decode(Schema.parseJson(Endpoint))),
      Effect.option
    )

    const open = ({ password, port }: Endpoint): Effect.Effect<Connection> =>
      Effect.gen(function* () {
        const scope = yield* Scope.fork(outer, ExecutionStrategy.sequential)
        const engine = yield* Scope.extend(
          ClickHouseHttp.make({
            url: `http://127.0.0.1:${port}`,
            username: USERNAME,
            password,
            database: "default",
            queryTimeout: config.queryTimeout,
            connections: 2 * STATEMENTS
          }),
          scope
        )
        return { engine, close: Scope.close(scope, Exit.void) }
      })

    /** The engine of the process that has the directory open, if there is one. */
    const attach: Effect.Effect<Option.Option<Connection>> = Effect.gen(function* () {
      const endpoint = yield* stated
      if (Option.isNone(endpoint)) return Option.none()
      const connection = yield* open(endpoint.value)
      const answers = yield* Effect.either(
        Effect.timeout(connection.engine.rows("connect", plain("SELECT 1 AS one")), ATTACH_LIMIT)
      )
      if (Either.isRight(answers)) return Option.some(connection)
      yield* connection.close
      return Option.none()
    })

    const launch: Effect.Effect<Connection, ColumnStoreUnavailable> = Effect.gen(function* () {
      const chdb = installed("chdb")
      if (chdb === null) {
        return yield* unreachable("The package chdb is not installed. Install it, or use a ClickHouse server.")
      }
      const { directory } = config
      yield* Effect.tryPromise({
        try: () => mkdir(directory, { recursive: true, mode: 0o700 }),
        catch: (cause) => new ColumnStoreUnavailable({ reason: "unreachable", operation: "connect", cause })
      })
      const child = yield* Effect.acquireRelease(
        Effect.sync(() =>
          started({
            directory,
            chdb,
            username: USERNAME,
            statements: STATEMENTS,
            statementMemory: STATEMENT_MEMORY,
            endMillis: Duration.toMillis(END_LIMIT)
          })
        ),
        stop
      ).pipe(Scope.extend(outer))
      const message = yield* firstMessage(child)
      if ("ready" in message) return yield* open(message.ready)
      if ("failed" in message) return yield* unreachable(message.failed)
      // Another process has just started, and says where it is in a moment.
      return yield* attach.pipe(
        Effect.flatten,
        Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 50 }),
        Effect.mapError(() => unreachable("Another process has the directory open and does not answer."))
      )
    })

    const connect: Effect.Effect<Connection, ColumnStoreUnavailable> = Effect.gen(function* () {
      if (current !== undefined) return current
      const attached = yield* attach
      if (Option.isSome(attached)) {
        current = attached.value
        return current
      }
      const now = yield* Clock.currentTimeMillis
      if (now < notBefore) return yield* unreachable("The process failed to start a moment ago.")
      current = yield* launch.pipe(
        Effect.tapError(() =>
          Effect.sync(() => {
            notBefore = now + Duration.toMillis(RESTART_DELAY)
          })
        )
      )
      return current
    }).pipe(turns.withPermits(1))

    /** Runs on the connection; one that is broken is not used again. */
    const using = <A>(run: (engine: ClickHouseEngine) => Effect.Effect<A, ColumnStoreUnavailable>) =>
      Effect.flatMap(connect, (connection) =>
        run(connection.engine).pipe(
          Effect.tapError(({ reason }) =>
            reason === "unreachable" && current === connection
              ? Effect.zipRight(
                  Effect.sync(() => {
                    current = undefined
                  }),
                  connection.close
                )
              : Effect.void
          )
        )
      )
    return {
      rows: (operation, statement) => using((engine) => engine.rows(operation, statement)),
      insert: (table, rows) => using((engine) => engine.insert(table, rows)),
      run: (operation, statement) => using((engine) => engine.run(operation, statement))
    }
  })
