export { type DocumentedEvent, documentedEvents } from "./DocumentedEvents.js"
export { type CallTruth, callTruth, envelopesOf, expectedOf, type GeneratedEnvelope } from "./GeneratedEnvelopes.js"
