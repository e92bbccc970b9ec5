import { spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

const CORE = "packages/core/src/calls"
const CORE_TEST = "packages/core/test/calls"

/** Code that violates a rule, with the folder and the extension of its file; one case per rule. */
const violations: ReadonlyArray<readonly [rule: string, folder: string, extension: string, code: string]> = [
  ["for-direction", CORE, "ts", "for (let i = 0; i < 10; i--) f()\nexport const f = () => 1"],
  ["no-control-regex", CORE, "ts", "export const a = /\\x00/"],
  [
    "no-fallthrough",
    "scripts",
    "mjs",
    "export const a = (b) => { switch (b) { case 1: f()\ncase 2: f() } }\nconst f = () => 1"
  ],
  ["no-constant-condition", CORE, "ts", "export const a = () => { if (1) return 2\nreturn 3 }"],
  ["no-useless-assignment", CORE, "ts", "export const a = () => { let b = 1\nb = 2\nreturn b }"],
  [
    "preserve-caught-error",
    "packages/test-kit/src",
    "ts",
    "export const f = () => { try { return 1 } catch (error) { throw new Error('b') } }"
  ],
  [
    "complexity",
    CORE,
    "ts",
    `export const a = (b: number) => ${Array.from({ length: 25 }, (_, i) => `b === ${i} ? ${i} : `).join("")}0`
  ],
  ["eqeqeq", CORE, "ts", "export const a = (b: string) => b == 'c'"],
  ["no-console", CORE, "ts", "console.log(1)"],
  ["no-undef", "scripts", "mjs", "missing()"],
  ["no-unused-vars", "scripts", "mjs", "const a = 1"],
  ["prefer-const", CORE, "ts", "let a = 1\nexport const b = a"],
  ["no-var", CORE, "ts", "export var a = 1"],
  ["no-empty-function", CORE, "ts", "export const a = () => {}"],
  ["no-unused-expressions", CORE, "ts", "export const a = 1\na"],
  [
    "no-restricted-properties",
    "packages/test-kit/src",
    "ts",
    "declare const effect: { catchAllCause: () => void }\neffect.catchAllCause()"
  ],
  ["no-restricted-properties", CORE, "ts", "export const a = Date.now()"],
  ["no-restricted-properties", CORE, "ts", "export const a = Math.random()"],
  ["no-restricted-imports", CORE, "ts", 'import { Effect } from "effect"\nexport const a = Effect.void'],
  ["no-restricted-imports", CORE, "ts", 'export * from "@effect/schema/Schema"'],
  ["earshot/restricted-syntax", "bench/src", "ts", "export default 1"],
  ["earshot/restricted-syntax", "bench/src", "ts", "export enum A { B }"],
  ["earshot/restricted-syntax", CORE, "ts", "export const a = () => { throw new Error('b') }"],
  ["earshot/restricted-syntax", CORE, "ts", "export const a = new Date()"],
  [
    "earshot/restricted-syntax",
    CORE,
    "ts",
    "declare const Layer: { merge: (a: number, b: number) => number }\nexport const a = Layer.merge(1, 2)"
  ],
  ["earshot/vocabulary", CORE, "ts", "export const agentWorld = 1"],
  ["earshot/vocabulary", CORE, "ts", ["// Its behavio", "ur.\nexport const a = 1"].join("")],
  ["earshot/directives", CORE, "ts", "// eslint-disable-next-line eqeqeq\nexport const a = (b: string) => b == 'c'"],
  [
    "earshot/directives",
    CORE,
    "ts",
    "/* oxlint-disable eqeqeq -- all of it */\nexport const a = (b: string) => b == 'c'"
  ],
  ["typescript/array-type", CORE, "ts", "export const a: string[] = []"],
  ["typescript/ban-ts-comment", CORE, "ts", "// @ts-ignore\nexport const a = 1"],
  ["typescript/consistent-type-assertions", CORE, "ts", "export const a = {} as Date"],
  ["typescript/consistent-type-definitions", CORE, "ts", "export type A = { readonly b: number }"],
  [
    "typescript/consistent-type-imports",
    CORE,
    "ts",
    'import { Worker } from "node:worker_threads"\nexport const a = (b: Worker) => b'
  ],
  ["typescript/no-empty-object-type", CORE, "ts", "export interface A {}"],
  ["typescript/no-explicit-any", CORE, "ts", "export const a = (b: any) => [b]"],
  ["typescript/no-extraneous-class", CORE, "ts", "export class A { static b = 1 }"],
  ["typescript/no-inferrable-types", CORE, "ts", "export const a = (b: number = 1) => b"],
  ["typescript/no-non-null-assertion", CORE, "ts", "export const a = (b: string | null) => b!.length"],
  [
    "typescript/prefer-for-of",
    CORE,
    "ts",
    "export const a = (b: Array<number>) => { for (let i = 0; i < b.length; i++) a([b[i] ?? 0]) }"
  ],
  [
    "typescript/unified-signatures",
    CORE,
    "ts",
    "export declare function a(b: number): void\nexport declare function a(b: string): void"
  ],
  ["typescript/await-thenable", CORE, "ts", "export const a = async () => { await 1 }"],
  ["typescript/dot-notation", CORE, "ts", "export const a = (b: { c: number }) => b['c']"],
  ["typescript/no-array-delete", CORE, "ts", "export const a = (b: Array<number>) => { delete b[0] }"],
  ["typescript/no-base-to-string", CORE, "ts", "export const a = (b: object) => String(b)"],
  ["typescript/no-confusing-void-expression", CORE, "ts", "declare const f: () => void\nexport const a = [f()]"],
  ["typescript/no-deprecated", CORE, "ts", "/** @deprecated Use b. */\nconst a = () => 1\nexport const b = a()"],
  ["typescript/no-duplicate-type-constituents", CORE, "ts", "export type A = string | string"],
  ["typescript/no-floating-promises", CORE, "ts", "export const a = () => { Promise.resolve(1) }"],
  [
    "typescript/no-for-in-array",
    CORE,
    "ts",
    "export const a = (b: Array<number>) => { for (const i in b) a([i.length]) }"
  ],
  ["typescript/no-implied-eval", CORE, "ts", "setTimeout('a()', 1)"],
  ["typescript/no-meaningless-void-operator", CORE, "ts", "declare const f: () => void\nvoid f()"],
  ["typescript/no-misused-promises", CORE, "ts", "export const a = (b: Promise<boolean>) => { if (b) a(b) }"],
  ["typescript/no-redundant-type-constituents", CORE, "ts", "export type A = unknown | string"],
  [
    "typescript/no-unnecessary-boolean-literal-compare",
    CORE,
    "ts",
    "export const a = (b: boolean) => (b === true ? 1 : 2)"
  ],
  ["typescript/no-unnecessary-condition", CORE, "ts", "export const a = (b: Date) => (b ? 1 : 2)"],
  ["typescript/no-unnecessary-template-expression", CORE, "ts", "export const a = (b: string) => `${b}`"],
  [
    "typescript/no-unnecessary-type-arguments",
    CORE,
    "ts",
    "const f = <A = string>(b?: A) => b\nexport const a = f<string>()"
  ],
  ["typescript/no-unnecessary-type-assertion", CORE_TEST, "ts", "export const a = (b: string) => b as string"],
  [
    "typescript/no-unsafe-argument",
    CORE,
    "ts",
    "declare const b: ReturnType<typeof JSON.parse>\nexport const a = Number.isFinite(b) || [1].includes(b)"
  ],
  ["typescript/no-unsafe-assignment", CORE, "ts", "const a = JSON.parse('1')\nexport const b = [a]"],
  ["typescript/no-unsafe-call", CORE, "ts", "JSON.parse('1')()"],
  ["typescript/no-unsafe-member-access", CORE, "ts", "export const a = [String(JSON.parse('1').b)]"],
  ["typescript/no-unsafe-return", CORE, "ts", "export const a = (): string => JSON.parse('1')"],
  ["typescript/only-throw-error", "packages/test-kit/src", "ts", "export const a = () => { throw 'b' }"],
  ["typescript/prefer-find", CORE, "ts", "export const a = (b: Array<number>) => b.filter((c) => c > 1)[0]"],
  ["typescript/prefer-includes", CORE, "ts", "export const a = (b: string) => b.indexOf('c') !== -1"],
  ["typescript/prefer-nullish-coalescing", CORE, "ts", "export const a = (b: string | undefined) => b || 'c'"],
  ["typescript/prefer-optional-chain", CORE, "ts", "export const a = (b: { c: string } | undefined) => b && b.c"],
  ["typescript/prefer-regexp-exec", CORE, "ts", "export const a = (b: string) => b.match(/c/)"],
  ["typescript/prefer-string-starts-ends-with", CORE, "ts", "export const a = (b: string) => b[0] === 'c'"],
  ["typescript/restrict-plus-operands", CORE, "ts", "export const a = (b: string, c: number) => b + c"],
  ["typescript/restrict-template-expressions", CORE, "ts", "export const a = (b: object) => `${b}`"],
  [
    "typescript/return-await",
    CORE,
    "ts",
    "export const a = async (b: Promise<number>) => { try { return b } catch { return 1 } }"
  ],
  [
    "typescript/switch-exhaustiveness-check",
    CORE,
    "ts",
    "export const a = (b: 'c' | 'd') => { switch (b) { case 'c': return 1 }\nreturn 2 }"
  ],
  ["typescript/unbound-method", CORE, "ts", "class A { b() { return this } }\nexport const c = new A().b"],
  ["typescript/use-unknown-in-catch-callback-variable", CORE, "ts", "Promise.resolve(1).catch((error) => [error])"]
]

/** Code that complies: each line would be a violation in another folder or with other options. */
const allowed: ReadonlyArray<readonly [folder: string, extension: string, code: string]> = [
  [CORE, "ts", 'import * as Effect from "effect/Effect"\nexport const a = Effect.sync(() => [1].forEach(String))'],
  [
    CORE,
    "ts",
    "// eslint-disable-next-line typescript/consistent-type-assertions -- the compiler cannot know it\nexport const a = {} as Date"
  ],
  [CORE, "ts", "export const a = (b: number) => { while (true) if (b > 1) return `${b}` }"],
  [
    CORE_TEST,
    "ts",
    "export const a = (b: string | null) => [b!.length, JSON.parse('1').c, {} as Date, Date.now(), new Date()]"
  ],
  ["packages/core/src", "ts", "export const a = new Date(0)"],
  ["bench/src", "ts", "console.log(1)\nexport const a = () => { throw new Error('b') }"]
]

const name = (index: number) => `case${index}`

let folder: string
let found: ReadonlyArray<{ readonly file: string; readonly rule: string }>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "earshot-lint-"))
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"))
  cpSync(join(ROOT, "oxlint.config.mjs"), join(folder, "oxlint.config.mjs"))
  cpSync(join(ROOT, "scripts/lint"), join(folder, "scripts/lint"), { recursive: true })
  const compilerOptions = {
    target: "ES2023",
    lib: ["ES2023"],
    types: ["node"],
    module: "NodeNext",
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noEmit: true
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["packages", "bench"] }))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  const write = (path: string, code: string) => {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), `${code}\n`)
  }
  violations.forEach(([, where, extension, code], index) => write(`${where}/${name(index)}.${extension}`, code))
  allowed.forEach(([where, extension, code], index) => write(`${where}/allowed${index}.${extension}`, code))
  write(`${CORE}/unused.ts`, "// eslint-disable-next-line eqeqeq -- nothing to disable\nexport const a = 1")
  const oxlint = join(ROOT, "node_modules/oxlint/bin/oxlint")
  const args = [oxlint, "-c", "oxlint.config.mjs", "--format", "json", "packages", "bench", "scripts"]
  const child = spawn(process.execPath, args, { cwd: folder, timeout: 120_000 })
  let stdout = ""
  let stderr = ""
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
  await once(child, "close")
  if (!stdout.startsWith("{")) throw new Error(`oxlint did not run:\n${stdout}${stderr}`)
  const { diagnostics } = JSON.parse(stdout) as {
    readonly diagnostics: ReadonlyArray<{ readonly code?: string; readonly message: string; readonly filename: string }>
  }
  found = diagnostics.map(({ code, filename, message }) => ({ file: filename, rule: code ?? message }))
}, 180_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** `typescript/no-var` as oxlint prints it: `typescript(no-var)`; rules without a plugin are ESLint's. */
const printed = (rule: string): string => {
  const [plugin = "", own] = rule.split("/")
  return own === undefined ? `eslint(${plugin})` : `${plugin}(${own})`
}

describe("lint", () => {
  it.each(violations.map(([rule, where, extension, code], index) => ({ rule, where, extension, code, index })))(
    "reports a violation of $rule in $where: $code",
    ({ extension, index, rule, where }) => {
      const file = `${where}/${name(index)}.${extension}`
      const rules = found.filter((one) => one.file.endsWith(file)).map((one) => one.rule)
      expect(rules.some((one) => one.endsWith(printed(rule)))).toBe(true)
    }
  )

  it("reports nothing for code that complies with the rules of its folder", () => {
    expect(found.filter(({ file }) => file.includes("allowed"))).toEqual([])
  })

  it("reports a disable comment without effect", () => {
    const unused = found.filter(({ file }) => file.endsWith("unused.ts")).map(({ rule }) => rule)
    expect(unused).toEqual([expect.stringMatching(/^Unused eslint-disable directive/)])
  })
})
