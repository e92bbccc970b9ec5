export {
  encodeIntegration,
  encodeIssuedIntegration,
  HOOKS_PATH,
  Integration,
  IntegrationDraft,
  IntegrationPatch,
  type IssuedIntegration,
  IssuedIntegrationWire,
  SecretRotation
} from "./Integration.js"
export { Integrations, type VerifiedHook } from "./Integrations.js"
export { IntegrationStore, type NewIntegration, type StoredIntegration } from "./IntegrationStore.js"
export { isSigned, type SignedRequest, type ValidSignature, validSignature, WINDOWS } from "./Signature.js"
export type { CallFacts, PlatformEvent, PlatformResults } from "./Envelope.js"
export {
  isSuperseded,
  mergeMetadata,
  platformPart,
  platformsOf,
  readEnvelope,
  type StatedFields,
  statedFields
} from "./Envelopes.js"
export {
  type ListedPlatformCall,
  type ListingPlatform,
  type Period,
  type PlatformAccount,
  PlatformCallsFailed
} from "./PlatformAccount.js"
export { type Platform, platformAliases, platformNamed, platformNames, platforms } from "./Platform.js"
