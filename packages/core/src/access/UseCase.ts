import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberRef from "effect/FiberRef"
import { globalValue } from "effect/GlobalValue"
import { Forbidden, type Receipt, ResultWithheld, type Unauthenticated } from "./AccessErrors.js"
import { type Actor, CurrentActor } from "./Actor.js"
import { type NeedsOf, type Operation, type OperationRule, operations, type ShowsOf } from "./Operation.js"
import type { Permission } from "./Permission.js"
import { authorize, type Permit } from "./Permit.js"

/** `ResultWithheld`, for operations whose result not every caller may read. */
type Withheld<O extends Operation> = [ShowsOf<O>] extends [never] ? never : ResultWithheld

/**
 * One operation of the engine. The operation is part of the type: it defines what the caller needs, and only `useCase`
 * makes one, so that no use case can forget the check.
 *
 * Reading needs a permission to read: an actor that may change something but not read it is forbidden to call an operation
 * that returns it, before anything is changed, except with `withReceipts`.
 */
export interface UseCase<O extends Operation, Args extends ReadonlyArray<unknown>, A, E, R = never> {
  (...args: Args): Effect.Effect<A, E | Unauthenticated | Forbidden | Withheld<O>, R | CurrentActor>
  readonly operation: O
}

/**
 * What use cases of this fiber do if the caller may not read their result: forbid the call, give a receipt, or return the
 * result to a use case that calls them and whose own result is withheld.
 */
type Withholding = "forbid" | "receipt" | "inner"

const currentWithholding: FiberRef.FiberRef<Withholding> = globalValue("@earshot/core/access/currentWithholding", () =>
  FiberRef.unsafeMake<Withholding>("forbid")
)

/**
 * Runs a use case for any caller that may call it: one that may not read the result fails with `ResultWithheld` once the
 * operation has succeeded. For adapters. Do not run it in a transaction, which that failure would roll back.
 */
export const withReceipts = <A, E, R>(useCase: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(useCase, currentWithholding, "receipt")

/** As `withReceipts`, with the receipt of a withheld result as `Left`. */
export const resultOrReceipt = <A, E, R>(
  useCase: Effect.Effect<A, E | ResultWithheld, R>
): Effect.Effect<Either.Either<A, Receipt>, E, R> =>
  Effect.matchEffect(withReceipts(useCase), {
    onSuccess: (result) => Effect.succeed(Either.right(result)),
    onFailure: (error) =>
      error instanceof ResultWithheld ? Effect.succeed(Either.left(error.receipt)) : Effect.fail(error)
  })

/** What remains of a result that the caller may not read. */
export interface Remainder {
  readonly receipt: Receipt
  /** Default: true. */
  readonly created?: boolean
}

/** Of a record its id, of a list the ids; of anything else nothing. */
const idsOf = (result: unknown, ..._: ReadonlyArray<unknown>): Remainder => ({
  receipt: Array.isArray(result) ? result.map((one: unknown) => idOf(one)) : idOf(result)
})

const idOf = (record: unknown) =>
  typeof record === "object" && record !== null && "id" in record && typeof record.id === "number"
    ? { id: record.id }
    : {}

/** The permission that an actor lacks to read the result of an operation. */
const withheldBy = (actor: Actor, operation: Operation): Permission | undefined => {
  const { shows }: OperationRule = operations[operation]
  return shows === undefined || shows === null || actor.permissions.has(shows) ? undefined : shows
}

/**
 * Makes a use case of its steps, which get the permit that stores require. It is traced under its operation.
 *
 * @param remainder what of the result a caller gets that may not read it. Default: ids.
 */
export const useCase =
  <O extends Operation>(operation: O) =>
  <Args extends ReadonlyArray<unknown>, A, E, R>(
    steps: (permit: Permit<NeedsOf<O>>, ...args: Args) => Effect.Effect<A, E, R>,
    remainder: (result: A, ...args: Args) => Remainder = idsOf
  ): UseCase<O, Args, A, E, R> =>
    Object.assign(
      (...args: Args) => {
        const run = Effect.flatMap(CurrentActor, (actor) =>
          Effect.flatMap(authorize(actor, operation), (permit) => {
            const permission = withheldBy(actor, operation)
            return permission === undefined
              ? steps(permit, ...args)
              : withholding<O, A, E, R>(permission, steps(permit, ...args), (result) => remainder(result, ...args))
          })
        )
        // Without a tracer, a span would still be created, provided and ended.
        return Effect.flatMap(FiberRef.get(FiberRef.currentTracerEnabled), (traced) =>
          // The stack at this line would name this line, and costs as much as the rest of the span.
          traced ? Effect.withSpan(run, operation, { captureStackTrace: false }) : run
        )
      },
      { operation }
    )

/** Steps whose result the caller may not read. */
const withholding = <O extends Operation, A, E, R>(
  permission: Permission,
  steps: Effect.Effect<A, E, R>,
  remainderOf: (result: A) => Remainder
): Effect.Effect<A, E | Forbidden | Withheld<O>, R> =>
  Effect.flatMap(FiberRef.get(currentWithholding), (mode): Effect.Effect<A, E | Forbidden | Withheld<O>, R> => {
    if (mode === "inner") return steps
    if (mode === "forbid") return Effect.fail(new Forbidden({ permission }))
    return Effect.flatMap(Effect.locally(steps, currentWithholding, "inner"), (result) => {
      const { created = true, receipt } = remainderOf(result)
      // eslint-disable-next-line typescript/consistent-type-assertions -- an operation without `shows` withholds nothing, which the compiler does not conclude of a type parameter
      return Effect.fail(new ResultWithheld({ permission, receipt, created }) as Withheld<O>)
    })
  })
