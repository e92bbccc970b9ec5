import { SuiteKit } from "@earshot/test-kit"
import { expect, it } from "vitest"
import { SHARED_CHANNELS } from "../../src/catalog/VoiceChannels.js"
import { whyNotRunnable } from "../../src/suites/RunnableRules.js"

const { agent } = SuiteKit.fixture
const endpoint = { protocol: "twilio" } as const
const elevenLabs = { protocol: "elevenlabs" } as const

it.each([
  ["text", ["text"], { chatEndpoint: endpoint }, null],
  ["text", ["text", "voice"], { chatEndpoint: null, voiceEndpoint: endpoint }, "chat_endpoint"],
  ["voice", ["text", "voice"], { voiceEndpoint: endpoint }, null],
  ["voice", ["text", "voice"], { chatEndpoint: endpoint, voiceEndpoint: null }, "voice_endpoint"],
  ["voice", ["text"], { voiceEndpoint: endpoint }, "transcriber"],
  ["text", [], { chatEndpoint: endpoint }, "Workers"],
  ["provider_f", ["text"], { voiceEndpoint: elevenLabs }, "transcriber"],
  ["provider_f", ["text", "voice"], { voiceEndpoint: elevenLabs }, null],
  ["provider_f", ["text", "voice"], { voiceEndpoint: { protocol: "openai_realtime" } }, null],
  ["provider_f", ["text", "voice"], { voiceEndpoint: endpoint }, "elevenlabs or openai_realtime. Workers can"],
  ["provider_d_v2", ["text", "voice"], { voiceEndpoint: { protocol: "pipecat" } }, null],
  ["provider_d_v2", ["text", "voice"], { voiceEndpoint: elevenLabs }, "not over WebRTC"],
  ["provider_e_v2", ["text", "voice"], { voiceEndpoint: { protocol: "openai_realtime" } }, null],
  ["provider_e_v2", ["text", "voice"], { voiceEndpoint: null }, "openai_realtime"]
] as const)("runs by %s, where %j are executed, with %j", (channel, channels, endpoints, reason) => {
  const shared = { channels: SHARED_CHANNELS, isPlayed: () => true }
  const played = (channels as ReadonlyArray<string>).includes("voice") ? { channels, shared } : { channels }
  const why = whyNotRunnable(channel, { agent: { ...agent, ...endpoints }, played })
  if (reason === null) expect(why).toBeNull()
  else expect(why).toContain(reason)
})
