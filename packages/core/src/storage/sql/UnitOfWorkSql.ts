import { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { UnitOfWork } from "../../kernel/Storage.js"
import { driverCode, driverDefect, storing } from "./Storing.js"

/** PostgreSQL chose this transaction to break a deadlock or a serialisation cycle: nothing of it happened, so try again. */
const isChosenVictim = (error: unknown): boolean =>
  error instanceof SqlError && ["40001", "40P01"].includes(driverCode(error))

export const layer = Layer.effect(
  UnitOfWork,
  Effect.map(SqlClient, (sql) =>
    UnitOfWork.of({
      atomically: (steps) =>
        sql.withTransaction(steps).pipe(
          Effect.retry({
            while: isChosenVictim,
            schedule: Schedule.jittered(Schedule.exponential("10 millis")),
            times: 4
          }),
          storing("UnitOfWork.atomically"),
          Effect.catchSomeDefect(driverDefect("UnitOfWork.atomically"))
        )
    })
  )
)
