/** The `earshot` command: parses the command line of this process and loads what the command needs. */
import { CommanderError } from "commander"
import { makeProgram } from "./Program.js"
import { terminalColumns, wantsColor } from "./Terminal.js"
import { jsonLine, sanitizeLines } from "./Text.js"
import { VERSION } from "./Version.js"

// Replaces the arguments in the process list, where other users could read a key or a password.
process.title = "earshot"
// A reader that has closed the pipe is noticed where a line is written.
process.stdout.on("error", () => undefined)
process.stderr.on("error", () => undefined)

/** Without the value of an unknown option, which may be a secret. */
const withoutValue = (text: string): string => text.replace(/^(error: unknown option '[^=']*)=.*'/s, "$1'")

let errors = ""

const program = makeProgram(
  VERSION,
  async (invocation) => {
    const { execute } = await import("./bin.js")
    execute(invocation)
  },
  {
    out: (text) => void process.stdout.write(text),
    err: (text) => {
      errors += text
    },
    columns: terminalColumns(),
    color: wantsColor()
  }
)

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  process.exitCode = error.exitCode === 0 ? 0 : 2
  if (process.exitCode !== 0) {
    const message = withoutValue(error.message)
    process.stderr.write(
      process.argv.includes("--json")
        ? `${jsonLine({ detail: message.replace(/^error: /, "").replaceAll("\n", " ") })}\n`
        : sanitizeLines(withoutValue(errors))
    )
  }
}
