#!/usr/bin/env node
// Puts faults into a copy of the workspace, one at a time, and runs on it that part of the kit, and no other test, which
// is there for it: each fault has to be told. Prints what told which fault, and how long that took. Run it at the
// workspace's root:
//
//   node packages/test-kit/faults/run.js [PART OF A FAULT'S NAME]...
import { spawn } from "node:child_process"
import { performance } from "node:perf_hooks"
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { faults } from "./faults.js"

const root = process.cwd()
const wanted = process.argv.slice(2)
const chosen = faults.filter(({ fault }) => wanted.length === 0 || wanted.some((part) => fault.includes(part)))

/** Of a copy only what tests read; installed packages are those of the original. */
const isCopied = (path) => !/(?:^|\/)(?:dist|\.git|node_modules\/\.|coverage)(?:\/|$)/.test(path.slice(root.length))

const copyWorkspace = async () => {
  const copy = await mkdtemp(join(tmpdir(), "earshot-faults-"))
  for (const part of ["packages", "package.json", "vitest.config.ts", "tsconfig.base.json", "tsconfig.json"]) {
    // Links stay as they are: a package's link to its neighbour then leads to the neighbour's copy.
    await cp(join(root, part), join(copy, part), { recursive: true, verbatimSymlinks: true, filter: isCopied })
  }
  await symlink(join(root, "node_modules"), join(copy, "node_modules"))
  return copy
}

/** The kit's own tests of the engine. */
const KIT = ["properties", "models", "contracts"].map((folder) => `packages/test-kit/test/${folder}`)

/** Runs the kit's tests of this name in a folder: those that failed, all names, and the files that did not run. */
const runKit = (folder, property = /(?:)/) =>
  new Promise((resolve, reject) => {
    const report = join(folder, "report.json")
    const args = ["vitest", "run", ...KIT, "-t", property.source, "--reporter=json", `--outputFile=${report}`]
    const child = spawn("npx", args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] })
    let said = ""
    child.stderr.on("data", (text) => (said += text))
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
          broken: broken.map(({ message, name }) => `${name} cannot be run: ${message}`)
        })
      } catch (cause) {
        reject(new Error(`The kit's tests did not run in ${folder}:\n${said}`, { cause }))
      }
    })
  })

const say = (text) => process.stdout.write(`${text}\n`)

const copy = await copyWorkspace()
let missed = 0
try {
  const before = await runKit(copy)
  const wrong = [...before.failed, ...before.broken]
  if (wrong.length > 0) throw new Error(`The kit's tests fail without any fault:\n${wrong.join("\n")}`)
  const unheard = chosen.filter(({ property }) => !before.names.some((name) => property.test(name)))
  if (unheard.length > 0)
    throw new Error(`No test of the kit is named so:\n${unheard.map(({ property }) => property).join("\n")}`)
  for (const { fault, file, find, property, put } of chosen) {
    const path = join(copy, file)
    const text = await readFile(path, "utf8")
    if (text.split(find).length !== 2) throw new Error(`"${find}" does not stand once in ${file}`)
    await writeFile(
      path,
      text.replace(find, () => put)
    )
    const started = performance.now()
    // A file that cannot be run tells nothing of the fault: the machine may be too busy.
    const { broken, failed } = await runKit(copy, property)
    const seconds = ((performance.now() - started) / 1000).toFixed(0)
    await writeFile(path, text)
    const [first] = failed
    if (first === undefined) missed += 1
    const others = failed.length > 1 ? `, and ${failed.length - 1} more` : ""
    say(
      `${first === undefined ? "MISSED" : "told  "} ${fault}\n       ${first ?? broken[0] ?? "by nothing"}${others}, in ${seconds} s`
    )
  }
} finally {
  await rm(copy, { recursive: true, force: true })
}
say(`\n${chosen.length - missed} of ${chosen.length} faults were told by the kit alone`)
process.exitCode = missed === 0 ? 0 : 1
