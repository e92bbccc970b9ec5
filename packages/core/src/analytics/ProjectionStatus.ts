/** Where the projection of calls in a column store stands, as the primary database knows it. */
export interface ProjectionStatus {
  /** Identifies the primary database to the column store: see `ColumnStore.prepare`. Null before the first use. */
  readonly installation: string | null
  /** Whether changes are recorded. */
  readonly recording: boolean
  /** The generation of the column store's tables that changes are applied to; null if a rebuild was requested. */
  readonly generation: string | null
  /** Null unless a rebuild is in progress: the last call's id that was copied, and the last that is to be. */
  readonly rebuild: { readonly done: number; readonly of: number } | null
  /** The lowest and highest ids of changes that are not applied yet. */
  readonly pending: { readonly first: number; readonly last: number } | null
  /** When a process last had everything applied or applied something, epoch milliseconds by the database's clock. */
  readonly activeAt: number
  /** Whether a process holds the lease. */
  readonly leased: boolean
  /** When the first and the last change were applied whose values are still in files; null if there is none. */
  readonly unerased: { readonly first: number; readonly last: number } | null
  /** The time by the database's clock, epoch milliseconds. */
  readonly now: number
}
