#!/usr/bin/env node
import { runCommand } from "../dist/conformance/index.js"

// The reader may close the pipe early (`| head`); what was created is deleted all the same.
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error
})

process.exitCode = await runCommand(process.argv.slice(2), process.env, {
  out: (text) => process.stdout.write(`${text}\n`),
  error: (text) => process.stderr.write(`${text}\n`)
})
