import { type MicroCredits, noCredits } from "../kernel/Credits.js"
import { redactionPrice } from "../redaction/RedactionPrice.js"
import type { CallRecord } from "./CallRecord.js"

/** What the redaction of a call costs, and the key under which it is charged once, however often the call is delivered. */
export interface RedactionCharge {
  readonly key: string
  readonly seconds: number
  readonly amount: MicroCredits
}

/**
 * The charge for a call as it is now: none without fields, and none while its length is not known. The first length that
 * is known counts, since a charge is made once.
 */
export const redactionCharge = (call: CallRecord): RedactionCharge | undefined => {
  const seconds = call.durationSeconds ?? 0
  const amount = redactionPrice(seconds, call.redactFields)
  return amount === noCredits ? undefined : { key: `redaction:call:${call.id}`, seconds, amount }
}
