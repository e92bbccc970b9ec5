#!/usr/bin/env node
// Mutation check of the kit: applies the mutants one at a time to a copy of the workspace and runs the kit's test that has to
// kill each, and no other test. Prints which test killed which mutant, and the seconds it took. Run it at the workspace's
// root:
//
//   node packages/test-kit/faults/run.js [PART OF A MUTANT'S NAME]...
import { spawn } from "node:child_process"
import { performance } from "node:perf_hooks"
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { mutants } from "./mutants.js"

const root = process.cwd()
const wanted = process.argv.slice(2)
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

/** Runs the tests of these files whose names match: returns those that failed, all names, and the files that could not run. */
const runTests = (folder, files, pattern) =>
  new Promise((resolve, reject) => {
    const report = join(folder, "report.json")
    const args = ["vitest", "run", ...files, "-t", pattern.source, "--reporter=json", `--outputFile=${report}`]
    const child = spawn("npx", args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] })
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
        resolve({
          failed: testResults.flatMap(({ assertionResults }) =>
            assertionResults.filter(({ status }) => status === "failed").map(({ fullName }) => fullName)
          ),
          names: testResults.flatMap(({ assertionResults }) => assertionResults.map(({ fullName }) => fullName)),
          broken: broken.map(({ message, name }) => `${name} cannot run: ${message}`)
        })
      } catch (cause) {
        reject(new Error(`The tests did not run in ${folder}:\n${stderr}`, { cause }))
      }
    })
  })

const print = (text) => process.stdout.write(`${text}\n`)

const copy = await copyWorkspace()
let survived = 0
try {
  const files = [...new Set(chosen.map(({ test }) => test))]
  const before = await runTests(copy, files, new RegExp(chosen.map(({ killedBy }) => killedBy.source).join("|")))
  const wrong = [...before.failed, ...before.broken]
  if (wrong.length > 0) throw new Error(`Tests fail without a mutant:\n${wrong.join("\n")}`)
  const missing = chosen.filter(({ killedBy }) => !before.names.some((name) => killedBy.test(name)))
  if (missing.length > 0) throw new Error(`No test matches:\n${missing.map(({ killedBy }) => killedBy).join("\n")}`)
  for (const { file, find, killedBy, name, replace, test } of chosen) {
    const path = join(copy, file)
    const text = await readFile(path, "utf8")
    if (text.split(find).length !== 2) throw new Error(`"${find}" does not occur once in ${file}`)
    await writeFile(
      path,
      text.replace(find, () => replace)
    )
    const started = performance.now()
    // A file that cannot run does not kill a mutant: the machine may be overloaded.
    const { broken, failed } = await runTests(copy, [test], killedBy)
    const seconds = ((performance.now() - started) / 1000).toFixed(0)
    await writeFile(path, text)
    const [first] = failed
    if (first === undefined) survived += 1
    const others = failed.length > 1 ? ` and ${failed.length - 1} more` : ""
    print(
      `${first === undefined ? "SURVIVED" : "killed  "} ${name}\n         by ${first ?? broken[0] ?? "no test"}${others} (${seconds} s)`
    )
  }
} finally {
  await rm(copy, { recursive: true, force: true })
}
print(`\n${chosen.length - survived} of ${chosen.length} mutants killed`)
process.exitCode = survived === 0 ? 0 : 1
