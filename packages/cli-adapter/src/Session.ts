/** Who a command acts as, and the engine that it calls. */
import { existsSync } from "node:fs"
import {
  type Actor,
  Credentials,
  Database,
  hostActor,
  type Engine,
  type Forbidden,
  type Operation,
  type Organization,
  Organizations,
  type RateLimited,
  type StorageError,
  type Unauthenticated,
  type ValidationFailed
} from "@earshot/core"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { apiKeyOf } from "./ApiKey.js"
import { UsageError, CommandRejected } from "./Errors.js"
import { type CallerOptions, secretFrom } from "./Settings.js"
import { type EngineSettings, Wiring } from "./Wiring.js"

/** The database's address; an invalid one is an error of the option. */
export const parseAddress = (address: string): Effect.Effect<Database.DatabaseAddress, UsageError> =>
  Either.mapLeft(Database.parse(address), ({ reason }) => new UsageError({ reason: `--database: ${reason}` }))

/** Why a command has no engine, or no caller. */
export type RunFailure = UsageError | CommandRejected | Database.DatabaseError | ValidationFailed | StorageError

/** The running engine. `existing` rejects a missing SQLite file, which is usually a mistyped name. */
export const runEngine = (
  settings: EngineSettings,
  { existing }: { readonly existing: boolean }
): Effect.Effect<
  Context.Context<Engine.Services>,
  UsageError | CommandRejected | Database.DatabaseError,
  Wiring | Scope.Scope
> =>
  Effect.gen(function* () {
    const address = yield* parseAddress(settings.database)
    if (existing && address.kind === "sqlite" && address.filename !== ":memory:" && !existsSync(address.filename)) {
      return yield* new CommandRejected({
        reason: `There is no database at ${address.filename}. Create it with \`earshot init\`, or set --database or EARSHOT_DATABASE.`
      })
    }
    const { engine } = yield* Wiring
    return yield* Layer.build(engine(settings))
  })

/** Who a command acts as: admits the actor to an operation. */
export interface Caller {
  readonly admit: (
    operation: Operation
  ) => Effect.Effect<Actor, Unauthenticated | Forbidden | RateLimited | StorageError>
}

/** The host of one organization, or the holder of an API key. `--organization` overrides EARSHOT_API_KEY. */
export const resolveCaller = (
  options: CallerOptions
): Effect.Effect<Caller, UsageError | CommandRejected | ValidationFailed | StorageError, Credentials | Organizations> =>
  Effect.gen(function* () {
    const key = yield* apiKeyOf(options)
    if (key !== undefined) {
      const credentials = yield* Credentials
      const bearer = "session" in options ? secretFrom(options.session ?? process.env.EARSHOT_SESSION) : undefined
      const presented = {
        apiKey: Redacted.value(key),
        ...(bearer === undefined ? {} : { bearer: Redacted.value(bearer) })
      }
      const caller: Caller = { admit: (operation) => credentials.admit(operation, presented) }
      return caller
    }
    const { id } = yield* resolveOrganization(options.organization)
    const caller: Caller = { admit: () => Effect.succeed(hostActor(id)) }
    return caller
  })

const resolveOrganization = (
  wanted: number | undefined
): Effect.Effect<Organization, CommandRejected | ValidationFailed | StorageError, Organizations> =>
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
        if (wanted === undefined ? page.results.length === 1 && page.next === null : one.id === wanted) return one
        seen.push(`${one.id} (${one.name})`)
      }
      cursor = page.next
    } while (cursor !== null && wanted !== undefined)
    return yield* new CommandRejected({
      reason:
        seen.length === 0
          ? "This database has no organization. Create one with `earshot init`."
          : wanted === undefined
            ? `This database has several organizations. Choose one with --organization ID: ${seen.slice(0, 10).join(", ")}${seen.length > 10 ? ", ..." : ""}.`
            : `This database has no organization ${wanted}.`
    })
  })

/** Runs an effect with an engine that is closed afterwards. */
export const withEngine =
  (settings: EngineSettings, options: { readonly existing: boolean }) =>
  <A, E, R>(
    steps: Effect.Effect<A, E, R>
  ): Effect.Effect<
    A,
    E | UsageError | CommandRejected | Database.DatabaseError,
    Exclude<Exclude<R, Engine.Services>, Scope.Scope> | Wiring
  > =>
    Effect.scoped(Effect.flatMap(runEngine(settings, options), (services) => Effect.provide(steps, services)))
