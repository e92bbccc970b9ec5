import type { SensitiveField } from "../Values.js"
import type { Finder } from "../Scores.js"
import type { LabeledCall, LabeledTurn } from "../LabeledCalls.js"

/** Values by field: how many there were, and how many of them any letter or digit survived of. */
export interface LeakCount {
  readonly values: number
  readonly leaked: number
}

export interface Leaks extends LeakCount {
  readonly fields: ReadonlyMap<SensitiveField, LeakCount>
}

/** A value that survived, in part or as a whole. */
export interface LeakedValue {
  readonly field: SensitiveField
  readonly value: string
  readonly left: string
  readonly call: LabeledCall
}

const VISIBLE = /[\p{L}\p{N}]/u

/** What is left of a label after the spans are gone. */
const leftOf = (
  turn: LabeledTurn,
  label: LabeledTurn["spans"][number],
  spans: ReadonlyArray<{ readonly start: number; readonly end: number }>
): string => {
  let left = ""
  for (let at = label.start; at < label.end; at++) {
    const unit = turn.content[at] ?? ""
    if (VISIBLE.test(unit) && !spans.some((span) => span.start <= at && at < span.end)) left += unit
  }
  return left
}

/**
 * The values of calls that redaction leaves readable. Stricter than the share of characters: a value of which one digit
 * survives has leaked. With `only`, values of other fields are not counted.
 */
export const leaksOf = (
  calls: ReadonlyArray<LabeledCall>,
  finder: (call: LabeledCall) => Finder,
  only: (call: LabeledCall, field: SensitiveField) => boolean = () => true,
  watch?: (leak: LeakedValue) => void
): Leaks => {
  const fields = new Map<SensitiveField, { values: number; leaked: number }>()
  for (const call of calls) {
    const found = finder(call)(call.turns)
    call.turns.forEach((turn, at) => {
      const spans = found.filter((span) => span.turn === at)
      for (const label of turn.spans) {
        if (!only(call, label.field)) continue
        const count = fields.get(label.field) ?? { values: 0, leaked: 0 }
        fields.set(label.field, count)
        count.values++
        const left = leftOf(turn, label, spans)
        if (left === "") continue
        count.leaked++
        watch?.({ field: label.field, value: turn.content.slice(label.start, label.end), left, call })
      }
    })
  }
  const all = [...fields.values()]
  return {
    fields,
    values: all.reduce((sum, one) => sum + one.values, 0),
    leaked: all.reduce((sum, one) => sum + one.leaked, 0)
  }
}
