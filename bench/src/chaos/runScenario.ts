import type { DatabaseName, Environment, Scale } from "../Benchmark.js"
import { makeFigures, type Scenario, type ScenarioOptions } from "./Scenario.js"

/** Runs a scenario on the databases that it is for; returns the figures that were missed. */
export const runScenario = async (
  scenario: Scenario,
  scale: Scale,
  environment: Environment,
  options: ScenarioOptions
): Promise<ReadonlyArray<string>> => {
  const isFor = (database: DatabaseName): boolean => scenario.databases?.includes(database) ?? true
  const missed: Array<string> = []
  for (const database of environment.databases.filter(isFor)) {
    const began = Date.now()
    environment.print(`${scenario.name} on ${database}: ${scenario.about}`)
    const figures = makeFigures(environment.print, `${scenario.name} on ${database}`)
    await scenario.run({ database, scale, environment, options, figures })
    environment.print(`    ${((Date.now() - began) / 1000).toFixed(0)} s`)
    missed.push(...figures.missed())
  }
  return missed
}
