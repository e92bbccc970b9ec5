import type { SensitiveField } from "./SensitiveField.js"

/** A range of a text that is a value of a field. Offsets are UTF-16 code units, `end` exclusive. */
export interface TextSpan {
  readonly start: number
  readonly end: number
  readonly field: SensitiveField
  /** Confidence, 0 to 1. */
  readonly score: number
  /** Why, for people to read: patterns, cues and checks by name, never the value itself. */
  readonly evidence: ReadonlyArray<string>
  /** What found it: a recognizer's name, `tagger`, `provider`, `known` or `repeats`. */
  readonly recognizer?: string | undefined
}

/**
 * What a recognizer proposes. `nothing` proposes that the text is no sensitive field at all (an order number, a brand), and
 * competes with the candidates that would redact it.
 */
export interface Candidate {
  readonly start: number
  readonly end: number
  readonly field: SensitiveField | "nothing"
  readonly score: number
  readonly evidence: ReadonlyArray<string>
  /** What found it; see `TextSpan`. */
  readonly recognizer?: string | undefined
  /** Everyday expressions (weekdays, "tomorrow", "in five minutes", "the meeting"), which count only on request. */
  readonly everyday?: boolean
  /** Told by a phrase near it alone rather than by its form. */
  readonly byCue?: boolean
  /** Told by a phrase next to it that names its field, so that its length indicates no other one. */
  readonly isNamed?: boolean
  /** Told only by its length and by whether it has letters. */
  readonly isGuess?: boolean
  /** A further meaning of the phrase that tells it (see Cues.ts). */
  readonly isAlso?: boolean
}

export const candidate = (
  field: SensitiveField | "nothing",
  start: number,
  end: number,
  score: number,
  ...evidence: ReadonlyArray<string>
): Candidate => ({ field, start, end, score, evidence })

/** Span from the first to the last of its kind in reading order; ties put the longer first. */
export const inOrder = (a: { start: number; end: number }, b: { start: number; end: number }): number =>
  a.start - b.start || b.end - a.end
