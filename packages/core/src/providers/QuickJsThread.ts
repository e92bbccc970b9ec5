/** The largest result, as JSON text. */
const MAX_RESULT = 100_000

/**
 * The program of a worker thread: QuickJS in WebAssembly, whose memory is allocated beforehand with an upper bound (the
 * engine's own limit does not hold), and a new runtime in it for each run. It is JavaScript in a text, since a worker thread
 * cannot load this project's TypeScript sources in tests. Input and result are JSON text: no object crosses the boundary.
 */
export const THREAD_PROGRAM = `
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
      return "It threw a value that has no text form."
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
  // JSON.stringify turns these into null, which means that the metric does not apply.
  const checked = (key, value) => {
    if (key !== "" && key !== "value") return value
    const type = typeof value
    if (type === "number" && !isFiniteNumber(value)) throw "It returned a number that is not finite."
    if (type === "symbol" || type === "function") throw "Its result is not JSON."
    return value
  }
  const keep = (value) => {
    let text
    try {
      text = stringify(value === undefined ? null : value, checked)
    } catch (error) {
      fails("result", error)
      return
    }
    if (text === undefined) fails("result", "Its result is not JSON.")
    else if (text.length > maxResult) fails("result", "Its result is too large.")
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

/** The body of the function that is called: the code and, if it defines the named function, a call of that. */
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
  // After an interrupted run the engine cannot be disposed of safely; its thread is terminated anyway.
  if (answer.kind === "timeout" || answer.kind === "memory") return answer
  try {
    context.dispose()
    runtime.dispose()
    return answer
  } catch {
    return { ...answer, broken: true }
  }
}

// An engine's first run takes many times as long as its second; the code's time limit excludes that.
const warm = ready.then((engine) => {
  run(engine, { source: "return call", functionName: "evaluate", call: "null", clock: 0, checkOnly: false })
  return engine
})

parentPort.on("message", (message) => {
  warm.then((engine) => {
    // The time limit starts here: it excludes loading the engine.
    parentPort.postMessage("started")
    return run(engine, message)
  }).then(
    (answer) => parentPort.postMessage(answer),
    // The engine itself failed, usually for lack of memory; the thread is not used again.
    () => parentPort.postMessage({ kind: "memory", text: "", broken: true })
  )
})
`
