import { SuiteKit } from "@earshot/test-kit"
import { expect, it } from "vitest"
import { whyNotRunnable } from "../../src/suites/RunnableRules.js"

const { agent } = SuiteKit.fixture
const endpoint = {}

it.each([
  ["text", ["text"], { chatEndpoint: endpoint }, null],
  ["text", ["text", "voice"], { chatEndpoint: null, voiceEndpoint: endpoint }, "chat_endpoint"],
  ["voice", ["text", "voice"], { voiceEndpoint: endpoint }, null],
  ["voice", ["text", "voice"], { chatEndpoint: endpoint, voiceEndpoint: null }, "voice_endpoint"],
  ["voice", ["text"], { voiceEndpoint: endpoint }, "transcriber"],
  ["text", [], { chatEndpoint: endpoint }, "Workers"],
  ["provider_f", ["text", "voice"], { voiceEndpoint: endpoint }, "provider_f"]
] as const)("runs by %s, where %j are executed, with %j", (channel, executedChannels, endpoints, reason) => {
  const why = whyNotRunnable(channel, { agent: { ...agent, ...endpoints }, executedChannels })
  if (reason === null) expect(why).toBeNull()
  else expect(why).toContain(reason)
})
