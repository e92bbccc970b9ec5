import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  Database,
  Forbidden,
  hostActor,
  NotFound,
  Unauthenticated,
  Upload,
  ValidationFailed,
  untrusted
} from "@earshot/core"
import { createEngine, type PromiseEngine } from "@earshot/core/promise"
import { CallKit } from "@earshot/test-kit"
import { createDatabase, postgresUrl } from "@earshot/test-kit/postgres"
import { describe, expect, it } from "vitest"

const withEngine = async (address: string, use: (engine: PromiseEngine) => Promise<void>): Promise<void> => {
  const engine = await createEngine({ database: address })
  try {
    await use(engine)
  } finally {
    await engine.close()
  }
}

const onPostgres = async (use: (address: string) => Promise<void>): Promise<void> => {
  const fresh = await createDatabase(await postgresUrl())
  try {
    await use(fresh.url)
  } finally {
    await fresh.drop()
  }
}

const onSqlite = async (use: (address: string) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-promise-"))
  try {
    await use(`sqlite:${join(folder, "calls.db")}`)
  } finally {
    await rm(folder, { recursive: true })
  }
}

describe("createEngine with invalid arguments", () => {
  it("rejects a missing database, a closed engine and an invalid id", async () => {
    for (const options of [undefined, {}, { database: 5 }]) {
      const rejection: unknown = await Reflect.apply(createEngine, undefined, [options]).catch(
        (error: unknown) => error
      )
      expect(rejection).toBeInstanceOf(TypeError)
      expect(rejection).toMatchObject({ message: expect.stringContaining("A database is required: ") })
    }
    for (const id of ["zz", "1", 0, -1, 1.5, Number.NaN, undefined, null]) {
      expect(() => Reflect.apply(hostActor, undefined, [id]) as unknown).toThrow(
        /^hostActor takes the id of an organization, a positive integer\.$/
      )
    }
    const engine = await createEngine({ database: "sqlite::memory:" })
    const actor = hostActor((await engine.organizations.create({ name: "Acme" })).organization.id)
    await Promise.all([engine.close(), engine.close()])
    await engine.close()
    const exported = async () => {
      for await (const call of engine.calls.export({}, { actor })) expect(call).toBeUndefined()
    }
    for (const asked of [
      () => engine.calls.list({}, { actor }),
      () => engine.organizations.create({ name: "Late" }),
      () => engine.jobs.drain(),
      () => engine.runtime(),
      exported
    ]) {
      await expect(asked()).rejects.toThrow(new Error("The engine is closed."))
    }
  })
})

