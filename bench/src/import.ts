/**
 * Importing each package in a fresh process, compared with a process that imports nothing and with `effect/Schema`, which
 * all of them need: processor time and resident memory. Medians over the rounds.
 *
 * Environment: `EARSHOT_BENCH_ROUNDS` (default: 9), `EARSHOT_BENCH_MODULES` (separated by commas; default: those below),
 * `EARSHOT_BENCH_FOLDER` (the folder of a program whose installed packages are imported; default: the modules of this workspace,
 * which archives contain bundled).
 */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { benchmark, numberFrom } from "./Benchmark.js"
import { median } from "./measure.js"

const modules = [
  "effect/Effect",
  "effect/Schema",
  "effect",
  "@earshot/redaction",
  "@earshot/redaction/audio",
  "@earshot/core",
  "@earshot/core/promise",
  "@earshot/core/sqlite",
  "@earshot/core/postgres",
  "@earshot/http-adapter"
]

interface Cost {
  /** Processor time of the import. */
  readonly cpuMs: number
  /** Resident memory of the whole process. */
  readonly megabytes: number
}

/** Prints a `Cost`; the processor time of a bare process is that until its first statement. */
const program = (module: string | undefined): string => `
const cpu = () => { const { system, user } = process.cpuUsage(); return (system + user) / 1e3 }
const before = ${module === undefined ? "0" : "cpu()"}
${module === undefined ? "" : `await import(${JSON.stringify(module)})`}
console.log(JSON.stringify({ cpuMs: cpu() - before, megabytes: process.memoryUsage.rss() / 1e6 }))`

const isCost = (value: unknown): value is Cost =>
  typeof value === "object" && value !== null && "cpuMs" in value && "megabytes" in value

const measure = async (module?: string): Promise<Cost> => {
  // Resolved from the program's folder, and without what the parent's loader is told by its arguments and environment.
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program(module)], {
    cwd: process.env.EARSHOT_BENCH_FOLDER ?? import.meta.dirname,
    env: { ...process.env, NODE_OPTIONS: "" }
  })
  const cost: unknown = JSON.parse(stdout)
  if (!isCost(cost)) throw new Error(`Importing ${module ?? "nothing"} printed ${stdout}`)
  return cost
}

export const importBenchmark = benchmark<{ readonly rounds: number; readonly modules: ReadonlyArray<string> }>({
  name: "import",
  full: {
    rounds: numberFrom("EARSHOT_BENCH_ROUNDS", 9),
    modules: process.env.EARSHOT_BENCH_MODULES?.split(",") ?? modules
  },
  tiny: { rounds: 1, modules: ["effect/Schema", "@earshot/core"] },
  run: async ({ modules: imported, rounds }, { print }) => {
    for (const module of [undefined, ...imported]) {
      const costs: Array<Cost> = []
      for (let round = 0; round < rounds; round++) costs.push(await measure(module))
      const cpuMs = median(costs.map((cost) => cost.cpuMs)).toFixed(0)
      const megabytes = median(costs.map((cost) => cost.megabytes)).toFixed(0)
      print(`${module ?? "nothing"}: ${cpuMs} ms of processor time, ${megabytes} MB resident`)
    }
  }
})
