/** Whether Earshot can execute the runs of a plan itself. Pure. */
import type { Channel } from "../catalog/Agent.js"
import type { SuiteContext } from "./SuiteContext.js"

/** Why Earshot cannot execute runs of a channel with an agent itself; null if it can. Workers can claim them where it says so. */
export const whyNotRunnable = (
  channel: Channel,
  { agent, executedChannels }: Pick<SuiteContext, "agent" | "executedChannels">
): string | null => {
  if (executedChannels.includes(channel)) {
    if (channel === "text" && agent.chatEndpoint === null) return "The agent has no chat endpoint: set chat_endpoint."
    if (channel === "voice" && agent.voiceEndpoint === null)
      return "The agent has no voice endpoint: set voice_endpoint."
    return null
  }
  return channel === "voice"
    ? "Text to speech and a transcriber are not configured. Workers can claim the runs."
    : channel === "text"
      ? "The text channel is not executed here. Workers can claim the runs."
      : `Earshot does not call agents by ${channel}. Workers can claim the runs.`
}
