import * as Context from "effect/Context"

/** What this process's worker did with the jobs of one kind since the process started. */
export interface KindActivity {
  readonly claimed: number
  /** Attempts that ended, and the seconds they took together; the jobs of a batch count with its whole time. */
  readonly ended: number
  readonly seconds: number
  readonly retried: number
  readonly dead: number
  readonly lostLeases: number
}

const NOTHING: KindActivity = { claimed: 0, ended: 0, seconds: 0, retried: 0, dead: 0, lostLeases: 0 }

const makeActivity = () => {
  const kinds = new Map<string, KindActivity>()
  const change = (kind: string, by: (activity: KindActivity) => Partial<KindActivity>): void => {
    const activity = kinds.get(kind) ?? NOTHING
    kinds.set(kind, { ...activity, ...by(activity) })
  }
  return {
    claimed: (kind: string, count: number): void => {
      if (count > 0) change(kind, ({ claimed }) => ({ claimed: claimed + count }))
    },
    ended: (kind: string, duration: number): void => {
      change(kind, ({ ended, seconds }) => ({ ended: ended + 1, seconds: seconds + duration }))
    },
    failed: (kind: string, as: "retried" | "dead"): void => {
      change(kind, (activity) => ({ [as]: activity[as] + 1 }))
    },
    lostLease: (kind: string): void => {
      change(kind, ({ lostLeases }) => ({ lostLeases: lostLeases + 1 }))
    },
    byKind: (): ReadonlyMap<string, KindActivity> => kinds
  }
}

/** Counts what this process's workers do, for metrics. */
export class JobActivity extends Context.Reference<JobActivity>()("@earshot/core/jobs/JobActivity", {
  defaultValue: makeActivity
}) {}
