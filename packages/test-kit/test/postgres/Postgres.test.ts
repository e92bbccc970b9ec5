import { createDatabase, postgresUrl, startPostgres, withDatabase } from "@earshot/test-kit/postgres"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import pg from "pg"
import { describe, expect, it } from "vitest"

const query = async (url: string, text: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

describe("a fresh PostgreSQL database", () => {
  it("is isolated from others, and is gone once dropped", async () => {
    const url = await postgresUrl()
    const [one, two] = await Promise.all([createDatabase(url), createDatabase(url)])
    await query(one.url, "create table only_here (id int)")
    await expect(query(two.url, "select * from only_here")).rejects.toThrow("does not exist")

    await one.drop()
    await two.drop()
    const names = (await query(url, "select datname from pg_database")).map((row) => row.datname)
    expect(names).not.toContain(one.name)
    expect(names).not.toContain(two.name)
  })

  it("starts as a copy of its template, several at a time", async () => {
    const url = await postgresUrl()
    const template = await createDatabase(url)
    await query(template.url, "create table kept (id int)")
    await query(template.url, "insert into kept values (7)")
    const copies = await Promise.all([1, 2, 3].map(() => createDatabase(url, { template: template.name })))
    for (const copy of copies) expect(await query(copy.url, "select id from kept")).toEqual([{ id: 7 }])
    await Promise.all([...copies, template].map((database) => database.drop()))
  })

  it("is dropped while a client is connected", async () => {
    const database = await createDatabase(await postgresUrl())
    const client = new pg.Client({ connectionString: database.url })
    const cutOff = new Promise<Error>((resolve) => client.on("error", resolve))
    await client.connect()
    await database.drop()
    expect((await cutOff).message).toMatch(/terminat/)
  })

  it("orders text by a linguistic collation and keeps an odd time zone, so no query may rely on either", async () => {
    const rows = await query(
      await postgresUrl(),
      `select current_setting('TimeZone') as zone, 'a' < 'B' as linguistic, 'a' collate "C" < 'B' collate "C" as binary`
    )
    if (process.env.EARSHOT_TEST_POSTGRES === undefined) {
      expect(rows).toEqual([{ zone: "Asia/Kathmandu", linguistic: true, binary: false }])
    }
  })
})

describe("an own PostgreSQL server", () => {
  it("removes its folder when it stops, and can be stopped twice", async () => {
    const server = await startPostgres({ durable: true })
    const [row] = await query(
      server.url,
      "select current_setting('data_directory') as folder, current_setting('fsync') as fsync"
    )
    expect(row?.fsync).toBe("on")
    const folder = String(row?.folder)
    expect(existsSync(folder)).toBe(true)

    await server.stop()
    await server.stop()
    expect(existsSync(folder)).toBe(false)
  })

  it("stops with the process that started it, however that one ends", async () => {
    // The server notices a killed process by the end of its standard input.
    const program = fileURLToPath(new URL("../../bin/postgres.js", import.meta.url))
    const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] })
    const exited = once(child, "exit")
    const [line] = (await once(child.stdout, "data")) as [Buffer]
    const [row] = await query(String(line).trim(), "select current_setting('data_directory') as folder")
    const folder = String(row?.folder)
    expect(existsSync(folder)).toBe(true)

    child.stdin.destroy()
    expect(await exited).toEqual([0, null])
    expect(existsSync(folder)).toBe(false)
  })
})

describe("withDatabase", () => {
  it("keeps server, role and options", () => {
    expect(withDatabase("postgres://me:secret@host:5433/one?sslmode=require", "two")).toBe(
      "postgres://me:secret@host:5433/two?sslmode=require"
    )
  })
})
