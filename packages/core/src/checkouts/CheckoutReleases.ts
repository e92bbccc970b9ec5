import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { OrganizationId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import { CheckoutGrantStore, type DueGrant } from "./CheckoutGrantStore.js"
import { CodeHosts } from "./CodeHost.js"
import { unknownHost, Vault } from "./Vault.js"

/** The outcome of releasing due tokens. */
export interface Released {
  readonly released: number
  /** Tokens whose host failed; they are retried with exponential backoff. */
  readonly failed: number
}

/**
 * Releases tokens of ended checkouts at hosts that do not ask this engine: there a token stays valid until it is revoked
 * or expires. The job runner does it every 30 seconds.
 */
export class CheckoutReleases extends Context.Tag("@earshot/core/checkouts/CheckoutReleases")<
  CheckoutReleases,
  {
    /**
     * Releases all due tokens, of one organization or of all, and erases what is no longer needed. A connection whose
     * host fails repeatedly is skipped for the rest of the pass, so that it does not delay the others.
     */
    readonly releaseDue: (of?: OrganizationId) => Effect.Effect<Released, StorageError>
  }
>() {}

const BATCH_SIZE = 100
const CONCURRENCY = 4

/** Failures after which a connection is skipped for the rest of a pass. */
const MAX_FAILURES = 4

/** Seconds to the next attempt: 15, 30, 60 and so on, up to ten minutes. */
const pause = (attempts: number): number => Math.min(600, 15 * 2 ** Math.min(attempts, 10))

/** Days that ended checkouts are kept, for audits. */
const RETENTION_DAYS = 30

export const layer = Layer.effect(
  CheckoutReleases,
  Effect.gen(function* () {
    const grants = yield* CheckoutGrantStore
    const hosts = yield* CodeHosts
    const vault = yield* Vault

    const release = (grant: DueGrant, failures: Map<number, number>) =>
      Effect.gen(function* () {
        const { host: kind, id } = grant.stored.connection
        if ((failures.get(id) ?? 0) >= MAX_FAILURES) return yield* postpone(grant, null)
        const host = hosts.find((one) => one.kind === kind)
        if (host === undefined) return yield* unknownHost(kind)
        const connection = yield* vault.open(grant.stored)
        yield* host.release(connection, yield* vault.openHandle(grant.organizationId, grant.sealedHandle))
        yield* grants.released(grant.id)
        return true
      }).pipe(
        // One token that cannot be released does not stop the others.
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
            const due = yield* grants.due(now, BATCH_SIZE, of)
            const outcomes = yield* Effect.forEach(due, (grant) => release(grant, failures), {
              concurrency: CONCURRENCY
            })
            released += outcomes.filter((ended) => ended).length
            failed += outcomes.filter((ended) => !ended).length
            if (due.length < BATCH_SIZE) break
          }
          yield* grants.tidy(now, DateTime.subtract(now, { days: RETENTION_DAYS }))
          return { released, failed }
        })
    })
  })
)
