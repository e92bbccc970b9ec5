/** Whether what happened at once could have happened one after the other. */

/** What a model makes of one step: the state after it, and what is answered. */
export interface Transition<State, Answer> {
  readonly state: State
  readonly answer: Answer
}

export interface History<State, Step, Answer> {
  readonly initial: State
  /** What was asked at once, each with what was answered. */
  readonly operations: ReadonlyArray<{ readonly step: Step; readonly answer: Answer }>
  /** Whether a state of the model is the one that was found in the end. */
  readonly isFinal: (state: State) => boolean
  readonly apply: (state: State, step: Step) => Transition<State, Answer>
  readonly isSame: (one: Answer, other: Answer) => boolean
}

/**
 * The steps in an order in which the model answers what was answered and ends as it was found, or undefined where there
 * is none: then the outcome is one that no order of the same requests has. All orders are tried, so that six steps are
 * about as many as it should be asked of.
 */
export const linearization = <State, Step, Answer>(
  history: History<State, Step, Answer>
): ReadonlyArray<Step> | undefined => {
  const { apply, operations: coverage, initial, isFinal, isSame } = history
  const search = (state: State, left: typeof coverage, taken: ReadonlyArray<Step>): ReadonlyArray<Step> | undefined => {
    if (left.length === 0) return isFinal(state) ? taken : undefined
    for (const [at, next] of left.entries()) {
      const stepped = apply(state, next.step)
      if (!isSame(stepped.answer, next.answer)) continue
      const found = search(stepped.state, left.toSpliced(at, 1), [...taken, next.step])
      if (found !== undefined) return found
    }
    return undefined
  }
  return search(initial, coverage, [])
}
