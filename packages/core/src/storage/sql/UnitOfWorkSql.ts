import { SqlClient } from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { StorageBusy, UnitOfWork } from "../../kernel/Storage.js"
import { driverDefect, storing } from "./Storing.js"

/** Nothing of the transaction happened, so try again. The stores in it have made a storage fault of the driver's failure. */
const isUndone = (error: unknown): boolean => error instanceof StorageBusy && error.undone

/** Whether a transaction is begun for bulk work, whose statements may take longer. SQLite's have no limit. */
export class IsBulk extends Context.Reference<IsBulk>()("@earshot/core/storage/sql/IsBulk", {
  defaultValue: () => false
}) {}

export const layer = Layer.effect(
  UnitOfWork,
  Effect.map(SqlClient, (sql) => {
    const atomically: UnitOfWork["Type"]["atomically"] = (steps) =>
      sql.withTransaction(steps).pipe(
        storing("UnitOfWork.atomically"),
        Effect.catchSomeDefect(driverDefect("UnitOfWork.atomically")),
        Effect.retry({
          while: isUndone,
          schedule: Schedule.jittered(Schedule.exponential("10 millis")),
          times: 4
        })
      )
    return UnitOfWork.of({
      atomically,
      atomicallyInBulk: (steps) => Effect.provideService(atomically(steps), IsBulk, true)
    })
  })
)
