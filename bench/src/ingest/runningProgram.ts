/** A server that a benchmark started. */
export interface RunningProgram {
  readonly url: string
  readonly agent: number
  /** The API key that requests must have. */
  readonly key?: string | undefined
  readonly stop: () => Promise<void>
}
