/** The interface's limits of texts, and what a limit is. Source: interface, Limits. */
import * as fc from "fast-check"
import { type Law, law } from "../Law.js"

/** A text's field and the most characters (code points) that it may have. */
export interface TextLimit {
  readonly subject: string
  readonly field: string
  readonly max: number
}

const limit = (subject: string, field: string, max: number): TextLimit => ({ subject, field, max })

export const textLimits: ReadonlyArray<TextLimit> = [
  limit("call", "call_id", 100),
  limit("call", "trace_id", 32),
  limit("call", "call_ended_reason", 100),
  limit("call", "customer_number", 100),
  limit("review", "dropoff_point", 1000),
  limit("review", "topic", 1000),
  limit("dashboard", "name", 255),
  limit("widget", "name", 255),
  limit("evaluator", "name", 80),
  limit("metric", "name", 255)
]

/** Characters of one unit, of two and of several code points that read as one. */
const character = fc.constantFrom("x", "é", "漢", "😀", "\u{10FFFF}")

/** `accepts` says whether a field may hold a text, whatever else its subject holds. */
export const textLimitLaws = (
  { field, max, subject }: TextLimit,
  accepts: (text: string) => boolean
): ReadonlyArray<Law> => [
  law(
    `the ${field} of a ${subject} has up to ${max} characters, whatever they are made of`,
    [character, fc.oneof(fc.constant(max), fc.integer({ min: 1, max }))],
    (one, length) => accepts(one.repeat(length)),
    50
  ),
  law(
    `the ${field} of a ${subject} has no more than ${max} characters`,
    [character, fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 200 }))],
    (one, more) => !accepts(one.repeat(max + more)),
    50
  ),
  law(
    `the ${field} of a ${subject} holds neither NUL nor half a character`,
    [fc.constantFrom("\0", "\ud800", "\udc00x")],
    (wrong) => !accepts(`a${wrong}`),
    20
  )
]
