/**
 * Timing metrics computed on a grid of milliseconds, without segments, sweeps or floating-point times. Source:
 * docs/metrics.md, What formulas measure.
 */
import type { FormulaName, Speaker } from "@earshot/core"
import * as fc from "fast-check"

export interface GridWord {
  /** Milliseconds from the start of the call. */
  readonly start: number
  readonly length: number
}

/** A turn of at least one millisecond. */
export interface GridTurn {
  readonly speaker: Speaker
  readonly start: number
  readonly end: number
  /** Its words; without times the turn has only its own. */
  readonly words: ReadonlyArray<GridWord>
  readonly hasWordTimes: boolean
}

const PAUSE = 500
const OVERLAP = 200
const BACKCHANNEL_WORDS = 2
const BACKCHANNEL = 1000
const LONG_SILENCE = 3000
const LONGEST_SILENCE = 10_000
const LONGEST_WAIT = 10_000

/** A stretch of milliseconds in which one speaker speaks, and the words that begin in it. */
interface Stretch {
  readonly start: number
  readonly end: number
  readonly words: number
}

const stretchesOf = (spoken: Uint8Array, wordsAt: ReadonlyMap<number, number>): ReadonlyArray<Stretch> => {
  const found: Array<{ start: number; end: number; words: number }> = []
  spoken.forEach((is, at) => {
    if (is === 0) return
    const last = found.at(-1)
    if (last?.end === at) last.end = at + 1
    else found.push({ start: at, end: at + 1, words: 0 })
    const current = found.at(-1)
    if (current !== undefined) current.words += wordsAt.get(at) ?? 0
  })
  return found
}

/** Whom the grid says to speak in each millisecond. */
const gridOf = (turns: ReadonlyArray<GridTurn>, speaker: Speaker, end: number) => {
  const spoken = new Uint8Array(end)
  const wordsAt = new Map<number, number>()
  const say = (at: number, count: number) => wordsAt.set(at, (wordsAt.get(at) ?? 0) + count)
  for (const turn of turns.filter((one) => one.speaker === speaker)) {
    const own = new Uint8Array(end)
    own.fill(1, turn.start, turn.end)
    if (turn.hasWordTimes && turn.words.length > 1) {
      const voiced = new Uint8Array(end)
      for (const word of turn.words) voiced.fill(1, word.start, word.start + word.length)
      for (let at = turn.start; at < turn.end; at++) {
        if (voiced[at] === 1) continue
        let until = at
        while (until < turn.end && voiced[until] === 0) until++
        // Before the first word and after the last one the turn's own times count.
        if (at > turn.start && until < turn.end && until - at >= PAUSE) own.fill(0, at, until)
        at = until
      }
      for (const word of turn.words) say(word.start, 1)
    } else {
      say(turn.start, turn.words.length)
    }
    own.forEach((is, at) => {
      if (is === 1) spoken[at] = 1
    })
  }
  return { spoken, stretches: stretchesOf(spoken, wordsAt) }
}

const isSilent = (spoken: Uint8Array, from: number, to: number): boolean => !spoken.subarray(from, to).includes(1)

const lengthOf = (one: { readonly start: number; readonly end: number }): number => one.end - one.start

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, one) => total + one, 0)

const mean = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : sum(values) / values.length

