/**
 * How a server that is measured and its starter talk: the server says on standard output where it is, answers every line
 * of standard input with the processor time it has used so far, and ends with its standard input.
 */
import { createInterface } from "node:readline"

export interface Announced {
  readonly url: string
  readonly agent: number
  readonly headers: Readonly<Record<string, string>>
}

/** Processor time that a process has used since it started, in its own code and in the kernel. */
export interface CpuTime {
  readonly microseconds: number
}

/** One line on standard output, when the server listens. */
export const announce = (server: Announced): void => {
  process.stdout.write(`${JSON.stringify(server)}\n`)
}

export const cpuTime = (): CpuTime => {
  const { system, user } = process.cpuUsage()
  return { microseconds: user + system }
}

/** Until standard input ends, which it does when the starter is gone, too. */
export const untilTold = (): Promise<void> =>
  new Promise((resolve) => {
    createInterface({ input: process.stdin })
      .on("line", () => {
        process.stdout.write(`${JSON.stringify(cpuTime())}\n`)
      })
      .once("close", resolve)
  })
