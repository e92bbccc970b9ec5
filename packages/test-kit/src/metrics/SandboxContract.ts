import { type CodeFailed, type Json, Sandbox } from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"

const CLOCK = Date.UTC(2026, 2, 31, 10, 20, 30)

const run = (source: string, call: Json = null, functionName = "") =>
  Effect.flatMap(Sandbox, (sandbox) => sandbox.run({ source, functionName }, { call, clock: CLOCK }))

const failure = (source: string, call: Json = null) =>
  Effect.map(Effect.flip(run(source, call)), ({ kind, reason }) => ({ kind, reason }))

const check = (source: string, functionName = "") =>
  Effect.flatMap(Sandbox, (sandbox) => Effect.either(sandbox.check({ source, functionName })))

/**
 * Registers the contract tests of `Sandbox`. Use a time limit of a second or less: about twenty runs keep a processor busy
 * until it is over.
 */
export const sandboxContract = <E>(subject: string, sandbox: Layer.Layer<Sandbox, E>): void => {
  layer(sandbox)(`custom code run by ${subject}`, (it) => {
    it.effect("returns the value of the code, or of the function that it defines", () =>
      Effect.gen(function* () {
        const call = { transcript: "[00:01] Main Agent: Hé ☎", turns: [{ n: 1.5 }, null], yes: true }
        expect(yield* run("return call", call)).toEqual(call)
        expect(yield* run("function evaluate(call) { return { value: call.turns.length } }", call)).toEqual({
          value: 2
        })
        expect(yield* run("const polite = ({ yes }) => yes", call, "polite")).toBe(true)
        expect(yield* run("return Promise.resolve(5).then((n) => n + 1)")).toBe(6)
        expect(yield* run("async function evaluate() { await null; return 'late' }")).toBe("late")
        expect(yield* run("// nothing")).toBeNull()
      })
    )

    it.effect("rejects code that is not JavaScript, without running it", () =>
      Effect.gen(function* () {
        expect((yield* check("return 1 +"))._tag).toBe("Left")
        expect((yield* check("}); while (true) {} (function () {"))._tag).toBe("Left")
        expect((yield* check("for (;;) {}"))._tag).toBe("Right")
        for (const injection of [
          "}); globalThis.ran = 1; (function () {",
          "} }); globalThis.ran = 1; ({ evaluate() {"
        ]) {
          const rejected = yield* check(injection)
          expect(rejected).toMatchObject({ _tag: "Left", left: { kind: "syntax" } })
          expect(yield* failure(injection)).toMatchObject({ kind: "syntax" })
        }
        expect((yield* check("return `${1}`", "two words"))._tag).toBe("Left")
        expect((yield* check("return 1 // and a comment at the end"))._tag).toBe("Right")
      })
    )

    it.effect("reports what code throws and invalid results", () =>
      Effect.gen(function* () {
        expect(yield* failure("call.turns.length")).toMatchObject({ kind: "threw" })
        expect(yield* failure("throw new RangeError('no such turn')")).toEqual({
          kind: "threw",
          reason: "RangeError: no such turn"
        })
        expect(yield* failure("throw { toString() { throw 1 } }")).toMatchObject({ kind: "threw" })
        expect(yield* failure("const a = {}; a.a = a; return a")).toMatchObject({ kind: "result" })
        expect(yield* failure("return () => 1")).toMatchObject({ kind: "result" })
        expect(yield* failure("return 'x'.repeat(200000)")).toMatchObject({ kind: "result" })
        expect(yield* failure("return new Promise(() => {})")).toMatchObject({ kind: "result" })
        expect(yield* failure("return Promise.reject(new Error('late'))")).toEqual({
          kind: "threw",
          reason: "Error: late"
        })
        expect(yield* failure("const f = () => f() + 1; return f()")).toMatchObject({ kind: "threw" })
        for (const none of ["NaN", "{ value: 0 / 0 }", "{ value: -Infinity }"]) {
          expect(yield* failure(`return ${none}`)).toEqual({
            kind: "result",
            reason: "It returned a number that is not finite."
          })
        }
        for (const none of ["Symbol('x')", "{ value: Symbol('x') }", "{ value() {} }", "10n", "{ value: 10n }"]) {
          expect(yield* failure(`return ${none}`)).toMatchObject({ kind: "result" })
        }
        expect(yield* failure("return { get value() { throw new Error('hidden') } }")).toMatchObject({ kind: "result" })
        expect(yield* failure("return { get then() { throw new Error('hidden') } }")).toMatchObject({ kind: "threw" })
        expect(
          yield* run("return new Proxy({ value: 1 }, { get: (all, name) => (name === 'value' ? 2 : all[name]) })")
        ).toEqual({ value: 2 })
        expect(yield* run("return { then(keep) { keep({ value: 3 }) } }")).toEqual({ value: 3 })
        expect(yield* failure("return '\\u0000'")).toMatchObject({ kind: "result" })
        expect(yield* failure("return { toJSON() { return { ['__proto__']: 1 } } }")).toMatchObject({ kind: "result" })
      })
    )

    const stopped: ReadonlyArray<readonly [what: string, code: string, kinds: ReadonlyArray<CodeFailed["kind"]>]> = [
      ["an endless loop", "for (;;) {}", ["timeout"]],
      [
        "an endless loop that catches everything",
        "for (;;) { try { for (;;) {} } catch {} finally { continue } }",
        ["timeout"]
      ],
      [
        "an endless chain of promises",
        "const go = () => Promise.resolve().then(go); return go()",
        // Each waits for the next, so a fast machine runs out of memory first; the code may be told so by an exception.
        ["timeout", "memory", "threw"]
      ],
      ["an endless regular expression", "return /^(a+)+$/.test('a'.repeat(40) + 'b')", ["timeout"]],
      ["a long built-in", "return new Array(2 ** 31).fill(0).sort().length", ["timeout", "memory", "threw"]],
      ["a memory bomb", "const a = []; for (;;) a.push(new Array(100000).fill('x'))", ["memory", "timeout"]],
      ["a text bomb", "let s = 'x'; for (;;) s += s", ["memory", "timeout", "threw"]],
      [
        "a buffer bomb",
        "const all = []; for (;;) all.push(new Uint8Array(10_000_000).fill(1))",
        ["memory", "timeout", "threw"]
      ],
      ["an endless answer", "return { toJSON() { for (;;) {} } }", ["timeout"]],
      ["an endless thenable", "return { then() { for (;;) {} } }", ["timeout"]],
      ["an endless proxy", "return new Proxy({}, { get() { for (;;) {} } })", ["timeout"]],
      ["an endless description of a fault", "throw { toString() { for (;;) {} } }", ["timeout"]],
      ["an endless await", "async function evaluate() { for (;;) await null }", ["timeout"]],
      [
        "a memory bomb in a promise",
        "return Promise.resolve().then(() => { const a = []; for (;;) a.push('x'.repeat(100000)) })",
        ["memory", "timeout"]
      ],
      ["recursion that catches everything", "const f = () => { try { f() } finally { f() } }; f()", ["timeout"]],
      ["a number bomb", "let n = 3n; for (;;) n = n * n", ["timeout", "memory", "threw"]]
    ]
    it.effect("writes nothing to the host's streams, however the code ends", () =>
      Effect.gen(function* () {
        const output: Array<string> = []
        const write = process.stderr.write.bind(process.stderr)
        process.stderr.write = (text: string | Uint8Array) => output.push(String(text)) > 0
        yield* failure(
          "return Promise.resolve().then(() => { const a = []; for (;;) a.push('x'.repeat(100000)) })"
        ).pipe(
          Effect.zipRight(Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 50)))),
          Effect.ensuring(
            Effect.sync(() => {
              process.stderr.write = write
            })
          )
        )
        expect(output).toEqual([])
      })
    )

    it.effect.each(stopped)("%s is stopped, and the next evaluation works", ([, code, kinds]) =>
      Effect.gen(function* () {
        const { kind } = yield* failure(code)
        expect(kinds).toContain(kind)
        expect(yield* run("return call + 1", 1)).toBe(2)
      })
    )

    it.effect("exposes nothing of the host", () =>
      Effect.gen(function* () {
        const names = [
          "process",
          "require",
          "module",
          "fetch",
          "XMLHttpRequest",
          "WebSocket",
          "Buffer",
          "setTimeout",
          "setInterval",
          "performance",
          "console",
          "Worker",
          "importScripts",
          "postMessage",
          "parentPort",
          "workerData",
          "Deno",
          "Bun",
          "std",
          "os"
        ]
        const found = yield* run(
          `return ${JSON.stringify(names)}.filter((name) => typeof globalThis[name] !== "undefined")`
        )
        expect(found).toEqual([])
        expect(yield* run("return Object.keys(this ?? globalThis)")).toEqual([])
        expect(yield* failure("return import('node:fs')")).toMatchObject({ kind: "threw" })
        expect(yield* run("return (function () {}).constructor('return typeof process + typeof require')()")).toBe(
          "undefinedundefined"
        )
        expect(yield* run("return call.constructor.constructor('return this')() === globalThis", { a: 1 })).toBe(true)
      })
    )

    it.effect("shares no state between runs, whatever the code changes", () =>
      Effect.gen(function* () {
        yield* run(`
        globalThis.left = "behind"
        Object.prototype.value = "polluted"
        Object.prototype.toJSON = () => "polluted"
        Array.prototype.push = () => { throw new Error("tampered") }
        JSON.parse = () => ({ value: "forged" })
        JSON.stringify = () => '"forged"'
        Promise.prototype.then = () => { throw new Error("tampered") }
        Date.now = () => 0
        return 1
      `)
        expect(
          yield* run("return [typeof left, ({}).value ?? null, [1].push(2), JSON.parse('3'), Date.now()]")
        ).toEqual(["undefined", null, 2, 3, CLOCK])
        expect("value" in {}).toBe(false)
      })
    )

    it.effect("has only the fixed clock of the call, and no randomness", () =>
      Effect.gen(function* () {
        const code = `return [Date.now(), new Date().toISOString(), +new Date(5), new (new Date().constructor)().getTime(),
        new Date() instanceof Date, Math.random()]`
        const first = yield* run(code)
        expect(first).toMatchObject([CLOCK, "2026-03-31T10:20:30.000Z", 5, CLOCK, true, expect.any(Number)])
        expect(yield* run(code)).toEqual(first)
      })
    )

    it.effect("runs code concurrently with separate state", () =>
      Effect.gen(function* () {
        const numbers = Array.from({ length: 20 }, (_, n) => n)
        const answers = yield* Effect.forEach(
          numbers,
          (n) => Effect.either(n % 5 === 4 ? run("for (;;) {}") : run("return call * 2", n)),
          { concurrency: "unbounded" }
        )
        expect(answers.map((answer) => (answer._tag === "Left" ? answer.left.kind : answer.right))).toEqual(
          numbers.map((n) => (n % 5 === 4 ? "timeout" : n * 2))
        )
      })
    )
  })
}
