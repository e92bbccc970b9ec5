import * as Redaction from "@earshot/redaction"
import type { LabeledCall } from "./LabeledCalls.js"
import type { SensitiveField } from "./Values.js"

export interface FieldScore {
  /** Labeled values, and how many of them were touched by a span of their field. */
  values: number
  found: number
  /** Spans of this field, and how many of them touch a label of it. */
  spans: number
  right: number
  /** Non-space characters labeled with this field, and how many of them survive any redaction. */
  characters: number
  leaked: number
}

/** How well redaction did on labeled calls. */
export interface Scores {
  /** Share of labeled non-space characters that survive. */
  readonly leak: number
  /** Share of the other non-space characters that are redacted. */
  readonly over: number
  readonly fields: ReadonlyMap<
    SensitiveField,
    FieldScore & { readonly precision: number; readonly recall: number; readonly f1: number; readonly leak: number }
  >
}

export type Finder = (turns: LabeledCall["turns"]) => ReadonlyArray<{
  readonly turn: number
  readonly start: number
  readonly end: number
  readonly field: SensitiveField
}>

/** The finder that is shipped. */
export const finderOf =
  (fields: ReadonlyArray<SensitiveField>, options: Redaction.RedactOptions = {}): Finder =>
  (turns) =>
    Redaction.redactTranscript(
      {
        toolCalls: [],
        turns: turns.map((turn) => ({
          speaker: turn.speaker,
          content: turn.content,
          startTime: undefined,
          endTime: undefined,
          words: []
        }))
      },
      fields,
      options
    ).spans

/** What `watch` is told: a stretch that should have gone and did not, or went and should not have. */
export interface Miss {
  readonly kind: "leaked" | "over"
  readonly field: SensitiveField
  readonly text: string
  readonly turn: string
}

type Turn = LabeledCall["turns"][number]
type FoundSpan = ReturnType<Finder>[number]
type Watch = (miss: Miss) => void

/** Non-space characters, by whether they are labeled and whether they are redacted. */
interface CharacterCounts {
  labeled: number
  leaked: number
  other: number
  over: number
}

const touches = (a: Omit<FoundSpan, "turn">, b: Omit<FoundSpan, "turn">): boolean =>
  a.field === b.field && a.start < b.end && b.start < a.end

/** One byte a character of a text: 1 inside any of the spans. */
const coverageOf = (
  text: string,
  spans: ReadonlyArray<{ readonly start: number; readonly end: number }>
): Uint8Array => {
  const covered = new Uint8Array(text.length)
  for (const span of spans) covered.fill(1, span.start, span.end)
  return covered
}

const isSpace = (text: string, at: number): boolean => /\s/.test(text[at] ?? " ")

const scoreLabel = (
  score: FieldScore,
  turn: Turn,
  label: Turn["spans"][number],
  spans: ReadonlyArray<FoundSpan>,
  redacted: Uint8Array,
  watch?: Watch
): void => {
  score.values++
  if (spans.some((one) => touches(one, label))) score.found++
  let lost = ""
  for (let i = label.start; i < label.end; i++) {
    if (isSpace(turn.content, i)) continue
    score.characters++
    if (redacted[i] === 0) {
      score.leaked++
      lost += turn.content[i] ?? ""
    }
  }
  if (lost === "") return
  const text = `${lost} of ${turn.content.slice(label.start, label.end)}`
  watch?.({ kind: "leaked", field: label.field, text, turn: turn.content })
}

const scoreFoundSpan = (score: FieldScore, turn: Turn, span: FoundSpan, labeled: Uint8Array, watch?: Watch): void => {
  score.spans++
  if (turn.spans.some((label) => touches(label, span))) score.right++
  let extra = ""
  for (let i = span.start; i < span.end; i++) if (labeled[i] === 0) extra += turn.content[i] ?? ""
  if (extra.trim() !== "") watch?.({ kind: "over", field: span.field, text: extra, turn: turn.content })
}

const countCharacters = (counts: CharacterCounts, text: string, labeled: Uint8Array, redacted: Uint8Array): void => {
  for (let i = 0; i < text.length; i++) {
    if (isSpace(text, i)) continue
    if (labeled[i] === 1) {
      counts.labeled++
      if (redacted[i] === 0) counts.leaked++
    } else {
      counts.other++
      if (redacted[i] === 1) counts.over++
    }
  }
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)

const withRates = (score: FieldScore) => {
  const precision = score.spans === 0 ? 1 : score.right / score.spans
  const recall = score.values === 0 ? 1 : score.found / score.values
  const f1 = precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall)
  return { ...score, precision, recall, f1, leak: share(score.leaked, score.characters) }
}

export const scoresOf = (calls: ReadonlyArray<LabeledCall>, find: Finder, watch?: Watch): Scores => {
  const fields = new Map<SensitiveField, FieldScore>()
  const of = (field: SensitiveField): FieldScore => {
    const known = fields.get(field)
    if (known !== undefined) return known
    const fresh = { values: 0, found: 0, spans: 0, right: 0, characters: 0, leaked: 0 }
    fields.set(field, fresh)
    return fresh
  }
  const counts: CharacterCounts = { labeled: 0, leaked: 0, other: 0, over: 0 }
  for (const { turns } of calls) {
    const found = find(turns)
    turns.forEach((turn, at) => {
      const spans = found.filter((span) => span.turn === at)
      const redacted = coverageOf(turn.content, spans)
      const labeled = coverageOf(turn.content, turn.spans)
      for (const label of turn.spans) scoreLabel(of(label.field), turn, label, spans, redacted, watch)
      for (const span of spans) scoreFoundSpan(of(span.field), turn, span, labeled, watch)
      countCharacters(counts, turn.content, labeled, redacted)
    })
  }
  return {
    leak: share(counts.leaked, counts.labeled),
    over: share(counts.over, counts.other),
    fields: new Map([...fields].map(([field, score]) => [field, withRates(score)]))
  }
}

/** Labeled text, one JSON object a line: `{text, spans: [{start, end, field}]}` with offsets in code points. */
export const labeledTexts = (jsonl: string): ReadonlyArray<LabeledCall> =>
  jsonl
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      // eslint-disable-next-line typescript/consistent-type-assertions -- the format that is asked for above
      const { spans, text } = JSON.parse(line) as {
        text: string
        spans: Array<{ start: number; end: number; field: SensitiveField }>
      }
      const offsets: Array<number> = []
      let unit = 0
      for (const point of text) {
        offsets.push(unit)
        unit += point.length
      }
      offsets.push(unit)
      const units = (at: number): number => offsets[Math.min(at, offsets.length - 1)] ?? unit
      return {
        style: "typed",
        turns: [
          {
            speaker: "testing_agent",
            content: text,
            spans: spans.map((span) => ({ start: units(span.start), end: units(span.end), field: span.field }))
          }
        ]
      }
    })
