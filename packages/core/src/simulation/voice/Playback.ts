/**
 * What a telephone plays of the audio that an agent sends. Audio is queued behind what was sent before; `clear` cuts it; a
 * mark is due when everything before it has played. Positions are samples from the start of the call. Pure.
 */

import { silenceOf } from "./Audio.js"

/** Audio, and the position at which it is heard. */
export interface PlayedAudio {
  readonly at: number
  readonly audio: Uint8Array
}

/** The part of a track between two positions, with silence where nothing is. */
export const partOf = (track: ReadonlyArray<PlayedAudio>, from: number, to: number): Uint8Array => {
  const audio = silenceOf(Math.max(0, to - from))
  for (const part of track) {
    if (part.at >= to || part.at + part.audio.length <= from) continue
    const skipped = Math.max(0, from - part.at)
    audio.set(part.audio.subarray(skipped, to - part.at), part.at + skipped - from)
  }
  return audio
}

interface DueMark {
  readonly at: number
  readonly name: string
}

export interface Playback {
  /** Where audio ends that is queued. */
  readonly until: number
  /** Without overlap, in their order. */
  readonly queue: ReadonlyArray<PlayedAudio>
  readonly marks: ReadonlyArray<DueMark>
}

/** Most parts of audio, and most marks, in a queue. */
const MAX_QUEUED = 20_000

export const emptyPlayback: Playback = { until: 0, queue: [], marks: [] }

/** Audio that arrived at a position. */
export const queueAudio = (playback: Playback, now: number, audio: Uint8Array): Playback => {
  const at = Math.max(now, playback.until)
  return audio.length === 0
    ? playback
    : { ...playback, until: at + audio.length, queue: [...playback.queue, { at, audio }] }
}

/** A mark that arrived at a position. */
export const queueMark = (playback: Playback, now: number, name: string): Playback => ({
  ...playback,
  marks: [...playback.marks, { at: Math.max(now, playback.until), name }]
})

/** Drops what was not heard by then; marks behind it are due at once. */
export const clearQueue = (playback: Playback, now: number): Playback => ({
  until: Math.min(playback.until, now),
  queue: playback.queue.flatMap(({ at, audio }) =>
    at >= now ? [] : [{ at, audio: audio.subarray(0, Math.min(audio.length, now - at)) }]
  ),
  marks: playback.marks.map(({ at, name }) => ({ at: Math.min(at, now), name }))
})

/** Samples that are queued and not heard by a position. */
export const queuedSamples = (playback: Playback, now: number): number => Math.max(0, playback.until - now)

/** Whether more parts are queued than are kept. */
export const isOverfull = ({ marks, queue }: Playback): boolean =>
  queue.length > MAX_QUEUED || marks.length > MAX_QUEUED

/** What is heard before a position, the marks that are due by then, and what remains. */
export const playUntil = (
  playback: Playback,
  now: number
): {
  readonly playback: Playback
  readonly played: ReadonlyArray<PlayedAudio>
  readonly marks: ReadonlyArray<string>
} => {
  const started = playback.queue.findIndex(({ at }) => at >= now)
  const count = started === -1 ? playback.queue.length : started
  const played = playback.queue.slice(0, count)
  const later = playback.queue.slice(count)
  const last = played.at(-1)
  const cut = last === undefined ? 0 : now - last.at
  const isCut = last !== undefined && cut < last.audio.length
  return {
    played: isCut ? [...played.slice(0, -1), { at: last.at, audio: last.audio.subarray(0, cut) }] : played,
    marks: playback.marks.flatMap(({ at, name }) => (at <= now ? [name] : [])),
    playback: {
      until: playback.until,
      queue: isCut ? [{ at: now, audio: last.audio.subarray(cut) }, ...later] : later,
      marks: playback.marks.filter(({ at }) => at > now)
    }
  }
}
