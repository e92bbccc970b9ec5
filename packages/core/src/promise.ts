/**
 * The engine for Node services that do not use Effect: every use case as a function that takes the caller last and
 * returns a promise, which rejects with the same typed errors (`ValidationFailed`, `NotFound`, ...). Inputs and records have
 * the names and forms of the HTTP API.
 *
 * ```ts
 * const engine = await createEngine({ database: "sqlite:./calls.db" })
 * const { organization, agent } = await engine.organizations.create({ name: "Acme" })
 * const actor = hostActor(organization.id)
 * const { call } = await engine.calls.ingest({ call_id: "1", agent: agent.id }, { actor })
 * await engine.close()
 * ```
 */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Record from "effect/Record"
import type * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"
import { type Actor, CurrentActor } from "./access/Actor.js"
import type { Receipt } from "./access/AccessErrors.js"
import { ApiKeys } from "./access/ApiKeys.js"
import { BrowserSessions } from "./access/BrowserSessions.js"
import { Credentials, type Presented } from "./access/Credentials.js"
import type { Operation } from "./access/Operation.js"
import { ShareableLinks } from "./access/ShareableLinks.js"
import { Tokens } from "./access/Tokens.js"
import { resultOrReceipt, type UseCase } from "./access/UseCase.js"
import { Users } from "./access/Users.js"
import type { CallQuery } from "./calls/CallQuery.js"
import { CallEvaluations } from "./calls/CallEvaluations.js"
import type { BlobRange } from "./calls/BlobStore.js"
import { CallRecordings, type OpenAudio } from "./calls/CallRecordings.js"
import { Calls } from "./calls/Calls.js"
import type { ExpandedCallJson } from "./calls/ListedCall.js"
import { CallId, ResultId, RunId } from "./kernel/Ids.js"
import { PlatformWebhooks } from "./calls/PlatformWebhooks.js"
import { Agents } from "./catalog/Agents.js"
import { Folders } from "./catalog/Folders.js"
import type { OrganizationDraft } from "./catalog/Organization.js"
import { Organizations } from "./catalog/Organizations.js"
import { Personalities } from "./catalog/Personalities.js"
import { PhoneNumbers } from "./catalog/PhoneNumbers.js"
import { Projects } from "./catalog/Projects.js"
import { Ledger } from "./credits/Ledger.js"
import { TestProfiles } from "./catalog/TestProfiles.js"
import { Tools } from "./catalog/Tools.js"
import { Checkouts } from "./checkouts/Checkouts.js"
import { CodeConnections } from "./checkouts/CodeConnections.js"
import { Dashboards } from "./dashboards/Dashboards.js"
import { Widgets } from "./dashboards/Widgets.js"
import { Evaluators } from "./evaluators/Evaluators.js"
import { Integrations } from "./platforms/Integrations.js"
import { Results } from "./results/Results.js"
import { encodeRunDetail, type RunDetail } from "./results/RunDetail.js"
import type { LiveEvent } from "./simulation/LiveRun.js"
import { LiveRuns } from "./simulation/LiveRuns.js"
import { VoiceChecks } from "./simulation/VoiceChecks.js"
import { Suites } from "./suites/Suites.js"
import type { Input } from "./kernel/Input.js"
import { JobRunner } from "./jobs/JobRunner.js"
import { Jobs } from "./jobs/Jobs.js"
import { Metrics } from "./metrics/Metrics.js"
import { Simplifications } from "./simplification/Simplifications.js"
import { Traces } from "./traces/Traces.js"
import * as ColumnStores from "./ColumnStores.js"
import * as Engine from "./Engine.js"
import * as Database from "./Database.js"
import { encodeCreatedOrganization, encodeExportedCall, encoders } from "./promiseRecords.js"

/** The caller of a use case: see `hostActor`, or `PromiseEngine.admit` for a caller with a credential. */
export interface CallOptions {
  readonly actor: Actor
  /** Cancels the use case; its transaction is rolled back. */
  readonly signal?: AbortSignal
}

/** What a caller gets that may change something but perhaps not read it: the result, or a receipt with ids. */
export type ResultOrReceipt<A> = { readonly result: A } | { readonly receipt: Receipt }

/**
 * A use case as a function that returns a promise. An actor that may not read the result is rejected with `Forbidden` before
 * anything is changed, unless it asks for a receipt.
 */
interface PromisedUseCase<Args extends ReadonlyArray<unknown>, A> {
  (...args: [...Args, options: CallOptions & { readonly receipt: true }]): Promise<ResultOrReceipt<A>>
  (...args: [...Args, options: CallOptions]): Promise<A>
}

/** Arguments with plain numbers as ids, which are validated at run time. */
type PlainIds<Args extends ReadonlyArray<unknown>> = {
  [Position in keyof Args]: Args[Position] extends number ? number : Args[Position]
}

