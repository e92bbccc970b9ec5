/** Impairments of the audio that an agent hears of a caller, over frames and their positions in the call. Pure. */
import type { CallerLine } from "../../catalog/VoiceBehavior.js"
import { encodeMulaw, FRAME_MILLIS, FRAME_SAMPLES, sampleOf, silenceOf } from "./Audio.js"
import { chance } from "./Chance.js"

/** A line with what is drawn and synthesized for it. */
export interface ImpairedLine extends CallerLine {
  readonly seed: number
  /** What the second talker says, as mu-law; it is repeated. Without a sample, nothing. */
  readonly secondTalker: Uint8Array
}

/** What a second talker says. */
export const SECOND_TALKER =
  "So I told her that we would be there by six, and then the train was late again, and nobody had a key. Anyway, what do you want to eat tonight?"

const FULL_SCALE = 32_768

const factorOf = (decibels: number): number => 10 ** (decibels / 20)

/** What is heard of a frame: the caller's and the second talker's voice, amplified, and noise; or silence where it is lost. */
export const impaired = (line: ImpairedLine, frame: Uint8Array, index: number): Uint8Array => {
  const { gain_db: gain, noise_db: noise, second_talker_db: talker, secondTalker, seed } = line
  if (line.packet_loss > 0 && chance(seed, "loss", index) < line.packet_loss) return silenceOf(frame.length)
  const hasTalker = talker !== null && secondTalker.length > 0
  if (gain === 0 && noise === null && !hasTalker) return frame
  const factor = factorOf(gain)
  const talkerFactor = hasTalker ? factorOf(talker) : 0
  // Uniform noise of this amplitude has the level as its root mean square.
  const amplitude = noise === null ? 0 : FULL_SCALE * factorOf(noise) * Math.sqrt(3)
  const samples = new Float64Array(frame.length)
  for (let at = 0; at < frame.length; at++) {
    const position = index * FRAME_SAMPLES + at
    const other = hasTalker ? sampleOf(secondTalker[position % secondTalker.length] ?? 0) * talkerFactor : 0
    const hiss = amplitude === 0 ? 0 : (2 * chance(seed, "noise", position) - 1) * amplitude
    const sum = (sampleOf(frame[at] ?? 0) + other) * factor + hiss
    samples[at] = Math.max(-FULL_SCALE, Math.min(Math.round(sum), FULL_SCALE - 1))
  }
  return encodeMulaw(samples)
}

/** Frames on their way. */
export interface Transit {
  readonly sent: number
  /** Where the last frame arrives, counted in frames: none overtakes another. */
  readonly lastDue: number
  readonly held: ReadonlyArray<{ readonly due: number; readonly frame: Uint8Array }>
}

export const noTransit: Transit = { sent: 0, lastDue: 0, held: [] }

/** Sends the next frame; the frames that arrive at its time, in their order. */
export const transmit = (
  { jitter_ms: jitter, seed }: ImpairedLine,
  transit: Transit,
  frame: Uint8Array
): { readonly transit: Transit; readonly arrived: ReadonlyArray<Uint8Array> } => {
  const { held, lastDue, sent } = transit
  const late = Math.round((chance(seed, "jitter", sent) * jitter) / FRAME_MILLIS)
  const due = Math.max(lastDue, sent + late)
  const all = [...held, { due, frame }]
  return {
    transit: { sent: sent + 1, lastDue: due, held: all.filter((one) => one.due > sent) },
    arrived: all.flatMap((one) => (one.due <= sent ? [one.frame] : []))
  }
}
