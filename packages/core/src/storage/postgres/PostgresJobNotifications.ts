/**
 * Job notifications by LISTEN and NOTIFY. Listening needs a connection of its own, which reconnects: a connection that
 * breaks tells nobody, so it is tested, and everything that may have been lost meanwhile counts as a notification.
 * A notification is sent after the transaction that enqueued, not in it: NOTIFY takes a lock on the whole database that
 * commits would wait for.
 */
import { SqlClient } from "@effect/sql/SqlClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import pg from "pg"
import { JobNotifications } from "../../jobs/JobNotifications.js"

export interface PostgresJobNotificationsConfig {
  readonly url: Redacted.Redacted
  /** Engines with other prefixes have other jobs. */
  readonly tablePrefix: string
  /** How often the connection is tested, and how long a test may take. Default: 5 seconds. */
  readonly test?: Duration.DurationInput
}

/** Between two notifications of this process, so that a thousand jobs a second do not send a thousand of them. */
const INTERVAL = "20 millis"

/** Between two attempts to connect. */
const RECONNECT = "1 second"

/** Listens until the connection breaks; calls `wake` once it listens, and for every notification. */
const listen = (url: string, channel: string, test: number, wake: () => void): Effect.Effect<void> =>
  Effect.scoped(
    Effect.gen(function* () {
      const client = new pg.Client({
        connectionString: url,
        application_name: "earshot jobs",
        connectionTimeoutMillis: test,
        query_timeout: test,
        keepAlive: true
      })
      const broken = Effect.async((resume: (ended: Effect.Effect<void>) => void) => {
        const end = (): void => resume(Effect.void)
        client.once("error", end)
        client.once("end", end)
      })
      // Without a listener an error that comes after the connection was given up would end the process.
      client.on("error", () => undefined)
      client.on("notification", wake)
      yield* Effect.addFinalizer(() =>
        Effect.promise(() => client.end().catch(() => undefined)).pipe(Effect.interruptible, Effect.timeoutOption(test))
      )
      yield* Effect.tryPromise(() => client.connect())
      yield* Effect.tryPromise(() => client.query(`LISTEN ${client.escapeIdentifier(channel)}`))
      wake()
      const tests = Effect.forever(
        Effect.zipRight(
          Effect.sleep(test),
          Effect.tryPromise(() => client.query("SELECT 1"))
        )
      )
      yield* Effect.raceFirst(broken, tests)
    })
  ).pipe(Effect.ignore)

export const layer = ({ tablePrefix, test = "5 seconds", url }: PostgresJobNotificationsConfig) =>
  Layer.scoped(
    JobNotifications,
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const channel = `${tablePrefix}earshot_jobs`
      const requested = yield* Effect.makeLatch(false)
      // Polling finds the jobs of a notification that cannot be sent.
      const send = Effect.ignore(sql`SELECT pg_notify(${channel}, '')`)
      // In a fiber of its own: the caller may be inside a transaction, whose connection a statement would use.
      yield* Effect.forkScoped(
        requested.await.pipe(
          Effect.zipRight(requested.close),
          Effect.zipRight(send),
          Effect.zipRight(Effect.sleep(INTERVAL)),
          Effect.forever
        )
      )
      return {
        publish: Effect.asVoid(requested.open),
        subscribe: (wake: () => void) =>
          listen(Redacted.value(url), channel, Duration.toMillis(test), wake).pipe(
            Effect.zipRight(Effect.sleep(RECONNECT)),
            Effect.forever,
            Effect.forkScoped,
            Effect.asVoid
          )
      }
    })
  )
