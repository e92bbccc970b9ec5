#!/usr/bin/env node
// Breaks the rules of one area after another, one mutant at a time, and says which of them no test noticed. Run it at
// the workspace's root; without a name it takes all areas, one after the other:
//
//   pnpm mutate [AREA]... [--force]
//
// An area is run on what has changed since the last time; --force runs all of it. Exits 1 where fewer than 90 % of an
// area's mutants are noticed, or one survives that is not among the area's accepted ones.
import { spawn } from "node:child_process"
import { readFile } from "node:fs/promises"
import { areaNames, readArea, reportOf } from "./areas.mjs"

const LEAST = 90
const STRYKER = "node_modules/@stryker-mutator/core/bin/stryker.js"

const given = process.argv.slice(2)
const flags = given.filter((one) => one.startsWith("-"))
const asked = given.filter((one) => !one.startsWith("-") && one !== "all")
const chosen = asked.length === 0 ? areaNames : asked

const say = (text) => process.stdout.write(`${text}\n`)

const runStryker = (name) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [STRYKER, "run", ...flags], {
      env: { ...process.env, EARSHOT_MUTATE: name },
      stdio: "inherit"
    })
    child.on("error", reject)
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`Stryker did not come to an end in ${name}: exit code ${code}`))
    )
  })

const inOneLine = (text) => {
  const line = text.replace(/\s+/g, " ")
  return line.length > 100 ? `${line.slice(0, 100)}...` : line
}

/** A mutant as the lists of accepted ones say it, apart from the reason. */
const described = (file, source, { location: { end, start }, replacement }) => {
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

/** What became of an area's mutants. */
const judge = async (name) => {
  const { accepted } = readArea(name)
  const { files } = JSON.parse(await readFile(reportOf(name), "utf8"))
  const mutants = Object.entries(files).flatMap(([file, { mutants: all, source }]) =>
    all.map((mutant) => ({ status: mutant.status, at: mutant.location.start, is: described(file, source, mutant) }))
  )
  const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length
  const survivors = mutants.filter(({ status }) => status === "Survived" || status === "NoCoverage")
  // One that is accepted excuses one survivor, so that a new one of the same words is told.
  const gone = [...accepted]
  const unlisted = survivors.filter(({ is }) => {
    const at = gone.findIndex((one) => isSame(one, is))
    if (at >= 0) gone.splice(at, 1)
    return at < 0
  })
  const noticed = count("Killed", "Timeout")
  return {
    name,
    killed: count("Killed"),
    timedOut: count("Timeout"),
    // What cannot be run is neither noticed nor not.
    invalid: count("RuntimeError", "CompileError"),
    accepted: survivors.length - unlisted.length,
    unlisted,
    gone,
    score: (100 * noticed) / (noticed + survivors.length)
  }
}

const results = []
for (const name of chosen) {
  readArea(name)
  say(`\n${name}`)
  await runStryker(name)
  const result = await judge(name)
  results.push(result)
  for (const { at, is } of result.unlisted) say(`survived: ${is.file}:${at.line}:${at.column}\n  ${JSON.stringify(is)}`)
  for (const one of result.gone) say(`accepted, but survives no longer:\n  ${JSON.stringify(one)}`)
}

const table = [
  ["area", "killed", "timed out", "accepted", "survived", "invalid", "score"],
  ...results.map(({ accepted, invalid, killed, name, score, timedOut, unlisted }) => [
    name,
    ...[killed, timedOut, accepted, unlisted.length, invalid].map(String),
    `${score.toFixed(1)} %`
  ])
]
say("")
for (const row of table) say(row.map((cell, at) => (at === 0 ? cell.padEnd(14) : cell.padStart(10))).join(""))
process.exitCode = results.every(({ score, unlisted }) => score >= LEAST && unlisted.length === 0) ? 0 : 1
