import * as Redaction from "@earshot/redaction"
import * as RedactionKit from "@earshot/test-kit/redaction"
import { describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const { anyCall, redactionPredicates, someFields } = RedactionKit
const runs = { numRuns: 120, seed: 42 }

describe("redaction of any call", () => {
  it("redacts only the requested fields", () => {
    fc.assert(fc.property(anyCall, someFields, redactionPredicates.onlyAsked), runs)
  })
  it("changes nothing without fields", () => {
    fc.assert(fc.property(anyCall, redactionPredicates.identity), runs)
  })
  it("redacts no less when more fields are requested", () => {
    fc.assert(fc.property(anyCall, someFields, someFields, redactionPredicates.monotone), runs)
  })
  it("finds a value whether its field is requested alone or with all others", () => {
    fc.assert(fc.property(anyCall, fc.constantFrom(...Redaction.sensitiveFields), redactionPredicates.alone), runs)
  })
  it("is idempotent", () => {
    fc.assert(fc.property(anyCall, someFields, redactionPredicates.stable), runs)
  })
  it("returns offsets that rebuild the redacted text", () => {
    fc.assert(fc.property(anyCall, someFields, redactionPredicates.offsets), runs)
  })
  it("never splits a surrogate pair", () => {
    fc.assert(fc.property(anyCall, someFields, redactionPredicates.wellFormed), runs)
  })
  it("keeps all properties with every field requested", () => {
    fc.assert(
      fc.property(anyCall, (raw) => redactionPredicates.stable(raw, Redaction.sensitiveFields)),
      runs
    )
  })
})
