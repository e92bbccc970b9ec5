/** Whom a command acts for, and how it calls use cases as them. */
import { existsSync } from "node:fs"
import {
  type Actor,
  Credentials,
  CurrentActor,
  Database,
  hostActor,
  NotFound,
  type Engine,
  type Forbidden,
  type Operation,
  type Organization,
  Organizations,
  type RateLimited,
  type StorageFault,
  type Unauthenticated,
  type UseCase,
  type ValidationFailed
} from "@earshot/core"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Misused, Refused } from "./Faults.js"
import type { CallerOptions } from "./Settings.js"
import { type EngineSettings, Wiring } from "./Wiring.js"

/** An address that names a database, as an option's fault where it names none. */
export const checkAddress = (address: string): Effect.Effect<Database.DatabaseAddress, Misused> =>
  Either.mapLeft(Database.parse(address), ({ reason }) => new Misused({ reason: `--database: ${reason}` }))

/** The running engine. `existing` refuses a SQLite file that is not there, which is a mistyped name more often than not. */
export const runEngine = (
  settings: EngineSettings,
  { existing }: { readonly existing: boolean }
): Effect.Effect<
  Context.Context<Engine.Services>,
  Misused | Refused | Database.DatabaseUnusable,
  Wiring | Scope.Scope
> =>
  Effect.gen(function* () {
    const address = yield* checkAddress(settings.database)
    if (existing && address.kind === "sqlite" && address.filename !== ":memory:" && !existsSync(address.filename)) {
      return yield* new Refused({
        reason: `There is no database at ${address.filename}. \`earshot init\` makes one; --database or EARSHOT_DATABASE names another.`
      })
    }
    const { engine } = yield* Wiring
    return yield* Layer.build(engine(settings))
  })

/** Whom a command acts for: the actor of an operation, found once a command. */
export interface Caller {
  readonly admit: (
    operation: Operation
  ) => Effect.Effect<Actor, Unauthenticated | Forbidden | RateLimited | StorageFault>
}

/** A host for the one organisation meant, or the holder of an API key. A key in the environment gives way to an option. */
export const findCaller = (
  options: CallerOptions
): Effect.Effect<Caller, Misused | Refused | ValidationFailed | StorageFault, Credentials | Organizations> =>
  Effect.gen(function* () {
    const environment = process.env.EARSHOT_API_KEY
    if (Option.isSome(options.organization) && Option.isSome(options.apiKey)) {
      return yield* new Misused({ reason: "Give --organization or --api-key, not both: a key is of one organisation." })
    }
    const key = Option.isSome(options.organization)
      ? undefined
      : (Option.getOrUndefined(options.apiKey) ??
        (environment === undefined || environment === "" ? undefined : Redacted.make(environment)))
    if (key !== undefined) {
      const credentials = yield* Credentials
      const session = options.session === undefined ? undefined : meantSession(options.session)
      const presented = {
        apiKey: Redacted.value(key),
        ...(session === undefined ? {} : { bearer: Redacted.value(session) })
      }
      const caller: Caller = { admit: (operation) => credentials.admit(operation, presented) }
      return caller
    }
    const organization = yield* meant(options.organization)
    const caller: Caller = { admit: () => Effect.succeed(hostActor(organization.id)) }
    return caller
  })

const meantSession = (option: Option.Option<Redacted.Redacted>): Redacted.Redacted | undefined => {
  const { EARSHOT_SESSION } = process.env
  return (
    Option.getOrUndefined(option) ??
    (EARSHOT_SESSION === undefined || EARSHOT_SESSION === "" ? undefined : Redacted.make(EARSHOT_SESSION))
  )
}

const meant = (
  wanted: Option.Option<number>
): Effect.Effect<Organization, Refused | ValidationFailed | StorageFault, Organizations> =>
  Effect.gen(function* () {
    const organizations = yield* Organizations
    let cursor: string | null = null
    const seen: Array<string> = []
    do {
      const page: Effect.Effect.Success<ReturnType<typeof organizations.list>> = yield* organizations.list({
        limit: 200,
        ...(cursor === null ? {} : { cursor })
      })
      for (const one of page.results) {
        if (Option.isSome(wanted) ? one.id === wanted.value : page.results.length === 1 && page.next === null)
          return one
        seen.push(`${one.id} (${one.name})`)
      }
      cursor = page.next
    } while (cursor !== null && Option.isSome(wanted))
    return yield* new Refused({
      reason:
        seen.length === 0
          ? "This database has no organisation yet: `earshot init` makes one."
          : Option.isSome(wanted)
            ? `There is no organisation ${wanted.value} in this database.`
            : `This database has several organisations: name one with --organization ID. They are ${seen.slice(0, 10).join(", ")}${seen.length > 10 ? ", ..." : ""}.`
    })
  })

/** How a sentence about something that was revoked ends: servers remember what they read of credentials, docs/access.md. */
export const ELSEWHERE = "; servers that run know within five seconds."

/** Calls a use case as the caller: `calling(caller, calls.list)({ limit: 5 })`. */
export const calling =
  <O extends Operation, Args extends ReadonlyArray<unknown>, A, E>(caller: Caller, useCase: UseCase<O, Args, A, E>) =>
  (...args: Args): Effect.Effect<A, E | Unauthenticated | Forbidden | RateLimited | StorageFault> =>
    Effect.flatMap(caller.admit(useCase.operation), (actor) =>
      Effect.provideService(useCase(...args), CurrentActor, actor)
    )

/** Runs steps with a running engine, which is closed after them. */
export const withEngine =
  (settings: EngineSettings, options: { readonly existing: boolean }) =>
  <A, E, R>(
    steps: Effect.Effect<A, E, R>
  ): Effect.Effect<
    A,
    E | Misused | Refused | Database.DatabaseUnusable,
    Exclude<Exclude<R, Engine.Services>, Scope.Scope> | Wiring
  > =>
    Effect.scoped(Effect.flatMap(runEngine(settings, options), (services) => Effect.provide(steps, services)))

/** A number from the command line as an id. One that cannot be an id is nobody's. */
export const idOf = <A>(
  schema: Schema.Schema<A, number>,
  resource: string,
  value: number
): Effect.Effect<A, NotFound> => Effect.mapError(Schema.decode(schema)(value), () => new NotFound({ resource }))
