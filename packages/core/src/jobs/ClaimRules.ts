/** How the free capacity of a process is divided between the organizations whose jobs are due. */
import type { OrganizationId } from "../kernel/Ids.js"

/** How many jobs of a kind a process runs at a time. */
export interface Capacity {
  readonly concurrency: number
  /**
   * Jobs beyond `concurrency`, one each for organizations that run none. Without it the long jobs of one organization would
   * delay all others.
   */
  readonly reserve: number
}

/** The most jobs of an organization that are to be claimed. */
export interface Quota {
  readonly organizationId: OrganizationId
  readonly limit: number
}

const total = (counts: Iterable<number>): number => {
  let sum = 0
  for (const count of counts) sum += count
  return sum
}

/** How many further organizations could be given a job; asking storage for more of them would be useless. */
export const claimableOrganizations = (
  { concurrency, reserve }: Capacity,
  running: ReadonlyMap<OrganizationId, number>
): number => Math.max(0, concurrency + reserve - total(running.values()))

/**
 * Divides the free capacity between organizations with due jobs, given in the order of their turns: each job goes to the
 * organization that then runs the fewest, and to the first of several. What an organization cannot use is divided at the
 * next claim. Organizations without a quota are left out.
 */
export const quotasOf = (
  capacity: Capacity,
  running: ReadonlyMap<OrganizationId, number>,
  waiting: ReadonlyArray<OrganizationId>
): ReadonlyArray<Quota> => {
  const runs = waiting.map((id) => running.get(id) ?? 0)
  const given = waiting.map(() => 0)
  let count = total(running.values())
  const give = (position: number): void => {
    given[position] = (given[position] ?? 0) + 1
    runs[position] = (runs[position] ?? 0) + 1
    count++
  }
  const fewest = (): number => runs.indexOf(runs.reduce((least, one) => Math.min(least, one), Infinity))
  while (waiting.length > 0 && count < capacity.concurrency) give(fewest())
  for (let i = 0; i < waiting.length && count < capacity.concurrency + capacity.reserve; i++) {
    if (runs[i] === 0) give(i)
  }
  return waiting.flatMap((organizationId, i) => {
    const limit = given[i] ?? 0
    return limit === 0 ? [] : [{ organizationId, limit }]
  })
}
