import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { simplify } from "../../src/commands/Prompts.js"
import { earshot } from "../support/binary.js"
import { run } from "../support/inProcess.js"

const VERBOSE = "Please make sure that you return TRUE if the agent greets the caller. Otherwise, return FALSE."
const SHORT = "Return TRUE if the agent greets the caller. Otherwise, return FALSE."

describe("earshot prompts simplify", () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "earshot-prompts-"))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  let files = 0
  const file = async (text: string | Uint8Array): Promise<string> => {
    const name = path.join(folder, `${files++}.txt`)
    await writeFile(name, text)
    return name
  }

  it("prints the shorter prompt, and needs no database", async () => {
    expect(await run(simplify({ json: false, file: await file(`\uFEFF${VERBOSE}\n`) }))).toEqual({
      code: 0,
      out: SHORT,
      err: ""
    })
    expect(await run(simplify({ json: false, file: await file(SHORT) }))).toEqual({
      code: 0,
      out: SHORT,
      err: "There is nothing left to take away."
    })
  })

  it("prints what the server answers, as JSON", async () => {
    const shown = await run(simplify({ json: true, file: await file(VERBOSE) }))
    expect(JSON.parse(shown.out)).toEqual({
      simplified_prompt: SHORT,
      original_prompt: VERBOSE,
      skipped_simplification: false,
      progress_id: ""
    })
  })

  it("finds the server's faults, and files that are none", async () => {
    expect(await run(simplify({ json: false, file: await file(" \n") }))).toMatchObject({
      code: 1,
      err: "original_prompt: This field may not be blank."
    })
    for (const text of ["a".repeat(50_001), "a\0b"]) {
      expect((await run(simplify({ json: false, file: await file(text) }))).code).toBe(1)
    }
    expect((await run(simplify({ json: false, file: path.join(folder, "none") }))).code).toBe(2)
    expect((await run(simplify({ json: false, file: folder }))).code).toBe(2)
  })

  it("lets nothing act on a terminal", async () => {
    const shown = await run(simplify({ json: false, file: await file("Please never say \u001b[2J.") }))
    expect(shown.out).not.toContain("\u001b")
  })

  it("reads stdin", async () => {
    expect(await earshot(["prompts", "simplify", "-"], { input: VERBOSE })).toEqual({
      code: 0,
      out: `${SHORT}\n`,
      err: ""
    })
    expect((await earshot(["prompts", "simplify"], { input: VERBOSE })).code).toBe(2)
  })
})
