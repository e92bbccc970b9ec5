/** What a caller of a behavior does beside its script: drawn from the seed and the number of the turn alone. Pure. */
import type { SeededBehavior, VoiceBehavior } from "../../catalog/VoiceBehavior.js"
import { chance } from "./Chance.js"

/** The behavior with a seed: its own, or that of the call. */
export const seeded = (behavior: VoiceBehavior, seedOfCall: number): SeededBehavior => ({
  ...behavior,
  seed: behavior.seed ?? seedOfCall
})

/** A seed from the hexadecimal digits of a call's id. */
export const seedOf = (hex: string): number => Number.parseInt(hex.slice(0, 8), 16) >>> 1

const pick = (phrases: ReadonlyArray<string>, drawn: number): string =>
  phrases[Math.floor(drawn * phrases.length)] ?? ""

/** An interruption of a turn; at the first of its times. */
export interface Interruption {
  readonly phrase: string
  /** Milliseconds of the turn; null where only words decide. */
  readonly afterMillis: number | null
  /** Words of the turn; null where only time decides. */
  readonly afterWords: number | null
}

/** How the agent's turn is interrupted; null if it is not. Turns are counted from 0. */
export const interruptionOf = ({ interrupts, seed }: SeededBehavior, turn: number): Interruption | null =>
  interrupts === null || chance(seed, "interruption", turn) >= interrupts.probability
    ? null
    : {
        phrase: pick(interrupts.phrases, chance(seed, "interruptionPhrase", turn)),
        afterMillis: interrupts.after_seconds === null ? null : interrupts.after_seconds * 1000,
        afterWords: interrupts.after_words
      }

export interface Backchannel {
  readonly phrase: string
  /** Milliseconds of the turn. */
  readonly afterMillis: number
}

/** Positions of back-channels of one turn, more than two minutes have. */
const PLACES = 1024

/** The back-channels in a turn of at most so many milliseconds. */
export const backchannelsOf = (
  { backchannels, seed }: SeededBehavior,
  turn: number,
  maxMillis: number
): ReadonlyArray<Backchannel> => {
  if (backchannels === null) return []
  const every = backchannels.every_seconds * 1000
  return Array.from({ length: Math.min(Math.floor(maxMillis / every), PLACES) }, (_, place) => ({
    position: turn * PLACES + place,
    afterMillis: (place + 1) * every
  })).flatMap(({ afterMillis, position }) =>
    chance(seed, "backchannel", position) < backchannels.probability
      ? [{ phrase: pick(backchannels.phrases, chance(seed, "backchannelPhrase", position)), afterMillis }]
      : []
  )
}

/** Seconds of silence before the caller's answer; null for none. Answers are counted from 0. */
export const silenceBefore = ({ seed, silences }: SeededBehavior, answer: number): number | null =>
  silences === null || chance(seed, "silence", answer) >= silences.probability ? null : silences.seconds

/** Words a second of fast speech: before so many can have been said, they are not counted. */
const FAST_WORDS = 4

/** Milliseconds after which a turn may have so many more words. */
export const millisOfWords = (words: number): number => Math.max(500, (words / FAST_WORDS) * 1000)
