/** Connections and checkouts as people have them: the command, its server, and git. */
import { execFile } from "node:child_process"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { CheckoutKit } from "@earshot/test-kit"
import { afterAll, describe, expect, it } from "vitest"
import { earshot, start } from "../support/binary.js"
import { initialized, place } from "../support/databases.js"

const folder = CheckoutKit.temporaryFolder()
afterAll(folder.remove)

const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>

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
      const before = await earshot(["checkout", "web", ...hosts])
      expect([before.code, before.err]).toEqual([1, expect.stringContaining("no active connection")])
      expect((await earshot(["connections", "create", "local", "--name", "Here", ...hosts])).code).toBe(0)
      const active = await earshot(["connections", "activate", "1", "--json", ...hosts])
      expect(json(active.out)).toMatchObject({ state: "active", test_error: null })
      const listed = await earshot(["connections", "list", "--database", database])
      expect(listed.out).toMatch(/1\s+Here\s+local\s+active\s+ok/)

      const missing = await earshot(["checkout", "nothing", ...hosts])
      expect([missing.code, missing.out]).toEqual([1, ""])
      const made = json((await earshot(["checkout", "web", "--json", ...hosts])).out)
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

      expect((await earshot(["connections", "revoke", "1", ...hosts])).code).toBe(0)
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
    const args = ["connections", "create", "gitlab", "--set", "namespace=harbour", "--database", database]
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
    const withKeys = (...keys: ReadonlyArray<string | undefined>) => ({ env: { EARSHOT_SECRET_KEYS: keys.join(",") } })
    await initialized({ database })
    const tokens = ["tokens", "issue", "--kind", "oauth2", "--database", database]
    expect((await earshot(tokens, withKeys(first))).code).toBe(0)
    const json = ["--json", "--database", database]
    const counts = async (verb: string, ...keys: ReadonlyArray<string | undefined>) => {
      const { code, out } = await earshot(["secrets", verb, ...json], withKeys(...keys))
      return [code, JSON.parse(out)]
    }
    expect(await counts("check", second, first)).toEqual([0, { current: 0, older: 1, lost: [] }])
    expect(await counts("rotate", second, first)).toEqual([0, { current: 0, older: 1, lost: [] }])
    expect(await counts("rotate", second, first)).toEqual([0, { current: 1, older: 0, lost: [] }])
    expect(await counts("check", first)).toMatchObject([1, { lost: [{ kind: "signing key" }] }])
    const lost = await earshot(tokens, withKeys(first))
    expect([lost.code, lost.err]).toEqual([1, expect.stringContaining("rotate-signing-key --discard-old")])
    const replaced = await earshot(["secrets", "rotate-signing-key", "--discard-old", ...json], withKeys(first))
    expect([replaced.code, JSON.parse(replaced.out)]).toEqual([0, { rotated: true, discarded_old: true }])
    expect((await earshot(tokens, withKeys(first))).code).toBe(0)
    // A database on a server may be used from several machines: its key is configured, never made.
    const server = await place("postgres")
    await initialized(server)
    const without = await earshot(["tokens", "issue", "--kind", "oauth2", "--database", server.database])
    expect([without.code, without.err]).toEqual([1, expect.stringContaining("EARSHOT_SECRET_KEYS")])
    await server.remove()
  })
})
