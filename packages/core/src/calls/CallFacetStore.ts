import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Permit } from "../access/Permit.js"
import { QueryTimedOut, type StorageError } from "../kernel/Storage.js"
import type { CallFacet, CallFacets, FacetField, FacetRequest } from "./CallFacets.js"

/** Port: how many calls have each value of a field. */
export class CallFacetStore extends Context.Tag("@earshot/core/calls/CallFacetStore")<
  CallFacetStore,
  {
    /**
     * The facets of the calls in the scope of a permit that match, of the calls as they are at one moment. It runs as a
     * list does, with the same time limit; fields that are not counted by then are `timedOut`. It fails with `QueryTimedOut`
     * only where the calls themselves cannot be counted in time.
     */
    readonly count: (permit: Permit<"calls:read">, request: FacetRequest) => Effect.Effect<CallFacets, StorageError>
  }
>() {}

/** The facets of fields, counted one after the other until one is not counted in time; it and those after it are `timedOut`. */
export const countEach = <E, R>(
  fields: ReadonlyArray<FacetField>,
  countOne: (field: FacetField) => Effect.Effect<CallFacet, E | StorageError, R>
): Effect.Effect<Pick<CallFacets, "facets" | "timedOut">, E | StorageError, R> =>
  Effect.gen(function* () {
    const facets: Array<CallFacet> = []
    for (const field of fields) {
      const counted = yield* Effect.either(countOne(field))
      if (Either.isRight(counted)) facets.push(counted.right)
      // The limit is that of the whole read: the fields that are left would exceed it too.
      else if (isTimeout(counted.left)) break
      else return yield* Effect.fail(counted.left)
    }
    return { facets, timedOut: fields.slice(facets.length).map(({ name }) => name) }
  })

const isTimeout = (error: unknown): boolean => error instanceof QueryTimedOut
