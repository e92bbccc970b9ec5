import { createRequire } from "node:module"
import type { Worker } from "node:worker_threads"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as FairSemaphore from "../kernel/FairSemaphore.js"
import { jsonError } from "../kernel/Json.js"
import { startThread } from "../kernel/Threads.js"
import { type Code, CodeFailed, type CodeInput, Sandbox } from "../metrics/Sandbox.js"
import { JsonFromSelf } from "../metrics/MetricTerms.js"
import { THREAD_PROGRAM } from "./QuickJsThread.js"

export interface QuickJsSandboxConfig {
  /** The time limit of one run. Default: 1 second. */
  readonly timeout?: Duration.DurationInput
  /** Memory of the code and its engine, of which the engine needs 16 MB. Default: 64 MB. */
  readonly memoryMegabytes?: number
  /** Runs at a time, each in a thread of its own; one of them is kept free of the owner that runs the others. Default: 2. */
  readonly concurrency?: number
  /** How long idle threads are kept. Default: 1 minute. */
  readonly idle?: Duration.DurationInput
}

/** How much longer than the code's own time is waited for a thread that does not stop by itself. */
const GRACE = 1000

/** How long a thread may take to load its engine, on a machine that has much else to do. */
const LOADING = 30_000

/** A WebAssembly page. */
const PAGE = 65_536

/** What the thread answers. */
const Answer = Schema.Struct({
  kind: Schema.Literal("done", "pending", "syntax", "threw", "result", "timeout", "memory"),
  text: Schema.String,
  broken: Schema.optional(Schema.Boolean)
})

type Answer = typeof Answer.Type

const decodeAnswer = Schema.decodeUnknown(Answer)

const decodeResult = Schema.decodeUnknown(Schema.parseJson(JsonFromSelf))

interface Request {
  readonly checkOnly: boolean
  readonly source: string
  readonly functionName: string
  readonly call: string
  readonly clock: number
}

const NAME = /^[A-Za-z_$][\w$]{0,254}$/

const failed = (kind: CodeFailed["kind"], reason: string): CodeFailed => new CodeFailed({ kind, reason })

