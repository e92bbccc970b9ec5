/** What a caller hears of a call: latencies, interruptions and silence, from what was sent and what was played. Pure. */
import type { TimeSpan } from "./VoiceActivity.js"

/** What the testing agent said, from its first to its last audible sample. */
export interface CallerTurn extends TimeSpan {
  /** `noise` is no turn, such as a back-channel: an agent should not stop for it. */
  readonly kind: "speech" | "noise"
}

/** A call as it was heard, in milliseconds from its start. */
export interface MeasuredCall {
  readonly caller: ReadonlyArray<CallerTurn>
  /** The agent's speech as it was played. */
  readonly agent: ReadonlyArray<TimeSpan>
  /** When the agent cleared its queue. */
  readonly clears: ReadonlyArray<number>
  readonly durationMillis: number
}

export interface Answer {
  /** The position of the turn in `caller`. */
  readonly turn: number
  /** From the end of the turn to the agent's onset; negative if the agent began before the end. */
  readonly latencyMillis: number
}

export interface BargeIn {
  readonly turn: number
  /** From the caller's onset to the end of the agent's speech. */
  readonly stopMillis: number
  /** `cleared`: the agent cut its speech; `drained`: it was played to its end. */
  readonly how: "cleared" | "drained"
}

export interface VoiceMeasures {
  /** From the start of the call to the agent's first onset; null if it was never heard. */
  readonly timeToFirstAudioMillis: number | null
  readonly answers: ReadonlyArray<Answer>
  /** Turns in which the caller began while the agent spoke. */
  readonly bargeIns: ReadonlyArray<BargeIn>
  /** Noise for which the agent cut its speech. */
  readonly falseBargeIns: ReadonlyArray<BargeIn>
  readonly talkOverMillis: number
  /** Silence of both sides for at least `DEAD_AIR_MILLIS`. */
  readonly deadAir: ReadonlyArray<TimeSpan>
}

/** The shortest silence of both sides that counts as dead air. */
export const DEAD_AIR_MILLIS = 3000

/** Most milliseconds between a clear and the end of the speech that it cut: two windows of voice activity. */
const CUT_MILLIS = 20

const overlap = (a: TimeSpan, b: TimeSpan): number => Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start))

const bargeInOf = ({ agent, clears }: MeasuredCall, turn: CallerTurn, index: number): BargeIn | undefined => {
  const isCleared = (end: number): boolean => clears.some((at) => at >= turn.start && Math.abs(at - end) <= CUT_MILLIS)
  // Speech that is cut at the caller's onset may end in the window before it.
  const cut = agent.find(({ end, start }) => start < turn.start && (turn.start < end || isCleared(end)))
  return cut === undefined
    ? undefined
    : {
        turn: index,
        stopMillis: Math.max(0, cut.end - turn.start),
        how: isCleared(cut.end) ? "cleared" : "drained"
      }
}

const silences = (spans: ReadonlyArray<TimeSpan>, durationMillis: number): ReadonlyArray<TimeSpan> => {
  const found: Array<TimeSpan> = []
  let spokenUntil = 0
  for (const { end, start } of spans.toSorted((a, b) => a.start - b.start)) {
    if (start - spokenUntil >= DEAD_AIR_MILLIS) found.push({ start: spokenUntil, end: start })
    spokenUntil = Math.max(spokenUntil, end)
  }
  return durationMillis - spokenUntil >= DEAD_AIR_MILLIS
    ? [...found, { start: spokenUntil, end: durationMillis }]
    : found
}

export const measureCall = (call: MeasuredCall): VoiceMeasures => {
  const { agent, caller, durationMillis } = call
  const spoken = caller.flatMap((turn, index) => (turn.kind === "speech" ? [{ turn, index }] : []))
  const answers = spoken.flatMap(({ index, turn }, place) => {
    const next = spoken[place + 1]?.turn.start ?? Number.POSITIVE_INFINITY
    const onset = agent.find(({ start }) => start >= turn.start && start < next)
    return onset === undefined ? [] : [{ turn: index, latencyMillis: onset.start - turn.end }]
  })
  const bargeIns = caller.map((turn, index) => bargeInOf(call, turn, index))
  const ofKind = (kind: CallerTurn["kind"]): ReadonlyArray<BargeIn> =>
    bargeIns.flatMap((found) => (found !== undefined && caller[found.turn]?.kind === kind ? [found] : []))
  return {
    timeToFirstAudioMillis: agent[0]?.start ?? null,
    answers,
    bargeIns: ofKind("speech"),
    falseBargeIns: ofKind("noise").filter(({ how }) => how === "cleared"),
    talkOverMillis: spoken.reduce(
      (sum, { turn }) => sum + agent.reduce((all, span) => all + overlap(turn, span), 0),
      0
    ),
    deadAir: silences([...spoken.map(({ turn }) => turn), ...agent], durationMillis)
  }
}
