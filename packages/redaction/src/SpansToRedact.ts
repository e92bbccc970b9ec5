import type { Steps } from "./Steps.js"
import { type CallText, readingText } from "./CallText.js"
import { findingSpans, type FindOptions, inOriginal } from "./FindSpans.js"
import type { ReplacementStyle } from "./Replacement.js"
import { type Found, ofFields } from "./Resolve.js"
import { OPAQUE, type SensitiveField, sensitiveFields } from "./SensitiveField.js"
import { inOrder, type TextSpan } from "./TextSpan.js"

export interface RedactOptions extends Omit<FindOptions, "extra" | "seen" | "seenCalls"> {
  /** Default: `[PHONE_NUMBER]`. */
  readonly replacement?: ReplacementStyle
  /** What a host's own model found, turn by turn. */
  readonly extra?: ReadonlyArray<TurnSpan>
  /** Values that are known of the call, which are looked for in it. They are not part of it. */
  readonly known?: ReadonlyArray<KnownValue>
}

/** Most values that are known of a call. */
export const MAX_KNOWN = 200

/** A value that is known of a call besides what was said, such as its customer's number. */
export interface KnownValue {
  readonly value: string
  /** What it is a value of. Without it the value is found like one in a document, by its form and its key. */
  readonly field?: SensitiveField
  /** The key that it stands under, such as `first_name`. */
  readonly key?: string
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

/** Reads a call again with what was found opaque, until nothing more is found. */
function* passes(call: CallText, options: FindOptions): Steps<ReadonlyArray<Found>> {
  let current = call
  let all: ReadonlyArray<Found> = []
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const before = current
    const found = (yield* findingSpans(before, options)).filter((one) => !isOpaque(before.text, one))
    if (found.length === 0) break
    all = [...all, ...found]
    yield
    current = withOpaque(current, found)
    yield
  }
  return [...all].sort(inOrder)
}

/**
 * The spans to redact. What is redacted changes what is left to read, so the call is read again with its spans opaque
 * until nothing more is found. All fields are always looked for, and those that are asked for selected afterwards: a value
 * is found whatever else is asked for. Then the same is done with the selected ones opaque, as the call will be stored, until
 * nothing more is selected: redacting a redacted call changes nothing. Offsets are those of the original.
 */
export function* spansToRedact(
  call: CallText,
  fields: ReadonlySet<SensitiveField>,
  options: FindOptions
): Steps<ReadonlyArray<Found>> {
  const known: FindOptions = { ...options, seen: new Map(), seenCalls: new Map() }
  const isAll = sensitiveFields.every((field) => fields.has(field))
  let current = call
  let all: ReadonlyArray<Found> = []
  for (let round = 0; round < MAX_PASSES; round++) {
    const before = current
    const found = yield* passes(before, known)
    const selected = isAll ? found : ofFields(found, fields).filter((one) => !isOpaque(before.text, one))
    all = [...all, ...selected]
    if (isAll || selected.length === 0) break
    yield
    current = withOpaque(current, selected)
  }
  return [...all].sort(inOrder).map((one) => inOriginal(call, one))
}

const isOpaque = (text: string, span: TextSpan): boolean => {
  for (let at = span.start; at < span.end; at++) if (text[at] !== OPAQUE) return false
  return true
}
