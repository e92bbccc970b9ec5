/** Reads values of spans' attributes; what is not what it should be is left out. */
import * as Either from "effect/Either"
import { textError } from "../kernel/Text.js"
import { isStageTime } from "../transcripts/TurnTiming.js"
import type { Attributes, AttributeValue, Span } from "./Span.js"

/** The first of some attributes that is a text with characters. */
export const textAt = (attributes: Attributes, ...names: ReadonlyArray<string>): string | undefined => {
  for (const name of names) {
    const value = attributes.get(name)
    if (typeof value === "string" && value.trim() !== "") return storableText(value)
  }
  return undefined
}

/** A text that both databases store: NUL and lone surrogates become U+FFFD. */
const storableText = (text: string): string =>
  textError(text) === undefined ? text : text.replaceAll("\0", "\uFFFD").toWellFormed()

/** The first of some attributes that is a time of a stage, in seconds. */
export const secondsAt = (attributes: Attributes, ...names: ReadonlyArray<string>): number | undefined => {
  for (const name of names) {
    const value = attributes.get(name)
    if (isStageTime(value)) return value
  }
  return undefined
}

/** The attribute's text, or any other value of it as JSON text. */
export const documentAt = (attributes: Attributes, ...names: ReadonlyArray<string>): string | undefined => {
  for (const name of names) {
    const value = attributes.get(name)
    if (value !== undefined && value !== null) {
      return storableText(typeof value === "string" ? value : JSON.stringify(value))
    }
  }
  return undefined
}

/** A value of an attribute that is a document, or the JSON text of one; null without. */
export const jsonAt = (attributes: Attributes, name: string): unknown => {
  const value: AttributeValue = attributes.get(name) ?? null
  return typeof value === "string"
    ? Either.getOrElse(
        Either.try((): unknown => JSON.parse(value)),
        () => null
      )
    : value
}

/** A text as it is stored; undefined for what is none. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? storableText(value) : undefined

/** What every part has of its span. */
export const placeOf = ({ endMillis, parentSpanId, spanId, startMillis, traceId }: Span) => ({
  trace: traceId,
  span: spanId,
  ...(parentSpanId === undefined ? {} : { parent: parentSpanId }),
  start: startMillis,
  end: Math.max(startMillis, endMillis)
})

/** The fields that are defined. */
export const defined = <A extends object>(fields: A): { [K in keyof A]?: Exclude<A[K], undefined> } => {
  const found: { [K in keyof A]?: Exclude<A[K], undefined> } = {}
  // eslint-disable-next-line typescript/consistent-type-assertions -- Object.entries forgets the names of the keys
  for (const [key, value] of Object.entries(fields) as Array<[keyof A, A[keyof A]]>) {
    // eslint-disable-next-line typescript/consistent-type-assertions -- checked just before
    if (value !== undefined) found[key] = value as Exclude<A[keyof A], undefined>
  }
  return found
}
