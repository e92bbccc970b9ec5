import { redactJson, redactTranscript, sensitiveFields } from "@earshot/redaction"
import * as RedactionKit from "@earshot/test-kit/redaction"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { RedactionUnavailable } from "../../src/calls/CallErrors.js"
import { RedactionWork } from "../../src/calls/RedactionWork.js"
import * as RedactionThreads from "../../src/providers/RedactionThreads.js"
import type { RawTranscript } from "../../src/transcripts/Transcript.js"

const folder = mkdtempSync(join(tmpdir(), "earshot-redaction-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A program that answers documents as the first of their values says. */
const program = join(folder, "program.mjs")
writeFileSync(
  program,
  `import { parentPort } from "node:worker_threads"
  parentPort.on("message", (question) => {
    const [what] = question.kind === "json" ? JSON.parse(question.text) : ["throws"]
    if (what === "never ends") for (;;);
    if (what === "ends") process.exit(1)
    if (what === "throws") throw new Error("out of luck")
    parentPort.postMessage(what === "answers nothing" ? { _tag: "None" } : JSON.stringify("from a thread"))
  })`
)

const rawOf = (contents: ReadonlyArray<string>): RawTranscript => ({
  _tag: "RawTranscript",
  turns: contents.map((content, at) => ({
    speaker: at % 2 === 0 ? "main_agent" : "testing_agent",
    content,
    startTime: at,
    endTime: at + 1,
    words: []
  })),
  toolCalls: []
})

const long = rawOf(
  RedactionKit.labeledCalls(3, 80, "measure").flatMap((call) => call.turns.map(({ content }) => content))
)

const quiet = Logger.withMinimumLogLevel(LogLevel.None)

it.live("redacts long transcripts and documents in threads as the functions do", () =>
  Effect.gen(function* () {
    const { json, transcript } = yield* RedactionWork
    const document = { notes: long.turns.map(({ content }) => content) }
    expect(JSON.stringify(document).length).toBeGreaterThan(16_384)
    const [redaction, notes] = yield* Effect.all([transcript(long, sensitiveFields, {}), json(document, ["ssn"], {})], {
      concurrency: "unbounded"
    })
    expect(redaction).toEqual(redactTranscript(long, sensitiveFields))
    expect(notes).toEqual(redactJson(document, ["ssn"]))
  }).pipe(Effect.provide(RedactionThreads.layer()))
)

it.live("asks a thread for what is longer than the limit alone", () =>
  Effect.gen(function* () {
    const { json, transcript } = yield* RedactionWork
    const limit = 100
    const text = "x".repeat(limit - 2)
    expect(yield* json(text, ["ssn"], {})).toBe(text)
    expect(yield* json([text], ["ssn"], {})).toBe("from a thread")
    expect(yield* json([text], [], {})).toEqual([text])
    const short = rawOf(["x".repeat(limit / 2), "y".repeat(limit / 2)])
    expect(yield* transcript(short, ["ssn"], {})).toEqual(redactTranscript(short, ["ssn"]))
    const above = rawOf(["x".repeat(limit), "y"])
    expect(yield* Effect.flip(transcript(above, ["ssn"], {}))).toEqual(new RedactionUnavailable())
    const withTool = { ...short, toolCalls: [{ ...TOOL, arguments: "y" }] }
    expect(yield* Effect.flip(transcript(withTool, ["ssn"], {}))).toEqual(new RedactionUnavailable())
  }).pipe(Effect.provide(RedactionThreads.layer({ program, longerThan: 100 })), quiet)
)

const TOOL = {
  id: undefined,
  name: "find",
  arguments: "",
  result: undefined,
  succeeded: undefined,
  startTime: undefined,
  endTime: undefined
}

it.live("fails when the thread ends or answers nothing, and goes on with the next one", () =>
  Effect.gen(function* () {
    const { json } = yield* RedactionWork
    for (const what of ["ends", "throws", "answers nothing"]) {
      expect(yield* Effect.flip(json([what], ["ssn"], {}))).toEqual(new RedactionUnavailable())
      expect(yield* json(["else"], ["ssn"], {})).toBe("from a thread")
    }
  }).pipe(Effect.provide(RedactionThreads.layer({ program, concurrency: 1, longerThan: 0 })), quiet)
)

it.live("fails when the work takes too long", () =>
  Effect.gen(function* () {
    const { json } = yield* RedactionWork
    expect(yield* Effect.flip(json(["never ends"], ["ssn"], {}))).toEqual(new RedactionUnavailable())
  }).pipe(Effect.provide(RedactionThreads.layer({ program, timeout: "1 second", longerThan: 0 })), quiet)
)

it.live("lets the event loop run in between where no program is found", () =>
  Effect.gen(function* () {
    const { json, transcript } = yield* RedactionWork
    let turns = 0
    let isRunning = true
    const other = () => {
      turns++
      if (isRunning) setImmediate(other)
    }
    setImmediate(other)
    const redaction = yield* transcript(long, sensitiveFields, {})
    const between = turns
    const notes = yield* json(
      long.turns.map(({ content }) => content),
      ["ssn"],
      {}
    )
    isRunning = false
    // A step for every recognizer at least.
    expect(between).toBeGreaterThan(30)
    expect(turns - between).toBeGreaterThan(30)
    expect(redaction).toEqual(redactTranscript(long, sensitiveFields))
    expect(notes).toEqual(
      redactJson(
        long.turns.map(({ content }) => content),
        ["ssn"]
      )
    )
  }).pipe(Effect.provide(Layer.fresh(RedactionThreads.layer({ program: null }))))
)
