// The native TypeScript compiler with Effect's diagnostics, whose errors and warnings fail like type errors:
//
//   pnpm tsc [-b] [ARGUMENT OF TSC]...
//
// The executable is run from its package. `effect-tsgo get-exe-path` prints the same path in half a second.
import { spawnSync } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const require = createRequire(import.meta.url)
const ofPlatform = createRequire(require.resolve("@effect/tsgo/package.json"))
const folder = dirname(ofPlatform.resolve(`@effect/tsgo-${process.platform}-${process.arch}/package.json`))
const version = ofPlatform(join(folder, "lib/upstream.json")).tags.typescript.latest
const name = process.platform === "win32" ? "tsc.exe" : "tsc"

const tsc = join(folder, "artifacts/typescript", version, name)
const { error, status } = spawnSync(tsc, process.argv.slice(2), { stdio: "inherit" })
if (error !== undefined) throw error
process.exitCode = status ?? 1
