import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { promisify } from "node:util"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { demoCalls } from "../../src/actions/DemoCalls.js"
import { Platforms } from "@earshot/core"
import { readWav } from "@earshot/redaction/audio"
import * as Either from "effect/Either"
import { acts } from "../support/text.js"
import { earshot, start, type Started } from "../support/binary.js"

const shell = promisify(execFile)

const folderIn = (out: string): string => /in (\S+earshot-demo-\S+);/.exec(out)?.[1] ?? ""

describe("earshot demo", () => {
  const started: Array<Started> = []
  afterAll(async () => {
    for (const { child, ended } of started) {
      child.kill("SIGKILL")
      await ended
    }
  })

  it("ingests, filters and charts calls, and removes its database", async () => {
    const { code, err, out } = await earshot(["demo", "--no-serve"])
    expect(err).toBe("")
    expect(code).toBe(0)
    for (const format of ["provider_a", "provider_b", "provider_c", "provider_d", "provider_e", "provider_f"]) {
      expect(out).toMatch(new RegExp(`^${format} +sample-`, "m"))
    }
    expect(out).toMatch(/^service +sample-/m)
    expect(out).toMatch(/^service_legacy +sample-/m)
    expect(out).toContain("400 more calls of the last 30 days")
    expect(out).toContain("Testing Agent: [PERSON_NAME], [PHONE_NUMBER].")
    expect(out).toContain("[CREDIT_CARD], it ends in May.")
    expect(out).not.toMatch(/Lindqvist, two|4111/)
    expect(out).toMatch(/^Scored 409 calls by formula in [\d.]+ s/m)
    expect(out).toMatch(/^Latency +scored +[\d.]+/m)
    expect(out).toMatch(/^409 .* % .* ms$/m)
    for (const drawn of ["At a glance", "█", "⠤", "How calls end", "customer-ended-call"]) expect(out).toContain(drawn)
    expect(acts(out)).toBe(false)
    expect(folderIn(out)).not.toBe("")
    expect(existsSync(folderIn(out))).toBe(false)
  })

  it("generates calls of the last 30 days at every time of day", () => {
    for (const hour of [0, 1, 12, 23]) {
      const now = Date.UTC(2026, 10, 22, hour, 36)
      const days = demoCalls(400, now).map(({ body }) => String(body.timestamp).slice(0, 10))
      expect(days).toHaveLength(400)
      expect(days.filter((day) => day < "2026-10-24" || day > "2026-11-22")).toEqual([])
    }
  })

  it("serves, prints requests that work in a shell, and exits with 0 at Ctrl-C", async () => {
    const demo = start(["demo", "--port", "0"])
    started.push(demo)
    const out = await demo.until("Press Ctrl-C to stop.")
    const commands = out.split("\n").filter((line) => line.startsWith("curl "))
    expect(commands).toHaveLength(3)
    const answers: Array<unknown> = []
    for (const command of commands) answers.push(JSON.parse((await shell("sh", ["-c", command])).stdout))
    expect(answers).toMatchObject([
      { call_id: "my-first-call" },
      { results: [{ success: false }, { success: false }] },
      { chart_type: "pie", field: "call_ended_reason" }
    ])
    const apiKey = /^API key +(\S+)$/m.exec(out)?.[1] ?? ""
    const webhooks = [...out.matchAll(/^([a-z]+) +(http:\S+\/observe\/\?agent_id=1)$/gm)]
    expect(webhooks.map(([, name]) => name)).toEqual(Object.keys(Platforms.platformAliases))
    for (const [, name = "", url = ""] of webhooks) {
      expect(url).toContain(`/observability/v1/${name}/observe/`)
      const body = JSON.stringify({ message: { type: "status-update" } })
      const headers = { "content-type": "application/json", "x-service-api-key": apiKey }
      const answer = await fetch(url, { method: "POST", headers, body })
      // Of the event of one platform nothing is stored, and the endpoints of the others say that it is not theirs.
      expect([name, answer.status]).toEqual([name, 200])
    }
    const list = `${new URL(webhooks[0]?.[2] ?? "").origin}/observability/v1/call-logs/`
    const recording = await fetch(`${list}409/recording/`, { headers: { "x-service-api-key": apiKey } })
    const { read, sampleRate } = Either.getOrThrow(readWav(new Uint8Array(await recording.arrayBuffer())))
    /** Whether there is sound between two seconds of the call. */
    const hasSound = (from: number, to: number) =>
      read(from * sampleRate, to * sampleRate).some((sample) => sample !== 0)
    expect([hasSound(1, 3), hasSound(4, 9), hasSound(17, 18)]).toEqual([true, false, true])
    expect(existsSync(folderIn(out))).toBe(true)
    // Twice, as a terminal and a package manager do it together.
    demo.child.kill("SIGINT")
    demo.child.kill("SIGINT")
    const { code, err } = await demo.ended
    expect(err).toBe("")
    expect(code).toBe(0)
    expect(existsSync(folderIn(out))).toBe(false)
  })
})
