import * as Context from "effect/Context"
import type { Channel } from "../catalog/Agent.js"

/** The channels whose runs the engine plays itself, as jobs; the others wait for outside workers. */
export class PlayedChannels extends Context.Reference<PlayedChannels>()("@earshot/core/results/PlayedChannels", {
  defaultValue: (): ReadonlyArray<Channel> => []
}) {}
