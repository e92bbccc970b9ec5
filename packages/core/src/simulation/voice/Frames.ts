/** The plan by which a caller's audio is sent: one frame every 20 ms from the start of the call. */
import { FRAME_MILLIS, FRAME_SAMPLES, silenceOf } from "./Audio.js"

/** When a frame is due, in milliseconds from the start of the call; the first one is frame 0. */
export const frameDueAt = (frame: number): number => frame * FRAME_MILLIS

/** Frames that are due and not sent. A sender that was held up sends all that it missed, so that no delay adds up. */
export const framesDue = (elapsedMillis: number, sent: number): number =>
  Math.max(0, Math.floor(elapsedMillis / FRAME_MILLIS) + 1 - sent)

/** Audio in frames; the last one is filled with silence. */
export const framesOf = (audio: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(audio.length / FRAME_SAMPLES) }, (_, frame) => {
    const part = audio.subarray(frame * FRAME_SAMPLES, (frame + 1) * FRAME_SAMPLES)
    if (part.length === FRAME_SAMPLES) return part
    const filled = silenceOf(FRAME_SAMPLES)
    filled.set(part)
    return filled
  })
