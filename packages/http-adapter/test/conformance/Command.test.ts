import { checksFor, deletable, runCommand } from "@earshot/test-kit/conformance"
import { describe, expect, it } from "vitest"
import { at, isNode } from "../support/Contract.js"
import { serverForBlock, startServer } from "../support/TestServer.js"

describe("the earshot-conformance command", async () => {
  const server = await serverForBlock()
  const { key } = await server.tenant()

  const run = async (...args: ReadonlyArray<string>) => {
    const out: Array<string> = []
    const err: Array<string> = []
    const output = { out: (text: string) => void out.push(text), error: (text: string) => void err.push(text) }
    const code = await runCommand(args, { EARSHOT_API_KEY: key }, output)
    return { code, out: out.join("\n"), err: err.join("\n") }
  }

  it("prints one line per check, and exits with 0 if all of them passed", async () => {
    const kept = await run("--url", server.url, "--only", "E11", "--only", "pages/limits")
    expect([kept.code, kept.err]).toEqual([0, ""])
    expect(kept.out).toContain("ok    E11/listed")
    expect(kept.out).toContain("2 checks: 2 passed, 0 failed, 0 skipped")
  })

  it("exits with 2 and one sentence if the server rejects the key or cannot be reached", async () => {
    expect(await run("--url", server.url, "--api-key", "wrong")).toEqual({
      code: 2,
      out: "",
      err: `The server at ${server.url} rejects the API key (HTTP 401).`
    })
    const closed = await startServer()
    await closed.close()
    const down = await run("--url", closed.url)
    expect([down.code, down.out]).toEqual([2, ""])
    expect(down.err).toMatch(/^Cannot reach the server at http:\/\/127\.0\.0\.1:\d+: fetch failed: [^\n]+\.$/)
  })

  it("takes the limits that the server was started with", async () => {
    const { code, out } = await run("--url", server.url, "--only", "limits/body", "--max-body", "5000")
    expect(code).toBe(1)
    expect(out).toContain("answered 400")
    expect(out).toContain("expected 413")
  })

  it("prints JSON and skips checks that need another key", async () => {
    const { code, out } = await run("--url", `${server.url}/`, "--json", "--only", "credentials/other")
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      url: server.url,
      skipped: 1,
      results: [{ id: "credentials/other-organization", outcome: "skipped" }]
    })
  })

  it("exits with 2 and prints usage for missing or invalid options", async () => {
    for (const args of [
      [],
      ["--url", "nowhere"],
      ["--url", "ftp://127.0.0.1"],
      ["--url", server.url, "--only", "E99"],
      ["--unknown"],
      ["--url", server.url, "--timeout", "0"],
      ["--url", server.url, "--rate-limit", "none"],
      ["--url", server.url, "--max-body", "1.5"],
      ["--url", server.url, "--processes", "0"]
    ]) {
      const { code, err } = await run(...args)
      expect([args, code, err.includes("earshot-conformance --url")]).toEqual([args, 2, true])
    }
    expect((await run("--list")).out.split("\n")).toHaveLength(checksFor().length)
    expect((await run("--help")).code).toBe(0)
  })

  it("has a way to make every kind of thing that the document deletes", async () => {
    const paths = at((await server.send("GET", "/openapi.json")).json, "paths")
    const deleted = Object.entries(isNode(paths) ? paths : {}).flatMap(([path, item]) =>
      path.endsWith("/{id}/") && at(item, "delete") !== undefined ? [path.replace("{id}/", "")] : []
    )
    expect(deleted.length).toBeGreaterThan(10)
    expect(deleted.filter((path) => !deletable.includes(path))).toEqual([])
  })

  it("selects E1 by E1, and not E10", () => {
    expect(checksFor(["E1"]).every(({ id }) => id.startsWith("E1/"))).toBe(true)
    expect(checksFor(["E1"]).length).toBeGreaterThan(10)
    expect(checksFor(["e10"]).length).toBeGreaterThan(20)
    expect(new Set(checksFor().map(({ id }) => id)).size).toBe(checksFor().length)
  })
})
