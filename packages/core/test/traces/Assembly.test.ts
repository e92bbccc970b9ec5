import { Tracing } from "@earshot/core"
import { NerProvider } from "@earshot/redaction"
import { TraceKit } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as RedactionThreads from "../../src/providers/RedactionThreads.js"

const groupsOf = (spans: ReadonlyArray<TraceKit.FixtureSpan>) =>
  Tracing.groupSpans(Either.getOrThrow(Tracing.decodeJson(TraceKit.otlpJson(spans))).spans)

const secondsOf = (timing: object | undefined) =>
  Object.fromEntries(
    Object.entries(timing ?? {}).map(([stage, { seconds }]: [string, { seconds: number }]) => [stage, seconds])
  )

describe.each(TraceKit.tracingLibraries)("spans of %s", (library) => {
  it("are assembled into the call that they trace, in any order and number", () => {
    fc.assert(
      fc.property(
        TraceKit.tracedCall.chain((call) => {
          const spans = TraceKit.spansOf(library, call)
          return fc.record({
            call: fc.constant(call),
            spans: fc
              .tuple(fc.shuffledSubarray([...spans], { minLength: spans.length }), fc.subarray([...spans]))
              .map(([all, repeated]) => [...all, ...repeated])
          })
        }),
        ({ call, spans }) => {
          const { groups, ignored } = groupsOf(spans)
          expect([groups.length, ignored]).toEqual([1, 0])
          const bySpan = new Map(groups[0]!.parts.map((part) => [`${part.trace} ${part.span}`, part]))
          const assembled = Tracing.assembleCall([...bySpan.values()])
          expect(assembled?.callId).toBe(call.id)
          expect(assembled?.assistantIds).toEqual([call.agentName])
          const turns = assembled?.transcript?.turns ?? []
          expect(
            turns.map(({ content, speaker, timing }) => ({ speaker, content, stages: secondsOf(timing) }))
          ).toEqual(TraceKit.expectedTurns(library, call))
          const tools = call.turns.flatMap(({ tool }) => (tool === undefined ? [] : [tool]))
          expect(
            assembled?.transcript?.toolCalls.map(({ arguments: given, name, result, succeeded }) => [
              name,
              given,
              result,
              succeeded
            ])
          ).toEqual(tools.map((tool) => [tool, `{"a":"${tool}"}`, "done", true]))
          if (library !== "gen_ai") {
            expect(assembled).toMatchObject({ startedAt: call.startedAt, durationSeconds: call.durationSeconds })
          }
          if (library.startsWith("livekit")) {
            expect(assembled).toMatchObject({ customerNumber: call.customerNumber, endedReason: call.endedReason })
            expect(turns.map(({ endTime, startTime }) => [startTime, endTime])).toEqual(
              call.turns.map(({ end, start }) => [start, end])
            )
            expect(groups[0]?.unknown).toContain("some_new_span")
          }
        }
      ),
      { numRuns: 60 }
    )
  })

  it("are of one call however they are split among requests", () => {
    const [call] = fc.sample(TraceKit.tracedCall, { numRuns: 1, seed: 7 })
    const spans = TraceKit.spansOf(library, call!)
    const keys = spans.flatMap((span) => groupsOf([span]).groups.map((group) => new Set(group.keys)))
    const joined = keys.reduce((all, some) => {
      // Later requests have a key in common with an earlier one.
      expect(all.size === 0 || [...some].some((key) => all.has(key))).toBe(true)
      return new Set([...all, ...some])
    }, new Set<string>())
    expect(joined.size).toBeGreaterThan(0)
  })
})

