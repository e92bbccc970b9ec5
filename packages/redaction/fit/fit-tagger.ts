/**
 * Fits the tagger and writes `data/tagger.bin`. With `--check` it tells whether that file is what it
 * would write, and with `--cross-validate` it prints figures of models that never saw what they are measured on; neither
 * writes anything.
 *
 *   npx tsc -b packages/redaction/fit && node packages/redaction/dist/fit/fit-tagger.js [--check | --cross-validate] [--misses N]
 */
import * as Redaction from "@earshot/redaction"
import * as RedactionKit from "@earshot/test-kit/redaction"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { deflateRawSync } from "node:zlib"
import { writeOrCheck } from "./Shipped.js"
import {
  asTranscribed,
  type Example,
  examplesOf,
  otherValues,
  withOthers,
  wordSets,
  writtenExamples
} from "./Examples.js"
import { train, type TrainOptions } from "./Train.js"

const SEED = 20240601
const options: TrainOptions = {
  epochs: 10,
  averaged: 1,
  rate: 0.12,
  dropout: 0.15,
  prune: 0.04,
  l2: 0.0002,
  seed: SEED
}
const FOLDS = 5

const here = (path: string): string => fileURLToPath(new URL(`../../fit/${path}`, import.meta.url))
const spoken = RedactionKit.labeledTexts(readFileSync(here("data/slurp-devel.jsonl"), "utf8"))

const sets = wordSets()
const random = RedactionKit.randomOf(SEED)
const values = otherValues(random)

const prose = writtenExamples(random, 10)
const generated = examplesOf([...RedactionKit.labeledCalls(SEED, 700, "fit")])

/** Everything a model is fitted on, with the variants of each sentence. */
const training = (spokenPart: ReadonlyArray<Example>): ReadonlyArray<Example> => [
  ...spokenPart,
  ...spokenPart,
  ...spokenPart.map((one) => withOthers(random, one, values)),
  ...prose,
  ...prose.map(asTranscribed),
  ...generated,
  ...generated.map((one) => withOthers(random, one, values))
]

/** Sentences made from one template go to one fold, or a fold would know its own test. */
const templateOf = (call: RedactionKit.LabeledCall): string => {
  const turn = call.turns[0]
  if (turn === undefined) return ""
  let text = ""
  let at = 0
  for (const span of turn.spans) {
    text += turn.content.slice(at, span.start)
    at = span.end
  }
  return (text + turn.content.slice(at))
    .toLowerCase()
    .replace(/[^a-z]/g, "")
    .slice(0, 40)
}

const foldOf = (key: string): number => {
  let hash = 0
  for (let i = 0; i < key.length; i++) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0
  return (hash >>> 0) % FOLDS
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

const report = (name: string, scores: RedactionKit.Scores): void => {
  console.log(`${name}: leak ${percent(scores.leak)}, over ${percent(scores.over)}`)
  for (const [field, one] of [...scores.fields].filter(([, score]) => score.values > 0)) {
    console.log(
      `  ${field.padEnd(22)} leak ${percent(one.leak).padStart(7)}  precision ${one.precision.toFixed(3)}  recall ${one.recall.toFixed(3)}  F1 ${one.f1.toFixed(3)}  values ${one.values}`
    )
  }
}

const packed = (model: ReturnType<typeof train>): Uint8Array =>
  Redaction.Tagger.packModel(model, (bytes) => deflateRawSync(bytes, { level: 9 }))

if (process.argv.includes("--cross-validate")) {
  const misses = Number(process.argv[process.argv.indexOf("--misses") + 1] ?? 0)
  const only = process.argv.includes("--one") ? 1 : FOLDS
  const models: Array<Redaction.Tagger.Model> = []
  const folds = (calls: ReadonlyArray<RedactionKit.LabeledCall>, fold: number, inside: boolean) =>
    calls.filter((call) => (foldOf(templateOf(call)) === fold) === inside)
  for (let fold = 0; fold < only; fold++)
    models.push(
      Redaction.Tagger.unpackModel(packed(train(training(examplesOf(folds(spoken, fold, false))), sets, options)))
    )
  for (const [name, calls, everyday] of [["spoken", spoken, true]] as const) {
    const kept = calls.filter((call) => foldOf(templateOf(call)) < only)
    for (const plain of process.argv.includes("--sweep") ? [0.36, 0.42, 0.5] : [undefined]) {
      const seen: Array<RedactionKit.Miss> = []
      const scores = RedactionKit.scoresOf(
        kept,
        (turns) => {
          const model = models[foldOf(templateOf({ style: "typed", turns }))]
          return RedactionKit.finderOf(Redaction.sensitiveFields, {
            everyday,
            ...(model === undefined ? {} : { model }),
            ...(plain === undefined ? {} : { thresholds: { plain, everyday: plain } })
          })(turns)
        },
        (miss) => seen.push(miss)
      )
      report(`${name}${plain === undefined ? "" : ` at ${plain}`}, cross-validated`, scores)
      if (misses > 0)
        for (const miss of seen.filter((_, at) => at % Math.max(1, Math.floor(seen.length / misses)) === 0))
          console.log(
            `    ${miss.kind} ${miss.field}: ${miss.text.replace(/\n/g, "/")} || ${miss.turn.replace(/\n/g, "/").slice(0, 160)}`
          )
    }
  }
} else {
  const model = train(training(examplesOf(spoken)), sets, options)
  writeOrCheck(fileURLToPath(new URL("../../data/tagger.bin", import.meta.url)), packed(model))
}
