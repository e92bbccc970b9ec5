/**
 * How deliveries are written. Concurrent deliveries share a transaction (see `GroupCommit`); within it every
 * step is one statement for all. The statements for new calls are texts of their own, run on the connection: a statement
 * built of fragments costs more than SQLite needs to run it, and every ingested call comes through here.
 */
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { CallDeleted, RedactionIncomplete } from "../../calls/CallErrors.js"
import type { DeliveryOutcome } from "../../calls/CallStore.js"
import type { Delivery } from "../../calls/Delivery.js"
import { StorageBusy, type StorageError, UnitOfWork } from "../../kernel/Storage.js"
import { type PendingDelivery, pendingDelivery } from "./CallDelivery.js"
import { writeOnPostgres } from "./CallInsertPostgres.js"
import { writeOnSqlite } from "./CallInsertSqlite.js"
import { makeRedeliver } from "./CallRedeliverySql.js"
import { leaseTime } from "./JobStoreSql.js"
import { Dialect } from "./Dialect.js"
import * as GroupCommit from "./GroupCommit.js"

/** The most deliveries in one transaction, and the most characters of transcript and documents. */
const MAX_DELIVERIES = 64
const MAX_CHARACTERS = 8_000_000

/** Writers at work on PostgreSQL: a few keep its processes busy, more would make the groups smaller. */
const POSTGRES_WRITERS = 2

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const dialect = yield* Dialect
  const work = yield* UnitOfWork
  const redeliver = makeRedeliver(sql, dialect, yield* leaseTime(sql, dialect))

  const deliver = yield* GroupCommit.make<
    PendingDelivery,
    DeliveryOutcome,
    StorageError | RedactionIncomplete | CallDeleted
  >({
    writers: dialect.name === "sqlite" ? 1 : POSTGRES_WRITERS,
    maxItems: MAX_DELIVERIES,
    maxWeight: MAX_CHARACTERS,
    weigh: (pending) =>
      (pending.transcript?.length ?? 0) + (pending.metadata?.length ?? 0) + (pending.dynamicVariables?.length ?? 0),
    commit:
      dialect.name === "sqlite"
        ? writeOnSqlite(sql, dialect, redeliver)
        : writeOnPostgres(sql, dialect, redeliver, work),
    mayBeOneItems: (error) => error._tag === "StorageFailed",
    isBusy: (error) => error._tag === "StorageBusy",
    closed: new StorageBusy({ operation: "CallStore.deliver" })
  })

  return (delivery: Delivery) => deliver(pendingDelivery(delivery))
})
