import * as Context from "effect/Context"
import type { Channel, VoiceProtocolName } from "../catalog/Agent.js"

/** What decides whether an agent can be called. */
export interface CalledAgent {
  readonly voiceEndpoint: { readonly protocol: VoiceProtocolName } | null
}

/** Channels that the engine and external workers share: each run is one's. */
export interface SharedChannels {
  readonly channels: ReadonlyArray<Channel>
  /** Whether the engine executes a channel's runs with an agent; asked when a result is created. */
  readonly isPlayed: (channel: Channel, agent: CalledAgent) => boolean
}

/** Which runs the engine executes itself, as jobs; other runs wait for external workers. */
export interface Played {
  /** The channels all of whose runs it executes. */
  readonly channels: ReadonlyArray<Channel>
  /** Default: none. */
  readonly shared?: SharedChannels
}

export class PlayedChannels extends Context.Reference<PlayedChannels>()("@earshot/core/results/PlayedChannels", {
  defaultValue: (): Played => ({ channels: [] })
}) {}

/** Whether the engine executes a channel's runs with an agent. */
export const isPlayed = ({ channels, shared }: Played, channel: Channel, agent: CalledAgent): boolean =>
  channels.includes(channel) ||
  (shared !== undefined && shared.channels.includes(channel) && shared.isPlayed(channel, agent))
