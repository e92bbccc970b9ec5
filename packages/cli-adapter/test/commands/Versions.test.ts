import { readFileSync } from "node:fs"
import { StorageKit } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { earshot } from "../support/binary.js"
import { type Place, place } from "../support/databases.js"
import { type Ran, run } from "../support/inProcess.js"
import { parse } from "../support/parse.js"

const execute = (address: string, statement: string) => Effect.runPromise(StorageKit.execute(address, statement))

/** Commands of every way to the engine: creating, serving, reading, working, and managing credentials. */
const COMMANDS = [["init"], ["serve", "--port", "0"], ["calls", "list"], ["jobs", "run"], ["keys", "list"]]

/** Runs a command line in this process. */
const inProcess = async (args: ReadonlyArray<string>): Promise<Ran> => {
  const { code, err, invocation, out } = await parse(args)
  return invocation === undefined ? { code, err, out } : run(Effect.flatten(Effect.promise(invocation.start)))
}

/** The command itself on a file, beside which it may make a key; what is found in a database does not depend on the process. */
const ended = { sqlite: earshot, postgres: inProcess }

for (const kind of ["sqlite", "postgres"] as const) {
  describe(`a database that this version must not use, on ${kind}`, () => {
    let newer: Place
    let foreign: Place
    beforeAll(async () => {
      newer = await place(kind)
      foreign = await place(kind)
      expect((await earshot(["init", "--database", newer.database])).code).toBe(0)
      await execute(newer.database, "INSERT INTO earshot_migrations (migration_id, name) VALUES (9001, 'next')")
      await execute(foreign.database, "CREATE TABLE customers (id INTEGER PRIMARY KEY)")
    })
    afterAll(async () => {
      await newer.remove()
      await foreign.remove()
    })

    it.each(COMMANDS.map((args) => ({ args, name: args.join(" ") })))(
      "ends `earshot $name` with exit code 3 and a reason, and is not changed",
      async ({ args }) => {
        for (const [where, reason] of [
          [newer, "migrated by a newer version of Earshot (9001_next)"],
          [foreign, "tables that are not Earshot's (customers)"]
        ] as const) {
          const file = kind === "sqlite" ? where.database.slice("sqlite:".length) : undefined
          const before = file === undefined ? "" : readFileSync(file).toString("base64")
          const ran = await ended[kind]([...args, "--database", where.database])
          expect(ran.err).toContain(reason)
          expect(ran.code).toBe(3)
          if (file !== undefined) expect(readFileSync(file).toString("base64")).toBe(before)
        }
      }
    )
  })
}
