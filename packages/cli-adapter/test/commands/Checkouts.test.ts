/** Connections and checkouts as people have them: the command, its server, and git. */
import { execFile } from "node:child_process"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { CheckoutKit } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { engine } from "../../src/bin.js"
import { earshot, start } from "../support/binary.js"
import { initialized, place } from "../support/databases.js"
import { type Ran, run } from "../support/inProcess.js"
import { parse } from "../support/parse.js"

const folder = CheckoutKit.temporaryFolder()
afterAll(folder.remove)

const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>

/** Runs a command on its own engine, but in this process: starting one takes a second of processor time. */
const command = async (...args: ReadonlyArray<string>): Promise<Ran> => {
  const { invocation } = await parse(args)
  if (invocation === undefined) expect.fail(`${args.join(" ")} is not parsed`)
  return run(Effect.flatten(Effect.promise(invocation.start)), 100, engine)
}

/** Runs a line in a shell, as a reader of the guide would. */
const shell = (line: string) =>
  new Promise<{ readonly code: number; readonly err: string }>((resolve) => {
    const env = { PATH: process.env.PATH, HOME: folder.path, GIT_TERMINAL_PROMPT: "0" }
    execFile("sh", ["-c", line], { env, cwd: folder.path }, (error, _, err) => {
      resolve({ code: error === null ? 0 : 1, err })
    })
  })

describe.skipIf(!(await CheckoutKit.runsGitTests()))("earshot checkout", () => {
  it("makes a key that git clones with, through a connection made at the command line", async () => {
    const database = `sqlite:${join(folder.path, "earshot.db")}`
    const repositories = join(folder.path, "repositories")
    const founded = json((await earshot(["init", "--database", database, "--json"])).out)
    expect(founded).toHaveProperty("api_key")
    await CheckoutKit.makeRepository(join(repositories, "1", "web.git"), { "README.md": "The web" })

    const server = start(["serve", "--database", database, "--port", "0", "--repositories", repositories, "--json"])
    try {
      const { url } = json(await server.until("\n"))
      const hosts = ["--repositories", repositories, "--public-url", String(url), "--database", database]
      const before = await command("checkout", "web", ...hosts)
      expect([before.code, before.err]).toEqual([1, expect.stringContaining("no active connection")])
      expect((await command("connections", "create", "local", "--name", "Here", ...hosts)).code).toBe(0)
      const active = await command("connections", "activate", "1", "--json", ...hosts)
      expect(json(active.out)).toMatchObject({ state: "active", test_error: null })
      const listed = await command("connections", "list", "--database", database)
      expect(listed.out).toMatch(/1\s+Here\s+local\s+active\s+ok/)

      const missing = await command("checkout", "nothing", ...hosts)
      expect([missing.code, missing.out]).toEqual([1, ""])
      const made = json((await command("checkout", "web", "--json", ...hosts)).out)
      expect(made).toMatchObject({ repo: "web", permissions: { contents: "read" } })

      const env = await earshot(["checkout", "web", "--env", ...hosts])
      expect([env.code, env.err]).toEqual([0, expect.not.stringContaining("failed")])
      writeFileSync(join(folder.path, "env.sh"), env.out)
      const clone = `git clone --quiet ${String(url)}/repohost/git/1/web.git`
      expect(await shell(`. ./env.sh && ${clone} cloned`)).toEqual({ code: 0, err: "" })
      expect(readFileSync(join(folder.path, "cloned", "README.md"), "utf8")).toBe("The web")
      const secret = /GIT_CONFIG_VALUE_0='Authorization: Basic (.*)'/.exec(env.out)?.[1] ?? "none"
      expect(readFileSync(join(folder.path, "cloned", ".git", "config"), "utf8")).not.toContain(secret)
      expect((await shell(`${clone} bare`)).code).toBe(1)

      expect((await command("connections", "revoke", "1", ...hosts)).code).toBe(0)
      expect((await shell(`. ./env.sh && ${clone} late`)).code).toBe(1)
      expect(existsSync(join(folder.path, "late"))).toBe(false)
    } finally {
      server.child.kill("SIGTERM")
      const { code, err } = await server.ended
      expect([code, err.includes("earcheckout_")]).toEqual([0, false])
    }
  })

  it("takes secrets from files, and seals them with the key in the file next to an SQLite database", async () => {
    const database = `sqlite:${join(folder.path, "other.db")}`
    await initialized({ database })
    const args = ["connections", "create", "gitlab", "--set", "namespace=harbor", "--database", database]
    const made = await earshot([...args, "--secret-file", "-"], { input: "glpat-secret\n" })
    expect([made.code, made.err.includes("glpat")]).toEqual([0, false])
    expect(statSync(join(folder.path, "other.db.key")).mode & 0o777).toBe(0o600)
    for (const file of ["other.db", "other.db-wal"].map((name) => join(folder.path, name)).filter(existsSync)) {
      expect(readFileSync(file).includes("glpat-secret")).toBe(false)
    }
    const checked = await earshot(["secrets", "check", "--database", database])
    expect([checked.code, checked.err]).toEqual([0, "1 secret sealed with the first key, 0 with older keys.\n"])
    const unread = await earshot([...args, "--secret-file", join(folder.path, "nothing")])
    expect([unread.code, unread.err]).toEqual([1, expect.stringContaining("There is no such file.")])
    const none = await earshot(args)
    expect([none.code, none.err]).toEqual([1, expect.stringContaining("--secret-file: This field is required.")])
  })

  it("replaces secret keys, and reports secrets that no key opens", async () => {
    const database = `sqlite:${join(folder.path, "rotated.db")}`
    const [first, second] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64"))
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    const withKeys = (keys: ReadonlyArray<string | undefined>, ...args: ReadonlyArray<string>) => {
      vi.stubEnv("EARSHOT_SECRET_KEYS", keys.join(","))
      return command(...args)
    }
    await initialized({ database })
    const tokens = ["tokens", "issue", "--kind", "oauth2", "--database", database]
    expect((await withKeys([first], ...tokens)).code).toBe(0)
    const json = ["--json", "--database", database]
    const counts = async (verb: string, ...keys: ReadonlyArray<string | undefined>) => {
      const { code, out } = await withKeys(keys, "secrets", verb, ...json)
      return [code, JSON.parse(out)]
    }
    expect(await counts("check", second, first)).toEqual([0, { current: 0, older: 1, lost: [] }])
    expect(await counts("rotate", second, first)).toEqual([0, { current: 0, older: 1, lost: [] }])
    expect(await counts("rotate", second, first)).toEqual([0, { current: 1, older: 0, lost: [] }])
    expect(await counts("check", first)).toMatchObject([1, { lost: [{ kind: "signing key" }] }])
    const lost = await withKeys([first], ...tokens)
    expect([lost.code, lost.err]).toEqual([1, expect.stringContaining("rotate-signing-key --discard-old")])
    const replaced = await withKeys([first], "secrets", "rotate-signing-key", "--discard-old", ...json)
    expect([replaced.code, JSON.parse(replaced.out)]).toEqual([0, { rotated: true, discarded_old: true }])
    expect((await withKeys([first], ...tokens)).code).toBe(0)
    vi.unstubAllEnvs()
    // A database on a server may be used from several machines: its key is configured, never made.
    const server = await place("postgres")
    await initialized(server)
    const without = await command("tokens", "issue", "--kind", "oauth2", "--database", server.database)
    expect([without.code, without.err]).toEqual([1, expect.stringContaining("EARSHOT_SECRET_KEYS")])
    await server.remove()
  })
})
