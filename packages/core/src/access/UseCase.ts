import * as Effect from "effect/Effect"
import type { Forbidden, Unauthenticated } from "./AccessErrors.js"
import { CurrentActor } from "./Actor.js"
import type { NeedsOf, Operation } from "./Operation.js"
import { authorize, type Permit } from "./Permit.js"

/**
 * Something a caller can ask of the engine. The operation is part of its type: it says what the caller needs, and only
 * `useCase` makes one, so that no use case can forget to ask.
 */
export interface UseCase<O extends Operation, Args extends ReadonlyArray<unknown>, A, E, R = never> {
  (...args: Args): Effect.Effect<A, E | Unauthenticated | Forbidden, R | CurrentActor>
  readonly operation: O
}

/** Makes a use case of its steps, which get the permit that their stores ask for. It is traced under its operation. */
export const useCase =
  <O extends Operation>(operation: O) =>
  <Args extends ReadonlyArray<unknown>, A, E, R>(
    steps: (permit: Permit<NeedsOf<O>>, ...args: Args) => Effect.Effect<A, E, R>
  ): UseCase<O, Args, A, E, R> =>
    Object.assign(
      (...args: Args) =>
        CurrentActor.pipe(
          Effect.flatMap((actor) => authorize(actor, operation)),
          Effect.flatMap((permit) => steps(permit, ...args)),
          Effect.withSpan(operation)
        ),
      { operation }
    )