/** Custom code in QuickJS, compiled to WebAssembly, in threads that are stopped when they take too long. */
export const layer = (config: QuickJsSandboxConfig = {}): Layer.Layer<Sandbox> =>
  Layer.scoped(
    Sandbox,
    Effect.gen(function* () {
      const timeout = Duration.toMillis(config.timeout ?? "1 second")
      const idleFor = Duration.toMillis(config.idle ?? "1 minute")
      const memory = config.memoryMegabytes ?? 64
      const concurrency = config.concurrency ?? 2
      const permits = FairSemaphore.make({ permits: concurrency, perKey: Math.max(1, concurrency - 1) })
      const idle = new Map<Worker, NodeJS.Timeout>()
      const require = createRequire(import.meta.url)
      const workerData = {
        core: require.resolve("quickjs-emscripten-core"),
        variant: require.resolve("@jitl/quickjs-wasmfile-release-sync"),
        pages: Math.ceil((memory * 1024 * 1024) / PAGE),
        timeout
      }

      const start = (): Worker => {
        const worker = startThread({
          program: THREAD_PROGRAM,
          workerData,
          resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }
        })
        worker.on("exit", () => {
          clearTimeout(idle.get(worker))
          idle.delete(worker)
        })
        return worker
      }

      const takeOne = Effect.sync(() => {
        for (const [worker, timer] of idle) {
          clearTimeout(timer)
          idle.delete(worker)
          return worker
        }
        return start()
      })

      const stop = (worker: Worker) => Effect.promise(() => worker.terminate())

      const giveBack = (worker: Worker) =>
        Effect.sync(() => {
          const timer = setTimeout(() => {
            idle.delete(worker)
            void worker.terminate()
          }, idleFor)
          timer.unref()
          idle.set(worker, timer)
        })

      yield* Effect.addFinalizer(() =>
        Effect.suspend(() => {
          const workers = [...idle.keys()]
          for (const timer of idle.values()) clearTimeout(timer)
          idle.clear()
          return Effect.forEach(workers, stop, { discard: true })
        })
      )

      /** The thread's answer; it holds the process while it runs. */
      const answerOf = (worker: Worker, request: Request): Effect.Effect<unknown, CodeFailed> =>
        Effect.async<unknown, CodeFailed>((resume) => {
          worker.ref()
          const stopAfter = (milliseconds: number) =>
            setTimeout(() => settle(Effect.fail(failed("timeout", tooLong(timeout)))), milliseconds)
          const onMessage = (answer: unknown): void => {
            if (answer !== "started") {
              settle(Effect.succeed(answer))
              return
            }
            clearTimeout(timer)
            timer = stopAfter(timeout + GRACE)
          }
          const onEnd = (): void => settle(Effect.fail(failed("crashed", "The code crashed the engine.")))
          let timer = stopAfter(LOADING)
          const settle = (outcome: Effect.Effect<unknown, CodeFailed>): void => {
            clearTimeout(timer)
            worker.off("message", onMessage)
            worker.off("error", onEnd)
            worker.off("exit", onEnd)
            worker.unref()
            resume(outcome)
          }
          worker.on("message", onMessage)
          worker.on("error", onEnd)
          worker.on("exit", onEnd)
          worker.postMessage(request)
          return Effect.sync(() => clearTimeout(timer))
        })

      const resultOf = (answer: Answer): Effect.Effect<string, CodeFailed> => {
        switch (answer.kind) {
          case "done":
            return Effect.succeed(answer.text)
          case "pending":
            return failed("result", "It returned a promise that never settles.")
          case "timeout":
            return failed("timeout", tooLong(timeout))
          case "memory":
            return failed("memory", `It needs more than ${memory} MB of memory.`)
          case "syntax":
          case "threw":
          case "result":
            return failed(answer.kind, answer.text)
        }
      }

      const ask = (request: Request, owner = ""): Effect.Effect<string, CodeFailed> =>
        permits
          .withPermit(owner)(
            Effect.acquireUseRelease(
              takeOne,
              (worker) =>
                answerOf(worker, request).pipe(
                  // The thread's program is part of this file: another form would be a defect of it.
                  Effect.flatMap((message) => Effect.orDie(decodeAnswer(message))),
                  Effect.flatMap((answer) =>
                    Effect.map(Effect.either(resultOf(answer)), (result) => ({
                      result,
                      sound: answer.broken !== true && answer.kind !== "timeout" && answer.kind !== "memory"
                    }))
                  )
                ),
              // Only a thread whose run ended by itself is used again.
              (worker, exit) => (exit._tag === "Success" && exit.value.sound ? giveBack(worker) : stop(worker))
            )
          )
          .pipe(Effect.flatMap(({ result }) => result))

      const requestOf = (code: Code, checkOnly: boolean, input: CodeInput | undefined) =>
        Effect.gen(function* () {
          const functionName = code.functionName.trim() === "" ? "evaluate" : code.functionName.trim()
          if (!NAME.test(functionName)) return yield* failed("syntax", "function_name is no name of a function.")
          return {
            checkOnly,
            source: code.source,
            functionName,
            call: JSON.stringify(input?.call ?? null),
            clock: input?.clock ?? 0
          }
        })

      return Sandbox.of({
        check: (code) => Effect.asVoid(Effect.flatMap(requestOf(code, true, undefined), (request) => ask(request))),
        run: (code, input) =>
          requestOf(code, false, input).pipe(
            Effect.flatMap((request) => ask(request, input.owner)),
            Effect.flatMap((text) => Effect.orDie(decodeResult(text))),
            Effect.filterOrFail(
              (result) => jsonError(result) === undefined,
              (result) => failed("result", jsonError(result) ?? "Its result is not JSON.")
            )
          )
      })
    })
  )

const tooLong = (timeout: number): string => `It took longer than ${timeout} ms.`
