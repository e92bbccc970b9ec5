/**
 * The engine for Node services that do not use Effect: every use case as a function that takes the caller last and
 * answers a promise, which rejects with the same typed errors (`ValidationFailed`, `NotFound`, ...).
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
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"
import { type Actor, CurrentActor } from "./access/Actor.js"
import { ApiKeys } from "./access/ApiKeys.js"
import { Credentials, type Presented } from "./access/Credentials.js"
import type { Operation } from "./access/Operation.js"
import { ShareableLinks } from "./access/ShareableLinks.js"
import { Tokens } from "./access/Tokens.js"
import { Users } from "./access/Users.js"
import type { CallRecord } from "./calls/CallRecord.js"
import { CallEvaluations } from "./calls/CallEvaluations.js"
import { Calls } from "./calls/Calls.js"
import { Agents } from "./catalog/Agents.js"
import { Folders } from "./catalog/Folders.js"
import { type FoundedOrganization, Organizations } from "./catalog/Organizations.js"
import { Personalities } from "./catalog/Personalities.js"
import { PhoneNumbers } from "./catalog/PhoneNumbers.js"
import { Projects } from "./catalog/Projects.js"
import { Ledger } from "./credits/Ledger.js"
import { TestProfiles } from "./catalog/TestProfiles.js"
import { Tools } from "./catalog/Tools.js"
import { Checkouts } from "./checkouts/Checkouts.js"
import type { Released } from "./checkouts/CheckoutReleases.js"
import { CodeConnections } from "./checkouts/CodeConnections.js"
import { Dashboards } from "./dashboards/Dashboards.js"
import { Widgets } from "./dashboards/Widgets.js"
import { Evaluators } from "./evaluators/Evaluators.js"
import { Results } from "./results/Results.js"
import { Suites } from "./suites/Suites.js"
import { JobRunner } from "./jobs/JobRunner.js"
import { Jobs } from "./jobs/Jobs.js"
import { Metrics } from "./metrics/Metrics.js"
import { Simplifications } from "./simplification/Simplifications.js"
import * as Engine from "./Engine.js"
import * as Database from "./Database.js"

/** Whom a use case is called for; see `hostActor`, or `Engine.admit` for a caller with a credential. */
export interface CallOptions {
  readonly actor: Actor
  /** Stops the use case; its transaction is then rolled back as a whole. */
  readonly signal?: AbortSignal
}

/** A service of the engine with every use case as a function that answers a promise. */
export type Promised<Service> = {
  readonly [
    Name in keyof Service as Service[Name] extends { readonly operation: Operation } ? Name : never
  ]: Service[Name] extends (...args: infer Args) => Effect.Effect<infer A, infer _E, infer _R>
    ? (...args: [...Args, options: CallOptions]) => Promise<A>
    : never
}

export interface EngineOptions extends Engine.Ports {
  /** `sqlite:PATH`, `sqlite::memory:` or `postgres://user:password@host:port/name`. */
  readonly database: string
  /** Whether this process does jobs, such as evaluating the calls that come in; it does unless told. */
  readonly worker?: boolean
}

/** A running engine. */
export interface PromiseEngine {
  readonly apiKeys: Promised<Context.Tag.Service<ApiKeys>>
  readonly shareableLinks: Promised<Context.Tag.Service<ShareableLinks>>
  readonly tokens: Promised<Context.Tag.Service<Tokens>>
  readonly users: Promised<Context.Tag.Service<Users>>
  readonly projects: Promised<Context.Tag.Service<Projects>>
  readonly agents: Promised<Context.Tag.Service<Agents>>
  readonly personalities: Promised<Context.Tag.Service<Personalities>>
  readonly testProfiles: Promised<Context.Tag.Service<TestProfiles>>
  readonly phoneNumbers: Promised<Context.Tag.Service<PhoneNumbers>>
  readonly tools: Promised<Context.Tag.Service<Tools>>
  readonly folders: Promised<Context.Tag.Service<Folders>>
  readonly evaluators: Promised<Context.Tag.Service<Evaluators>>
  readonly results: Promised<Context.Tag.Service<Results>>
  readonly suites: Promised<Context.Tag.Service<Suites>>
  readonly calls: Promised<Context.Tag.Service<Calls>> & {
    /** Every call that `list` would page through, newest first, read page by page as it is iterated. */
    readonly export: (query: unknown, options: CallOptions) => AsyncIterable<CallRecord>
  }
  readonly metrics: Promised<Context.Tag.Service<Metrics>>
  readonly evaluations: Promised<Context.Tag.Service<CallEvaluations>>
  readonly simplifications: Promised<Context.Tag.Service<Simplifications>>
  readonly jobs: Promised<Context.Tag.Service<Jobs>> & {
    /** Does every job that is due, and answers how many attempts it made; for who starts the engine without a worker. */
    readonly drain: () => Promise<number>
  }
  readonly ledger: Promised<Context.Tag.Service<Ledger>>
  readonly dashboards: Promised<Context.Tag.Service<Dashboards>>
  readonly widgets: Promised<Context.Tag.Service<Widgets>>
  readonly codeConnections: Promised<Context.Tag.Service<CodeConnections>>
  readonly checkouts: Promised<Context.Tag.Service<Checkouts>> & {
    /** Takes back, at their hosts, tokens that have ended here; run it now and then, every half minute for example. */
    readonly endDue: () => Promise<Released>
  }
  /** The operator's own: no actor is asked for, so never offer it to callers from outside. */
  readonly organizations: { readonly create: (input: unknown) => Promise<FoundedOrganization> }
  /** The caller of an operation by the credential it presents; rejects when it is not let in. */
  readonly admit: (operation: Operation, presented: Presented) => Promise<Actor>
  /** The running services, for whoever mounts the HTTP adapter on this engine. */
  readonly runtime: () => Promise<Runtime.Runtime<Engine.Services>>
  /** Finishes what is under way and closes the database. From then on everything rejects, saying that it is closed. */
  readonly close: () => Promise<void>
}

