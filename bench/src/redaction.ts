/**
 * How well and how fast redaction works. Without arguments it measures the generated calls and the hard negatives;
 * with paths, labelled texts: one JSON object a line, `{text, spans: [{start, end, field}]}`, offsets in code points.
 *
 *   pnpm bench redaction [--everyday] [--labelled-only] [FILE.jsonl ...]
 *
 * `--everyday` switches weekdays and other everyday readings on; `--labelled-only` asks only for the fields that a file
 * labels. Files the tagger was fitted on score better than unseen ones: `fit-tagger --cross-validate` is fair to them.
 */
import * as Redaction from "@earshot/redaction"
import * as RedactionKit from "@earshot/test-kit/redaction"
import { readFile } from "node:fs/promises"

export const name = "redaction"

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`

const print = (title: string, scores: RedactionKit.Scores): void => {
  console.log(`${title}: leak ${percent(scores.leak)}, over ${percent(scores.over)}`)
  for (const [field, score] of scores.fields) {
    if (score.values === 0 && score.spans === 0) continue
    console.log(
      `  ${field.padEnd(22)} leak ${percent(score.leak).padStart(8)}  precision ${score.precision.toFixed(3)}  recall ${score.recall.toFixed(3)}  F1 ${score.f1.toFixed(3)}  values ${score.values}`
    )
  }
}

/** One long call of about so many characters. */
const longCall = (characters: number): Parameters<typeof Redaction.redactTranscript>[0] => {
  const turns: Array<RedactionKit.LabelledTurn> = []
  let length = 0
  for (let seed = 1; length < characters; seed++) {
    for (const turn of RedactionKit.labelledCalls(seed, 20, "measure").flatMap((call) => call.turns)) {
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

const throughput = (): void => {
  Redaction.redactTranscript(longCall(50_000), Redaction.sensitiveFields)
  for (const size of [10_000, 100_000, 1_000_000]) {
    const raw = longCall(size)
    const characters = raw.turns.reduce((sum, turn) => sum + turn.content.length, 0)
    const rates: Array<number> = []
    for (let round = 0; round < 3; round++) {
      const before = process.cpuUsage()
      Redaction.redactTranscript(raw, Redaction.sensitiveFields)
      const { system, user } = process.cpuUsage(before)
      rates.push((characters / (user + system)) * 1e6)
    }
    const median = rates.sort((a, b) => a - b)[1] ?? 0
    console.log(`${characters} characters: ${Math.round(median)} characters a second of processor time, all fields`)
  }
}

export const run = async (): Promise<void> => {
  const given = process.argv.slice(3)
  const options = { everyday: given.includes("--everyday") }
  const files = given.filter((one) => !one.startsWith("--"))
  for (const file of files) {
    const calls = RedactionKit.labelledTexts(await readFile(file, "utf8"))
    const labelled = new Set(
      calls.flatMap((call) => call.turns.flatMap((turn) => turn.spans.map((span) => span.field)))
    )
    const fields = given.includes("--labelled-only") ? [...labelled] : Redaction.sensitiveFields
    print(file, RedactionKit.scoresOf(calls, RedactionKit.finderOf(fields, options)))
  }
  if (files.length === 0) {
    const find = RedactionKit.finderOf(Redaction.sensitiveFields, options)
    print(
      "generated calls, templates and values not fitted on",
      RedactionKit.scoresOf(RedactionKit.labelledCalls(99, 600, "measure"), find)
    )
    print("hard negatives", RedactionKit.scoresOf(RedactionKit.hardNegativeCalls(5, 400), find))
  }
  throughput()
}
