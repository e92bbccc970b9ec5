import { Messages } from "../kernel/FieldErrors.js"
import { isPlainObject } from "../kernel/Json.js"
import type { Decoder } from "./Decoder.js"
import { makeTranscriptBuilder, relativeTime } from "./TranscriptBuilder.js"
import { MAX_WORDS } from "./Limits.js"
import {
  envelope,
  joinPath,
  listOf,
  type PayloadErrors,
  readRows,
  type Row,
  wordOf,
  wordTimesOf
} from "./PayloadReader.js"
import type { Word } from "./Transcript.js"

/**
 * `provider_c`: a flat list of words `{word, start, end, speaker, punctuated_word, confidence}` in seconds, as written by
 * speech recognition with diarization; `{words}` around it; or the whole response
 * `{results: {channels: [{alternatives: [{words}]}]}}`, where with two or more channels the channel is the speaker and
 * the words are put in the order of their starts.
 *
 * Consecutive words of one speaker are one turn, its text the punctuated words. The speaker whose number is
 * `main_agent_channel_index` is the main agent (default: the first speaker); all others are the testing agent.
 * A word without a speaker is an error.
 * Source: the provider's public API.
 */
export const decode: Decoder = (input, context) => {
  const builder = makeTranscriptBuilder()
  const { errors } = builder
  const words = readWords(errors, input)
  const mainAgent = context?.mainAgentChannelIndex ?? words[0]?.speaker
  const flush = (words: ReadonlyArray<Word>, speaker: number): void => {
    const { endTime, startTime } = wordTimesOf(words)
    builder.addTurn({
      speaker: speaker === mainAgent ? "main_agent" : "testing_agent",
      content: words.map((word) => word.text).join(" "),
      start: relativeTime(startTime, ""),
      end: relativeTime(endTime, ""),
      words
    })
  }
  let turn: Array<Word> = []
  words.forEach(({ speaker, word }, index) => {
    turn.push(word)
    if (words[index + 1]?.speaker !== speaker) {
      flush(turn, speaker)
      turn = []
    }
  })
  return builder.finish()
}

interface SpokenWord {
  readonly speaker: number
  readonly word: Word
}

const readWords = (errors: PayloadErrors, input: unknown): ReadonlyArray<SpokenWord> => {
  if (!isPlainObject(input)) return readList(errors, input, "", undefined)
  envelope(errors, input, "")
  if (input.results === undefined) return readList(errors, input.words, "words", undefined)
  const results = envelope(errors, input.results, "results")
  if (results === undefined) return []
  const channels = listOf(errors, results.channels, "results.channels", MAX_CHANNELS)
  const lists = channels.map((value, index) => {
    const path = `results.channels[${index}]`
    const channel = envelope(errors, value, path)
    if (channel === undefined) return []
    // The first alternative is the one with the highest confidence.
    const place = joinPath(path, "alternatives")
    const best = listOf(errors, channel.alternatives, place, MAX_CHANNELS)[0]
    const alternative = best === undefined ? undefined : envelope(errors, best, `${place}[0]`)
    return alternative === undefined
      ? []
      : readList(errors, alternative.words, `${place}[0].words`, channels.length > 1 ? index : undefined)
  })
  return interleave(lists)
}

/** Channels of one recording, and alternatives of one channel. */
const MAX_CHANNELS = 64

const readList = (
  errors: PayloadErrors,
  value: unknown,
  path: string,
  channel: number | undefined
): ReadonlyArray<SpokenWord> => {
  const words: Array<SpokenWord> = []
  const readWord = (row: Row, place: string): void => {
    const word = wordOf(errors, row, place, ["punctuated_word", "word"])
    const speaker = channel ?? speakerOf(errors, row, place)
    if (word !== undefined && speaker !== undefined) words.push({ speaker, word })
  }
  readRows(errors, value, path, readWord, MAX_WORDS)
  return words
}

const speakerOf = (errors: PayloadErrors, row: Row, path: string): number | undefined => {
  const { speaker } = row
  if (typeof speaker === "number" && Number.isSafeInteger(speaker) && speaker >= 0) return speaker
  errors.add(
    joinPath(path, "speaker"),
    speaker === undefined ? Messages.required : speaker === null ? Messages.notNull : Messages.notAnInteger
  )
  return undefined
}

/** Merges the words of several channels by start; a word without a start stays after its predecessor. */
const interleave = (channels: ReadonlyArray<ReadonlyArray<SpokenWord>>): ReadonlyArray<SpokenWord> => {
  const placed: Array<{ readonly at: number; readonly word: SpokenWord }> = []
  for (const words of channels) {
    let at = 0
    for (const word of words) {
      at = Math.max(at, word.word.startTime ?? 0)
      placed.push({ at, word })
    }
  }
  return placed.sort((a, b) => a.at - b.at).map(({ word }) => word)
}
