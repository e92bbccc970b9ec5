import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { NotFound } from "./AccessErrors.js"
import { isInScope, type Permit, type ResourcePath } from "./Permit.js"

/** The value that a store found, or `NotFound`. */
export const orNotFound =
  (resource: string) =>
  <A, E, R>(found: Effect.Effect<Option.Option<A>, E, R>): Effect.Effect<A, E | NotFound, R> =>
    Effect.flatMap(
      found,
      Option.match({ onNone: () => new NotFound({ resource }), onSome: (value) => Effect.succeed(value) })
    )

/** As `orNotFound`, and what lies outside the permit's scope is not found either. */
export const inScopeOrNotFound = <A>(resource: string, pathOf: (value: A) => ResourcePath) => {
  const find = orNotFound(resource)
  return <E, R>(permit: Permit, found: Effect.Effect<Option.Option<A>, E, R>): Effect.Effect<A, E | NotFound, R> =>
    find(
      Effect.map(
        found,
        Option.filter((value) => isInScope(permit, pathOf(value)))
      )
    )
}
