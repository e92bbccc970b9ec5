import type { ChildProcess } from "node:child_process"
import { once } from "node:events"

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** A process that does jobs, and the name it takes them under. */
export interface Worker {
  readonly child: ChildProcess
  readonly owner: string
}

/** Starts processes that do jobs, and kills them in the midst of one. `ownersOf` answers who holds each running job. */
export const killing = (start: () => ChildProcess, ownersOf: () => Promise<ReadonlyArray<string>>) => {
  const known = new Set<string>()
  return {
    /** Starts a process, and waits until it has begun to work. Its name is told by being new. */
    begin: async (): Promise<Worker> => {
      const child = start()
      for (;;) {
        const owner = (await ownersOf()).find((one) => !known.has(one))
        if (owner !== undefined) {
          known.add(owner)
          return { child, owner }
        }
        await pause(5)
      }
    },
    /** Kills a process with jobs in its hands: it is stopped first, and looked at once what it had sent has arrived. */
    kill: async ({ child, owner }: Worker): Promise<number> => {
      const stopped = async () => {
        child.kill("SIGSTOP")
        await pause(100)
        return (await ownersOf()).filter((one) => one === owner).length
      }
      let held = await stopped()
      while (held === 0) {
        child.kill("SIGCONT")
        await pause(20)
        held = await stopped()
      }
      const closed = once(child, "close")
      child.kill("SIGKILL")
      await closed
      return held
    }
  }
}
