export * as Conversations from "./Conversations.js"
export { type HostilePayload, hostilePayloadOf } from "./HostilePayloads.js"
export { type Payload, payload, payloadOf } from "./Payloads.js"
export { damagedPayloadOf, type Decode, decoderLaws } from "./DecoderLaws.js"
