/** Whether Earshot can execute the runs of a plan itself. Pure. */
import type { Channel } from "../catalog/Agent.js"
import { whyNotCalled } from "../catalog/VoiceChannels.js"
import type { SuiteContext } from "./SuiteContext.js"

const WORKERS = "Workers can claim the runs."

/** Why Earshot cannot execute runs of a channel with an agent itself; null if it can. Workers can claim them where it says so. */
export const whyNotRunnable = (
  channel: Channel,
  { agent, played }: Pick<SuiteContext, "agent" | "played">
): string | null => {
  if (channel === "text") {
    if (!played.channels.includes(channel)) return `The text channel is not executed here. ${WORKERS}`
    return agent.chatEndpoint === null ? "The agent has no chat endpoint: set chat_endpoint." : null
  }
  const isShared = played.shared?.channels.includes(channel) ?? false
  if (!isShared && !played.channels.includes(channel)) {
    return `Text to speech and a transcriber are not configured. ${WORKERS}`
  }
  const why = whyNotCalled(channel, agent.voiceEndpoint)
  return why === null || !isShared ? why : `${why} ${WORKERS}`
}
