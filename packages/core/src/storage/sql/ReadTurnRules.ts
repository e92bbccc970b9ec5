/** Which of the reads that wait is next. */

/**
 * What a read is for. Lists are waited for by people and short, exports by programs and long. A dashboard is all of its
 * charts.
 */
export type ReadKind = "list" | "chart" | "dashboard" | "export"

/** A read that waits or runs. */
export interface ReadRequest {
  readonly kind: ReadKind
  readonly organizationId: number
}

export interface WaitingRead extends ReadRequest {
  /** When it began to wait, in milliseconds of a monotonic clock. */
  readonly since: number
}

/** Most reads that wait at a time; and those of one organization, so that it cannot fill the queue for all others. */
const MAX_WAITING = 200
const MAX_WAITING_OF_ONE = 100

/** How long a read waits for its turn before it fails with `StorageBusy`, in milliseconds. */
export const MAX_WAIT: Readonly<Record<ReadKind, number>> = {
  list: 5000,
  chart: 5000,
  dashboard: 5000,
  export: 30_000
}

/** Whether one more read may wait. */
export const mayWait = (waiting: ReadonlyArray<ReadRequest>, { organizationId }: ReadRequest): boolean =>
  waiting.length < MAX_WAITING &&
  waiting.reduce((count, one) => count + Number(one.organizationId === organizationId), 0) < MAX_WAITING_OF_ONE

const RANKS: Readonly<Record<ReadKind, number>> = { list: 0, chart: 1, dashboard: 1, export: 2 }

/** How long a chart or export waits until it is treated as what comes before it, in milliseconds: nothing waits forever. */
const PROMOTED_AFTER = 1000

/**
 * How many reads of a kind may run at a time out of a number of places: lists may use all, charts and exports together
 * leave one, and exports half.
 */
const placesOf = (kind: ReadKind, places: number): number => {
  switch (kind) {
    case "list":
      return places
    case "chart":
    case "dashboard":
      return Math.max(1, places - 1)
    case "export":
      return Math.max(1, places >> 1)
  }
}

/**
 * The places that one organization may use: from three on it leaves one to the others, whose lists would wait for its longest
 * queries otherwise. With fewer, it would have to wait for its own charts to read a list.
 */
const placesOfOne = (places: number): number => (places < 3 ? places : places - 1)

const hasPlace = (read: ReadRequest, running: ReadonlyArray<ReadRequest>, places: number): boolean => {
  const own = running.filter((one) => one.organizationId === read.organizationId)
  const ownPlaces = placesOfOne(places)
  if (running.length >= places || own.length >= ownPlaces) return false
  if (read.kind === "list") return true
  const longer = (of: ReadonlyArray<ReadRequest>) => of.filter(({ kind }) => kind !== "list").length
  const exports = running.filter(({ kind }) => kind === "export").length
  return (
    longer(running) < placesOf("chart", places) &&
    longer(own) < placesOf("chart", ownPlaces) &&
    (read.kind !== "export" || exports < placesOf("export", places))
  )
}

/**
 * The position of the read that runs next, or undefined if none can: a list before a chart before an export, then those of
 * the organization with the fewest running reads, then in the order of their arrival.
 */
export const nextTurn = (
  waiting: ReadonlyArray<WaitingRead>,
  running: ReadonlyArray<ReadRequest>,
  places: number,
  now: number
): number | undefined => {
  const rank = ({ kind, since }: WaitingRead) =>
    Math.max(0, RANKS[kind] - Math.floor(Math.max(0, now - since) / PROMOTED_AFTER))
  const runningOf = ({ organizationId }: WaitingRead) =>
    running.filter((one) => one.organizationId === organizationId).length
  const isBefore = (one: WaitingRead, other: WaitingRead) =>
    rank(one) - rank(other) || runningOf(one) - runningOf(other) || one.since - other.since
  return waiting.reduce<number | undefined>((best, one, position) => {
    if (!hasPlace(one, running, places)) return best
    const known = best === undefined ? undefined : waiting[best]
    return known === undefined || isBefore(one, known) < 0 ? position : best
  }, undefined)
}
