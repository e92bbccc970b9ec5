#!/usr/bin/env node
// Mutation check of the kit: applies the mutants to a copy of the workspace and runs the kit's test that has to kill each, and
// no other test. Prints which test killed which mutant, the seconds, and the processor time of the kit on the engine without
// a mutant. Run it at the workspace's root:
//
//   node packages/test-kit/faults/run.js [--batch] [--kit] [PART OF A MUTANT'S NAME]...
//
// --batch applies mutants of different files at once, which takes a fifth of the time: a test could then fail because of
// another mutant of its batch. --kit runs all properties, models and contracts without a mutant, and nothing else.
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { mutants } from "./mutants/index.js"

const root = process.cwd()
const args = process.argv.slice(2)
const isBatched = args.includes("--batch")
const isKitAlone = args.includes("--kit")
const wanted = args.filter((one) => !one.startsWith("--"))
const chosen = mutants.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)))

/** Copies only what tests read; installed packages are linked to the original. */
const isCopied = (path) => !/(?:^|\/)(?:dist|\.git|node_modules\/\.|coverage)(?:\/|$)/.test(path.slice(root.length))

const copyWorkspace = async () => {
  const copy = await mkdtemp(join(tmpdir(), "earshot-mutants-"))
  for (const part of ["packages", "package.json", "vitest.config.ts", "tsconfig.base.json", "tsconfig.json"]) {
    // Links are kept: a package's link to its neighbor then leads to the neighbor's copy.
    await cp(join(root, part), join(copy, part), { recursive: true, verbatimSymlinks: true, filter: isCopied })
  }
  await symlink(join(root, "node_modules"), join(copy, "node_modules"))
  return copy
}

/** Seconds of processor time, user and system, of the processes that this one has waited for; on Linux alone. */
const processorSeconds = () => {
  try {
    const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ")
    // cutime and cstime, in ticks of 10 ms.
    return (Number(fields[13]) + Number(fields[14])) / 100
  } catch {
    return Number.NaN
  }
}

/** Runs the tests of these files whose names match: returns those that failed, all names, and the files that could not run. */
const runTests = (folder, files, pattern) =>
  new Promise((resolve, reject) => {
    const report = join(folder, "report.json")
    // A retry would only take time: the tests are deterministic.
    const options = ["--retry=0", "--reporter=json", `--outputFile=${report}`]
    // Each process loads the engine for itself, which takes as long as many properties.
    if (isKitAlone) options.push("--poolOptions.forks.minForks=1", "--poolOptions.forks.maxForks=1")
    const vitest = join(folder, "node_modules/vitest/vitest.mjs")
    const child = spawn(process.execPath, [vitest, "run", ...files, "-t", pattern.source, ...options], {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"]
    })
    let stderr = ""
    child.stderr.on("data", (text) => (stderr += text))
    child.on("error", reject)
    child.on("close", async () => {
      try {
        const { testResults } = JSON.parse(await readFile(report, "utf8"))
        await rm(report)
        const broken = testResults.filter(
          ({ assertionResults, status }) => status === "failed" && assertionResults.length === 0
        )
        const ran = testResults.flatMap(({ assertionResults }) => assertionResults)
        resolve({
          failed: ran.filter(({ status }) => status === "failed").map(({ fullName }) => fullName),
          names: ran.map(({ fullName }) => fullName),
          passed: ran.filter(({ status }) => status === "passed").length,
          broken: broken.map(({ message, name }) => `${name} cannot run: ${message}`)
        })
      } catch (cause) {
        reject(new Error(`The tests did not run in ${folder}:\n${stderr}`, { cause }))
      }
    })
  })

const print = (text) => process.stdout.write(`${text}\n`)

const any = (patterns) => new RegExp([...new Set(patterns.map(({ source }) => source))].join("|"))

/** Rules that others build on: a mutant of them is never in a batch with others. */
const SHARED = /\/(?:Evaluate|Pages|Permit|RunLifecycle|StreamPages|TenantTable|UnitOfWorkSql|Dialect|Keyset)\.ts$/

/** Groups of mutants to apply at once: one each, or as many as differ in their file and in the test that kills them. */
const batchesOf = (all) => {
  const batches = []
  for (const mutant of all) {
    const isAlone = !isBatched || SHARED.test(mutant.file)
    const fitting = isAlone
      ? undefined
      : batches.find(
          (batch) =>
            !batch.isAlone &&
            batch.mutants.every((one) => one.file !== mutant.file && String(one.killedBy) !== String(mutant.killedBy))
        )
    if (fitting === undefined) batches.push({ isAlone, mutants: [mutant] })
    else fitting.mutants.push(mutant)
  }
  return batches.map((batch) => batch.mutants)
}

/** Every property, model and contract of the kit: its own tests, and those that verify a property beside its rule. */
const kitFiles = [
  "packages/test-kit/test/",
  ...new Set(mutants.map(({ test }) => test).filter((test) => !test.includes("test-kit")))
]

/** Runs tests without a mutant, which have to pass, and prints the time they take. */
const runHealthy = async (copy, files, pattern) => {
  const [before, started] = [processorSeconds(), performance.now()]
  const found = await runTests(copy, files, pattern)
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  const wrong = [...found.failed, ...found.broken]
  if (wrong.length > 0) throw new Error(`Tests fail without a mutant:\n${wrong.join("\n")}`)
  print(
    `${found.passed} tests pass without a mutant in ${seconds} s, ${(processorSeconds() - before).toFixed(0)} s of processor time`
  )
  return found.names
}

const copy = await copyWorkspace()
let survived = 0
try {
  if (isKitAlone) {
    await runHealthy(copy, kitFiles, /./)
  } else {
    const files = [...new Set(chosen.map(({ test }) => test))]
    const names = await runHealthy(copy, files, any(chosen.map(({ killedBy }) => killedBy)))
    const missing = chosen.filter(({ killedBy }) => !names.some((name) => killedBy.test(name)))
    if (missing.length > 0) throw new Error(`No test matches:\n${missing.map(({ killedBy }) => killedBy).join("\n")}`)
    for (const batch of batchesOf(chosen)) {
      const originals = new Map()
      for (const { file, find, replace } of batch) {
        const text = await readFile(join(copy, file), "utf8")
        if (text.split(find).length !== 2) throw new Error(`"${find}" does not occur once in ${file}`)
        originals.set(file, text)
        await writeFile(
          join(copy, file),
          text.replace(find, () => replace)
        )
      }
      const started = performance.now()
      // A file that cannot run does not kill a mutant: the machine may be overloaded.
      const { broken, failed } = await runTests(
        copy,
        [...new Set(batch.map(({ test }) => test))],
        any(batch.map(({ killedBy }) => killedBy))
      )
      const seconds = ((performance.now() - started) / 1000).toFixed(0)
      for (const [file, text] of originals) await writeFile(join(copy, file), text)
      for (const { killedBy, name, operator } of batch) {
        const by = failed.filter((test) => killedBy.test(test))
        if (by.length === 0) survived += 1
        const others = by.length > 1 ? ` and ${by.length - 1} more` : ""
        const among = batch.length > 1 ? ` with ${batch.length - 1} others` : ""
        print(
          `${by.length === 0 ? "SURVIVED" : "killed  "} ${name} (${operator})\n         by ${by[0] ?? broken[0] ?? "no test"}${others} (${seconds} s${among})`
        )
      }
    }
    print(`\n${chosen.length - survived} of ${chosen.length} mutants killed`)
  }
} finally {
  await rm(copy, { recursive: true, force: true })
}
process.exitCode = survived === 0 ? 0 : 1
