import type { CallRecord } from "@earshot/core"
import { describe, expect, it } from "vitest"
import { redactionCharge } from "../../src/calls/RedactionCharge.js"

/** What a charge looks at of a call. */
const call = (durationSeconds: number | null, redactFields: CallRecord["redactFields"]) =>
  redactionCharge({ id: 7, durationSeconds, redactFields } as CallRecord)

describe("the charge for redacting a call", () => {
  it("has one idempotency key per call", () => {
    expect(call(90, ["ssn", "email_address"])).toEqual({ key: "redaction:call:7", seconds: 90, amount: 600_000n })
  })

  it("is undefined without fields, and while the duration is unknown", () => {
    expect(call(90, [])).toBe(undefined)
    expect(call(null, ["ssn"])).toBe(undefined)
    expect(call(0, ["ssn"])).toBe(undefined)
  })
})
