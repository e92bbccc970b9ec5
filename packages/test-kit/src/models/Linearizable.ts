/** Linearizability of concurrent operations. */

/** The effect of an operation on the model: the next state and the response. */
export interface Transition<State, Answer> {
  readonly state: State
  readonly answer: Answer
}

export interface History<State, Step, Answer> {
  readonly initial: State
  /** The concurrent operations, each with its response. */
  readonly operations: ReadonlyArray<{ readonly step: Step; readonly answer: Answer }>
  /** Whether a state of the model matches the observed final state. */
  readonly isFinal: (state: State) => boolean
  readonly apply: (state: State, step: Step) => Transition<State, Answer>
  readonly isSame: (one: Answer, other: Answer) => boolean
}

/**
 * The operations in an order in which the model has the same responses and final state, or undefined where there is none:
 * then the history is not linearizable. All orders are tried, so a history should have about six operations at most.
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
