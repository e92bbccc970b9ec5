import type { Steps } from "./Steps.js"
import { type CallText, readingText } from "./CallText.js"
import { findingSpans, type FindOptions, inOriginal } from "./FindSpans.js"
import type { ReplacementStyle } from "./Replacement.js"
import { type Found, ofFields } from "./Resolve.js"
import { OPAQUE, type SensitiveField } from "./SensitiveField.js"
import { type Candidate, inOrder, type TextSpan } from "./TextSpan.js"

export interface RedactOptions extends Omit<FindOptions, "extra" | "seen"> {
  /** Default: `[PHONE_NUMBER]`. */
  readonly replacement?: ReplacementStyle
  /** What a host's own model found, turn by turn. */
  readonly extra?: ReadonlyArray<TurnSpan>
}

/** A span of one turn's content, in UTF-16 code units of it. */
export interface TurnSpan extends TextSpan {
  readonly turn: number
}

/** Most passes over one call. Each pass but the last removes something, and two settle nearly every call. */
const MAX_PASSES = 6

const withOpaque = (call: CallText, spans: ReadonlyArray<TextSpan>): CallText => {
  let text = ""
  let at = 0
  for (const { end, start } of spans) {
    text += call.text.slice(at, start) + OPAQUE.repeat(end - start)
    at = end
  }
  text += call.text.slice(at)
  return readingText(call, text)
}

/**
 * The spans to redact. What is redacted changes what is left to read, so the call is read again with its spans opaque
 * until nothing more is found: redacting a redacted call therefore changes nothing. Offsets are those of the original.
 */
export function* spansToRedact(
  call: CallText,
  fields: ReadonlySet<SensitiveField>,
  options: FindOptions
): Steps<ReadonlyArray<Found>> {
  let current = call
  const seen = new Map<string, ReadonlyArray<Candidate>>()
  let all: ReadonlyArray<Found> = []
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const before = current
    const found = ofFields(yield* findingSpans(before, { ...options, seen }), fields).filter(
      (one) => !isOpaque(before.text, one)
    )
    if (found.length === 0) break
    all = [...all, ...found].sort(inOrder)
    yield
    current = withOpaque(current, found)
    yield
  }
  return all.map((one) => inOriginal(call, one))
}

const isOpaque = (text: string, span: TextSpan): boolean => {
  for (let at = span.start; at < span.end; at++) if (text[at] !== OPAQUE) return false
  return true
}
