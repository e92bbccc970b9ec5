/** Reads that grow with the data: lists with filters, charts, exports. They run beside the engine's own statements. */
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Permit } from "../../access/Permit.js"
import type { ReadKind } from "./ReadTurnRules.js"

/** A read in progress: all statements of one question. */
export interface Read {
  readonly kind: ReadKind
  readonly organizationId: number
  /** How long its statements have run so far, in milliseconds: the time limit is that of the whole read. */
  spentMillis: number
  /** How long they may run, in milliseconds: set by the connection that they run on, if it has a limit. */
  limitMillis: number | undefined
  /** The connection of all its statements, if it reads a snapshot. */
  snapshot: Connection | undefined
}

/** The read that a statement belongs to, where there is one: the storage's client chooses the connection by it. */
export class CurrentRead extends Context.Tag("@earshot/core/storage/sql/CurrentRead")<CurrentRead, Read>() {}

/**
 * Runs the statements of an effect as a read that grows with the data: on SQLite in a reader process, on PostgreSQL on a
 * connection of a pool of its own, with a time limit and in turn with other such reads. A read inside a read belongs to
 * the outer one. Statements inside a transaction run on the transaction's connection.
 */
export const growing =
  (kind: ReadKind, { organizationId }: Pick<Permit, "organizationId">) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.serviceOption(CurrentRead), (outer) =>
      Option.isSome(outer) ? effect : withRead(newRead(kind, organizationId), effect)
    )

const newRead = (kind: ReadKind, organizationId: number): Read => ({
  kind,
  organizationId,
  spentMillis: 0,
  limitMillis: undefined,
  snapshot: undefined
})

const withRead = <A, E, R>(read: Read, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.mapInputContext(effect, (context: Context.Context<R>) => Context.add(context, CurrentRead, read))

/** Connections that see the database as it is at one moment, for reads that grow with the data. */
export class Snapshots extends Context.Tag("@earshot/core/storage/sql/Snapshots")<
  Snapshots,
  {
    /** In turn with other reads: it takes one place for as long as `use` runs, and its statements have the read's limit. */
    readonly within: <A, E, R>(
      read: Read,
      use: (connection: Connection) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | SqlError, R>
  }
>() {}

/** Like `growing`, with all statements on one snapshot of the database. A read inside a read belongs to the outer one. */
export const inSnapshot =
  (kind: ReadKind, { organizationId }: Pick<Permit, "organizationId">) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R | Snapshots> =>
    Effect.flatMap(Effect.serviceOption(CurrentRead), (outer) => {
      if (Option.isSome(outer)) return effect
      const read = newRead(kind, organizationId)
      return Effect.flatMap(Snapshots, (snapshots) =>
        snapshots.within(read, (connection) => withRead(Object.assign(read, { snapshot: connection }), effect))
      )
    })

/** The connection for statements outside of a transaction: that of reads for the statements of a read. */
export const routed = (ordinary: Connection, forRead: (read: Read) => Connection): Effect.Effect<Connection> =>
  Effect.map(
    Effect.serviceOption(CurrentRead),
    Option.match({ onNone: () => ordinary, onSome: (read) => read.snapshot ?? forRead(read) })
  )

/** Settings of reads, the same for both databases. */
export interface ReadsConfig {
  /**
   * How many such reads run at a time (default: 3). On SQLite each runs in a process of its own, and 0 runs them on the
   * engine's connection, without a time limit; on PostgreSQL each runs on a connection of its own, at least 1.
   */
  readonly readers?: number | undefined
  /**
   * How long the statements of a list or chart may run (default: 10 seconds); those of all charts of a dashboard three times,
   * and a page of an export six times as long.
   */
  readonly queryTimeout?: Duration.DurationInput | undefined
}

const FACTORS: Readonly<Record<ReadKind, number>> = { list: 1, chart: 1, dashboard: 3, export: 6 }

/** How long a read may run, in milliseconds. */
export const limitOf = (queryTimeoutMillis: number, kind: ReadKind): number => FACTORS[kind] * queryTimeoutMillis

export const queryTimeoutMillis = ({ queryTimeout }: ReadsConfig): number =>
  Math.max(1, Duration.toMillis(queryTimeout ?? "10 seconds"))
