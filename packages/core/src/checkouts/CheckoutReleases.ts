import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { OrganizationId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import { CheckoutGrantStore, type DueGrant } from "./CheckoutGrantStore.js"
import { CodeHosts } from "./CodeHost.js"
import { unknownHost, Vault } from "./Vault.js"

/** What became of the tokens that were to be taken back. */
export interface Released {
  readonly released: number
  /** Those whose host could not be asked; they are tried again later, less and less often. */
  readonly failed: number
}

/**
 * Takes back the tokens of checkouts that ended before their hosts would refuse them: at hosts that do not ask this
 * engine, a token goes on until it is ended there.
 */
export class CheckoutReleases extends Context.Tag("@earshot/core/checkouts/CheckoutReleases")<
  CheckoutReleases,
  {
    /**
     * Takes back all that is due now, of one organisation or of all of them, and erases what is of no more use. A host that
     * fails time and again is left alone for this once, so that it keeps no other's keys in force.
     */
    readonly releaseDue: (of?: OrganizationId) => Effect.Effect<Released, StorageError>
  }
>() {}

const AT_A_TIME = 100
const CONCURRENTLY = 4

/** Failures after which a connection's host is not asked again in one go: others wait for theirs meanwhile. */
const MOST_FAILURES = 4

/** Seconds to the next try: 15, 30, 60 and so on, up to ten minutes. */
const pause = (attempts: number): number => Math.min(600, 15 * 2 ** Math.min(attempts, 10))

/** Checkouts are kept for so many days after they ended, so that it can be said who had what. */
const KEPT_DAYS = 30

export const layer = Layer.effect(
  CheckoutReleases,
  Effect.gen(function* () {
    const grants = yield* CheckoutGrantStore
    const hosts = yield* CodeHosts
    const vault = yield* Vault

    const take = (grant: DueGrant, failures: Map<number, number>) =>
      Effect.gen(function* () {
        const { host: kind, id } = grant.stored.connection
        if ((failures.get(id) ?? 0) >= MOST_FAILURES) return yield* postpone(grant, null)
        const host = hosts.find((one) => one.kind === kind)
        if (host === undefined) return yield* unknownHost(kind)
        const connection = yield* vault.open(grant.stored)
        yield* host.release(connection, yield* vault.openHandle(grant.organizationId, grant.sealedHandle))
        yield* grants.released(grant.id)
        return true
      }).pipe(
        // One token that cannot be taken back keeps no other one in force.
        Effect.catchTags({
          CodeHostFailed: (failure) =>
            Effect.suspend(() => {
              const { id } = grant.stored.connection
              failures.set(id, (failures.get(id) ?? 0) + 1)
              return postpone(grant, failure.retryAfterSeconds)
            }),
          StorageFailed: () => postpone(grant, null)
        })
      )

    const postpone = (grant: DueGrant, seconds: number | null) =>
      Effect.gen(function* () {
        const now = yield* DateTime.now
        yield* grants.failed(grant.id, DateTime.add(now, { seconds: Math.max(seconds ?? 0, pause(grant.attempts)) }))
        return false
      })

    return CheckoutReleases.of({
      releaseDue: (of) =>
        Effect.gen(function* () {
          const now = yield* DateTime.now
          const failures = new Map<number, number>()
          let released = 0
          let failed = 0
          for (;;) {
            const due = yield* grants.due(now, AT_A_TIME, of)
            const outcomes = yield* Effect.forEach(due, (grant) => take(grant, failures), { concurrency: CONCURRENTLY })
            released += outcomes.filter((ended) => ended).length
            failed += outcomes.filter((ended) => !ended).length
            if (due.length < AT_A_TIME) break
          }
          yield* grants.tidy(now, DateTime.subtract(now, { days: KEPT_DAYS }))
          return { released, failed }
        })
    })
  })
)
