import { execFile } from "node:child_process"
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

const IMPORTS = 'import * as Context from "effect/Context"\nimport * as Effect from "effect/Effect"\n'
const SERVICE = 'class Clock extends Context.Tag("Clock")<Clock, { readonly now: number }>() {}\n'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-tsc-"))
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"))
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  const compilerOptions = {
    noEmit: true,
    composite: false,
    incremental: false,
    declaration: false,
    declarationMap: false
  }
  const tsconfig = { extends: join(ROOT, "tsconfig.base.json"), compilerOptions, include: ["*.ts"] }
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(tsconfig))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

/** The exit code and the codes of the errors of a module. */
const check = async (code: string): Promise<{ readonly exitCode: number; readonly errors: ReadonlyArray<string> }> => {
  await writeFile(join(folder, "module.ts"), code)
  return new Promise((resolve) => {
    execFile(process.execPath, [join(ROOT, "scripts/tsc.mjs"), "-p", folder], { timeout: 120_000 }, (error, stdout) =>
      resolve({
        exitCode: typeof error?.code === "number" ? error.code : 0,
        errors: Array.from(
          stdout.matchAll(/(?:error|warning) (TS\d+)|effect\((\w+)\)/g),
          ([, ts, rule]) => rule ?? ts ?? ""
        )
      })
    )
  })
}

describe("the compiler", () => {
  it("accepts an effect that is returned with its requirements", async () => {
    const code = `${IMPORTS}${SERVICE}export const now = Effect.map(Clock, ({ now }) => now)\n`
    expect(await check(code)).toEqual({ exitCode: 0, errors: [] })
  })

  it("rejects an effect that nothing runs", async () => {
    const { errors, exitCode } = await check(
      `${IMPORTS}export const run = () => {\n  Effect.void\n  return Context.empty()\n}\n`
    )
    expect(errors).toContain("floatingEffect")
    expect(exitCode).not.toBe(0)
  })

  it("rejects an effect whose requirement is not provided", async () => {
    const code = `${IMPORTS}${SERVICE}export const now: Effect.Effect<number> = Effect.map(Clock, ({ now }) => now)\n`
    const { errors, exitCode } = await check(code)
    expect(errors).toContain("missingEffectContext")
    expect(exitCode).not.toBe(0)
  })

  it("rejects a warning of the Effect diagnostics", async () => {
    const code = `${IMPORTS}export const run: Effect.Effect<void> = Effect.as(Effect.void, Effect.log("a"))\nexport const empty = Context.empty()\n`
    const { errors, exitCode } = await check(code)
    expect(errors).toContain("effectInVoidSuccess")
    expect(exitCode).not.toBe(0)
  })

  it("rejects a wrong type", async () => {
    const { errors, exitCode } = await check('export const name: number = "a"\n')
    expect(errors).toEqual(["TS2322"])
    expect(exitCode).not.toBe(0)
  })
})
