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

/** The end of the last turn or tool call, in seconds; 0 if no times are known. */
export const lastEnd = (of: ReadonlyArray<Pick<Turn, "start_time" | "end_time">>): number =>
  of.reduce((latest, { end_time, start_time }) => Math.max(latest, end_time ?? start_time ?? 0), 0)

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

/** What the transcript shows in its place: a turn by its position, or a tool call by its position. */
export interface Row {
  readonly kind: "turn" | "tool"
  readonly index: number
}

/**
 * Turns in their order, with each tool call before the first turn that begins after it. Tool calls without a time come
 * last.
 */
export const rowsOf = (
  turns: ReadonlyArray<Pick<Turn, "start_time">>,
  tools: ReadonlyArray<{ readonly start_time: number | null }>
): ReadonlyArray<Row> => {
  const waiting = tools
    .map(({ start_time }, index) => ({ at: start_time ?? Infinity, index }))
    .toSorted((one, other) => (one.at === other.at ? one.index - other.index : one.at - other.at))
  const rows: Array<Row> = []
  let next = 0
  const takeBefore = (time: number) => {
    for (let tool = waiting[next]; tool !== undefined && tool.at < time; tool = waiting[++next]) {
      rows.push({ kind: "tool", index: tool.index })
    }
  }
  for (const [index, { start_time }] of turns.entries()) {
    if (start_time !== null) takeBefore(start_time)
    rows.push({ kind: "turn", index })
  }
  for (const { index } of waiting.slice(next)) rows.push({ kind: "tool", index })
  return rows
}

/** The stages of an answer in their order, with their names on the page. */
const STAGES = [
  ["endpointing", "End of turn"],
  ["speech_to_text", "Speech to text"],
  ["model_first_token", "First token"],
  ["text_to_speech_first_byte", "Text to speech"],
  ["tool", "Tool"],
  ["end_to_end", "End to end"]
] as const

export interface Stage {
  readonly name: string
  readonly seconds: number
  /** The platform's name of the value. */
  readonly source: string
}

/** The stages that the platform measured of each turn, by the position of the turn from 0. */
export const stagesByTurn = (
  timings: ReadonlyArray<{
    readonly turn: number
    readonly stages: { readonly [Name in (typeof STAGES)[number][0]]?: Omit<Stage, "name"> }
  }>
): ReadonlyMap<number, ReadonlyArray<Stage>> =>
  new Map(
    timings.map(({ stages, turn }) => [
      turn - 1,
      STAGES.flatMap(([stage, name]) => {
        const measured = stages[stage]
        return measured === undefined ? [] : [{ name, seconds: measured.seconds, source: measured.source }]
      })
    ])
  )

/** Text in parts, of which placeholders of redacted values such as `[PHONE_NUMBER]` are marked. */
export const redactedParts = (text: string): ReadonlyArray<{ readonly text: string; readonly isRedacted: boolean }> =>
  text
    .split(/(\[[A-Z][A-Z_]{2,40}\])/)
    .map((part, index) => ({ text: part, isRedacted: index % 2 === 1 }))
    .filter((part) => part.text !== "")