describe("spans", () => {
  const span = (
    name: string,
    attributes: TraceKit.FixtureSpan["attributes"],
    more: object = {}
  ): TraceKit.FixtureSpan => ({
    name,
    traceId: "a".repeat(32),
    spanId: "b".repeat(16),
    parentSpanId: undefined,
    startMillis: 1_741_107_600_000,
    endMillis: 1_741_107_601_000,
    attributes,
    ...more
  })

  it("of no known convention are ignored, unless their trace has others", () => {
    expect(groupsOf([span("GET /", { "http.method": "GET" })])).toEqual({ groups: [], ignored: 1 })
    const both = groupsOf([span("GET /", {}, { spanId: "c".repeat(16) }), span("agent_session", { "lk.job_id": "1" })])
    expect(both.groups).toMatchObject([{ known: 1, unknown: ["GET /"], endsCall: true }])
  })

  it("of one conversation in several traces are of one call, and of one name in several conversations of several", () => {
    const chat = (traceId: string, conversation: string) =>
      span(
        "chat",
        { "gen_ai.operation.name": "chat", "gen_ai.conversation.id": conversation },
        { traceId: traceId.repeat(32) }
      )
    expect(groupsOf([chat("1", "x"), chat("2", "x"), chat("3", "y")]).groups).toHaveLength(2)
  })

  it("without valid times or with a circle of parents make a call all the same", () => {
    const parts = groupsOf([
      span(
        "agent_turn",
        { "lk.pii.response.text": "Hello" },
        { startMillis: 0, endMillis: 0, parentSpanId: "b".repeat(16) }
      ),
      span("llm_node", { "lk.response.ttft": 5000 }, { spanId: "d".repeat(16), parentSpanId: "d".repeat(16) })
    ]).groups[0]!.parts
    expect(Tracing.assembleCall(parts)).toMatchObject({
      startedAt: 1_741_107_600_000,
      transcript: { turns: [{ content: "Hello", startTime: undefined, endTime: undefined }] }
    })
  })

  it("of older conventions have messages as events", () => {
    const { spans } = Either.getOrThrow(
      Tracing.decodeJson(TraceKit.otlpJson([span("chat", { "gen_ai.operation.name": "chat" })]))
    )
    const events = [
      { name: "gen_ai.user.message", attributes: new Map([["content", "Hi"]]) },
      {
        name: "gen_ai.choice",
        attributes: new Map([["message", JSON.stringify({ role: "assistant", content: "Hello" })]])
      }
    ]
    const [group] = Tracing.groupSpans(spans.map((one) => ({ ...one, events }))).groups
    expect(Tracing.assembleCall(group!.parts)?.transcript?.turns.map(({ content }) => content)).toEqual(["Hi", "Hello"])
  })
})

describe("spans of a long call", () => {
  const filler = "Let me check that for you, one moment please. ".repeat(20)
  const texts = ["The file says okonjo twice.", ...Array.from({ length: 80 }, () => filler), "My name is Ruth Okonjo."]
  const parts = texts.map((text, at): Tracing.TracePart => ({
    kind: at % 2 === 0 ? "agent_turn" : "user_turn",
    source: "livekit",
    trace: "a".repeat(32),
    span: at.toString(16).padStart(16, "0"),
    start: at * 1000,
    end: at * 1000 + 900,
    text
  }))

  it("are redacted a limited number of characters at a time, while other work proceeds, with each value everywhere", async () => {
    const lengths: Array<number> = []
    const turnsBefore: Array<number> = []
    let otherTurns = 0
    let isRunning = true
    const otherWork = () => {
      otherTurns++
      if (isRunning) setImmediate(otherWork)
    }
    setImmediate(otherWork)
    const redacted = await Effect.runPromise(
      Tracing.redactParts(parts.toReversed(), [], ["person_name"], {}).pipe(
        Effect.provideService(NerProvider, {
          recognize: (turns) =>
            Effect.sync(() => {
              lengths.push(turns.join("").length)
              turnsBefore.push(otherTurns)
              return []
            })
        }),
        Effect.provide(RedactionThreads.layer())
      )
    )
    isRunning = false
    // Twice each window; up to 20 parts before one are read with it.
    expect(lengths.length).toBeGreaterThanOrEqual(6)
    for (const length of lengths) expect(length).toBeLessThanOrEqual(32_768 + 20 * filler.length)
    expect(new Set(turnsBefore).size).toBe(lengths.length)
    expect(redacted.map(({ span }) => span)).toEqual(parts.map(({ span }) => span).toReversed())
    expect(redacted.at(-1)?.text).toBe("The file says [PERSON_NAME] twice.")
    expect(redacted[0]?.text).toBe("My name is [PERSON_NAME].")
    expect(redacted[40]?.text).toBe(filler)
  })
})
