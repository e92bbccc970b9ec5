/**
 * Fits what turns ask for and writes `data/asked.bin`; with `--check` it tells whether that file is what it would write.
 *
 *   npx tsc -b packages/redaction/fit && node packages/redaction/dist/fit/fit-asked.js [--check]
 */
import * as Redaction from "@earshot/redaction"
import * as RedactionKit from "@earshot/test-kit/redaction"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { deflateRawSync } from "node:zlib"
import { writtenCalls } from "./Calls.js"
import { writeOrCheck } from "./Shipped.js"
import { shuffle } from "./Train.js"

const { askedKinds, askingRows, likelihoods, packAsked, ROWS } = Redaction.AskedFor
type Kind = Redaction.AskedFor.AskedKind

const SEED = 20240601
const EPOCHS = 12
const RATE = 0.25
const L2 = 0.00003
const DROPOUT = 0.2
/** Weights smaller than this are dropped at the end, which keeps the model small. */
const PRUNE = 0.04
/** How much a phrase of a list counts beside a question that somebody wrote. */
const OF_PHRASE = 0.6

interface Example {
  readonly text: string
  readonly byAgent: boolean
  readonly kinds: ReadonlyArray<Kind>
  readonly weight: number
}

const here = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

const isKind = (name: string): name is Kind => askedKinds.some((kind) => kind === name)

/** The texts of `fit/data/questions.txt`. */
const written = (): ReadonlyArray<Example> => {
  let kinds: ReadonlyArray<Kind> = []
  return readFileSync(here("fit/data/questions.txt"), "utf8")
    .split("\n")
    .flatMap((line): ReadonlyArray<Example> => {
      if (line.startsWith("? ")) kinds = [line.slice(2)].filter(isKind)
      return line === "" || /^[?#]/.test(line) ? [] : [{ text: line, byAgent: true, kinds, weight: 1 }]
    })
}

const Group = Schema.Struct({
  field: Schema.String,
  reads: Schema.optional(Schema.String),
  kind: Schema.optional(Schema.String),
  also: Schema.optional(Schema.Array(Schema.String)),
  phrases: Schema.Array(Schema.String)
})
type Group = typeof Group.Type
const decodeGroups = Schema.decodeUnknownSync(Schema.parseJson(Schema.Array(Group)))

const kindOfGroup = ({ field, kind, reads }: Group): string => {
  if (field === "credit_card" && (reads === "date" || kind === "expiry")) return "expiry"
  return kind === "zip" ? "postcode" : field
}

/** The phrases of the lists that the rules read. */
const phrases = (name: string): ReadonlyArray<Example> => {
  return decodeGroups(readFileSync(here(`src/data/${name}.json`), "utf8"))
    .filter(({ kind }) => kind !== "generic")
    .flatMap((group) => {
      const kinds = [kindOfGroup(group), ...(group.also ?? [])].filter(isKind)
      return group.phrases.map((text) => ({ text, byAgent: true, kinds, weight: OF_PHRASE }))
    })
}

const MONTHS = /jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|\/|twenty (?:four|five|six|seven|eight|nine)|thirty/
const FIGURES = /\d|\b(?:oh|zero|one|two|three|four|five|six|seven|eight|nine|ten|double|triple|hash|star)\b/
const ONLY_FIGURES = /^(?:\d+|oh|zero|one|two|three|four|five|six|seven|eight|nine|ten|double|triple|\w|\w+teen|\w+ty)$/

/** The kind of a labeled value: how it is said tells an expiry date from a card's number. */
const kindOfValue = (field: string, value: string): string => {
  const lower = value.toLowerCase()
  const words = lower.match(/[\p{L}\p{N}]+/gu) ?? []
  if (field === "password" && !FIGURES.test(lower) && words.some((word) => word.length > 2)) return "secret"
  if (field === "credit_card" && MONTHS.test(lower) && words.length < 6) return "expiry"
  if (field === "location" && words.every((word) => ONLY_FIGURES.test(word))) return "postcode"
  return field
}

/** How near to the beginning of its turn a value is the answer to the turn before. */
const NEAR = 40

/** What the turns of labeled calls ask for, by what is answered. */
const ofCalls = (calls: ReadonlyArray<RedactionKit.LabeledCall>): ReadonlyArray<Example> =>
  calls.flatMap(({ turns }) =>
    turns.flatMap((turn, at): ReadonlyArray<Example> => {
      const before = turns[at - 1]
      const [first] = turn.spans
      if (before === undefined || before.speaker === turn.speaker || before.spans.length > 0) return []
      if (!before.content.includes(" ") || (first !== undefined && first.start >= NEAR)) return []
      const kind =
        first === undefined ? "nothing" : kindOfValue(first.field, turn.content.slice(first.start, first.end))
      const byAgent = before.speaker === "main_agent"
      return isKind(kind) ? [{ text: before.content, byAgent, kinds: [kind], weight: 1 }] : []
    })
  )

/** Generated questions that ask for nothing, one of each. */
const harmless = (): ReadonlyArray<Example> => {
  const known = new Map<string, Example>()
  const calls = [...RedactionKit.harmlessCalls("fit"), ...RedactionKit.labeledCalls(SEED, 200, "fit")]
  for (const one of ofCalls(calls)) if (one.kinds[0] === "nothing") known.set(one.text, { ...one, weight: OF_PHRASE })
  return [...known.values()]
}

const KINDS = askedKinds.length

const fit = (examples: ReadonlyArray<Example>): Redaction.AskedFor.AskedModel => {
  const random = RedactionKit.randomOf(SEED)
  const prepared = examples.map(({ byAgent, kinds, text, weight }) => {
    const { all } = Redaction.tokenize(text)
    const gold = askedKinds.map((kind) => (kinds.includes(kind) ? 1 / kinds.length : 0))
    return { rows: askingRows(all, 0, all.length, byAgent), gold, weight }
  })
  const weights = new Float32Array(ROWS * KINDS)
  const squares = new Float32Array(ROWS * KINDS)
  const order = prepared.map((_, at) => at)
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    shuffle(order, random)
    for (const at of order) {
      const one = prepared[at]
      if (one === undefined) continue
      const { gold, rows, weight } = one
      const kept = rows.filter(() => random.next() >= DROPOUT)
      const likely = likelihoods(kept, weights, 1)
      for (let kind = 0; kind < KINDS; kind++) {
        const gradient = ((likely[kind] ?? 0) - (gold[kind] ?? 0)) * weight
        if (Math.abs(gradient) < 1e-4) continue
        for (const row of kept) {
          const index = row * KINDS + kind
          const full = gradient + L2 * (weights[index] ?? 0)
          squares[index] = (squares[index] ?? 0) + full * full
          weights[index] = (weights[index] ?? 0) - (RATE * full) / Math.sqrt((squares[index] ?? 0) + 1e-2)
        }
      }
    }
  }
  return Redaction.Tagger.quantize(weights.map((one) => (Math.abs(one) < PRUNE ? 0 : one * (1 - DROPOUT))))
}

const examples = [
  ...written(),
  ...phrases("questions"),
  ...phrases("cues"),
  ...ofCalls(writtenCalls("test/phone-calls")),
  ...harmless()
]
const packed = packAsked(fit(examples), (bytes) => deflateRawSync(bytes, { level: 9 }))
console.log(`${examples.length} examples`)
writeOrCheck(here("data/asked.bin"), packed)