for (const [database, onDatabase] of [
  ["sqlite", onSqlite],
  ["postgres", onPostgres]
] as const) {
  describe(`the engine by promises on ${database}`, () => {
    it("retains acknowledged data across a restart", () =>
      onDatabase(async (address) => {
        let organization = 0
        await withEngine(address, async (engine) => {
          const founded = await engine.organizations.create({ name: "Acme" })
          organization = founded.organization.id
          const actor = hostActor(founded.organization.id)
          const { created } = await engine.calls.ingest({ call_id: "one", agent: founded.agent.id }, { actor })
          expect(created).toBe(true)
        })
        await withEngine(address, async (engine) => {
          const actor = hostActor(organization)
          const { results } = await engine.calls.list({}, { actor })
          expect(results.map((call) => call.call_id)).toEqual(["one"])
          const exported = []
          for await (const call of engine.calls.export({}, { actor })) exported.push(call.call_id)
          expect(exported).toEqual(["one"])
        })
      }))

    it("reads the bytes of recordings as web streams, all of them or a range, any number of times", () =>
      onDatabase(async (address) => {
        let read: (() => ReadableStream<Uint8Array>) | undefined
        await withEngine(address, async (engine) => {
          const { agent, organization } = await engine.organizations.create({ name: "Acme" })
          const actor = hostActor(organization.id)
          const file = CallKit.wav(1)
          const { call } = await engine.calls.ingest(
            { call_id: "one", agent: agent.id, voice_recording: new Upload(file, "audio/wav", "a.wav") },
            { actor }
          )
          const recording = await engine.recordings.open(call.id, { actor })
          read = () => recording.read()
          const bytesOf = async (stream: ReadableStream<Uint8Array>) =>
            Buffer.from(await new Response(stream).arrayBuffer())
          expect(recording).toMatchObject({ call: call.id, content_type: "audio/wav", size_bytes: file.length })
          expect(await bytesOf(recording.read())).toEqual(Buffer.from(file))
          expect(await bytesOf(recording.read({ start: 4, end: 12 }))).toEqual(Buffer.from(file.subarray(4, 12)))
          await recording.read().cancel()
          const other = await engine.calls.ingest({ call_id: "two", agent: agent.id }, { actor })
          const missing = { _tag: "NotFound", resource: "Recording" }
          await expect(engine.recordings.open(other.call.id, { actor })).rejects.toMatchObject(missing)
          const unprivileged = { ...actor, permissions: new Set(["calls:read"] as const) }
          await expect(engine.recordings.open(call.id, { actor: unprivileged })).rejects.toMatchObject({
            _tag: "Forbidden"
          })
          await engine.calls.delete(call.id, { actor })
          await expect(bytesOf(recording.read())).rejects.toBeDefined()
        })
        await expect(new Response(read?.()).arrayBuffer()).rejects.toBeDefined()
      }))

    it("forbids changing what an actor may not read, unless it asks for a receipt", () =>
      onDatabase((address) =>
        withEngine(address, async (engine) => {
          const { agent, organization } = await engine.organizations.create({ name: "Acme" })
          const owner = hostActor(organization.id)
          const actor = { ...owner, permissions: new Set(["calls:write"] as const) }
          const delivery = { call_id: "one", agent: agent.id }
          await expect(engine.calls.ingest(delivery, { actor })).rejects.toMatchObject({
            _tag: "Forbidden",
            permission: "calls:read"
          })
          expect((await engine.calls.list({}, { actor: owner })).results).toEqual([])
          const receipt = await engine.calls.ingest(delivery, { actor, receipt: true })
          const [call] = (await engine.calls.list({}, { actor: owner })).results
          expect(receipt).toEqual({ receipt: { id: call?.id } })
          expect(await engine.calls.ingest(delivery, { actor: owner, receipt: true })).toMatchObject({
            result: { created: false, call: { id: call?.id } }
          })
        })
      ))

    it("simplifies prompts with its own worker", () =>
      onDatabase((address) =>
        withEngine(address, async (engine) => {
          const { organization } = await engine.organizations.create({ name: "Acme" })
          const options = { actor: hostActor(organization.id) }
          const original_prompt = "Please make sure that you return TRUE."
          const { progress_id } = await engine.simplifications.request({ original_prompt }, options)
          let progress = await engine.simplifications.progress({ progress_id }, options)
          while (progress.status !== "completed" && progress.status !== "failed") {
            await new Promise((resolve) => setTimeout(resolve, 20))
            progress = await engine.simplifications.progress({ progress_id }, options)
          }
          expect(progress).toMatchObject({ status: "completed", simplified_prompt: "Return TRUE." })
          await expect(engine.simplifications.progress({ progress_id: "x" }, options)).rejects.toBeInstanceOf(NotFound)
        })
      ))

    it("rejects with the engine's typed errors", () =>
      onDatabase((address) =>
        withEngine(address, async (engine) => {
          const { api_key, organization } = await engine.organizations.create({ name: "Acme" })
          const actor = hostActor(organization.id)
          await expect(engine.projects.create(untrusted({}), { actor })).rejects.toBeInstanceOf(ValidationFailed)
          await expect(engine.projects.read(99, { actor })).rejects.toBeInstanceOf(NotFound)
          await expect(engine.admit("projects.create", { apiKey: "ear_wrong" })).rejects.toBeInstanceOf(Unauthenticated)

          const admitted = await engine.admit("projects.create", { apiKey: api_key.api_key })
          const weak = { ...admitted, permissions: new Set(["catalog:read"] as const) }
          expect((await engine.projects.create({ name: "Mine" }, { actor: admitted })).name).toBe("Mine")
          await expect(engine.projects.create({ name: "Mine" }, { actor: weak })).rejects.toBeInstanceOf(Forbidden)
        })
      ))
  })
}

