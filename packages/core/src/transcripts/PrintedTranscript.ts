/**
 * A transcript as JSON texts, as it is stored and as a call record shows it, made in one walk over its turns: every ingested
 * call needs all of them, and its texts and numbers are the same in each. Properties verify that they are what
 * `StoredTranscript.print` and `TranscriptView` make.
 */
import * as StoredTranscript from "./StoredTranscript.js"
import { type RedactedTranscript, roleNames, type Turn } from "./Transcript.js"
import { clockOf, endOf, transcriptLine } from "./TranscriptView.js"

export interface PrintedTranscript {
  /** As `StoredTranscript.print`. */
  readonly stored: string
  /** `transcriptText` in JSON. */
  readonly text: string
  /** `transcriptObject` in JSON. */
  readonly items: string
  /** As `endOf`. */
  readonly end: number | undefined
  /** The transcript's. */
  readonly skipped: ReadonlyArray<string> | undefined
}

/** What JSON escapes, what `transcriptText` replaces, and all beyond ASCII: everything but the rest of its printable part. */
const SPECIAL = /[^ !#-[\]-~]/

/** How a turn begins in each text: the first one, and those after it. */
const beginning = (letter: string, role: string) => {
  const stored = `["${letter}","`
  const item = `{"role":"${role}","content":"`
  return { stored, item, role: `] ${role}: `, storedNext: `,${stored}`, itemNext: `,${item}` }
}
const BEGINNINGS = {
  main_agent: beginning("m", roleNames.main_agent),
  testing_agent: beginning("t", roleNames.testing_agent)
}

/** A time in JSON, which has no numbers that are not finite. */
const numberText = (seconds: number | undefined): string =>
  seconds === undefined || !Number.isFinite(seconds) ? "null" : String(seconds)

/** A text in JSON, without its quotes. */
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

const isPlain = ({ timing, words }: Turn): boolean => words.length === 0 && timing === undefined

export const print = (transcript: RedactedTranscript): PrintedTranscript => {
  // Parts that are joined at the end: a text that grows by concatenation is a tree, which every collection copies.
  const stored: Array<string> = []
  const items: Array<string> = []
  const lines: Array<string> = []
  for (const turn of transcript.turns) {
    const { content, endTime, speaker, startTime } = turn
    const begin = BEGINNINGS[speaker]
    const isFirst = lines.length === 0
    const isSpecial = SPECIAL.test(content)
    const text = isSpecial ? escaped(content) : content
    const start = numberText(startTime)
    const end = numberText(endTime)
    stored.push(isFirst ? begin.stored : begin.storedNext, text, '",', start, ",", end, "]")
    items.push(isFirst ? begin.item : begin.itemNext, text, '","start_time":', start, ',"end_time":', end, "}")
    lines.push(isFirst ? "" : "\\n")
    if (isSpecial) lines.push(escaped(transcriptLine(turn)))
    else lines.push("[", clockOf(startTime), begin.role, text)
  }
  return {
    stored: transcript.turns.every(isPlain)
      ? StoredTranscript.printAround(transcript, stored.join(""))
      : StoredTranscript.print(transcript),
    text: `"${lines.join("")}"`,
    items: `[${items.join("")}]`,
    end: endOf(transcript),
    skipped: transcript.skipped
  }
}
