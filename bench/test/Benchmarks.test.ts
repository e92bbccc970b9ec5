import { bundledCommand } from "../../packages/cli-adapter/test/support/bundle.js"
import { postgresUrl } from "@earshot/test-kit/postgres"
import { describe, expect, it } from "vitest"
import type { Environment } from "../src/Benchmark.js"
import { benchmarks } from "../src/benchmarks.js"

const runTiny = async (name: string): Promise<ReadonlyArray<string>> => {
  const lines: Array<string> = []
  const environment: Environment = {
    databases: ["sqlite", "postgres"],
    // The server of the test run, which is not stopped here.
    startPostgres: async () => ({ url: await postgresUrl(), stop: () => Promise.resolve() }),
    args: [],
    ...(["interference", "memory", "projection", "web"].includes(name) ? { program: bundledCommand() } : {}),
    print: (line) => lines.push(line)
  }
  await benchmarks.find((benchmark) => benchmark.name === name)?.run("tiny", environment)
  return lines
}

/**
 * What each benchmark prints at least: a line that matches, and how many of them. `speed` is not run: it runs ingest,
 * evaluation and memory one after another.
 */
const expected: ReadonlyArray<readonly [name: string, line: RegExp, count: number]> = [
  ["audio", /x real time, CPU [\d,]+ x/, 20],
  ["bulk-update", /engine vs SQL: .* ratio \d+\.\d\d \(CPU \d+\.\d\d\)/, 2],
  ["columns", /ratio \d+\.\d\d \(CPU \d+\.\d\d\)/, 24],
  ["deletion", /engine vs SQL: .* ratio \d+\.\d\d \(CPU \d+\.\d\d\)/, 2],
  ["evaluation", /CPU \d+\.\d\d\) per call|calls per second.*, p99 \d+/, 8],
  ["import", /[\w/@-]+: \d+ ms of processor time, \d+ MB resident/, 3],
  ["ingest", /calls per second, ratio \d+\.\d\d; CPU of the server \d+\.\d\d.*, garbage collection \d/, 2],
  ["interference", /p99 \d+ ms beside a dashboard vs \d+ ms, ratio \d+\.\d\d/, 2],
  ["memory", /^memory on (?:sqlite|postgres), .*: .*[1-9]\d+ MB/, 6],
  ["metrics", /with metrics vs without: .* ratio \d+\.\d\d/, 1],
  ["pages", /ratio \d+\.\d\d \(CPU \d+\.\d\d\)/, 14],
  ["projection", /[\d.]+ s behind in the median, [\d.]+ s at most/, 2],
  ["redaction", /leak|characters per second of processor time|longest delay/, 4],
  ["results", /ratio \d+\.\d\d|median [\d.]+ ms/, 10],
  ["simplify", /KB: simplify [\d.]+, ratio \d+\.\d\d/, 2],
  ["suites", /ratio \d+\.\d\d \(CPU/, 1],
  ["transcript", /ratio \d+\.\d\d \(CPU/, 1],
  ["voice", /\d calls: drift at most [\d.]+ ms a minute; .* CPU [\d.]+ % of a core/, 1],
  ["web", /goal: \d+\)/, 4],
  ["webhooks", /[\d.]+ us of processor time/, 10],
  ["widgets", /ratio \d+\.\d\d \(CPU \d+\.\d\d\)/, 32],
  ["wrong-keys", /[\d.]+ us with 64 in flight, [\d.]+ us with 256 in flight/, 10]
]

describe("benchmarks", () => {
  it("are all covered by the cases below", () => {
    const names = benchmarks.map(({ name }) => name)
    expect(names.filter((name) => name !== "speed")).toEqual(expected.map(([name]) => name))
  })

  it.each(expected)("run %s at a tiny scale and print ratios and processor time", async (name, line, count) => {
    const lines = await runTiny(name)
    expect(lines.filter((printed) => line.test(printed)).length, lines.join("\n")).toBeGreaterThanOrEqual(count)
    expect(lines.filter((printed) => /NaN|undefined|Infinity/.test(printed))).toEqual([])
  })
})
