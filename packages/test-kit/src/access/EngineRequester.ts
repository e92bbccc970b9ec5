/** Requests to an engine in process: the use case of each operation, found by its operation. */
import {
  Agents,
  ApiKeys,
  BrowserSessions,
  type Actor,
  CallEvaluations,
  CallId,
  CallRecordings,
  Calls,
  Checkouts,
  CodeConnections,
  CurrentActor,
  Dashboards,
  type Engine,
  Evaluators,
  Folders,
  Jobs,
  Ledger,
  Metrics,
  Personalities,
  PhoneNumbers,
  Platforms,
  PlatformWebhooks,
  Projects,
  ResultId,
  Results,
  resultOrReceipt,
  ShareableLinks,
  Simplifications,
  Suites,
  TestProfiles,
  Tokens,
  Tools,
  Tracing,
  Users,
  Widgets,
  untrusted
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import type { OperationRequest } from "./OperationRequests.js"
import type { Requester } from "./ReadingProperty.js"

const services = Effect.all([
  ApiKeys,
  BrowserSessions,
  ShareableLinks,
  Tokens,
  Users,
  Projects,
  Agents,
  Personalities,
  TestProfiles,
  PhoneNumbers,
  Tools,
  Folders,
  Evaluators,
  Results,
  Suites,
  Calls,
  CallRecordings,
  Metrics,
  CallEvaluations,
  Simplifications,
  Jobs,
  Ledger,
  Dashboards,
  Widgets,
  CodeConnections,
  Checkouts,
  Platforms.Integrations,
  PlatformWebhooks,
  Tracing.Traces
])

type AnyUseCase = (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown, CurrentActor>

const isUseCase = (member: unknown): member is AnyUseCase & { readonly operation: string } =>
  typeof member === "function" && "operation" in member

/** Exports are streams, not use cases of their own. */
const exports = ({
  id,
  input,
  operation
}: OperationRequest): Effect.Effect<unknown, unknown, Engine.Services | CurrentActor> =>
  operation === "calls.export"
    ? Effect.flatMap(Calls, (calls) => Stream.runCollect(calls.export(untrusted(input))))
    : Effect.flatMap(Results, (results) => Stream.runCollect(results.export(ResultId.make(id ?? 1))))

const run = (request: OperationRequest): Effect.Effect<unknown, unknown, Engine.Services | CurrentActor> =>
  Effect.flatMap(services, (all) => {
    const { id, input, operation, platform } = request
    if (operation === "calls.export" || operation === "results.export") return exports(request)
    const useCase = all
      .flatMap((service): ReadonlyArray<unknown> => Object.values(service))
      .filter(isUseCase)
      .find((one) => one.operation === operation)
    if (useCase === undefined) return Effect.dieMessage(`No service has ${operation}`)
    const args = [
      ...(platform === undefined ? [] : [platform]),
      ...(id === undefined ? [] : [CallId.make(id)]),
      ...(input === undefined ? [] : [input])
    ]
    return Effect.map(resultOrReceipt(useCase(...args)), Either.merge)
  })

/** Everything of a value that a program can print. Undefined, the result of a deletion, has no JSON. */
const printed = (value: unknown): string =>
  value === undefined
    ? "null"
    : JSON.stringify(value, (_, field: unknown) =>
        typeof field === "bigint"
          ? String(field)
          : field instanceof Error
            ? { ...field, message: field.message }
            : field
      )

/** @param execute runs an effect on the engine, such as `runtime.runPromise` */
export const engineRequester =
  (execute: <A>(steps: Effect.Effect<A, never, Engine.Services>) => Promise<A>, actor: Actor): Requester =>
  (request) =>
    execute(
      run(request).pipe(
        Effect.provideService(CurrentActor, actor),
        Effect.match({
          onSuccess: (value) => ({ succeeded: true, text: printed(value) }),
          onFailure: (error) => ({ succeeded: false, text: printed(error) })
        })
      )
    )
