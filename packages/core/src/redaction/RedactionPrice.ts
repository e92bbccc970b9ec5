import { ofMicros, type MicroCredits, noCredits } from "../kernel/Credits.js"
import type { SensitiveField } from "./SensitiveField.js"

/** 0.4 credits a minute of call, flat, however many fields are selected (interface, Limits). */
const MICROS_PER_MINUTE = 400_000n

/**
 * What redacting a call costs: 0.4 x seconds / 60 credits, exact, rounded half up to six places; nothing without fields.
 * Seconds count to the microsecond; a negative or unknown length costs nothing.
 */
export const redactionPrice = (seconds: number, fields: ReadonlyArray<SensitiveField>): MicroCredits => {
  if (fields.length === 0 || !Number.isFinite(seconds) || seconds <= 0) return noCredits
  // The decimal that the number prints as is what was meant: 0.1 is a tenth, not 0.1000000000000000055.
  const [mantissa = "0", exponent = "0"] = seconds.toExponential().split("e")
  const [whole = "0", fraction = ""] = mantissa.split(".")
  const digits = BigInt(whole + fraction)
  const power = Number(exponent) - fraction.length
  const numerator = MICROS_PER_MINUTE * digits * (power > 0 ? 10n ** BigInt(power) : 1n)
  const denominator = 60n * (power < 0 ? 10n ** BigInt(-power) : 1n)
  return ofMicros((2n * numerator + denominator) / (2n * denominator))
}
