/** `pnpm bench NAME` runs one benchmark; without a name it lists them. */
import { commandEnvironment } from "./Benchmark.js"
import { benchmarks } from "./benchmarks.js"

const [, , name, ...args] = process.argv
const selected = benchmarks.find((benchmark) => benchmark.name === name)
if (selected === undefined) {
  console.error(`Usage: pnpm bench NAME, where NAME is one of: ${benchmarks.map((one) => one.name).join(", ")}`)
  process.exitCode = 2
} else {
  await selected.run("full", commandEnvironment(args))
}
