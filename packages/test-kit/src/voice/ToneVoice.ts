/**
 * A voice for tests: every byte of a text (UTF-8) is a pair of tones, one for each half, 40 ms long. It is read back with the
 * Goertzel algorithm, exactly, after mu-law and with noise of up to a third of a tone's amplitude.
 */
import { type Transcribe, Transcriber, TranscriptionFailed, Voice } from "@earshot/core"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

const { SAMPLE_RATE, encodeMulaw, samplesOf } = Voice

export const TONE_MILLIS = 40
const WAV_HEADER = 44
const SYMBOL = samplesOf(TONE_MILLIS)
/** The middle of a symbol, so that its edges may be found up to 10 ms early or late. */
const WINDOW = SYMBOL / 2
const AMPLITUDE = 6000
/** Mean square of a pair of tones. */
export const TONE_POWER = AMPLITUDE ** 2
/** Multiples of the window's resolution of 50 Hz, within the band of a telephone. */
const low = (half: number): number => 300 + 100 * half
const high = (half: number): number => 1900 + 100 * half

const wave = (hertz: number, at: number): number => Math.sin((2 * Math.PI * hertz * at) / SAMPLE_RATE)

/** A text as mu-law audio; 25 bytes a second, without silence around them. */
export const speakTones = (text: string): Uint8Array => {
  const bytes = Buffer.from(text)
  const samples = new Int16Array(bytes.length * SYMBOL)
  for (let at = 0; at < samples.length; at++) {
    const byte = bytes[Math.floor(at / SYMBOL)] ?? 0
    samples[at] = Math.round(AMPLITUDE * (wave(low(byte >> 4), at) + wave(high(byte & 15), at)))
  }
  return encodeMulaw(samples)
}

/** Text to speech in tones, whatever the voice and the speed. */
export const toneTextToSpeech: Layer.Layer<Voice.TextToSpeech> = Layer.succeed(Voice.TextToSpeech, {
  identity: "tones",
  speak: ({ text }) =>
    text.trim() === ""
      ? Stream.fail(new Voice.SpeechFailed({ reason: "the text to speak is empty." }))
      : Stream.sync(() => speakTones(text))
})

/** Reads what a recording of one side says in tones: WAV of 8 kHz, 16 bits, as runs by voice are transcribed. */
const transcribeTones: Transcribe = ({ content }) =>
  Stream.runCollect(content).pipe(
    Effect.mapError(({ message }) => new TranscriptionFailed({ reason: message })),
    Effect.map((chunks) => {
      const wav = Buffer.concat(Chunk.toReadonlyArray(chunks))
      const samples = Int16Array.from({ length: (wav.length - WAV_HEADER) / 2 }, (_, at) =>
        wav.readInt16LE(WAV_HEADER + 2 * at)
      )
      const content = readTones(encodeMulaw(samples))
      const turn = { speaker: "main_agent", content, startTime: undefined, endTime: undefined, words: [] } as const
      return { _tag: "RawTranscript", turns: content === "" ? [] : [turn], toolCalls: [] }
    })
  )

export const toneTranscriber: Layer.Layer<Transcriber> = Layer.succeed(Transcriber, {
  transcribe: Option.some(transcribeTones)
})

/** The power of a frequency in samples, by the Goertzel algorithm. */
const powerOf = (samples: Int16Array, hertz: number): number => {
  const coefficient = 2 * Math.cos((2 * Math.PI * hertz) / SAMPLE_RATE)
  let before = 0
  let last = 0
  for (const sample of samples) {
    const next = sample + coefficient * last - before
    before = last
    last = next
  }
  return last * last + before * before - coefficient * last * before
}

const strongest = (samples: Int16Array, frequency: (half: number) => number): number => {
  let best = 0
  let most = -1
  for (let half = 0; half < 16; half++) {
    const power = powerOf(samples, frequency(half))
    if (power > most) {
      most = power
      best = half
    }
  }
  return best
}

/** Windows of this size find where tones begin and end. */
const STEP = samplesOf(2.5)
/** Mean square of a window that is a tone: a quarter of its power. */
const LOUD = AMPLITUDE ** 2 / 4
const GAP = samplesOf(30)

/** Where tones are without a gap. */
const stretches = (samples: Int16Array): ReadonlyArray<{ from: number; to: number }> => {
  const found: Array<{ from: number; to: number }> = []
  for (let from = 0; from + STEP <= samples.length; from += STEP) {
    let sum = 0
    for (let at = from; at < from + STEP; at++) sum += (samples[at] ?? 0) ** 2
    if (sum / STEP < LOUD) continue
    const last = found.at(-1)
    if (last !== undefined && from - last.to < GAP) last.to = from + STEP
    else found.push({ from, to: from + STEP })
  }
  return found
}

/** The text that audio says; stretches that a pause divides are divided by a space. */
export const readTones = (audio: Uint8Array): string => {
  const samples = Voice.decodeMulaw(audio)
  return stretches(samples)
    .map(({ from, to }) => {
      const bytes = Array.from({ length: Math.round((to - from) / SYMBOL) }, (_, symbol) => {
        const start = from + symbol * SYMBOL + (SYMBOL - WINDOW) / 2
        const middle = samples.subarray(start, start + WINDOW)
        return (strongest(middle, low) << 4) | strongest(middle, high)
      })
      return Buffer.from(bytes).toString()
    })
    .filter((text) => text !== "")
    .join(" ")
}
