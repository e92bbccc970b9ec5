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
export { type Platform, platformAliases, platformNamed, platformNames, platforms } from "./Platform.js"
