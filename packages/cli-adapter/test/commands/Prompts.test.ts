import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { simplify } from "../../src/actions/Prompts.js"
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
      err: "The prompt cannot be simplified further."
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

  it("reports the server's field errors and unreadable files", async () => {
    expect(await run(simplify({ json: false, file: await file(" \n") }))).toMatchObject({
      code: 1,
      err: "original_prompt: This field may not be blank."
    })
    for (const text of ["a".repeat(50_001), "a\0b"]) {
      expect((await run(simplify({ json: false, file: await file(text) }))).code).toBe(1)
    }
    expect((await run(simplify({ json: false, file: path.join(folder, "none") }))).code).toBe(1)
    expect((await run(simplify({ json: false, file: folder }))).code).toBe(1)
  })

  it("lets nothing act on a terminal", async () => {
    const shown = await run(simplify({ json: false, file: await file("Please never say \u001b[2J.") }))
    expect(shown.out).not.toContain("\u001b")
  })

  it("asks the model that the environment names, and checks what it says", async () => {
    const wordy = `Whoever judges this call ought to think about it for as long as it takes, and ought to return the value TRUE in the case that the agent has not raised its voice against the caller.`
    const answers = ["Return TRUE if the agent raised its voice against the caller."]
    const asked: Array<string> = []
    const server = createServer((message, response) => {
      let body = ""
      message.on("data", (chunk: Buffer) => (body += chunk.toString()))
      message.on("end", () => {
        asked.push(body)
        const content = JSON.stringify({ simplified_prompt: answers[Math.min(asked.length, answers.length) - 1] })
        response.setHeader("content-type", "application/json")
        response.end(
          JSON.stringify({
            id: "1",
            created: 1,
            model: "test",
            choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }]
          })
        )
      })
    })
    const port = await new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resolve(typeof address === "object" && address !== null ? address.port : 0)
      })
    })
    const env = { EARSHOT_MODEL_URL: `http://127.0.0.1:${port}`, EARSHOT_MODEL: "test" }
    try {
      const rejected = await earshot(["prompts", "simplify", "-"], { input: wordy, env })
      expect([rejected.code, rejected.out]).toEqual([1, ""])
      expect(rejected.err).toMatch(
        /^The language model's answer could not be used, twice:\nChanged: .* lost "a negation"\.\n/
      )
      expect(asked).toHaveLength(2)
      expect(asked[1]).toContain("mend this")
      answers.push("", "Return TRUE if the agent has not raised its voice against the caller.")
      expect(await earshot(["prompts", "simplify", "-"], { input: wordy, env })).toEqual({
        code: 0,
        out: "Return TRUE if the agent has not raised its voice against the caller.\n",
        err: ""
      })
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
    const down = await earshot(["prompts", "simplify", "-"], { input: wordy, env })
    expect([down.code, down.out]).toEqual([3, ""])
    expect((await earshot(["prompts", "simplify", "-"], { input: wordy, env: { EARSHOT_MODEL_URL: "x" } })).code).toBe(
      2
    )
  })

  it("reads stdin", async () => {
    expect(await earshot(["prompts", "simplify", "-"], { input: VERBOSE })).toEqual({
      code: 0,
      out: `${SHORT}\n`,
      err: ""
    })
    const asJson = await earshot(["prompts", "simplify", "-", "--json"], { input: VERBOSE })
    expect(JSON.parse(asJson.out)).toMatchObject({ simplified_prompt: SHORT })
    expect((await earshot(["prompts", "simplify"], { input: VERBOSE })).code).toBe(2)
  })
})
