import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { createDatabase, postgresUrl } from "@earshot/test-kit/postgres"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll } from "vitest"
import { buildCore } from "../buildCore.js"

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/**
 * Processes that run a program over a fresh database, which are gone when the tests are over. The program gets the
 * database's address and what it is started with, and ends when its stdin does. To be called where tests are described.
 */
export const workersOf = (program: URL, database: "sqlite" | "postgres") => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-workers-"))
  const children = new Set<ChildProcess>()
  let address = `sqlite:${join(folder, "earshot.db")}`
  let drop: () => Promise<unknown> = () => Promise.resolve()

  beforeAll(async () => {
    await buildCore()
    if (database === "postgres") {
      const fresh = await createDatabase(await postgresUrl())
      address = fresh.url
      drop = () => fresh.drop()
    }
  })

  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL")
    await drop()
    rmSync(folder, { recursive: true, force: true })
  })

  return {
    address: () => address,
    /** A folder that is removed after the tests. */
    folder,
    start: (...more: ReadonlyArray<string>): ChildProcess => {
      const child = spawn(process.execPath, [fileURLToPath(program), address, ...more], {
        stdio: ["pipe", "pipe", "inherit"]
      })
      children.add(child)
      child.once("close", () => children.delete(child))
      return child
    },
    /** Tells a process to stop, and waits until it has. */
    stop: async (child: ChildProcess): Promise<void> => {
      const closed = once(child, "close")
      child.stdin?.end()
      await closed
    }
  }
}

/** Who holds each running job. */
export const ownersOfRunning = Effect.flatMap(
  SqlClient,
  (sql) => sql<{ readonly owner: string }>`SELECT owner FROM jobs WHERE state = 'running'`
).pipe(Effect.map((rows) => rows.map((row) => row.owner)))

/** A process that does jobs, and the name it takes them under. */
export interface Worker {
  readonly child: ChildProcess
  readonly owner: string
}

/** Starts processes that do jobs, and kills them in the midst of one. */
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
        await pause(20)
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