/** What each timing metric is of a conversation in which both speak; null for no value. */
export const timingsOf = (
  turns: ReadonlyArray<GridTurn>,
  durationMillis: number
): ReadonlyMap<FormulaName, number | boolean | null> => {
  const end = Math.max(...turns.map((one) => one.end))
  const agent = gridOf(turns, "main_agent", end)
  const user = gridOf(turns, "testing_agent", end)

  const latencies = agent.stretches.flatMap((answer) => {
    const before = user.stretches.findLast((one) => one.start < answer.start)
    if (before === undefined || !isSilent(agent.spoken, before.end, answer.start)) return []
    const isEarly = before.end - answer.start < OVERLAP && answer.end > before.end
    return answer.start >= before.end || isEarly ? [answer.start - before.end] : []
  })

  const interruptions = (by: typeof agent, of: typeof agent) =>
    by.stretches.flatMap((one) => {
      const cut = of.stretches.find((other) => other.start < one.start && one.start < other.end)
      if (cut === undefined || (one.words <= BACKCHANNEL_WORDS && lengthOf(one) < BACKCHANNEL)) return []
      return Math.min(one.end, cut.end) - one.start >= OVERLAP ? [{ at: one.start, cut }] : []
    })
  const byAgent = interruptions(agent, user)
  const byUser = interruptions(user, agent)

  const anybody = agent.spoken.map((is, at) => is | (user.spoken[at] ?? 0))
  const both = agent.spoken.map((is, at) => is & (user.spoken[at] ?? 0))
  const first = anybody.indexOf(1)
  const minutes = (end - first) / 60_000
  const count = (grid: Uint8Array) => grid.reduce((total, is) => total + is, 0)
  const silences = stretchesOf(
    anybody.map((is, at) => (at > first && is === 0 ? 1 : 0)),
    new Map()
  )
  const waits = [...silences, ...(durationMillis > end ? [{ start: end, end: durationMillis, words: 0 }] : [])].filter(
    ({ start }) => user.spoken[start - 1] === 1
  )

  const monologues = agent.stretches.flatMap((from, at) =>
    agent.stretches.slice(at).flatMap((to) => {
      const isAlone = !user.stretches.some(({ start }) => start >= from.start && start < to.start)
      const pauses = Array.from({ length: to.start - from.start }, (_, step) => from.start + step)
      const isUserSilent = pauses.every((moment) => agent.spoken[moment] === 1 || user.spoken[moment] === 0)
      return isAlone && isUserSilent ? [to.end - from.start] : []
    })
  )

  return new Map<FormulaName, number | boolean | null>([
    ["latency_ms", mean(latencies)],
    ["time_to_first_word_ms", agent.stretches[0]?.start ?? null],
    ["ai_interrupting_user", byAgent.length],
    ["user_interrupting_ai", byUser.length],
    ["interruption_score", 1 - new Set(byAgent.map(({ cut }) => cut)).size / user.stretches.length],
    ["interruption_rate", (byAgent.length + byUser.length) / minutes],
    ["stop_time_ms", mean(byUser.map(({ at, cut }) => cut.end - at))],
    ["overlap_ratio", count(both) / count(anybody)],
    ["talk_ratio", count(agent.spoken) / (count(agent.spoken) + count(user.spoken))],
    ["dead_air_ratio", sum(silences.map(lengthOf)) / (end - first)],
    ["silence_detection", silences.every((one) => lengthOf(one) <= LONGEST_SILENCE)],
    ["excessive_silence", silences.filter((one) => lengthOf(one) > LONG_SILENCE).length],
    ["infrastructure_issues", waits.every((one) => lengthOf(one) <= LONGEST_WAIT)],
    ["longest_monologue_s", Math.max(...monologues) / 1000]
  ])
}

const word = fc.record({
  gap: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 300 }) },
    { weight: 1, arbitrary: fc.constantFrom(499, 500, 501, 2000, 3000, 3001) }
  ),
  length: fc.integer({ min: 1, max: 400 })
})

/** How a turn begins in relation to the one before it, in milliseconds from its end or its start. */
const meeting = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 100, max: 2500 }).map((gap) => ({ from: "end", gap }) as const) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(-600, -201, -200, -199, -1, 0, 1).map((gap) => ({ from: "end", gap }) as const)
  },
  { weight: 1, arbitrary: fc.constantFrom(10_000, 10_001, 12_000).map((gap) => ({ from: "end", gap }) as const) },
  // A tie, and a start soon after the other's.
  { weight: 2, arbitrary: fc.constantFrom(0, 1, 250, 900).map((gap) => ({ from: "start", gap }) as const) }
)

const plannedTurn = fc.record({
  speaker: fc.constantFrom<Speaker>("main_agent", "testing_agent"),
  meeting,
  words: fc.oneof(
    { weight: 3, arbitrary: fc.array(word, { minLength: 1, maxLength: 12 }) },
    // What may be a back-channel.
    { weight: 2, arbitrary: fc.array(word, { minLength: 1, maxLength: 3 }) }
  ),
  hasWordTimes: fc.boolean(),
  /** Silence that the turn's own times contain before its first word and after its last. */
  margins: fc.tuple(fc.constantFrom(0, 0, 50, 700), fc.constantFrom(0, 0, 50, 700))
})

/** Conversations in which both speak, with overlaps, ties, pauses and back-channels, and how long their calls last. */
export const gridConversation: fc.Arbitrary<{
  readonly turns: ReadonlyArray<GridTurn>
  readonly durationMillis: number
}> = fc
  .record({
    planned: fc.array(plannedTurn, { minLength: 2, maxLength: 10 }),
    after: fc.constantFrom(0, 500, 10_000, 10_001)
  })
  .map(({ after, planned }) => {
    const turns: Array<GridTurn> = []
    for (const { hasWordTimes, margins, meeting: how, speaker, words } of planned) {
      const last = turns.at(-1)
      const start = Math.max(0, (last === undefined ? 100 : how.from === "end" ? last.end : last.start) + how.gap)
      let at = start + margins[0]
      const timed = words.map(({ gap, length }, place) => {
        const from = at + (place === 0 ? 0 : gap)
        at = from + length
        return { start: from, length }
      })
      turns.push({ speaker, start, end: at + margins[1], words: timed, hasWordTimes })
    }
    return { turns, durationMillis: Math.max(...turns.map(({ end }) => end)) + after }
  })
  .filter(({ turns }) => new Set(turns.map(({ speaker }) => speaker)).size === 2)
