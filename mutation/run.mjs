#!/usr/bin/env node
// Runs mutation tests of the given areas, or of all areas, in sequence. Run it in the workspace's root:
//
//   pnpm mutate [AREA]... [--force]
//
// Only mutants of code and tests that changed since the last run are tested; --force tests all. Exits with 1 if less than
// 90 % of an area's mutants are detected, or if a mutant survives that the area does not accept.
import { spawn } from "node:child_process"
import { readFile } from "node:fs/promises"
import { areaNames, readArea, reportOf } from "./areas.mjs"

const MIN_SCORE = 90
const STRYKER = "node_modules/@stryker-mutator/core/bin/stryker.js"

const args = process.argv.slice(2)
const flags = args.filter((one) => one.startsWith("-"))
const names = args.filter((one) => !one.startsWith("-") && one !== "all")
const selected = names.length === 0 ? areaNames : names

const print = (text) => process.stdout.write(`${text}\n`)

const runStryker = (name) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [STRYKER, "run", ...flags], {
      env: { ...process.env, EARSHOT_MUTATE: name },
      stdio: "inherit"
    })
    child.on("error", reject)
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`Stryker failed in ${name} with exit code ${code}`))
    )
  })

const inOneLine = (text) => {
  const line = text.replace(/\s+/g, " ")
  return line.length > 100 ? `${line.slice(0, 100)}...` : line
}

/** A mutant as in the lists of accepted ones, without the reason. */
const describeMutant = (file, source, { location: { end, start }, replacement }) => {
  const lines = source.split("\n").slice(start.line - 1, end.line)
  lines[lines.length - 1] = lines[lines.length - 1].slice(0, end.column - 1)
  const from = [lines[0].slice(start.column - 1), ...lines.slice(1)].join("\n")
  return {
    file,
    line: inOneLine(source.split("\n")[start.line - 1].trim()),
    from: inOneLine(from),
    to: inOneLine(replacement ?? "")
  }
}

const isSame = (one, other) => ["file", "line", "from", "to"].every((key) => one[key] === other[key])

/** Counts an area's mutants by status and compares the survivors with the accepted ones. */
const evaluate = async (name) => {
  const { accepted } = readArea(name)
  const { files } = JSON.parse(await readFile(reportOf(name), "utf8"))
  const mutants = Object.entries(files).flatMap(([file, { mutants: all, source }]) =>
    all.map((mutant) => ({
      status: mutant.status,
      at: mutant.location.start,
      is: describeMutant(file, source, mutant)
    }))
  )
  const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length
  const survivors = mutants.filter(({ status }) => status === "Survived" || status === "NoCoverage")
  // An accepted mutant accounts for one survivor, so that a second, identical one is reported.
  const unused = [...accepted]
  const unlisted = survivors.filter(({ is }) => {
    const at = unused.findIndex((one) => isSame(one, is))
    if (at >= 0) unused.splice(at, 1)
    return at < 0
  })
  const detected = count("Killed", "Timeout")
  return {
    name,
    killed: count("Killed"),
    timedOut: count("Timeout"),
    // Mutants that cannot run do not count.
    invalid: count("RuntimeError", "CompileError"),
    accepted: survivors.length - unlisted.length,
    unlisted,
    unused,
    score: (100 * detected) / (detected + survivors.length)
  }
}

const results = []
for (const name of selected) {
  readArea(name)
  print(`\n${name}`)
  await runStryker(name)
  const result = await evaluate(name)
  results.push(result)
  for (const { at, is } of result.unlisted)
    print(`survived: ${is.file}:${at.line}:${at.column}\n  ${JSON.stringify(is)}`)
  for (const one of result.unused) print(`accepted, but does not survive:\n  ${JSON.stringify(one)}`)
}

const table = [
  ["area", "killed", "timed out", "accepted", "survived", "invalid", "score"],
  ...results.map(({ accepted, invalid, killed, name, score, timedOut, unlisted }) => [
    name,
    ...[killed, timedOut, accepted, unlisted.length, invalid].map(String),
    `${score.toFixed(1)} %`
  ])
]
print("")
for (const row of table) print(row.map((cell, at) => (at === 0 ? cell.padEnd(14) : cell.padStart(10))).join(""))
process.exitCode = results.every(({ score, unlisted }) => score >= MIN_SCORE && unlisted.length === 0) ? 0 : 1
