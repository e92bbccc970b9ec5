import * as BigDecimal from "effect/BigDecimal"
import * as Context from "effect/Context"
import type { Channel } from "../catalog/Agent.js"
import { add, fromDecimal, type MicroCredits, ofMicros, sum, times } from "../kernel/Credits.js"

/** What is known of a run before it is made, as far as its price goes. */
export interface PricedRun {
  readonly channel: Channel
  /** Seconds; the run is priced as if it talked all of them. */
  readonly maxDuration: number
  /** What one evaluation of each metric costs. */
  readonly metricCosts: ReadonlyArray<MicroCredits>
}

/** What talking costs. A host that charges otherwise replaces this. */
export interface Prices {
  /** Of one run, its evaluations not counted. */
  readonly talk: (channel: Channel, maxDuration: number) => MicroCredits
}

const VOICE_A_MINUTE = 5n
const TEXT_A_MESSAGE = ofMicros(500_000n)

/** Messages that a text run is expected to have. */
export const EXPECTED_MESSAGES = 20

/** Seconds that a run may take where nobody says otherwise. */
export const DEFAULT_MAX_DURATION = 300

/**
 * Voice and WebRTC: 5 credits a minute, by the second, rounded half up to a millionth. Text: 0.5 credits for each of 20
 * expected messages. Source: design, section 5.
 */
export const standardPrices: Prices = {
  talk: (channel, maxDuration) =>
    channel === "text"
      ? times(TEXT_A_MESSAGE, EXPECTED_MESSAGES)
      : fromDecimal(
          BigDecimal.unsafeDivide(
            BigDecimal.fromBigInt(VOICE_A_MINUTE * BigInt(maxDuration)),
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
