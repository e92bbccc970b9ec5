export { integrationStoreContract } from "./IntegrationStoreContract.js"
export { type DocumentedEvent, documentedEvents } from "./DocumentedEvents.js"
export {
  type CallPart,
  type CallTruth,
  callTruth,
  envelopesOf,
  expectedOf,
  type GeneratedEnvelope,
  partialEnvelope
} from "./GeneratedEnvelopes.js"
