import { createRequire } from "node:module"
import { Worker } from "node:worker_threads"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { jsonError } from "../kernel/Json.js"
import { type Code, CodeFailed, type CodeInput, Sandbox } from "../metrics/Sandbox.js"
import { JsonFromSelf } from "../metrics/MetricTerms.js"

export interface QuickJsSandboxConfig {
  /** The time limit of one run. Default: 1 second. */
  readonly timeout?: Duration.DurationInput
  /** Memory of the code and its engine, of which the engine needs 16 MB. Default: 64 MB. */
  readonly memoryMegabytes?: number
  /** Runs at a time, each in a thread of its own. Default: 2. */
  readonly concurrency?: number
  /** How long idle threads are kept. Default: 1 minute. */
  readonly idle?: Duration.DurationInput
}

/** The largest result, as JSON text. */
const MAX_RESULT = 100_000

/** How much longer than the code's own time is waited for a thread that does not stop by itself. */
const GRACE = 1000

/** How long a thread may take to load its engine, on a machine that has much else to do. */
const LOADING = 30_000

/** A WebAssembly page. */
const PAGE = 65_536

/**
 * What runs in the thread: an engine in WebAssembly whose memory is made beforehand with an upper bound (the engine's own
 * limit does not hold), and for each run a fresh runtime in it. JavaScript as it stands, since a thread of its own cannot
 * read this project's sources. The code gets what it is given as JSON text and answers with JSON text: no object of this
 * side ever gets across.
 */
