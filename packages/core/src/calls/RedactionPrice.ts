import { fromMicros, type MicroCredits, noCredits } from "../kernel/Credits.js"
import type { SensitiveField } from "@earshot/redaction"

/** 0.4 credits a minute of call, flat, however many fields are selected (interface, Limits). */
const MICROS_PER_MINUTE = 400_000n

/**
 * What redacting a call costs: 0.4 x seconds / 60 credits, exact, rounded half up to six places; nothing without fields.
 * Seconds count to the microsecond; a negative or unknown length costs nothing.
 */
export const redactionPrice = (seconds: number, fields: ReadonlyArray<SensitiveField>): MicroCredits => {
  if (fields.length === 0 || !Number.isFinite(seconds) || seconds <= 0) return noCredits
  // The decimal that the number prints as is what was meant: 0.1 is a tenth, not 0.1000000000000000055.
  const [mantissa = "0", exponent] = seconds.toExponential().split("e")
  const digits = BigInt(mantissa.replace(".", ""))
  // One digit stands before the point, and all others after it.
  const power = Number(exponent) - Math.max(mantissa.length - 2, 0)
  const numerator = MICROS_PER_MINUTE * digits * 10n ** BigInt(Math.max(power, 0))
  const denominator = 60n * 10n ** BigInt(Math.max(-power, 0))
  return fromMicros((2n * numerator + denominator) / (2n * denominator))
}
