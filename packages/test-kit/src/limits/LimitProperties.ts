/** The interface's limits of texts. Source: interface, Limits. */
import * as fc from "fast-check"
import { type Property, property, expectEqual, expectOrdered, expectNone } from "../Property.js"

/** A text field and its longest text, in characters (code points). */
export interface TextLimit {
  readonly subject: string
  readonly field: string
  readonly max: number
  /** The required beginning of its texts, if any. */
  readonly begins?: string
}

const limit = (subject: string, field: string, max: number, begins = ""): TextLimit => ({ subject, field, max, begins })

export const textLimits: ReadonlyArray<TextLimit> = [
  limit("call", "call_id", 100),
  limit("call", "trace_id", 32),
  limit("call", "call_ended_reason", 100),
  limit("call", "customer_number", 100),
  limit("review", "dropoff_point", 1000),
  limit("review", "topic", 1000),
  limit("dashboard", "name", 255),
  limit("widget", "name", 255),
  limit("widget", "field", 255, "metadata."),
  limit("suite request", "name", 255),
  limit("evaluator", "name", 80),
  limit("scenario", "name", 80),
  limit("metric", "name", 255)
]

/** Characters of one and two UTF-16 units, and one of several code points. */
const character = fc.constantFrom("x", "é", "漢", "😀", "\u{10FFFF}")

/** `accepts` is whether a field takes a text. */
export const textLimitProperties = (
  { begins = "", field, max, subject }: TextLimit,
  accepts: (text: string) => boolean
): ReadonlyArray<Property> => {
  const least = begins.length + 1
  const textOf = (one: string, length: number) => begins + one.repeat(length - begins.length)
  return [
    property(
      `the ${field} of a ${subject} has up to ${max} characters, whatever they are made of`,
      [character, fc.oneof(fc.constant(max), fc.integer({ min: least, max }))],
      (one, length) => {
        expectEqual("whether it is accepted", accepts(textOf(one, length)), true)
      },
      50
    ),
    property(
      `the ${field} of a ${subject} has no more than ${max} characters`,
      [character, fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 200 }))],
      (one, more) => {
        expectEqual("whether it is accepted", accepts(textOf(one, max + more)), false)
      },
      50
    ),
    property(
      `the ${field} of a ${subject} holds neither NUL nor half a character`,
      [fc.constantFrom("\0", "\ud800", "\udc00x")],
      (wrong) => {
        expectEqual("whether it is accepted", accepts(`${begins}a${wrong}`), false)
      },
      20
    )
  ]
}

/** Generated slugs of metrics: snake_case, unique, of up to 255 characters. */
export const slugProperties = (
  slugFor: (name: string, taken: ReadonlySet<string>) => string | null
): ReadonlyArray<Property> => {
  const name = fc
    .oneof(
      fc.array(fc.constantFrom("a", "B", "7", " ", "_", "-", "é", "漢", "😀"), { maxLength: 255, size: "max" }),
      fc.array(fc.constantFrom("a", "b"), { minLength: 240, maxLength: 255 })
    )
    .map((characters) => characters.join(""))
  return [
    property(
      "a slug is in snake_case, of up to 255 characters",
      [name, fc.nat({ max: 20 })],
      (text, others) => {
        const taken = new Set<string>()
        for (let made = 0; made <= others; made++) {
          const slug = slugFor(text, taken)
          if (slug === null) {
            expectEqual("letters and digits of a name without a slug", text.match(/[a-z0-9]/gi), null)
            return
          }
          expectEqual("the slug in snake_case", /^[a-z0-9]+(?:_[a-z0-9]+)*$/.exec(slug)?.[0], slug)
          expectOrdered("its length", slug.length, "<=", 255)
          expectNone("slugs that are taken", taken, (one) => one === slug)
          taken.add(slug)
        }
      },
      100
    )
  ]
}