describe("a use case called as a promise", () => {
  it("rejects a call without an actor and names what is missing", () =>
    withEngine("sqlite::memory:", async (engine) => {
      const list = (...args: ReadonlyArray<unknown>): unknown =>
        Reflect.apply(engine.projects.list, engine.projects, args)
      for (const args of [[], [{}], [null], [5], [{}, null], [{}, { actor: undefined }]]) {
        await expect(list(...args)).rejects.toThrow("the last argument of a use case is { actor }")
      }
    }))

  it("rejects when the caller aborts it", () =>
    withEngine("sqlite::memory:", async (engine) => {
      const { organization } = await engine.organizations.create({ name: "Acme" })
      const actor = hostActor(organization.id)
      await expect(engine.projects.create({ name: "Late" }, { actor, signal: AbortSignal.abort() })).rejects.toThrow()
      expect((await engine.projects.list({}, { actor })).results.map(({ name }) => name)).not.toContain("Late")
    }))

  it("rejects an invalid export query with field errors", () =>
    withEngine("sqlite::memory:", async (engine) => {
      const { organization } = await engine.organizations.create({ name: "Acme" })
      const read = async () => {
        for await (const call of engine.calls.export({ filters_v2: "{" }, { actor: hostActor(organization.id) })) {
          expect(call).toBeUndefined()
        }
      }
      await expect(read()).rejects.toBeInstanceOf(ValidationFailed)
    }))
})

describe("Database.layer", () => {
  it.each(["", "sqlite:", "mysql://localhost/x", "postgres://[", "calls.db"])(
    "refuses %j without repeating it",
    async (address) => {
      await expect(createEngine({ database: address })).rejects.toThrow(/^A database is given as/)
    }
  )

  it("names the file that cannot be opened", async () => {
    await expect(createEngine({ database: "sqlite:/nowhere/at/all.db" })).rejects.toThrow(Database.DatabaseUnusable)
  })

  it("explains why a file or its folder cannot be used", async () => {
    const folder = await mkdtemp(join(tmpdir(), "earshot-unusable-"))
    const garbage = join(folder, "garbage.db")
    await writeFile(garbage, "no database, and long enough to be looked at. ".repeat(100))
    for (const [file, why] of [
      [garbage, "this file is not a database."],
      [folder, "it is a directory."],
      [join(folder, "none", "x.db"), `the directory ${join(folder, "none")} does not exist.`]
    ] as const) {
      await expect(createEngine({ database: `sqlite:${file}` })).rejects.toThrow(
        `The SQLite database ${file} cannot be opened: ${why}`
      )
    }
    await rm(folder, { recursive: true })
  })

  it("distinguishes the errors of a server without repeating the password", async () => {
    const url = new URL(await postgresUrl())
    const to = (change: (url: URL) => void): string => {
      const other = new URL(url)
      change(other)
      return other.href
    }
    for (const [database, why] of [
      [to((one) => (one.pathname = "/no_such_database")), "has no database of this name"],
      [to((one) => (one.username = "nobody_at_all")), "rejected the role"],
      [to((one) => (one.port = "1")), "nothing listens at this host and port"],
      [to((one) => (one.hostname = "nowhere.invalid")), "cannot be reached"]
    ] as const) {
      const rejection = await createEngine({ database }).then(
        () => "",
        (error: unknown) => String(error)
      )
      expect(rejection).toContain(why)
      if (url.password !== "") expect(rejection).not.toContain(url.password)
    }
  })

  it("does not repeat the password of an unreachable server", async () => {
    const rejection = await createEngine({ database: "postgres://me:hunter2@127.0.0.1:1/x" }).then(
      () => "",
      (error: unknown) => String(error)
    )
    expect(rejection).toContain("cannot be reached")
    expect(rejection).not.toContain("hunter2")
  })
})
