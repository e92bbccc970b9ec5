import { CommanderError } from "commander"
import type { Invocation } from "../../src/commands/Declare.js"
import { makeProgram } from "../../src/Program.js"

export interface Parsed {
  readonly out: string
  readonly err: string
  readonly invocation: Invocation | undefined
  /** As the parser has it; the process exits with 2 for every error. */
  readonly code: number
}

/** Parses a command line without running its command. */
export const parse = async (args: ReadonlyArray<string>, { color = false, columns = 80 } = {}): Promise<Parsed> => {
  let out = ""
  let err = ""
  let invocation: Invocation | undefined
  const program = makeProgram(
    "1.2.3",
    (parsed) => {
      invocation = parsed
      return Promise.resolve()
    },
    {
      out: (text) => {
        out += text
      },
      err: (text) => {
        err += text
      },
      columns,
      color
    }
  )
  try {
    await program.parseAsync(args, { from: "user" })
    return { out, err, invocation, code: 0 }
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return { out, err, invocation, code: error.exitCode }
  }
}