type Encoders = typeof encoders

/** The record that the result `A` of an operation is encoded as; never if the encoder is of another result. */
type RecordOf<O, A> = O extends keyof Encoders
  ? Encoders[O] extends (result: A, ...args: never) => infer Encoded
    ? Encoded
    : never
  : never

/** A service of the engine with every use case as a function that returns a promise of a record. */
export type Promised<Service> = {
  readonly [
    Name in keyof Service as Service[Name] extends { readonly operation: keyof Encoders } ? Name : never
  ]: Service[Name] extends UseCase<infer O, infer Args, infer A, infer _E, infer _R>
    ? PromisedUseCase<PlainIds<Args>, RecordOf<O, A>>
    : never
}

/** A recording whose bytes can be read, any number of times. */
export interface RecordingBytes {
  readonly content_type: string
  readonly size_bytes: number
  /** Lower-case hex. */
  readonly sha256: string
  /**
   * The bytes, or those of a range from `start` to before `end`, read as they are consumed. The stream fails with `NotFound`
   * if the recording was deleted or replaced since.
   */
  readonly read: (range?: BlobRange) => ReadableStream<Uint8Array>
}

export interface EngineOptions extends Omit<Engine.Ports, "analytics">, Database.DatabaseOptions {
  /** `sqlite:PATH`, `sqlite::memory:` or `postgres://user:password@host:port/name`. */
  readonly database: string
  /** Whether this process runs background jobs, such as evaluating incoming calls. Default: true. */
  readonly worker?: boolean
  /**
   * A column store that answers charts in place of the database: `embedded`, `embedded:DIRECTORY`,
   * `clickhouse://user:password@host:port/database`, or a layer. Default: none.
   */
  readonly analytics?: string | NonNullable<Engine.Ports["analytics"]>
}

/** The services offered as promises, by their name on the engine. `PromiseEngine` is derived from this record. */
const services = {
  apiKeys: ApiKeys,
  shareableLinks: ShareableLinks,
  browserSessions: BrowserSessions,
  tokens: Tokens,
  users: Users,
  projects: Projects,
  agents: Agents,
  personalities: Personalities,
  testProfiles: TestProfiles,
  phoneNumbers: PhoneNumbers,
  tools: Tools,
  folders: Folders,
  evaluators: Evaluators,
  results: Results,
  suites: Suites,
  voiceChecks: VoiceChecks,
  calls: Calls,
  recordings: CallRecordings,
  platformWebhooks: PlatformWebhooks,
  integrations: Integrations,
  traces: Traces,
  metrics: Metrics,
  evaluations: CallEvaluations,
  simplifications: Simplifications,
  jobs: Jobs,
  ledger: Ledger,
  dashboards: Dashboards,
  widgets: Widgets,
  codeConnections: CodeConnections,
  checkouts: Checkouts
} as const

type UseCases = {
  readonly [Name in keyof typeof services]: Promised<Context.Tag.Service<(typeof services)[Name]>>
}

/** What the engine offers beyond the use cases of its services. */
interface EngineFunctions {
  readonly calls: {
    /** Every call that `list` would page through, newest first, read page by page as it is iterated. */
    readonly export: (query: Input<typeof CallQuery>, options: CallOptions) => AsyncIterable<ExpandedCallJson>
  }
  readonly results: {
    /** Every run of a result with its transcript and scores, oldest first, read page by page as it is iterated. */
    readonly export: (result: number, options: CallOptions) => AsyncIterable<typeof RunDetail.Encoded>
  }
  readonly recordings: {
    /** A recording, whose bytes are read as a web stream. Rejects with `NotFound` if the call has none. */
    readonly open: (call: number, options: CallOptions) => Promise<RecordingBytes & { readonly call: number }>
    /** As `open`, of a run by voice. */
    readonly openRun: (run: number, options: CallOptions) => Promise<RecordingBytes>
  }
  readonly liveRuns: {
    /** The turns of a run that this process plays, and what happens until its end; fails if it is not played here. */
    readonly listen: (run: number, options: CallOptions) => AsyncIterable<LiveEvent>
  }
  readonly jobs: {
    /** Runs every due job and returns how many jobs it ran; for engines started without a worker. */
    readonly drain: () => Promise<number>
  }
  /** Operator functions: no actor is checked, so never expose them to external callers. */
  readonly organizations: {
    readonly create: (input: Input<typeof OrganizationDraft>) => Promise<ReturnType<typeof encodeCreatedOrganization>>
  }
  /** Authenticates a credential for an operation and returns its actor; rejects if access is denied. */
  readonly admit: (operation: Operation, presented: Presented) => Promise<Actor>
  /** The running services, for mounting the HTTP adapter on this engine. */
  readonly runtime: () => Promise<Runtime.Runtime<Engine.Services>>
  /** Finishes what is in progress and closes the database. Every later call rejects. */
  readonly close: () => Promise<void>
}

