/** Rules of forms: drafts, differences of texts, credentials, personalities, connections. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { makeConnection } from "../src/api/connection.js"
import { NEW_AGENT, withoutSecrets } from "../src/rules/agentDraft.js"
import { isComplete, NEW_CONNECTION, settingsOf } from "../src/rules/connections.js"
import { expiryOf, stateOf } from "../src/rules/credentials.js"
import { afterDay, startOfDay } from "../src/rules/days.js"
import { readDraft } from "../src/rules/draft.js"
import { credits } from "../src/rules/format.js"
import { lineDiff } from "../src/rules/lineDiff.js"
import { behaviorSummary, personalityBodyOf, personalityFormOf } from "../src/rules/personalityDraft.js"

describe("the difference of two texts", () => {
  const side = (kind: "removed" | "added", before: string, after: string) =>
    lineDiff(before, after)
      .filter((line) => line.kind === "same" || line.kind === kind)
      .map(({ text }) => text)
      .join("\n")

  it.each([
    ["", ""],
    ["a", ""],
    ["", "a\nb"],
    ["a\nb\nc", "a\nc"],
    ["a\nc", "a\nb\nc"],
    ["a\na\na", "a"],
    ["x\na\ny", "a\nz"],
    ["one\ntwo\nthree\nfour", "four\nthree\ntwo\none"],
    [`${"same\n".repeat(3_000)}end`, `${"other\n".repeat(3_000)}end`]
  ])("has both texts in it (%#)", (before, after) => {
    expect(side("removed", before, after)).toBe(before)
    expect(side("added", before, after)).toBe(after)
  })

  it("keeps as many lines as possible", () => {
    expect(lineDiff("a\nb\nc\nd", "b\nx\nd").map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      "removed a",
      "same b",
      "removed c",
      "added x",
      "same d"
    ])
  })

  it("takes lines that end in another way for the same", () => {
    expect(lineDiff("a\r\nb", "a\nb").every(({ kind }) => kind === "same")).toBe(true)
  })
})

describe("drafts", () => {
  const form = { name: "", agent: null as number | null, items: [{ condition: "FIRST" as string | number }] }

  it("are what was stored, where it has the shape of the form", () => {
    const typed = { name: "typed", agent: 3, items: [{ condition: "FIRST" }, { condition: 0 }] }
    expect(readDraft(JSON.stringify(typed), form)).toEqual(typed)
    expect(readDraft(JSON.stringify({ ...typed, items: [] }), form)).toMatchObject({ items: [] })
  })

  it.each([
    ["nothing", null],
    ["what the form says at first", JSON.stringify(form)],
    ["no JSON", "{"],
    ["another type", '"text"'],
    ["a missing field", '{"name":"typed"}'],
    ["a field of another type", JSON.stringify({ ...form, name: 3 })],
    ["an item that is none", JSON.stringify({ ...form, items: [null] })],
    ["an object for a scalar", JSON.stringify({ ...form, agent: {} })]
  ])("are none for %s", (_, stored) => {
    expect(readDraft(stored, form)).toBeUndefined()
  })

  it("of agents hold no secret", () => {
    const typed = {
      ...NEW_AGENT,
      chat_headers: [
        { name: "authorization", value: "Bearer secret" },
        { name: "x-kept", value: "********" }
      ],
      voice_headers: [{ name: "x-key", value: "secret" }],
      voice_token: "secret"
    }
    const kept = withoutSecrets(typed)
    expect(JSON.stringify(kept)).not.toContain("secret")
    expect(kept.chat_headers).toEqual([
      { name: "authorization", value: "" },
      { name: "x-kept", value: "********" }
    ])
  })
})

describe("credentials", () => {
  const now = new Date("2026-03-01T00:00:00Z")

  it("expire after days, or never", () => {
    expect(expiryOf("7", now)).toBe("2026-03-08T00:00:00.000Z")
    expect(expiryOf("never", now)).toBeNull()
  })

  it("are revoked before they are expired, and expired at their last instant", () => {
    const at = now.toISOString()
    expect(stateOf({ revoked_at: at, expires_at: at }, now)).toBe("revoked")
    expect(stateOf({ revoked_at: null, expires_at: at }, now)).toBe("expired")
    expect(stateOf({ revoked_at: null, expires_at: "2026-03-01T00:00:00.001Z" }, now)).toBe("active")
    expect(stateOf({ revoked_at: null, expires_at: null }, now)).toBe("active")
  })
})

describe("days and credits", () => {
  it("are the instants around a day in UTC", () => {
    expect(startOfDay("2026-02-28")).toBe("2026-02-28T00:00:00.000Z")
    expect(afterDay("2026-02-28")).toBe("2026-03-01T00:00:00.000Z")
    for (const wrong of ["", "today", "2026-2-1", "2026-13-01"]) expect(startOfDay(wrong)).toBeUndefined()
  })

  it("keep every digit of a sum", () => {
    expect(credits("1234567890123.400000")).toBe("1,234,567,890,123.4")
    expect(credits("0.000001")).toBe("0.000001")
    expect(credits("10.000000")).toBe("10")
    expect(credits("-1234.500000")).toBe("-1,234.5")
  })
})

describe("personalities", () => {
  const behavior = {
    voice: "nova",
    pace: 1.3,
    interrupts: { after_seconds: 2, after_words: null, probability: 0.5, phrases: ["Wait.", "One moment."] },
    backchannels: { every_seconds: 4, probability: 1, phrases: ["Mhm."] },
    silences: { seconds: 3, probability: 0.2 },
    line: { gain_db: -3, noise_db: -45, second_talker_db: null, packet_loss: 0.1, jitter_ms: 40 },
    seed: 7
  }

  it("come back from the form as they were", () => {
    const personality = { name: "Hurried", language: "en", description: "Sighs.", voice_behavior: behavior } as const
    const { voice_behavior } = personalityBodyOf(
      personalityFormOf({
        ...personality,
        voice_behavior: {
          ...behavior,
          interrupts: { ...behavior.interrupts, phrases: [...behavior.interrupts.phrases] }
        }
      })
    )
    const { after_words, ...interrupts } = behavior.interrupts
    const { second_talker_db, ...line } = behavior.line
    expect([after_words, second_talker_db]).toEqual([null, null])
    expect(voice_behavior).toEqual({ ...behavior, interrupts, line })
  })

  it("leave out what is blank, so that it has its default", () => {
    const form = { ...personalityFormOf(), has_behavior: true, interrupts: true, interrupt_phrases: " \n Wait. \n\n" }
    expect(personalityBodyOf(form).voice_behavior).toEqual({
      voice: null,
      interrupts: { phrases: ["Wait."] },
      backchannels: null,
      silences: null,
      line: null
    })
    expect(personalityBodyOf({ ...form, has_behavior: false }).voice_behavior).toBeNull()
  })

  it("are summed up by what they do", () => {
    expect(behaviorSummary(null)).toEqual([])
    expect(behaviorSummary({ ...behavior, pace: 1, voice: null, silences: null })).toEqual([
      "interrupts",
      "back-channels",
      "impaired line"
    ])
  })
})

describe("code connections", () => {
  it("send the settings of their kind of host alone", () => {
    const settings = {
      app_id: " 12 ",
      installation_id: "34",
      owner: "acme",
      namespace: "of another kind",
      base_url: " "
    }
    const form = { ...NEW_CONNECTION, settings }
    expect(settingsOf(form)).toEqual({ app_id: "12", installation_id: "34", owner: "acme" })
    expect(isComplete(form, "key")).toBe(true)
    expect(isComplete(form, " ")).toBe(false)
    expect(isComplete({ ...form, settings: { ...settings, owner: "" } }, "key")).toBe(false)
    expect(isComplete({ ...form, host: "local" }, "")).toBe(true)
  })
})

describe("the connection", () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
  const request = () => new Request("http://server.test/")
  const answers = (outcome: () => Response) => {
    vi.stubGlobal("fetch", async () => outcome())
  }
  const fails = (): Response => {
    throw new TypeError("Failed to fetch")
  }

  it("is busy after a 503 of a server that is not ready, and connected after any other answer", async () => {
    let isReady = true
    const connection = makeConnection(async () => isReady)
    answers(() => new Response(null, { status: 503 }))
    await connection.fetch(request())
    await vi.advanceTimersByTimeAsync(0)
    expect(connection.state()).toBe("connected")
    isReady = false
    await connection.fetch(request())
    await vi.advanceTimersByTimeAsync(0)
    expect(connection.state()).toBe("busy")
    answers(() => new Response(null, { status: 404 }))
    await connection.fetch(request())
    expect(connection.state()).toBe("connected")
  })

  it("is asked for every two seconds while it is lost, and no longer", async () => {
    let [isUp, probes] = [false, 0]
    const connection = makeConnection(async () => {
      probes++
      return isUp
    })
    const seen: Array<string> = []
    connection.subscribe(() => seen.push(connection.state()))
    answers(fails)
    await expect(connection.fetch(request())).rejects.toThrow("Failed to fetch")
    await vi.advanceTimersByTimeAsync(4_100)
    expect([connection.state(), probes]).toEqual(["unreachable", 2])
    isUp = true
    await vi.advanceTimersByTimeAsync(2_000)
    await vi.advanceTimersByTimeAsync(20_000)
    expect([connection.state(), probes]).toEqual(["connected", 3])
    expect(seen).toEqual(["unreachable", "connected"])
  })

  it("is not lost by a request that was aborted", async () => {
    const connection = makeConnection(async () => true)
    const aborted = new AbortController()
    aborted.abort()
    answers(fails)
    await expect(connection.fetch(new Request("http://server.test/", { signal: aborted.signal }))).rejects.toThrow()
    expect(connection.state()).toBe("connected")
  })

  it("waits for the server with a part of the app that it cannot load", async () => {
    let isUp = false
    const connection = makeConnection(async () => isUp)
    const failure = new Error("after an outage")
    let outcome: unknown = "pending"
    const loaded = connection
      .load(
        () => Promise.reject(new TypeError("Failed to fetch")),
        () => failure
      )
      .catch((error: unknown) => {
        outcome = error
      })
    await vi.advanceTimersByTimeAsync(2_100)
    expect([outcome, connection.state()]).toEqual(["pending", "unreachable"])
    isUp = true
    await vi.advanceTimersByTimeAsync(2_100)
    await loaded
    expect(outcome).toBe(failure)
  })

  it("does not wait for a part that the server refuses", async () => {
    const connection = makeConnection(async () => true)
    await expect(
      connection.load(
        () => Promise.reject(new Error("gone")),
        () => new Error("other")
      )
    ).rejects.toThrow("gone")
    expect(connection.state()).toBe("connected")
  })
})
