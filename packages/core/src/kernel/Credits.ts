import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

/**
 * Credits: exact decimals of at most six places (interface, Metric.cost), as a whole number of micro-credits, so that sums
 * are exact in JavaScript and in both databases.
 */
export const MicroCredits = Schema.BigIntFromSelf.pipe(Schema.brand("MicroCredits"))
export type MicroCredits = typeof MicroCredits.Type

const PLACES = 6

export const noCredits = MicroCredits.make(0n)

export const fromMicros = (micros: bigint): MicroCredits => MicroCredits.make(micros)

/** Rounds a decimal number of credits half away from zero to six places. */
export const fromDecimal = (decimal: BigDecimal.BigDecimal): MicroCredits =>
  MicroCredits.make(
    BigDecimal.scale(BigDecimal.round(decimal, { mode: "half-from-zero", scale: PLACES }), PLACES).value
  )

export const add = (a: MicroCredits, b: MicroCredits): MicroCredits => MicroCredits.make(a + b)

export const sum = (all: Iterable<MicroCredits>): MicroCredits => {
  let total = 0n
  for (const one of all) total += one
  return MicroCredits.make(total)
}

/** A price times a whole number, for example the cost per run times the frequency. */
export const multiply = (price: MicroCredits, count: number): MicroCredits => MicroCredits.make(price * BigInt(count))

/** The wire form, with six places: `"0.400000"`. */
export const format = (credits: MicroCredits): string => {
  const digits = (credits < 0n ? -credits : credits).toString().padStart(PLACES + 1, "0")
  return `${credits < 0n ? "-" : ""}${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`
}

/** The interface's form of a cost: up to four integer digits and six decimals. */
export const COST_PATTERN = /^-?\d{0,4}(?:\.\d{0,6})?$/

/** Credits from the interface's text, `"0.4"` or `".4"`; a text without a digit is rejected. */
export const parse = (text: string): Either.Either<MicroCredits, string> => {
  if (!COST_PATTERN.test(text) || !/\d/.test(text)) {
    return Either.left("Ensure that there are no more than 4 digits before and 6 after the decimal point.")
  }
  const [whole = "", fraction = ""] = text.split(".")
  return Either.right(MicroCredits.make(BigInt(whole + fraction.padEnd(PLACES, "0"))))
}

/** Credits in the wire form: a decimal text. */
export const Credits: Schema.Schema<MicroCredits, string> = Schema.transformOrFail(
  Schema.String,
  Schema.typeSchema(MicroCredits),
  {
    strict: true,
    decode: (text, _, ast) => Either.mapLeft(parse(text), (message) => new ParseResult.Type(ast, text, message)),
    encode: (credits) => ParseResult.succeed(format(credits))
  }
).annotations({
  identifier: "Credits",
  message: () => ({ message: "A valid number of credits is required.", override: true }),
  jsonSchema: { type: "string", pattern: COST_PATTERN.source }
})