/** A running engine. */
export type PromiseEngine = UseCases & EngineFunctions

/**
 * Opens the database, migrates it to the newest schema and starts the engine.
 *
 * @throws DatabaseUnusable when the address is malformed or the database cannot be opened, and DatabaseIncompatible when
 * a newer version migrated it or it is another application's.
 * @throws TypeError when no database is given.
 */
export const createEngine = async (options: EngineOptions): Promise<PromiseEngine> => {
  if (!hasDatabase(options)) return Promise.reject(new TypeError(MISSING_DATABASE))
  const {
    analytics,
    database,
    maxConnections,
    queryTimeout,
    readers,
    statementTimeout,
    tablePrefix,
    worker = true,
    ...ports
  } = options
  const managed = ManagedRuntime.make(
    engineWith(ports, analytics).pipe(
      Layer.provide(Database.layer(database, { maxConnections, queryTimeout, readers, statementTimeout, tablePrefix }))
    )
  )

  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    if (workerFiber !== undefined) await Effect.runPromise(Fiber.interrupt(workerFiber))
    await managed.dispose()
  }
  const run = async <A, E>(effect: Effect.Effect<A, E, Engine.Services>, signal?: AbortSignal): Promise<A> => {
    if (closing !== undefined) return Promise.reject(new Error(CLOSED))
    return settled(await managed.runPromiseExit(effect, signal === undefined ? {} : { signal }))
  }

  const promised = (service: object): object =>
    Object.fromEntries(
      Object.entries(service).flatMap(([name, member]: [string, unknown]): ReadonlyArray<readonly [string, unknown]> =>
        isUseCase(member)
          ? [
              [
                name,
                (...args: ReadonlyArray<unknown>) => {
                  const [inputs, options] = [args.slice(0, -1), args.at(-1)]
                  if (!hasActor(options)) return Promise.reject(new TypeError(MISSING_ACTOR))
                  if (inputs.some(isInvalidId)) return Promise.reject(new TypeError(INVALID_ID))
                  const { actor, receipt, signal } = options
                  const called = Effect.map(Effect.provideService(member(...inputs), CurrentActor, actor), (result) =>
                    encode(member.operation, result, inputs)
                  )
                  return run(receipt === true ? resultOrReceiptOf(called) : called, signal)
                }
              ]
            ]
          : []
      )
    )

  const { credentials, organizations, promises, runner, ...running } = await run(
    Effect.all({
      promises: Effect.map(Effect.all(services), (all) => Record.map(all, promised)),
      calls: Calls,
      checkouts: Checkouts,
      credentials: Credentials,
      liveRuns: LiveRuns,
      organizations: Organizations,
      recordings: CallRecordings,
      results: Results,
      runner: JobRunner
    })
  )
  const workerFiber = worker ? managed.runFork(runner.run) : undefined
  // eslint-disable-next-line typescript/consistent-type-assertions -- `Promised` states for each member what `promised` does to it; Object.entries loses their types
  const useCases = promises as UseCases
  const recordingOf = ({ contentType, read, sha256, sizeBytes }: OpenAudio): RecordingBytes => ({
    content_type: contentType,
    size_bytes: sizeBytes,
    sha256,
    read: (range) =>
      Stream.toReadableStream(
        Stream.suspend(() => (closing === undefined ? read(range) : Stream.die(new Error(CLOSED))))
      )
  })
  const opened = async <A extends OpenAudio>(
    open: Effect.Effect<A, unknown, CurrentActor>,
    options: CallOptions
  ): Promise<RecordingBytes> => {
    if (!hasActor(options)) return Promise.reject(new TypeError(MISSING_ACTOR))
    return recordingOf(await run(Effect.provideService(open, CurrentActor, options.actor), options.signal))
  }
  const iterated = <A, E>(stream: Stream.Stream<A, E, CurrentActor>, options: CallOptions): AsyncIterable<A> =>
    Stream.toAsyncIterable(
      Stream.suspend(() =>
        closing !== undefined
          ? Stream.die(new Error(CLOSED))
          : hasActor(options)
            ? Stream.provideService(stream, CurrentActor, options.actor)
            : Stream.die(new TypeError(MISSING_ACTOR))
      )
    )
  return {
    ...useCases,
    calls: {
      ...useCases.calls,
      export: (query, options) =>
        iterated(
          Stream.map(running.calls.export(query), (call) => encodeExportedCall(call, query)),
          options
        )
    },
    results: {
      ...useCases.results,
      export: (id, options) =>
        iterated(
          Stream.map(Stream.unwrap(Effect.map(idOf(ResultId, id), (valid) => running.results.export(valid))), (run) =>
            encodeRunDetail(run)
          ),
          options
        )
    },
    recordings: {
      ...useCases.recordings,
      open: async (id, options) => ({
        ...(await opened(Effect.flatMap(idOf(CallId, id), running.recordings.open), options)),
        call: id
      }),
      openRun: (id, options) => opened(Effect.flatMap(idOf(RunId, id), running.recordings.openRun), options)
    },
    liveRuns: {
      listen: (id, options) =>
        iterated(Stream.unwrap(Effect.flatMap(idOf(RunId, id), running.liveRuns.listen)), options)
    },
    jobs: { ...useCases.jobs, drain: () => run(runner.drain) },
    organizations: { create: (input) => run(Effect.map(organizations.create(input), encodeCreatedOrganization)) },
    admit: (operation, presented) => run(credentials.admit(operation, presented)),
    runtime: () => (closing === undefined ? managed.runtime() : Promise.reject(new Error(CLOSED))),
    close: () => (closing ??= close())
  }
}

