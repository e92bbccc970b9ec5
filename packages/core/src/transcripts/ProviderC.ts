import { Messages } from "../kernel/FieldErrors.js"
import { isPlainObject } from "../kernel/Json.js"
import type { Decoder } from "./Decoder.js"
import { makeTranscriptBuilder, relativeTime } from "./TranscriptBuilder.js"
import { MAX_TURNS, MAX_WORDS } from "./Limits.js"
import {
  checkOrder,
  envelope,
  joinPath,
  listOf,
  optionalListOf,
  optionalTextOf,
  type PayloadErrors,
  readRows,
  type Row,
  secondsOf,
  textOf,
  wordOf,
  wordTimesOf
} from "./PayloadReader.js"
import type { Word } from "./Transcript.js"

/**
 * `provider_c`: a flat list of words `{word, start, end, speaker, punctuated_word, confidence}` in seconds, as written by
 * speech recognition with diarization; `{words}` around it; or the whole response
 * `{results: {channels: [{alternatives: [{words}]}]}}`, where with two or more channels the channel is the speaker and
 * the words are put in the order of their starts; or its `utterances {transcript, words, speaker}` or `paragraphs
 * {sentences, speaker}`, which are turns already.
 *
 * Consecutive words of one speaker are one turn, its text the punctuated words. The speaker whose number is
 * `main_agent_channel_index` is the main agent (default: the first speaker); all others are the testing agent.
 * Words without a speaker are one error, however many they are.
 * Source: the provider's public API.
 */
export const decode: Decoder = (input, context) => {
  const builder = makeTranscriptBuilder()
  const { errors } = builder
  const spoken = readSpeech(errors, input)
  const first = spoken.find(({ speaker }) => speaker === undefined)
  if (first !== undefined) errors.add(first.path, NO_SPEAKERS)
  const mainAgent = context?.mainAgentChannelIndex ?? spoken[0]?.speaker
  const flush = (words: ReadonlyArray<Word>, { content, speaker, times }: Spoken): void => {
    const { endTime, startTime } = times ?? wordTimesOf(words)
    builder.addTurn({
      speaker: speaker === mainAgent ? "main_agent" : "testing_agent",
      content: content ?? words.map((word) => word.text).join(" "),
      start: relativeTime(startTime, ""),
      end: relativeTime(endTime, ""),
      words
    })
  }
  let turn: Array<Word> = []
  spoken.forEach((one, index) => {
    turn.push(...one.words)
    if (one.content !== undefined || spoken[index + 1]?.speaker !== one.speaker) {
      flush(turn, one)
      turn = []
    }
  })
  return builder.finish()
}

const NO_SPEAKERS =
  "This field is required: without speakers it is not known who speaks. Request the transcription with diarize=true, or with multichannel=true if each speaker has a channel."

/** Words of one speaker: one word, or a whole turn if `content` is given. */
interface Spoken {
  /** Undefined if the payload names none. */
  readonly speaker: number | undefined
  readonly words: ReadonlyArray<Word>
  readonly content?: string
  /** The times of a turn without words. */
  readonly times?: { readonly startTime: number | undefined; readonly endTime: number | undefined }
  /** The path of the speaker. */
  readonly path: string
}

const readSpeech = (errors: PayloadErrors, input: unknown): ReadonlyArray<Spoken> => {
  if (!isPlainObject(input)) return readItems(errors, input, "", undefined)
  envelope(errors, input, "")
  if (input.results === undefined) {
    const key = ["words", "utterances", "paragraphs"].find((name) => input[name] !== undefined) ?? "words"
    return readItems(errors, listIn(input[key]), key, undefined)
  }
  const results = envelope(errors, input.results, "results")
  if (results === undefined) return []
  if (results.channels === undefined && results.utterances !== undefined) {
    return readItems(errors, results.utterances, "results.utterances", undefined)
  }
  const channels = listOf(errors, results.channels, "results.channels", MAX_CHANNELS)
  const lists = channels.map((value, index) => {
    const path = `results.channels[${index}]`
    const channel = envelope(errors, value, path)
    if (channel === undefined) return []
    // The first alternative is the one with the highest confidence.
    const place = joinPath(path, "alternatives")
    const best = listOf(errors, channel.alternatives, place, MAX_CHANNELS)[0]
    const alternative = best === undefined ? undefined : envelope(errors, best, `${place}[0]`)
    if (alternative === undefined) return []
    const key = alternative.words === undefined && alternative.paragraphs !== undefined ? "paragraphs" : "words"
    const speaker = channels.length > 1 ? index : undefined
    return readItems(errors, listIn(alternative[key]), `${place}[0].${key}`, speaker)
  })
  return interleave(lists)
}

