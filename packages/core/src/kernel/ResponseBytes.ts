/**
 * How many bytes of stored documents may be in memory for responses. An adapter that serves others sets the budget of a
 * request; stores ask the database for sizes first and take them from the budget before they read. Without a budget (in
 * process, in jobs) nothing is limited.
 */
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import { globalValue } from "effect/GlobalValue"
import * as Schema from "effect/Schema"

/** The responses that are being sent hold too many bytes; the request can be retried once clients have read theirs. */
export class ResponseBytesExceeded extends Schema.TaggedError<ResponseBytesExceeded>(
  "@earshot/core/ResponseBytesExceeded"
)("ResponseBytesExceeded", { of: Schema.Literal("organization", "server"), limitBytes: Schema.Number }) {
  override get message(): string {
    const of = this.of === "organization" ? "of the organization" : "of this server"
    return `The responses ${of} that are being sent hold more than ${this.limitBytes} bytes. Read them, or try again in a moment.`
  }
}

/** The budget of one request. */
export interface ResponseBytes {
  /** Takes bytes for as long as the response is in memory. */
  readonly reserve: (bytes: number) => Effect.Effect<void, ResponseBytesExceeded>
  /** Gives back bytes that have been sent. Without it they are given back when the request ends. */
  readonly release: (bytes: number) => Effect.Effect<void>
}

export const unlimited: ResponseBytes = { reserve: () => Effect.void, release: () => Effect.void }

/** The budget of the request that this fiber handles. */
export const currentResponseBytes: FiberRef.FiberRef<ResponseBytes> = globalValue(
  "@earshot/core/kernel/currentResponseBytes",
  () => FiberRef.unsafeMake(unlimited)
)

/** Takes bytes from the budget of the current request. */
export const reserveBytes = (bytes: number): Effect.Effect<void, ResponseBytesExceeded> =>
  Effect.flatMap(FiberRef.get(currentResponseBytes), (budget) => budget.reserve(bytes))

/** Gives back bytes of the current request that have been sent. */
export const releaseBytes = (bytes: number): Effect.Effect<void> =>
  Effect.flatMap(FiberRef.get(currentResponseBytes), (budget) => budget.release(bytes))

/** Whether the current request has a budget, so that sizes are worth a statement. */
export const hasBudget: Effect.Effect<boolean> = Effect.map(
  FiberRef.get(currentResponseBytes),
  (budget) => budget !== unlimited
)
