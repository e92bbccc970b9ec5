/** Times of turns, as the pages of calls and runs show them. */

export interface Turn {
  readonly role: string
  readonly content: string
  readonly start_time: number | null
  readonly end_time: number | null
}

/** An answer that takes longer is marked, in seconds. */
export const SLOW_ANSWER = 2

/** Whether the main agent speaks; the other role is the caller. */
export const isAgent = (turn: Turn): boolean => turn.role === "Main Agent" || turn.role === "main_agent"

/** The end of the last turn, in seconds; 0 if no times are known. */
export const lastEnd = (turns: ReadonlyArray<Turn>): number =>
  turns.reduce((latest, { end_time, start_time }) => Math.max(latest, end_time ?? start_time ?? 0), 0)

/**
 * Seconds from the end of the turn before, by the other speaker, to the beginning of this one: negative if they overlap,
 * null if a time is not known or one speaker goes on.
 */
export const gapBefore = (turns: ReadonlyArray<Turn>, index: number): number | null => {
  const [before, turn] = [turns[index - 1], turns[index]]
  if (before === undefined || turn === undefined || isAgent(before) === isAgent(turn)) return null
  return before.end_time === null || turn.start_time === null ? null : turn.start_time - before.end_time
}

/** The turn that is spoken at a time, or the last one that has begun; -1 before the first. */
export const turnAt = (turns: ReadonlyArray<Turn>, seconds: number): number => {
  let found = -1
  for (const [index, { start_time }] of turns.entries()) {
    if (start_time !== null && start_time <= seconds) found = index
  }
  return found
}

/** Text in parts, of which placeholders of redacted values such as `[PHONE_NUMBER]` are marked. */
export const redactedParts = (text: string): ReadonlyArray<{ readonly text: string; readonly isRedacted: boolean }> =>
  text
    .split(/(\[[A-Z][A-Z_]{2,40}\])/)
    .map((part, index) => ({ text: part, isRedacted: index % 2 === 1 }))
    .filter((part) => part.text !== "")
