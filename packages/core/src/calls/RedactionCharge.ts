import { type MicroCredits, noCredits } from "../kernel/Credits.js"
import { redactionPrice } from "./RedactionPrice.js"
import type { CallRecord } from "./CallRecord.js"

/** The charge for redacting a call. `key` makes it idempotent: it is charged once per call. */
export interface RedactionCharge {
  readonly key: string
  readonly seconds: number
  readonly amount: MicroCredits
}

/** The ledger's key of the one charge for a call's redaction. */
export const redactionChargeKey = (call: CallRecord["id"]): string => `redaction:call:${call}`

/** The charge for a call; undefined without fields to redact, and while the duration is unknown. */
export const redactionCharge = (call: CallRecord): RedactionCharge | undefined => {
  const seconds = call.durationSeconds ?? 0
  const amount = redactionPrice(seconds, call.redactFields)
  return amount === noCredits ? undefined : { key: redactionChargeKey(call.id), seconds, amount }
}