/** The engine with the column store at an address. */
const engineWith = (
  ports: Engine.Ports,
  analytics: EngineOptions["analytics"]
): Layer.Layer<Engine.Services, Database.DatabaseUnusable, Engine.Storage> =>
  typeof analytics === "string"
    ? Layer.unwrapEffect(
        Effect.map(ColumnStores.at(analytics), (layer) => Engine.layerWith({ ...ports, analytics: layer }))
      )
    : Engine.layerWith(analytics === undefined ? ports : { ...ports, analytics })

const resultOrReceiptOf = <A, E, R>(called: Effect.Effect<A, E, R>): Effect.Effect<ResultOrReceipt<A>, E, R> =>
  Effect.map(
    resultOrReceipt(called),
    Either.match({ onLeft: (receipt) => ({ receipt }), onRight: (result) => ({ result }) })
  )

interface AnyUseCase {
  (...args: ReadonlyArray<unknown>): Effect.Effect<unknown, unknown, CurrentActor>
  readonly operation: keyof Encoders
}

/** A use case whose result is a record: not one of those that `EngineFunctions` has instead. */
const isUseCase = (member: unknown): member is AnyUseCase =>
  typeof member === "function" &&
  "operation" in member &&
  typeof member.operation === "string" &&
  Object.hasOwn(encoders, member.operation)

const encode = (operation: keyof Encoders, result: unknown, inputs: ReadonlyArray<unknown>): unknown =>
  // eslint-disable-next-line typescript/consistent-type-assertions -- `RecordOf` states for each operation that its encoder takes its result
  (encoders[operation] as (result: unknown, ...args: ReadonlyArray<unknown>) => unknown)(result, ...inputs)

/** Numbers among the arguments of use cases are ids. */
const isInvalidId = (input: unknown): boolean => typeof input === "number" && !isId(input)

/** Dies with a TypeError if it is no id. */
const idOf = <Id extends number>(schema: { readonly make: (id: number) => Id }, id: number): Effect.Effect<Id> =>
  isId(id) ? Effect.sync(() => schema.make(id)) : Effect.die(new TypeError(INVALID_ID))

const isId = (id: number): boolean => Number.isSafeInteger(id) && id > 0

/** Whether this is the last argument of a use case. Untyped callers may have left it out, or passed an id in its place. */
const hasActor = (last: unknown): last is CallOptions & { readonly receipt?: unknown } =>
  typeof last === "object" && last !== null && "actor" in last && last.actor !== undefined

/** Untyped callers may have left the database out. */
const hasDatabase = (options: Partial<EngineOptions> | undefined): options is EngineOptions =>
  typeof options?.database === "string"

const MISSING_DATABASE =
  'A database is required: createEngine takes { database }, such as "sqlite:./calls.db" or "postgres://user:password@host:port/name".'

const CLOSED = "The engine is closed."

const INVALID_ID = "An id is a positive integer."

const MISSING_ACTOR =
  "An actor is required: the last argument of a use case is { actor }, such as hostActor(organization.id)."

/** Rejects with the typed error itself, so that callers can test it with `instanceof` or by its `_tag`. */
const settled = <A, E>(exit: Exit.Exit<A, E>): Promise<A> =>
  Exit.match(exit, {
    onSuccess: (value) => Promise.resolve(value),
    // `squash` gives the error itself; every error of the engine is an Error.
    onFailure: (cause) => Promise.reject(toError(Cause.squash(cause)))
  })

const toError = (failure: unknown): Error => (failure instanceof Error ? failure : new Error(String(failure)))