/**
 * Opens the database, brings it to the newest schema and starts the engine.
 *
 * @throws DatabaseUnusable when the address is malformed or the database cannot be opened.
 * @throws TypeError when no database is named.
 */
export const createEngine = async (options: EngineOptions): Promise<PromiseEngine> => {
  if (!namesDatabase(options)) return Promise.reject(new TypeError(WITHOUT_DATABASE))
  const { database, worker = true, ...ports } = options
  const managed = ManagedRuntime.make(Engine.layerWith(ports).pipe(Layer.provide(Database.layer(database))))

  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    if (working !== undefined) await Effect.runPromise(Fiber.interrupt(working))
    await managed.dispose()
  }
  const run = async <A, E>(effect: Effect.Effect<A, E, Engine.Services>, signal?: AbortSignal): Promise<A> => {
    if (closing !== undefined) return Promise.reject(new Error(CLOSED))
    return settled(await managed.runPromiseExit(effect, signal === undefined ? {} : { signal }))
  }

  const promised = <Service extends object>(service: Service): Promised<Service> => {
    const functions = Object.entries(service).flatMap(
      ([name, member]: [string, unknown]): ReadonlyArray<readonly [string, unknown]> =>
        isUseCase(member)
          ? [
              [
                name,
                (...args: ReadonlyArray<unknown>) => {
                  const options = optionsOf(args)
                  if (options?.actor === undefined) return Promise.reject(new TypeError(WITHOUT_ACTOR))
                  const { actor, signal } = options
                  return run(Effect.provideService(member(...args.slice(0, -1)), CurrentActor, actor), signal)
                }
              ]
            ]
          : []
    )
    // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- `Promised` says for each member what this does to it; Object.entries forgets their types
    return Object.fromEntries(functions) as Promised<Service>
  }

  const services = await run(
    Effect.all({
      apiKeys: ApiKeys,
      shareableLinks: ShareableLinks,
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
      calls: Calls,
      metrics: Metrics,
      evaluations: CallEvaluations,
      simplifications: Simplifications,
      jobs: Jobs,
      runner: JobRunner,
      ledger: Ledger,
      dashboards: Dashboards,
      widgets: Widgets,
      codeConnections: CodeConnections,
      checkouts: Checkouts,
      organizations: Organizations,
      credentials: Credentials
    })
  )
  const working = worker ? managed.runFork(services.runner.run) : undefined
  return {
    apiKeys: promised(services.apiKeys),
    shareableLinks: promised(services.shareableLinks),
    tokens: promised(services.tokens),
    users: promised(services.users),
    projects: promised(services.projects),
    agents: promised(services.agents),
    personalities: promised(services.personalities),
    testProfiles: promised(services.testProfiles),
    phoneNumbers: promised(services.phoneNumbers),
    tools: promised(services.tools),
    folders: promised(services.folders),
    evaluators: promised(services.evaluators),
    results: promised(services.results),
    suites: promised(services.suites),
    calls: {
      ...promised(services.calls),
      export: (query: unknown, { actor }: CallOptions) =>
        Stream.toAsyncIterable(
          Stream.suspend(() =>
            closing === undefined
              ? Stream.provideService(services.calls.export(query), CurrentActor, actor)
              : Stream.die(new Error(CLOSED))
          )
        )
    },
    metrics: promised(services.metrics),
    evaluations: promised(services.evaluations),
    simplifications: promised(services.simplifications),
    jobs: { ...promised(services.jobs), drain: () => run(services.runner.drain) },
    ledger: promised(services.ledger),
    dashboards: promised(services.dashboards),
    widgets: promised(services.widgets),
    codeConnections: promised(services.codeConnections),
    checkouts: { ...promised(services.checkouts), endDue: () => run(services.checkouts.endDue) },
    organizations: { create: (input) => run(services.organizations.create(input)) },
    admit: (operation, presented) => run(services.credentials.admit(operation, presented)),
    runtime: () => (closing === undefined ? managed.runtime() : Promise.reject(new Error(CLOSED))),
    close: () => (closing ??= close())
  }
}

type AnyUseCase = (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown, CurrentActor>

const isUseCase = (member: unknown): member is AnyUseCase => typeof member === "function" && "operation" in member

/**
 * The last argument of a use case called by promise. A caller without types may have left it out, or passed an id in its
 * place.
 */
const optionsOf = (args: ReadonlyArray<unknown>): Partial<CallOptions> | undefined => {
  const last = args.at(-1)
  return typeof last === "object" && last !== null ? last : undefined
}

/** A caller without types may have left the database out. */
const namesDatabase = (options: Partial<EngineOptions> | undefined): options is EngineOptions =>
  typeof options?.database === "string"

const WITHOUT_DATABASE =
  'Say which database: createEngine takes { database }, such as "sqlite:./calls.db" or "postgres://user:password@host:port/name".'

const CLOSED = "The engine is closed."

const WITHOUT_ACTOR = "Say for whom: the last argument of a use case is { actor }, such as hostActor(organization.id)."

/** The value, or the typed error itself as the rejection: callers test it with `instanceof` or by its `_tag`. */
const settled = <A, E>(exit: Exit.Exit<A, E>): Promise<A> =>
  Exit.match(exit, {
    onSuccess: (value) => Promise.resolve(value),
    // `squash` gives the fault itself; every one of the engine's is an Error.
    onFailure: (cause) => Promise.reject(toError(Cause.squash(cause)))
  })

const toError = (fault: unknown): Error => (fault instanceof Error ? fault : new Error(String(fault)))
