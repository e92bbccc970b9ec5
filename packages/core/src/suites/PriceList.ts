import * as BigDecimal from "effect/BigDecimal"
import * as Context from "effect/Context"
import type { Channel } from "../catalog/Agent.js"
import { add, fromDecimal, type MicroCredits, fromMicros, sum, multiply } from "../kernel/Credits.js"

/** What the price of a run depends on. */
export interface PricedRun {
  readonly channel: Channel
  /** Seconds; a run is priced at its full duration. */
  readonly maxDuration: number
  /** The cost of one evaluation, for each metric. */
  readonly metricCosts: ReadonlyArray<MicroCredits>
}

/** The price of a conversation. A host can replace it. */
export interface Prices {
  /** The price of one run without its evaluations. */
  readonly talk: (channel: Channel, maxDuration: number) => MicroCredits
}

const VOICE_PER_MINUTE = 5n
const TEXT_PER_MESSAGE = fromMicros(500_000n)

/** The number of messages that a text run is priced at. */
export const EXPECTED_MESSAGES = 20

/** The default of `max_duration`, in seconds. */
export const DEFAULT_MAX_DURATION = 300

/**
 * Voice and WebRTC: 5 credits a minute, by the second, rounded half up to a millionth. Text: 0.5 credits for each of 20
 * expected messages. Source: docs/suites.md.
 */
export const standardPrices: Prices = {
  talk: (channel, maxDuration) =>
    channel === "text"
      ? multiply(TEXT_PER_MESSAGE, EXPECTED_MESSAGES)
      : fromDecimal(
          BigDecimal.unsafeDivide(
            BigDecimal.fromBigInt(VOICE_PER_MINUTE * BigInt(maxDuration)),
            BigDecimal.fromBigInt(60n)
          )
        )
}

/** The price list that suites are estimated by. */
export class PriceList extends Context.Reference<PriceList>()("@earshot/core/suites/PriceList", {
  defaultValue: (): Prices => standardPrices
}) {}

/** The price of one run. */
export const priceOfRun = (prices: Prices, run: PricedRun): MicroCredits =>
  add(prices.talk(run.channel, run.maxDuration), sum(run.metricCosts))
