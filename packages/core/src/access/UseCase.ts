import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import type { Forbidden, Unauthenticated } from "./AccessErrors.js"
import { CurrentActor } from "./Actor.js"
import type { NeedsOf, Operation } from "./Operation.js"
import { authorize, type Permit } from "./Permit.js"

/**
 * One operation of the engine. The operation is part of the type: it defines what the caller needs, and only `useCase`
 * makes one, so that no use case can forget the check.
 */
export interface UseCase<O extends Operation, Args extends ReadonlyArray<unknown>, A, E, R = never> {
  (...args: Args): Effect.Effect<A, E | Unauthenticated | Forbidden, R | CurrentActor>
  readonly operation: O
}

/** Makes a use case of its steps, which get the permit that stores require. It is traced under its operation. */
export const useCase =
  <O extends Operation>(operation: O) =>
  <Args extends ReadonlyArray<unknown>, A, E, R>(
    steps: (permit: Permit<NeedsOf<O>>, ...args: Args) => Effect.Effect<A, E, R>
  ): UseCase<O, Args, A, E, R> =>
    Object.assign(
      (...args: Args) => {
        const run = Effect.flatMap(CurrentActor, (actor) =>
          Effect.flatMap(authorize(actor, operation), (permit) => steps(permit, ...args))
        )
        // Without a tracer, a span would still be created, provided and ended.
        return Effect.flatMap(FiberRef.get(FiberRef.currentTracerEnabled), (traced) =>
          // The stack at this line would name this line, and costs as much as the rest of the span.
          traced ? Effect.withSpan(run, operation, { captureStackTrace: false }) : run
        )
      },
      { operation }
    )
