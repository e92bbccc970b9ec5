export * as Conversations from "./Conversations.js"
export { type HostilePayload, hostilePayloadOf } from "./HostilePayloads.js"
export { type Payload, payload, payloadOf } from "./Payloads.js"
export { damagedPayloadOf, type Decode, decoderProperties } from "./DecoderProperties.js"
