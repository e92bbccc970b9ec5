/** The protocols that agents are called in. */
import type { VoiceProtocolName } from "../../../catalog/Agent.js"
import type { VoiceProtocol } from "../VoiceProtocol.js"
import { elevenLabs } from "./ElevenLabs.js"
import { mediaStream, type StreamIds } from "./MediaStream.js"
import { openAiRealtime } from "./OpenAiRealtime.js"
import { pipecat } from "./Pipecat.js"

/** A call in a protocol. */
export const protocolOf = (name: VoiceProtocolName, ids: StreamIds): VoiceProtocol => {
  switch (name) {
    case "twilio":
      return mediaStream(ids)
    case "pipecat":
      return pipecat()
    case "elevenlabs":
      return elevenLabs()
    case "openai_realtime":
      return openAiRealtime()
  }
}
