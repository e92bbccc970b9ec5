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

export const scoresOf = (calls: ReadonlyArray<LabeledCall>, find: Finder, watch?: (miss: Miss) => void): Scores => {
  const fields = new Map<SensitiveField, FieldScore>()
  const of = (field: SensitiveField): FieldScore => {
    const known = fields.get(field)
    if (known !== undefined) return known
    const fresh = { values: 0, found: 0, spans: 0, right: 0, characters: 0, leaked: 0 }
    fields.set(field, fresh)
    return fresh
  }
  let labeled = 0
  let leaked = 0
  let other = 0
  let over = 0
  for (const { turns } of calls) {
    const spans = find(turns)
    turns.forEach((turn, at) => {
      const here = spans.filter((span) => span.turn === at)
      const gone = new Uint8Array(turn.content.length)
      for (const span of here) gone.fill(1, span.start, span.end)
      const label = new Uint8Array(turn.content.length)
      for (const span of turn.spans) {
        label.fill(1, span.start, span.end)
        const score = of(span.field)
        score.values++
        if (here.some((one) => one.field === span.field && one.start < span.end && span.start < one.end)) score.found++
        let lost = ""
        for (let i = span.start; i < span.end; i++) {
          if (/\s/.test(turn.content[i] ?? " ")) continue
          score.characters++
          if (gone[i] === 0) {
            score.leaked++
            lost += turn.content[i] ?? ""
          }
        }
        if (lost !== "")
          watch?.({
            kind: "leaked",
            field: span.field,
            text: `${lost} of ${turn.content.slice(span.start, span.end)}`,
            turn: turn.content
          })
      }
      for (const span of here) {
        const score = of(span.field)
        score.spans++
        if (turn.spans.some((one) => one.field === span.field && one.start < span.end && span.start < one.end))
          score.right++
        let extra = ""
        for (let i = span.start; i < span.end; i++) if (label[i] === 0) extra += turn.content[i] ?? ""
        if (extra.trim() !== "") watch?.({ kind: "over", field: span.field, text: extra, turn: turn.content })
      }
      for (let i = 0; i < turn.content.length; i++) {
        if (/\s/.test(turn.content[i] ?? " ")) continue
        if (label[i] === 1) {
          labeled++
          if (gone[i] === 0) leaked++
        } else {
          other++
          if (gone[i] === 1) over++
        }
      }
    })
  }
  const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)
  return {
    leak: share(leaked, labeled),
    over: share(over, other),
    fields: new Map(
      [...fields].map(([field, score]) => {
        const precision = score.spans === 0 ? 1 : score.right / score.spans
        const recall = score.values === 0 ? 1 : score.found / score.values
        return [
          field,
          {
            ...score,
            precision,
            recall,
            f1: precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall),
            leak: share(score.leaked, score.characters)
          }
        ]
      })
    )
  }
}

/** Labeled text, one JSON object a line: `{text, spans: [{start, end, field}]}` with offsets in code points. */
export const labeledTexts = (jsonl: string): ReadonlyArray<LabeledCall> =>
  jsonl
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the format that is asked for above
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
