import type { TranscriptType } from "@earshot/core"
import * as fc from "fast-check"
import type { Payload } from "./PayloadParts.js"
import { noneMono, service, serviceLegacy } from "./ServicePayloads.js"
import { providerA, providerB, providerC } from "./ProviderPayloadsAToC.js"
import { providerD, providerEList, providerEReport, providerF } from "./ProviderPayloadsDToF.js"

const payloads: Readonly<Record<TranscriptType, fc.Arbitrary<Payload>>> = {
  service,
  service_legacy: serviceLegacy,
  provider_a: providerA,
  provider_b: providerB,
  provider_c: providerC,
  provider_d: providerD,
  provider_e: fc.oneof(providerEList, providerEReport),
  provider_f: providerF,
  "none-mono": noneMono
}

/** A payload of a format in any of its shapes, with the expected result. */
export const payloadOf = (type: TranscriptType): fc.Arbitrary<Payload> => payloads[type]

/** A payload of any format. */
export const payload: fc.Arbitrary<Payload> = fc.oneof(...Object.values(payloads))
