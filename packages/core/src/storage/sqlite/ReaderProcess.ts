import { type ChildProcess, spawn } from "node:child_process"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { Socket } from "node:net"
import { NotNow } from "../sql/Storing.js"
import { READER_PROGRAM, type ReaderRequest, type ReaderSettings } from "./readerProgram.js"

/** A failure in the form of a driver's error. */
export interface DriverFailure {
  readonly code: string
  readonly message: string
}

/** The rows, or why there are none: the driver's failure, or that the process has ended. */
export type ReaderAnswer = Either.Either<ReadonlyArray<object>, DriverFailure | NotNow>

/** A reader process. It runs one request at a time. */
export interface ReaderProcess {
  /**
   * Runs a request. `onStarted` is called when the process can work on it, at once unless it is still starting.
   * `onAnswer` is called once.
   */
  readonly run: (request: ReaderRequest, onStarted: () => void, onAnswer: (answer: ReaderAnswer) => void) => void
  /** Ends the process at once, and with it the statement that it runs. A request in progress is not answered. */
  readonly kill: () => void
  readonly hasEnded: () => boolean
  readonly pid: number | undefined
}

const ENDED = new NotNow({ message: "The reader process has ended." })

const isRows = (value: unknown): value is ReadonlyArray<object> => Array.isArray(value)

const failureOf = (message: unknown): DriverFailure => {
  const failed = Predicate.hasProperty(message, "failed") ? message.failed : undefined
  return {
    code: Predicate.hasProperty(failed, "code") ? String(failed.code) : "",
    message: Predicate.hasProperty(failed, "message") ? String(failed.message) : "The reader gave no rows."
  }
}

/** Memory for rows, in megabytes: those of a page are bounded far below. */
const HEAP_MEGABYTES = 512

/** What the process has no use for: secrets of the engine's settings, and flags meant for its parent. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:EARSHOT_|NODE_|VITEST)/.test(name)))

const spawned = (settings: ReaderSettings): ChildProcess =>
  spawn(
    process.execPath,
    [`--max-old-space-size=${HEAP_MEGABYTES}`, "--no-warnings", "-e", READER_PROGRAM, "--", JSON.stringify(settings)],
    { stdio: ["pipe", "ignore", "ignore", "ipc"], serialization: "advanced", windowsHide: true, env: environment() }
  )

/** Starts a reader process. One that fails to start answers its first request with the reason. */
export const start = (settings: ReaderSettings): ReaderProcess => {
  const child = spawned(settings)
  let isReady = false
  let ended: DriverFailure | NotNow | undefined
  let current: { readonly onStarted: () => void; readonly onAnswer: (answer: ReaderAnswer) => void } | undefined

  const answer = (given: ReaderAnswer) => {
    const asked = current
    current = undefined
    // A reader that waits keeps no process alive.
    child.unref()
    child.channel?.unref()
    asked?.onAnswer(given)
  }
  const end = (reason: DriverFailure | NotNow) => {
    ended ??= reason
    if (current !== undefined) answer(Either.left(ended))
  }
  child.on("message", (message: unknown) => {
    if (Predicate.hasProperty(message, "ready")) {
      isReady = true
      current?.onStarted()
    } else if (!isReady) {
      end(failureOf(message))
    } else if (Predicate.hasProperty(message, "rows") && isRows(message.rows)) {
      answer(Either.right(message.rows))
    } else {
      answer(Either.left(failureOf(message)))
    }
  })
  // That it could not be started, such as for lack of memory or processes, or that a message could not be sent.
  child.on("error", (error) => end(new NotNow({ message: error.message })))
  child.on("exit", () => end(ENDED))
  // Its end of the pipe breaks when it is killed.
  child.stdin?.on("error", () => undefined)
  if (child.stdin instanceof Socket) child.stdin.unref()
  child.unref()
  child.channel?.unref()

  return {
    run: (request, onStarted, onAnswer) => {
      if (ended !== undefined) {
        onAnswer(Either.left(ended))
        return
      }
      current = { onStarted, onAnswer }
      child.ref()
      child.channel?.ref()
      child.send(request)
      if (isReady) onStarted()
    },
    kill: () => {
      current = undefined
      ended ??= ENDED
      child.kill("SIGKILL")
      child.unref()
      child.channel?.unref()
    },
    hasEnded: () => ended !== undefined,
    pid: child.pid
  }
}
