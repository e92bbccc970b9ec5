import { Messages } from "../kernel/FieldErrors.js"
import { isPlainObject } from "../kernel/Json.js"
import type { Decoder } from "./Decoder.js"
import { makeTranscriptBuilder, relativeTime } from "./TranscriptBuilder.js"
import { MAX_WORDS } from "./Limits.js"
import { envelope, type PayloadErrors, listOf, readRow, type Row, wordTimesOf, joinPath, wordOf } from "./PayloadReader.js"
import type { Word } from "./Transcript.js"

/**
 * `provider_c`: a flat list of words `{word, start, end, speaker, punctuated_word, confidence}` in seconds, as speech
 * recognition with speaker labels writes it; `{words}` around it; or the whole answer
 * `{results: {channels: [{alternatives: [{words}]}]}}`, where with two or more channels the channel is the speaker and
 * the words are put in the order of their starts.
 *
 * Consecutive words of one speaker are one turn, its text the punctuated words. The speaker whose number is
 * `main_agent_channel_index` is the main agent, else whoever speaks first; everybody else is the testing agent's side.
 * A word without a speaker is a fault: its turn would be a guess.
 * Source: the provider's public API.
 */
export const decode: Decoder = (input, context) => {
  const notes = makeTranscriptBuilder()
  const { errors: found } = notes
  const heard = readWords(found, input)
  const mainAgent = context?.mainAgentChannelIndex ?? heard[0]?.speaker
  const flush = (words: ReadonlyArray<Word>, speaker: number): void => {
    const { endTime, startTime } = wordTimesOf(words)
    notes.addTurn({
      speaker: speaker === mainAgent ? "main_agent" : "testing_agent",
      content: words.map((word) => word.text).join(" "),
      start: relativeTime(startTime, ""),
      end: relativeTime(endTime, ""),
      words
    })
  }
  let turn: Array<Word> = []
  heard.forEach(({ speaker, word }, index) => {
    turn.push(word)
    if (heard[index + 1]?.speaker !== speaker) {
      flush(turn, speaker)
      turn = []
    }
  })
  return notes.finish()
}

interface Heard {
  readonly speaker: number
  readonly word: Word
}

const readWords = (found: PayloadErrors, input: unknown): ReadonlyArray<Heard> => {
  if (!isPlainObject(input)) return readList(found, input, "", undefined)
  envelope(found, input, "")
  if (input.results === undefined) return readList(found, input.words, "words", undefined)
  const results = envelope(found, input.results, "results")
  if (results === undefined) return []
  const channels = listOf(found, results.channels, "results.channels", MAX_CHANNELS)
  const lists = channels.map((value, index) => {
    const path = `results.channels[${index}]`
    const channel = envelope(found, value, path)
    if (channel === undefined) return []
    // The first alternative is the one the recogniser believes in.
    const place = joinPath(path, "alternatives")
    const best = listOf(found, channel.alternatives, place, MAX_CHANNELS)[0]
    const alternative = best === undefined ? undefined : envelope(found, best, `${place}[0]`)
    return alternative === undefined
      ? []
      : readList(found, alternative.words, `${place}[0].words`, channels.length > 1 ? index : undefined)
  })
  return interleave(lists)
}

/** Channels of one recording, and alternatives of one channel. */
const MAX_CHANNELS = 64

const readList = (found: PayloadErrors, value: unknown, path: string, channel: number | undefined): ReadonlyArray<Heard> => {
  const heard: Array<Heard> = []
  listOf(found, value, path, MAX_WORDS).forEach((item, index) => {
    const place = `${path}[${index}]`
    readRow(found, item, place, (row) => {
      const word = wordOf(found, row, place, ["punctuated_word", "word"])
      const speaker = channel ?? speakerOf(found, row, place)
      if (word !== undefined && speaker !== undefined) heard.push({ speaker, word })
    })
  })
  return heard
}

const speakerOf = (found: PayloadErrors, row: Row, path: string): number | undefined => {
  const { speaker } = row
  if (typeof speaker === "number" && Number.isSafeInteger(speaker) && speaker >= 0) return speaker
  found.add(
    joinPath(path, "speaker"),
    speaker === undefined ? Messages.required : speaker === null ? Messages.notNull : Messages.notAnInteger
  )
  return undefined
}

/** Puts the words of several channels in the order of their starts; a word without one stays behind its neighbour. */
const interleave = (channels: ReadonlyArray<ReadonlyArray<Heard>>): ReadonlyArray<Heard> => {
  const placed: Array<{ readonly at: number; readonly heard: Heard }> = []
  for (const words of channels) {
    let at = 0
    for (const heard of words) {
      at = Math.max(at, heard.word.startTime ?? 0)
      placed.push({ at, heard })
    }
  }
  return placed.sort((a, b) => a.at - b.at).map(({ heard }) => heard)
}
