/** How often each kind of event that a model is about occurred; 0 where it never did. */
export type Coverage = ReadonlyMap<string, number>

/** Counts events by kind. All kinds are known beforehand, so that one that never occurs is reported too. */
export class CoverageCounter<Kind extends string> {
  private readonly counts: Map<Kind, number>
  constructor(kinds: ReadonlyArray<Kind>) {
    this.counts = new Map(kinds.map((kind) => [kind, 0]))
  }
  count(...kinds: ReadonlyArray<Kind>): void {
    for (const kind of kinds) this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
  }
  get result(): Coverage {
    return this.counts
  }
}

/**
 * Fails when a kind of event never occurred, since the run then tests nothing of it. It applies to a complete run from
 * the fixed seed: where the environment sets another seed, a number of runs or a replay, it passes.
 */
export const assertCovered = (
  coverage: Coverage,
  environment: Readonly<Record<string, string | undefined>> = process.env
): void => {
  const { EARSHOT_KIT_PATH, EARSHOT_KIT_REPLAY, EARSHOT_KIT_RUNS, EARSHOT_KIT_SEED } = environment
  if ([EARSHOT_KIT_PATH, EARSHOT_KIT_REPLAY, EARSHOT_KIT_RUNS, EARSHOT_KIT_SEED].some((one) => one !== undefined))
    return
  const uncovered = [...coverage].flatMap(([kind, times]) => (times === 0 ? [kind] : []))
  if (uncovered.length > 0) {
    throw new Error(`The model's command sequences never covered: ${uncovered.join("; ")}. Change what they generate.`)
  }
}
