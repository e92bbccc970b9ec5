/**
 * `pnpm chaos [NAME...]`: failure tests of a built server. Prints figures, and exits with 1 if one of them misses its goal.
 * `--list` lists the scenarios. It needs Linux.
 *
 * Environment: `EARSHOT_CHAOS_CALLS` (default: 1,000,000), `EARSHOT_BENCH_DATABASE` (sqlite or postgres; default: both).
 */
import { parseArgs } from "node:util"
import { commandEnvironment, numberFrom } from "../Benchmark.js"
import { runScenario } from "./runScenario.js"
import { scenarios } from "./scenarios.js"

const { positionals, values } = parseArgs({ allowPositionals: true, options: { list: { type: "boolean" } } })
const unknown = positionals.filter((name) => !scenarios.some((scenario) => scenario.name === name))

if (values.list === true) {
  for (const { about, databases, name } of scenarios) {
    console.log(`${name.padEnd(20)} ${about}${databases === undefined ? "" : ` (${databases.join(", ")})`}`)
  }
} else if (unknown.length > 0) {
  console.error(`No scenario is named ${unknown.join(", ")}. pnpm chaos --list lists them.`)
  process.exitCode = 2
} else {
  const environment = commandEnvironment([])
  const options = { calls: numberFrom("EARSHOT_CHAOS_CALLS", 1_000_000), seconds: 5 }
  const missed: Array<string> = []
  for (const scenario of scenarios) {
    if (positionals.length > 0 && !positionals.includes(scenario.name)) continue
    missed.push(...(await runScenario(scenario, "full", environment, options)))
  }
  console.log(missed.length === 0 ? "All figures met their goals." : `${missed.length} figures missed their goals:`)
  for (const one of missed) console.log(`  ${one}`)
  process.exitCode = missed.length === 0 ? 0 : 1
}
