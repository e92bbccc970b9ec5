import { type AnalyticsAnswer, AnalyticsListener } from "@earshot/core"
import * as Effect from "effect/Effect"
import type { SuccessResponse } from "./Endpoint.js"

/** The header of a response with charts that says who answered them; absent without a column store. */
const ANALYTICS_SOURCE = "x-analytics-source"

/** What the documents of endpoints with charts say of it. */
export const ANALYTICS_SOURCE_DESCRIPTION =
  "With a column store, the header `X-Analytics-Source` says whether it answered (`column-store`) or the database (`row-store`). Both answer alike."

/** Adds the header to a response with charts. */
export const withAnalyticsSource = <E, R>(
  response: Effect.Effect<SuccessResponse, E, R>
): Effect.Effect<SuccessResponse, E, R> =>
  Effect.suspend(() => {
    let source: AnalyticsAnswer | undefined
    const listen = (answer: AnalyticsAnswer) => {
      source = answer
    }
    return Effect.map(Effect.provideService(response, AnalyticsListener, listen), (shown) =>
      source === undefined ? shown : { ...shown, headers: { ...shown.headers, [ANALYTICS_SOURCE]: source } }
    )
  })
