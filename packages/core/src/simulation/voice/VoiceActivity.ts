/** Where somebody speaks in a track, by energy in windows of 10 ms. Pure. */
import { millisOf, sampleOf, SAMPLES_PER_MILLI } from "./Audio.js"

/** A stretch of a call. */
export interface TimeSpan {
  /** Milliseconds from the start of the call. */
  readonly start: number
  readonly end: number
}

export interface ActivityOptions {
  /** Root mean square of a window from which it counts as speech, in decibels relative to full scale. Default: -40. */
  readonly thresholdDb?: number
  /** Quiet milliseconds that are bridged: a longer pause ends the speech. Default: 250. */
  readonly hangoverMillis?: number
  /** Shorter sounds are no speech. Default: 30 milliseconds. */
  readonly minMillis?: number
}

const ACTIVITY_DEFAULTS = { thresholdDb: -40, hangoverMillis: 250, minMillis: 30 } as const

const WINDOW_SAMPLES = 10 * SAMPLES_PER_MILLI

export interface Activity {
  /** Speech that has ended, in order. */
  readonly spans: ReadonlyArray<TimeSpan>
  /** Speech that may go on; its end is that of its last window above the threshold. */
  readonly open: TimeSpan | null
  /** Samples that were listened to. */
  readonly position: number
}

export const noActivity: Activity = { spans: [], open: null, position: 0 }

const isLoud = (audio: Uint8Array, from: number, to: number, power: number): boolean => {
  let sum = 0
  for (let at = from; at < to; at++) {
    const sample = sampleOf(audio[at] ?? 0)
    sum += sample * sample
  }
  return sum >= power * (to - from)
}

/** Listens to the audio that follows, in whole windows of 80 samples; a shorter rest counts as a window. */
export const listen = (activity: Activity, audio: Uint8Array, options: ActivityOptions = {}): Activity => {
  const { hangoverMillis, minMillis, thresholdDb } = { ...ACTIVITY_DEFAULTS, ...options }
  const power = (32_768 * 10 ** (thresholdDb / 20)) ** 2
  const ended: Array<TimeSpan> = []
  let { open } = activity
  for (let from = 0; from < audio.length; from += WINDOW_SAMPLES) {
    const to = Math.min(from + WINDOW_SAMPLES, audio.length)
    const start = millisOf(activity.position + from)
    const end = millisOf(activity.position + to)
    if (isLoud(audio, from, to, power)) {
      open = { start: open?.start ?? start, end }
    } else if (open !== null && end - open.end > hangoverMillis) {
      if (open.end - open.start >= minMillis) ended.push(open)
      open = null
    }
  }
  return {
    spans: ended.length === 0 ? activity.spans : [...activity.spans, ...ended],
    open,
    position: activity.position + audio.length
  }
}

/** All speech of a track. */
export const spansOf = ({ open, spans }: Activity, { minMillis }: ActivityOptions = {}): ReadonlyArray<TimeSpan> =>
  open !== null && open.end - open.start >= (minMillis ?? ACTIVITY_DEFAULTS.minMillis) ? [...spans, open] : spans