const THREAD = `
"use strict"
const { parentPort, workerData } = require("node:worker_threads")
const core = require(workerData.core)
const variant = require(workerData.variant).default

const PRELUDE = ${JSON.stringify(`(function (source, callText, clock, maxResult) {
  "use strict"
  const { parse, stringify } = JSON
  const make = Function
  const toText = String
  const isFiniteNumber = Number.isFinite
  const settle = Promise
  const { then } = Promise.prototype
  const { call: apply } = Function.prototype
  const resolve = settle.resolve.bind(settle)
  const thenOf = apply.bind(then)
  const out = { state: "pending", text: "" }
  const nameOf = (error) => {
    try {
      return error instanceof Error ? toText(error.name) + ": " + toText(error.message) : toText(error)
    } catch {
      return "It threw something that cannot be shown."
    }
  }
  const fails = (state, error) => {
    out.state = state
    out.text = nameOf(error).slice(0, 500)
  }
  const RealDate = Date
  const FixedDate = function Date(...args) {
    if (new.target === undefined) return new RealDate(clock).toString()
    return Reflect.construct(RealDate, args.length === 0 ? [clock] : args, new.target)
  }
  FixedDate.prototype = RealDate.prototype
  Object.defineProperty(RealDate.prototype, "constructor", { value: FixedDate, writable: true, configurable: true })
  FixedDate.now = () => clock
  FixedDate.UTC = RealDate.UTC
  FixedDate.parse = RealDate.parse
  globalThis.Date = FixedDate
  let seed = 42
  Math.random = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return seed / 4294967296
  }
  let body
  try {
    body = make("call", source)
  } catch (error) {
    fails("syntax", error)
    return out
  }
  // JSON would make a null of these, and a null says that there is nothing to be said.
  const honest = (key, value) => {
    if (key !== "" && key !== "value") return value
    const type = typeof value
    if (type === "number" && !isFiniteNumber(value)) throw "It returned a number that is not finite."
    if (type === "symbol" || type === "function") throw "What it returned is no JSON."
    return value
  }
  const keep = (value) => {
    let text
    try {
      text = stringify(value === undefined ? null : value, honest)
    } catch (error) {
      fails("result", error)
      return
    }
    if (text === undefined) fails("result", "What it returned is no JSON.")
    else if (text.length > maxResult) fails("result", "What it returned is too large.")
    else {
      out.state = "done"
      out.text = text
    }
  }
  try {
    const value = body(parse(callText))
    if (typeof value === "object" && value !== null && typeof value.then === "function") {
      thenOf(resolve(value), keep, (error) => fails("threw", error))
    } else keep(value)
  } catch (error) {
    fails("threw", error)
  }
  return out
})`)}

const ready = (async () => {
  const wasmMemory = new WebAssembly.Memory({ initial: 256, maximum: workerData.pages })
  const silent = () => undefined
  return core.newQuickJSWASMModuleFromVariant(
    core.newVariant(variant, { wasmMemory, emscriptenModule: { print: silent, printErr: silent } })
  )
})()

/** The body of the function that is called: what the code says and, where it defines the function, a call of that. */
const bodyOf = ({ functionName, source }) =>
  source + "\\n;if (typeof " + functionName + " === 'function') return " + functionName + "(call)"

/**
 * Compiles without running. Code that closes the enclosing function can close at most one of its two forms.
 */
const syntaxError = (context, message) => {
  const body = bodyOf(message)
  for (const text of ["(function (call) {\\n" + body + "\\n})", "({ evaluate(call) {\\n" + body + "\\n} })"]) {
    const compiled = context.evalCode(text, "metric.js", { type: "global", compileOnly: true })
    if (compiled.error) {
      const { message, name } = context.dump(compiled.error)
      compiled.error.dispose()
      return name + ": " + message
    }
    compiled.value.dispose()
  }
  return undefined
}

const run = (engine, message) => {
  const runtime = engine.newRuntime()
  runtime.setMaxStackSize(256 * 1024)
  let expired = false
  const deadline = performance.now() + workerData.timeout
  runtime.setInterruptHandler(() => (expired = expired || performance.now() > deadline))
  const context = runtime.newContext()
  const failed = (kind, text) => ({ kind, text })
  const text = (handle, key) => {
    const property = context.getProp(handle, key)
    const value = context.getString(property)
    property.dispose()
    return value
  }
  const errorOf = (handle) => {
    const shown = context.dump(handle)
    handle.dispose()
    const message = typeof shown === "object" && shown !== null ? String(shown.message) : String(shown)
    return expired
      ? failed("timeout", "")
      : /out of memory/i.test(message) || shown === null
        ? failed("memory", "")
        : failed("threw", message.slice(0, 500))
  }
  let answer
  const wrong = syntaxError(context, message)
  const prelude = wrong === undefined && !message.checkOnly ? context.evalCode(PRELUDE, "prelude.js") : undefined
  if (wrong !== undefined) answer = failed("syntax", wrong.slice(0, 500))
  else if (prelude === undefined) answer = failed("done", "null")
  else if (prelude.error) answer = errorOf(prelude.error)
  else {
    const given = [
      context.newString(bodyOf(message)),
      context.newString(message.call),
      context.newNumber(message.clock),
      context.newNumber(${MAX_RESULT})
    ]
    const called = context.callFunction(prelude.value, context.undefined, ...given)
    for (const handle of given) handle.dispose()
    prelude.value.dispose()
    if (called.error) answer = errorOf(called.error)
    else {
      const jobs = runtime.executePendingJobs()
      if (jobs.error) answer = errorOf(jobs.error)
      else {
        const state = text(called.value, "state")
        answer = expired ? failed("timeout", "") : { kind: state, text: text(called.value, "text") }
      }
      if (answer.kind === "threw" && /out of memory/i.test(answer.text)) answer = failed("memory", "")
      called.value.dispose()
    }
  }
  // A run that was cut short leaves things behind that the engine stumbles over, and its thread is ended anyway.
  if (answer.kind === "timeout" || answer.kind === "memory") return answer
  try {
    context.dispose()
    runtime.dispose()
    return answer
  } catch {
    return { ...answer, broken: true }
  }
}

// An engine's first run takes many times as long as its second, and that is not the code's doing either.
const warm = ready.then((engine) => {
  run(engine, { source: "return call", functionName: "evaluate", call: "null", clock: 0, checkOnly: false })
  return engine
})

parentPort.on("message", (message) => {
  warm.then((engine) => {
    // From here on its time runs: loading the engine is not the code's doing.
    parentPort.postMessage("started")
    return run(engine, message)
  }).then(
    (answer) => parentPort.postMessage(answer),
    // The engine gave up in the midst of it, out of memory more often than not; this thread is of no more use.
    () => parentPort.postMessage({ kind: "memory", text: "", broken: true })
  )
})
`

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
      const permits = yield* Effect.makeSemaphore(config.concurrency ?? 2)
      const idle = new Map<Worker, NodeJS.Timeout>()
      const require = createRequire(import.meta.url)
      const workerData = {
        core: require.resolve("quickjs-emscripten-core"),
        variant: require.resolve("@jitl/quickjs-wasmfile-release-sync"),
        pages: Math.ceil((memory * 1024 * 1024) / PAGE),
        timeout
      }

      const start = (): Worker => {
        const worker = new Worker(THREAD, {
          eval: true,
          workerData,
          env: {},
          execArgv: [],
          stdin: false,
          resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }
        })
        // Messages of a thread that is being stopped are ignored.
        worker.on("error", () => undefined)
        worker.on("exit", () => {
          clearTimeout(idle.get(worker))
          idle.delete(worker)
        })
        // A thread that waits for work keeps no process alive.
        worker.unref()
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
          const onEnd = (): void => settle(Effect.fail(failed("crashed", "The code brought its engine down.")))
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
            return failed("result", "It returned a promise that is never kept.")
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

      const ask = (request: Request): Effect.Effect<string, CodeFailed> =>
        permits
          .withPermits(1)(
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
        check: (code) => Effect.asVoid(Effect.flatMap(requestOf(code, true, undefined), ask)),
        run: (code, input) =>
          requestOf(code, false, input).pipe(
            Effect.flatMap(ask),
            Effect.flatMap((text) => Effect.orDie(decodeResult(text))),
            Effect.filterOrFail(
              (result) => jsonError(result) === undefined,
              (result) => failed("result", jsonError(result) ?? "What it returned is no JSON.")
            )
          )
      })
    })
  )

const tooLong = (timeout: number): string => `It took longer than ${timeout} ms.`
