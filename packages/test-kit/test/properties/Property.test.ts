import * as fc from "fast-check"
import { afterEach, expect, it, vi } from "vitest"
import { asyncCommand, checkCommandSequences } from "../../src/models/CommandSequences.js"
import {
  assertHolds,
  expectClose,
  expectEqual,
  expectEvery,
  expectIncludes,
  expectNone,
  expectOrdered,
  expectPresent,
  expectUnequal,
  parameters,
  property,
  replay,
  yieldingProperty
} from "../../src/Property.js"

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
    expectOrdered("the number", number, "<", 1000)
  })
  const message = thrown(small.check)
  expect(message).toContain("numbers are small")
  expect(message).toContain("numbers are small\nthe number: actual 1000, expected < 1000\nCounterexample: [1000]\n")
  expect(reported(message).map(([name]) => name)).toEqual(["EARSHOT_KIT_SEED", "EARSHOT_KIT_PATH"])

  for (const [name, value] of reported(message)) vi.stubEnv(name, value)
  tried.length = 0
  expect(thrown(small.check)).toContain("Counterexample: [1000]")
  expect(tried[0]).toBe(1000)
})

it("a counterexample leaves out blank fields, and shows what was actual and expected", () => {
  const call = fc.record({
    id: fc.nat(),
    topic: fc.constant(null),
    tags: fc.constant([]),
    metadata: fc.constant({ region: "" }),
    isReviewed: fc.constant(false)
  })
  const message = thrown(
    property("calls have no id", [call, fc.constant("")], ({ id }, _text) => {
      expectEqual("the id", id, -1)
    }).check
  )
  expect(message).toContain('the id: actual 0, expected -1\nCounterexample: [{"id":0,"isReviewed":false}, ""]\n')
})

it.each([
  ["a value", () => expectEqual("it", [1, undefined], [1, null]), 'it: actual [1,"(undefined)"], expected [1,null]'],
  ["an infinite number", () => expectEqual("it", Number.NaN, null), 'it: actual "(NaN)", expected null'],
  ["an equal value", () => expectUnequal("it", { a: 1 }, { a: 1 }), 'it: actual {"a":1}, expected another value'],
  ["a missing value", () => expectPresent("it", undefined), "it: actual undefined, expected a value"],
  ["a distant number", () => expectClose("it", [1], [1.1]), "it: actual [1], expected [1.1]"],
  ["a greater number", () => expectOrdered("it", 2n, "<=", 1n), 'it: actual "2n", expected <= "1n"'],
  ["a missing part", () => expectIncludes("it", ["a"], "b"), 'it: actual ["a"], expected to include "b"'],
  ["an item", () => expectEvery("it", [1, 2, 3], (one) => one > 1), "it: actual 1 violate it: [1], expected none"],
  ["other items", () => expectNone("it", [1, 2, 3], (one) => one > 1), "it: actual 2 violate it: [2,3], expected none"]
])("%s that is not as expected is shown with what was expected", (_, check, message) => {
  expect(thrown(check)).toBe(`Error: ${message}`)
})

it("a failing model prints its commands from the start, with those that set it up", async () => {
  const add = (number: number) =>
    asyncCommand<{ sum: number; coverage: never }, object>(`add ${number}`, (model) => {
      model.sum += number
      expectEqual("the sum", model.sum > 100 ? "too much" : "small", "small")
      return Promise.resolve()
    })
  const check = checkCommandSequences({
    name: "sums stay small",
    kinds: [],
    model: (coverage) => ({ sum: 0, coverage: coverage as never }),
    fixture: () => Promise.resolve({}),
    setUpCommands: [add(60), add(10)],
    commands: [fc.constant(add(31)), fc.constant(add(1))],
    options: { runs: 20, maxCommands: 10 }
  })
  await expect(check).rejects.toThrow(
    'sums stay small\nthe sum: actual "too much", expected "small"\nBefore it:\n  1. add 60\n  2. add 10\nCounterexample: [add 31 /*replayPath='
  )
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
