/**
 * Accuracy and speed of redaction, and how long it blocks the event loop, on generated calls and hard negatives, or on files
 * of labeled texts with one JSON object per line: `{text, spans: [{start, end, field}]}`, offsets in code points.
 *
 *   pnpm bench redaction [--everyday] [--labeled-only] [FILE.jsonl ...]
 *   pnpm bench redaction --dialogues [--misses]
 *
 * `--dialogues` prints the values that leak in generated dialogues, by field, with `--misses` also some of those of the half
 * that the rules are written with.
 * `--everyday` also redacts weekdays and other everyday readings; `--labeled-only` redacts only the fields that a file labels.
 * Files that the tagger was fitted on score better than unseen ones: use `fit-tagger --cross-validate` for them.
 */
import { type RawTranscript, RedactionWork } from "@earshot/core"
import * as RedactionThreads from "@earshot/core/providers/RedactionThreads"
import * as Redaction from "@earshot/redaction"
import * as RedactionKit from "@earshot/test-kit/redaction"
import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import { benchmark, type Environment } from "./Benchmark.js"
import { longestDelay, median } from "./measure.js"
import { printDialogues } from "./redactionDialogues.js"

/**
 * `calls`: generated calls; `dialogues`: how often each kind of dialogue is made; `characters`: lengths of the calls whose speed
 * is measured, each in as many rounds as redact `total` characters; `delays`: of those whose delay of the event loop is.
 */
interface Size {
  readonly calls: number
  readonly dialogues: number
  readonly characters: ReadonlyArray<number>
  readonly total: number
  readonly delays: ReadonlyArray<number>
  readonly rounds: number
}

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`

const printScores = (print: Environment["print"], title: string, scores: RedactionKit.Scores): void => {
  print(`${title}: leak ${percent(scores.leak)}, over ${percent(scores.over)}`)
  for (const [field, score] of scores.fields) {
    if (score.values === 0 && score.spans === 0) continue
    print(
      `  ${field.padEnd(22)} leak ${percent(score.leak).padStart(8)}  precision ${score.precision.toFixed(3)}  recall ${score.recall.toFixed(3)}  F1 ${score.f1.toFixed(3)}  values ${score.values}`
    )
  }
}

/** A call of about that many characters. */
const longCall = (characters: number): Parameters<typeof Redaction.redactTranscript>[0] => {
  const turns: Array<RedactionKit.LabeledTurn> = []
  let length = 0
  for (let seed = 1; length < characters; seed++) {
    for (const turn of RedactionKit.labeledCalls(seed, 20, "measure").flatMap((call) => call.turns)) {
      if (length >= characters) break
      turns.push(turn)
      length += turn.content.length
    }
  }
  return {
    toolCalls: [],
    turns: turns.map(({ content, speaker }) => ({
      speaker,
      content,
      startTime: undefined,
      endTime: undefined,
      words: []
    }))
  }
}

/** Characters per second of processor time, those of the compiler and the garbage collector included. */
const speedOf = (raw: ReturnType<typeof longCall>, characters: number): number => {
  const before = process.cpuUsage()
  Redaction.redactTranscript(raw, Redaction.sensitiveFields)
  const { system, user } = process.cpuUsage(before)
  return (characters / (user + system)) * 1e6
}

/**
 * The first call of a process, before anything is compiled, and calls of several lengths after. Half of the speed of the
 * first calls is lost to compilation, so the other figures are taken when it has ended.
 */
const measureSpeed = ({ characters: sizes, total }: Size, print: Environment["print"]): void => {
  const lengthOf = (raw: ReturnType<typeof longCall>): number =>
    raw.turns.reduce((sum, turn) => sum + turn.content.length, 0)
  const first = longCall(Math.min(...sizes))
  const cold = speedOf(first, lengthOf(first))
  print(`first call of a process: ${Math.round(cold)} characters per second of processor time, all fields`)
  const warming = longCall(total)
  speedOf(warming, total)
  for (const size of sizes) {
    const raw = longCall(size)
    const characters = lengthOf(raw)
    const rounds = Math.max(3, Math.ceil(total / size))
    const rates = Array.from({ length: rounds }, () => speedOf(raw, characters))
    print(`${size} characters: ${Math.round(median(rates))} characters per second of processor time, all fields`)
  }
}

/** How long the event loop stands still while a server redacts a call or a document of a length, and while it is done in steps. */
const measureDelays = ({ delays, rounds }: Size, print: Environment["print"]): Promise<void> =>
  Effect.gen(function* () {
    const work = yield* RedactionWork
    for (const size of delays) {
      const call: RawTranscript = { _tag: "RawTranscript", turns: longCall(size).turns, toolCalls: [] }
      const document = { notes: call.turns.map(({ content }) => content) }
      const delay = async (effect: Effect.Effect<unknown, unknown>): Promise<string> => {
        const all: Array<number> = []
        // The first round starts the thread.
        for (let round = 0; round <= rounds; round++) {
          const one = await longestDelay(effect)
          if (round > 0) all.push(one)
        }
        return median(all).toFixed(0)
      }
      const fields = Redaction.sensitiveFields
      const inWork = yield* Effect.promise(() => delay(work.transcript(call, fields, {})))
      const ofDocument = yield* Effect.promise(() => delay(work.json(document, fields, {})))
      const inSteps = yield* Effect.promise(() => delay(Redaction.redactInSteps(call, fields)))
      print(
        `${size} characters: longest delay of the event loop ${inWork} ms by a server, ${ofDocument} ms for a document, ${inSteps} ms in steps on its thread, all fields`
      )
    }
  }).pipe(Effect.provide(RedactionThreads.layer()), Effect.runPromise)

export const redactionBenchmark = benchmark<Size>({
  name: "redaction",
  full: {
    calls: 600,
    dialogues: 3,
    characters: [10_000, 100_000, 1_000_000],
    total: 1_000_000,
    delays: [100_000, 2_000_000],
    rounds: 3
  },
  tiny: { calls: 2, dialogues: 1, characters: [500], total: 500, delays: [5_000], rounds: 1 },
  run: async (size, { args, print }) => {
    if (args.includes("--dialogues")) {
      printDialogues(print, size.dialogues, args.includes("--misses") ? 60 : 0)
      return
    }
    // Before anything else is redacted, for the figure of a fresh process.
    measureSpeed(size, print)
    const options = { everyday: args.includes("--everyday") }
    const files = args.filter((one) => !one.startsWith("--"))
    for (const file of files) {
      const calls = RedactionKit.labeledTexts(await readFile(file, "utf8"))
      const labeled = new Set(
        calls.flatMap((call) => call.turns.flatMap((turn) => turn.spans.map((span) => span.field)))
      )
      const fields = args.includes("--labeled-only") ? [...labeled] : Redaction.sensitiveFields
      printScores(print, file, RedactionKit.scoresOf(calls, RedactionKit.finderOf(fields, options)))
    }
    if (files.length === 0) {
      const find = RedactionKit.finderOf(Redaction.sensitiveFields, options)
      printScores(
        print,
        "generated calls, templates and values not fitted on",
        RedactionKit.scoresOf(RedactionKit.labeledCalls(99, size.calls, "measure"), find)
      )
      printScores(
        print,
        "hard negatives",
        RedactionKit.scoresOf(RedactionKit.hardNegativeCalls(5, Math.ceil(size.calls * (2 / 3))), find)
      )
    }
    await measureDelays(size, print)
  }
})