/** Paragraphs may be wrapped: `{transcript, paragraphs: [...]}`. */
const listIn = (value: unknown): unknown =>
  isPlainObject(value) && value.paragraphs !== undefined ? value.paragraphs : value

/** Channels of one recording, and alternatives of one channel. */
const MAX_CHANNELS = 64

/** A list of words, utterances or paragraphs. */
const readItems = (
  errors: PayloadErrors,
  value: unknown,
  path: string,
  channel: number | undefined
): ReadonlyArray<Spoken> => {
  const spoken: Array<Spoken> = []
  // Of utterances in one channel, the number of the channel says nothing about the speaker.
  const hasChannels = Array.isArray(value) && value.some((row: unknown) => isPlainObject(row) && row.channel === 1)
  readRows(
    errors,
    value,
    path,
    (row, place) => {
      const key = hasChannels && row.speaker === undefined ? "channel" : "speaker"
      const speaker = channel ?? speakerOf(errors, row, key, place)
      const speakerPath = joinPath(place, key)
      if (Array.isArray(row.sentences)) {
        spoken.push({ ...readSentences(errors, row, place), speaker, path: speakerPath })
      } else if (Array.isArray(row.words) || typeof row.transcript === "string") {
        spoken.push({ ...readUtterance(errors, row, place), speaker, path: speakerPath })
      } else {
        const word = wordOf(errors, row, place, ["punctuated_word", "word"])
        if (word !== undefined) spoken.push({ speaker, words: [word], path: speakerPath })
      }
    },
    MAX_WORDS
  )
  return spoken
}

const readUtterance = (errors: PayloadErrors, row: Row, path: string): Pick<Spoken, "words" | "content" | "times"> => {
  const words: Array<Word> = []
  optionalListOf(errors, row, "words", path, MAX_WORDS).forEach((value, index) => {
    const place = `${path}.words[${index}]`
    const given = envelope(errors, value, place)
    const word = given === undefined ? undefined : wordOf(errors, given, place, ["punctuated_word", "word"])
    if (word !== undefined) words.push(word)
  })
  const content = optionalTextOf(errors, row, "transcript", path) ?? words.map(({ text }) => text).join(" ")
  return { words, content, times: rangeOf(errors, row, path) }
}

const readSentences = (errors: PayloadErrors, row: Row, path: string): Pick<Spoken, "words" | "content" | "times"> => {
  const texts: Array<string> = []
  optionalListOf(errors, row, "sentences", path, MAX_TURNS).forEach((value, index) => {
    const place = `${path}.sentences[${index}]`
    const sentence = envelope(errors, value, place)
    const text = sentence === undefined ? undefined : textOf(errors, sentence, "text", place)
    if (text !== undefined) texts.push(text)
  })
  return { words: [], content: texts.join(" "), times: rangeOf(errors, row, path) }
}

const rangeOf = (errors: PayloadErrors, row: Row, path: string) => {
  const startTime = secondsOf(errors, row, "start", path)
  const endTime = secondsOf(errors, row, "end", path)
  checkOrder(errors, startTime, endTime, joinPath(path, "end"))
  return { startTime, endTime }
}

/** The speaker of a word whose speaker is invalid, which has been reported. */
const INVALID_SPEAKER = -1

/** The number of a speaker or channel; undefined if there is none, which is reported once for the payload. */
const speakerOf = (errors: PayloadErrors, row: Row, key: string, path: string): number | undefined => {
  const speaker = row[key]
  if (speaker === undefined || speaker === null) return undefined
  if (typeof speaker === "number" && Number.isSafeInteger(speaker) && speaker >= 0) return speaker
  errors.add(joinPath(path, key), Messages.notAnInteger)
  return INVALID_SPEAKER
}

/** Merges the words of several channels by start; what has no start stays after its predecessor. */
const interleave = (channels: ReadonlyArray<ReadonlyArray<Spoken>>): ReadonlyArray<Spoken> => {
  const placed: Array<{ readonly at: number; readonly one: Spoken }> = []
  for (const spoken of channels) {
    let at = 0
    for (const one of spoken) {
      at = Math.max(at, one.times?.startTime ?? one.words[0]?.startTime ?? 0)
      placed.push({ at, one })
    }
  }
  return placed.sort((a, b) => a.at - b.at).map(({ one }) => one)
}
