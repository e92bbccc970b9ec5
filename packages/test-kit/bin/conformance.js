#!/usr/bin/env node
import { runCommand } from "../dist/conformance/index.js"

// Whoever reads (`| head`) may have enough before all is said. What was made is taken away all the same.
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error
})

process.exitCode = await runCommand(process.argv.slice(2), process.env, {
  out: (text) => process.stdout.write(`${text}\n`),
  error: (text) => process.stderr.write(`${text}\n`)
})
