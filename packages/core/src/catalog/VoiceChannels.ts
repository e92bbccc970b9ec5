/** Which channels of agents can be called over a WebSocket. Pure. */
import type { Channel, VoiceProtocolName } from "./Agent.js"

/** A channel whose runs are played over WebRTC by external workers, unless the agent has a WebSocket of one of its protocols. */
export type SharedChannel = Exclude<Channel, "voice" | "text">

/** The protocols of each such channel. */
const PROTOCOLS: Readonly<Record<SharedChannel, ReadonlyArray<VoiceProtocolName>>> = {
  provider_d_v2: ["pipecat"],
  provider_e_v2: ["openai_realtime"],
  provider_f: ["elevenlabs", "openai_realtime"]
}

export const SHARED_CHANNELS: ReadonlyArray<SharedChannel> = ["provider_d_v2", "provider_e_v2", "provider_f"]

const isShared = (channel: Channel): channel is SharedChannel => channel !== "voice" && channel !== "text"

/** Why an agent cannot be called by a channel over its voice endpoint; null if it can. */
export const whyNotCalled = (
  channel: Channel,
  voiceEndpoint: { readonly protocol: VoiceProtocolName } | null
): string | null => {
  if (!isShared(channel)) {
    return voiceEndpoint === null ? "The agent has no voice endpoint: set voice_endpoint to run it by voice." : null
  }
  const protocols = PROTOCOLS[channel]
  if (voiceEndpoint !== null && protocols.includes(voiceEndpoint.protocol)) return null
  return `Earshot calls agents by ${channel} over a WebSocket only, not over WebRTC: set voice_endpoint with the protocol ${protocols.join(" or ")}.`
}
