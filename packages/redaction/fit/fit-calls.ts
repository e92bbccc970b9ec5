/**
 * Fits the tagger of calls and writes `data/calls.bin`; with `--check` it tells whether that file is what it would write.
 *
 *   npx tsc -b packages/redaction/fit && node packages/redaction/dist/fit/fit-calls.js [--check]
 */
import * as Redaction from "@earshot/redaction"
import * as RedactionKit from "@earshot/test-kit/redaction"
import { fileURLToPath } from "node:url"
import { deflateRawSync } from "node:zlib"
import { writtenCalls } from "./Calls.js"
import { writeOrCheck } from "./Shipped.js"
import { trainCalls } from "./TrainCalls.js"

const SEED = 20240601
/** How often the generated exchanges without values are fitted with: few of the written dialogues are as short. */
const HARMLESS = 2

const calls = [
  ...writtenCalls("fit/data/calls"),
  ...writtenCalls("test/phone-calls"),
  ...RedactionKit.questionDialogues(SEED, "fit"),
  ...RedactionKit.statementDialogues(SEED, "fit"),
  ...RedactionKit.labeledCalls(SEED, 200, "fit"),
  ...Array.from({ length: HARMLESS }, () => RedactionKit.harmlessCalls("fit")).flat()
]
console.log(`${calls.length} calls`)
const model = trainCalls(calls, {
  epochs: 8,
  averaged: 4,
  rate: 0.12,
  dropout: 0.3,
  prune: 0.1,
  l2: 0.0005,
  seed: SEED
})
const packed = Redaction.CallTagger.packCallModel(model, (bytes) => deflateRawSync(bytes, { level: 9 }))
writeOrCheck(fileURLToPath(new URL("../../data/calls.bin", import.meta.url)), packed)
