/** `pnpm bench NAME` runs one benchmark of this folder; without a name it lists them. */
import { readdir } from "node:fs/promises"

/** What a file of this folder exports to be a benchmark. */
interface Benchmark {
  readonly name: string
  /** Measures both sides in interleaved rounds and prints their median ratio. */
  readonly run: () => Promise<void>
}

const isBenchmark = (module: unknown): module is Benchmark =>
  typeof module === "object" &&
  module !== null &&
  "name" in module &&
  "run" in module &&
  typeof module.run === "function"

const benchmarks = async (): Promise<ReadonlyArray<Benchmark>> => {
  const files = (await readdir(new URL(".", import.meta.url))).filter(
    (file) => file.endsWith(".js") && file !== "run.js"
  )
  const modules = await Promise.all(files.map((file): Promise<unknown> => import(new URL(file, import.meta.url).href)))
  return modules.filter(isBenchmark)
}

const known = await benchmarks()
const wanted = process.argv[2]
const benchmark = known.find((one) => one.name === wanted)
if (benchmark === undefined) {
  console.error(
    `Usage: pnpm bench NAME, where NAME is one of: ${known
      .map((one) => one.name)
      .sort()
      .join(", ")}`
  )
  process.exitCode = 2
} else {
  await benchmark.run()
}
