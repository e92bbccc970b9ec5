import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { OrganizationId } from "../kernel/Ids.js"
import type { Claim } from "./Job.js"

interface Running {
  readonly claim: Claim
  readonly fiber: Fiber.RuntimeFiber<void>
  /** Whether the fiber runs this job alone, so that it can be interrupted. */
  readonly isAlone: boolean
  /** When the lease was last known to be extended, by this process's clock. */
  confirmedAt: number
}

/** The jobs that a process runs. */
export class RunningJobs {
  readonly #jobs = new Map<number, Running>()

  get size(): number {
    return this.#jobs.size
  }

  add(claims: ReadonlyArray<Claim>, fiber: Fiber.RuntimeFiber<void>, isAlone: boolean, now: number): void {
    for (const claim of claims) this.#jobs.set(claim.id, { claim, fiber, isAlone, confirmedAt: now })
  }

  /** Whether this claim of the job runs. A job that was handed over to another kind begins again with its first attempt. */
  has({ attempt, id, kind }: Claim): boolean {
    const running = this.#jobs.get(id)?.claim
    return running?.attempt === attempt && running.kind === kind
  }

  /** The earlier claims of these jobs that still run. One that has handed its job over has not lost it. */
  earlier(claims: ReadonlyArray<Claim>): ReadonlyArray<Claim> {
    return claims.flatMap((claim) => {
      const running = this.#jobs.get(claim.id)?.claim
      return running === undefined || running.kind !== claim.kind || this.has(claim) ? [] : [running]
    })
  }

  remove(claims: ReadonlyArray<Claim>): void {
    for (const claim of claims) if (this.has(claim)) this.#jobs.delete(claim.id)
  }

  claims(): ReadonlyArray<Claim> {
    return [...this.#jobs.values()].map(({ claim }) => claim)
  }

  fibers(): ReadonlyArray<Fiber.RuntimeFiber<void>> {
    return [...new Set([...this.#jobs.values()].map(({ fiber }) => fiber))]
  }

  byOrganization(kind: string): ReadonlyMap<OrganizationId, number> {
    const counts = new Map<OrganizationId, number>()
    for (const { claim } of this.#jobs.values()) {
      if (claim.kind === kind) counts.set(claim.organizationId, (counts.get(claim.organizationId) ?? 0) + 1)
    }
    return counts
  }

  /** Records that the leases of these claims were extended. */
  confirm(claims: ReadonlyArray<Claim>, at: number): void {
    for (const { id } of claims) {
      const job = this.#jobs.get(id)
      if (job !== undefined) job.confirmedAt = at
    }
  }

  /** The claims whose leases were not extended since an instant. */
  unconfirmedSince(instant: number): ReadonlyArray<Claim> {
    return [...this.#jobs.values()].flatMap(({ claim, confirmedAt }) => (confirmedAt <= instant ? [claim] : []))
  }

  /** Interrupts a job without waiting for its end; a job that runs in a batch goes on and cannot save anything. */
  stop(claim: Claim): Effect.Effect<void> {
    const job = this.#jobs.get(claim.id)
    if (job === undefined) return Effect.void
    if (job.isAlone) return Effect.asVoid(Fiber.interruptFork(job.fiber))
    this.#jobs.delete(claim.id)
    return Effect.void
  }
}
