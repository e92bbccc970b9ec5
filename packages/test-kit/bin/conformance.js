#!/usr/bin/env node
import { runCommand } from "../dist/conformance/index.js"

process.exitCode = await runCommand(process.argv.slice(2), process.env, {
  out: (text) => process.stdout.write(`${text}\n`),
  error: (text) => process.stderr.write(`${text}\n`)
})
