/** `calls recording` on a database and at a server. */
import { once } from "node:events"
import { readdir, readFile } from "node:fs/promises"
import { createServer } from "node:http"
import * as path from "node:path"
import { earshotListener } from "@earshot/http-adapter"
import { CallKit } from "@earshot/test-kit"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { plainEngine } from "../../src/EngineSettings.js"
import { place, type Place } from "../support/databases.js"
import { engineOn, type Ran, run } from "../support/inProcess.js"
import { parse } from "../support/parse.js"

describe("calls recording", () => {
  let target: Place
  let url = ""
  let key = ""
  let engine: typeof engineOn = engineOn
  const closing: Array<() => Promise<void>> = []
  const bytes = Buffer.from(CallKit.wav(1))

  const earshot = async (...args: ReadonlyArray<string>): Promise<Ran> => {
    const { code, err, invocation, out } = await parse([...args, "--api-key", key])
    return invocation === undefined
      ? { code: code === 0 ? 0 : 2, err, out }
      : run(Effect.flatten(Effect.promise(invocation.start)), 100, engine)
  }

  beforeAll(async () => {
    target = await place("sqlite")
    const made = await parse(["init", "--json", "--database", target.database])
    const { out } = await run(Effect.flatten(Effect.promise(made.invocation!.start)))
    key = /ear_\w{49}/.exec(out)?.[0] ?? ""
    const runtime = ManagedRuntime.make(engineOn(plainEngine({ database: target.database })))
    const services = await runtime.runtime()
    engine = () => Layer.succeedContext(services.context)
    const http = await earshotListener(services, { logLevel: "silent" })
    const server = createServer(http.listener)
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    closing.push(
      async () => {
        server.closeAllConnections()
        server.close()
        await once(server, "close")
      },
      http.close,
      () => runtime.dispose()
    )
    for (const [id, audio] of [["one", bytes] as const, ["two", undefined] as const]) {
      const form = new FormData()
      form.append("call_id", id)
      form.append("agent", "1")
      if (audio !== undefined) form.append("voice_recording", new Blob([audio]), "call.wav")
      else {
        form.append("transcript_json", JSON.stringify([{ role: "Testing Agent", content: "It's 415-555-2671." }]))
        form.append("redact_fields", JSON.stringify(["phone_number"]))
      }
      const answer = await fetch(`${url}/observability/v1/observe/`, {
        method: "POST",
        headers: { "x-service-api-key": key },
        body: form
      })
      expect(answer.status).toBe(201)
    }
  })
  afterAll(async () => {
    for (const close of closing) await close()
    await target.remove()
  })

  it.each(["database", "server"])("saves the bytes that were stored, from a %s", async (kind) => {
    const file = path.join(target.folder, `${kind}.wav`)
    const from = kind === "server" ? ["--url", url] : ["--database", target.database]
    const ran = await earshot("calls", "recording", "1", "--output", file, ...from)
    const size = bytes.length.toLocaleString("en-US")
    expect(ran).toEqual({
      code: 0,
      out: "",
      err: `Saved the recording of call 1 in ${file}: ${size} bytes of audio/wav.`
    })
    expect((await readFile(file)).equals(bytes)).toBe(true)
    const shown = await earshot("calls", "show", "1", ...from)
    expect(shown.out).toContain(`Recording    audio/wav, 00:01, 1 channel, ${size} bytes`)
    const redacted = await earshot("calls", "show", "2", ...from)
    expect(redacted.out).toMatch(/\nRedacted\nFIELD +WHERE +RECOGNIZER +COUNT\nphone_number +transcript +\S.* +1$/m)
    const again = await earshot("calls", "recording", "1", "--output", file, "--json", ...from)
    expect(JSON.parse(again.out)).toEqual({ id: 1, file, content_type: "audio/wav", size_bytes: bytes.length })
    expect(await earshot("calls", "recording", "2", "--output", `${file}.2`, ...from)).toMatchObject({
      code: 1,
      out: ""
    })
    expect(await earshot("calls", "recording", "99", "--output", `${file}.2`, ...from)).toMatchObject({ code: 1 })
    expect(
      await earshot("calls", "recording", "1", "--output", path.join(target.folder, "none", "x.wav"), ...from)
    ).toMatchObject({ code: 1, err: expect.stringContaining("could not be saved in") })
    expect((await readdir(target.folder)).filter((name) => /part$|wav\.2/.test(name))).toEqual([])
  })
})
