/** Decisions about a projection: whether it may answer a question, how far it lags, when it is tried again. */
import type { Backoff } from "../jobs/Backoff.js"
import type { ProjectionStatus } from "./ProjectionStatus.js"

/** Why the primary database answers a question although there is a column store. */
export type RowStoreReason =
  /** The column store failed, now or a short time ago. */
  | "unavailable"
  /** It does not have all calls yet. */
  | "rebuilding"
  /** Too many changes are not applied yet. */
  | "behind"
  /** The changes committed before the question were not applied within the time that it waits. */
  | "waited"

/** More changes than that are not applied within the time that a question waits. */
const MAX_PENDING = 20_000

/** What a question has to wait for. */
type Readiness =
  | { readonly is: "current" }
  /** All changes of the organization up to this id have to be applied first. */
  | { readonly is: "pending"; readonly upTo: number }
  | { readonly is: "not ready"; readonly why: RowStoreReason }

/**
 * Whether a column store may answer.
 *
 * @param generation that of the tables which would answer
 */
export const readiness = (status: ProjectionStatus, generation: string): Readiness => {
  if (!status.recording || status.generation !== generation || status.rebuild !== null) {
    return { is: "not ready", why: "rebuilding" }
  }
  const { pending } = status
  if (pending === null) return { is: "current" }
  return pendingChanges(status) > MAX_PENDING
    ? { is: "not ready", why: "behind" }
    : { is: "pending", upTo: pending.last }
}

/** About how many changes are not applied yet. */
export const pendingChanges = ({ pending }: Pick<ProjectionStatus, "pending">): number =>
  pending === null ? 0 : pending.last - pending.first + 1

/** Whether the column store has all calls, apart from pending changes. */
export const isComplete = ({ generation, rebuild, recording }: ProjectionStatus): boolean =>
  recording && generation !== null && rebuild === null

/** A moment, and the last change that was recorded before it. */
interface LagMark {
  readonly at: number
  readonly last: number
}

/** Everything recorded before `appliedUntil` is applied; `mark` is what the next such moment depends on. */
export interface Lag {
  readonly appliedUntil: number
  readonly mark: LagMark | null
}

/** The lag after another look at what is pending, at `now`. */
export const nextLag = (lag: Lag, pending: ProjectionStatus["pending"], now: number): Lag => {
  if (pending === null) return { appliedUntil: now, mark: null }
  if (lag.mark === null) return { ...lag, mark: { at: now, last: pending.last } }
  return pending.first > lag.mark.last ? { appliedUntil: lag.mark.at, mark: { at: now, last: pending.last } } : lag
}

/** How long a column store that failed is left alone. */
export const RETRIES: Backoff = { initial: 500, max: 30_000 }

/** Whether values of deleted calls have been in files for so long that they are erased now. */
export const isErasureDue = ({ now, unerased }: ProjectionStatus, afterMillis: number): boolean =>
  unerased !== null && now - unerased.first >= afterMillis

/** The column store of a projection: whose it is, and which of its generations has what was applied. */
type Projected = Pick<ProjectionStatus, "generation" | "installation">

/**
 * What of the stored state holds in the database that it is read from. Identities end in `/` and the timeline. Elsewhere than
 * in `before`, a dump was restored: the column store has another database's calls, and stays that one's. On another timeline,
 * after a failover to a standby or a recovery to a point in time, it may have calls that were lost.
 */
export const stateIn = (
  database: string,
  { generation, installation }: Projected,
  before: string | null
): Projected => {
  if (before === null || before === database) return { generation, installation }
  const place = (identity: string): string => identity.slice(0, identity.lastIndexOf("/"))
  return { generation: null, installation: place(before) === place(database) ? installation : null }
}
