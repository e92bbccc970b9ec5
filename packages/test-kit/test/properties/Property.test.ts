import * as fc from "fast-check"
import { afterEach, expect, it, vi } from "vitest"
import { assertHolds, yieldingProperty, property, parameters, replay } from "../../src/Property.js"

afterEach(() => void vi.unstubAllEnvs())

const thrown = (check: () => void): string => {
  try {
    check()
  } catch (failure) {
    return String(failure)
  }
  throw new Error("It holds")
}

const reported = (message: string): ReadonlyArray<readonly [name: string, value: string]> =>
  [...message.matchAll(/(EARSHOT_KIT_\w+)="?([^" \n]+)"?/g)].map(([, name = "", value = ""]) => [name, value])

it("a failing property prints how to replay its counterexample", () => {
  const tried: Array<number> = []
  const small = property("numbers are small", [fc.nat()], (number) => {
    tried.push(number)
    return number < 1000
  })
  const message = thrown(small.check)
  expect(message).toContain("numbers are small")
  expect(message).toContain("Counterexample: [1000]")
  expect(reported(message).map(([name]) => name)).toEqual(["EARSHOT_KIT_SEED", "EARSHOT_KIT_PATH"])

  for (const [name, value] of reported(message)) vi.stubEnv(name, value)
  tried.length = 0
  expect(thrown(small.check)).toContain("Counterexample: [1000]")
  expect(tried[0]).toBe(1000)
})

it("a failing command sequence prints how to replay its shrunk commands", async () => {
  class Add implements fc.AsyncCommand<{ sum: number }, null> {
    constructor(readonly number: number) {}
    check = () => true
    run = (model: { sum: number }) => {
      model.sum += this.number
      if (model.sum > 50) throw new Error(`${model.sum} is too much`)
      return Promise.resolve()
    }
    toString = () => `add ${this.number}`
  }
  let runs = 0
  const check = async () => {
    const commands = fc.commands([fc.nat(30).map((number) => new Add(number))], { maxCommands: 20, ...replay() })
    const property = yieldingProperty([commands], async (steps) => {
      runs += 1
      await fc.asyncModelRun(() => ({ model: { sum: 0 }, real: null }), steps)
    })
    assertHolds("sums stay small", await fc.check(property, parameters(50)))
  }
  const message = await check().then(
    () => "It holds",
    (failure: unknown) => String(failure)
  )
  const counterexample = /Counterexample: \[(.*?) \/\*/.exec(message)?.[1]
  expect(counterexample).toMatch(/^add \d+/)
  expect(reported(message).map(([name]) => name)).toEqual([
    "EARSHOT_KIT_SEED",
    "EARSHOT_KIT_PATH",
    "EARSHOT_KIT_REPLAY"
  ])

  for (const [name, value] of reported(message)) vi.stubEnv(name, value)
  const before = runs
  await expect(check()).rejects.toThrow(`Counterexample: [${counterexample}`)
  expect(runs - before).toBeLessThan(before)
})

it("the environment sets the number of runs, the seed and the path", () => {
  expect(parameters(7, {})).toEqual({ numRuns: 7, seed: 20_261_121 })
  expect(parameters(7, { EARSHOT_KIT_RUNS: "1000", EARSHOT_KIT_SEED: "-3" })).toEqual({ numRuns: 1000, seed: -3 })
  expect(parameters(7, { EARSHOT_KIT_RUNS: "0", EARSHOT_KIT_SEED: "random" })).toEqual({ numRuns: 1 })
  expect(parameters(7, { EARSHOT_KIT_RUNS: "many", EARSHOT_KIT_SEED: "" })).toEqual({ numRuns: 7, seed: 20_261_121 })
})

it("properties of this workspace use the kit's seed", () => {
  expect(fc.readConfigureGlobal().seed).toBe(parameters(1).seed)
})
