import * as Context from "effect/Context"
import type { Channel } from "../catalog/Agent.js"

/** The channels whose runs the engine executes itself, as jobs; other runs wait for outside workers. */
export class PlayedChannels extends Context.Reference<PlayedChannels>()("@earshot/core/results/PlayedChannels", {
  defaultValue: (): ReadonlyArray<Channel> => []
}) {}
