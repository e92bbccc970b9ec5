import { Redaction } from "@earshot/core"
import * as fc from "fast-check"
import { type Law, law } from "../Law.js"
import { labelledCalls } from "./LabelledCalls.js"
import type { SensitiveField } from "./Values.js"

type Raw = Parameters<typeof Redaction.redactTranscript>[0]
type Turn = Raw["turns"][number]

const turnOf = (speaker: Turn["speaker"], content: string): Turn => ({
  speaker,
  content,
  startTime: undefined,
  endTime: undefined,
  words: []
})

/** Words at even steps of 0.4 s, as a recogniser with word times would give them. */
const withWords = (turn: Turn, from: number): Turn => {
  const words = turn.content
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((text, at) => ({ text, startTime: from + at * 0.4, endTime: from + at * 0.4 + 0.35 }))
  return { ...turn, words, startTime: from, endTime: from + words.length * 0.4 }
}

/** Calls that hold values of every field, in every style. */
export const callWithValues: fc.Arbitrary<Raw> = fc
  .record({ seed: fc.integer({ min: 1, max: 1_000_000 }), timed: fc.boolean() })
  .map(({ seed, timed }) => {
    let clock = 0
    return {
      _tag: "RawTranscript",
      toolCalls: [],
      turns: labelledCalls(seed, 1, seed % 2 === 0 ? "fit" : "measure").flatMap((call) =>
        call.turns.map(({ content, speaker }) => {
          const turn = turnOf(speaker, content)
          if (!timed) return turn
          const placed = withWords(turn, clock)
          clock = (placed.endTime ?? clock) + 0.5
          return placed
        })
      )
    }
  })

const hostilePieces = [
  "",
  " ",
  "\n",
  "👩‍👩‍👧",
  "é",
  "e\u0301",
  "שלום",
  "مرحبا",
  "[PHONE_NUMBER]",
  "[DATE_2]",
  "[",
  "]",
  "555-123-4567",
  "john@example.com",
  "my pin is",
  "four oh two",
  "double",
  "at",
  "dot com",
  "@",
  "...",
  "\t",
  "İ",
  "名前",
  "1".repeat(40),
  "a".repeat(300),
  "i",
  "o",
  "one",
  "Dr.",
  "$",
  "\uFFFC",
  "__proto__"
]

/** Anything a caller or a recogniser may produce: emoji, combining marks, right-to-left text, placeholders, noise. */
export const hostileCall: fc.Arbitrary<Raw> = fc
  .array(
    fc.tuple(
      fc.constantFrom<Turn["speaker"]>("main_agent", "testing_agent"),
      fc.array(
        fc.oneof(
          fc.constantFrom(...hostilePieces),
          fc.string({ unit: "binary", maxLength: 12 }),
          fc.string({ maxLength: 12 })
        ),
        { maxLength: 8 }
      )
    ),
    { maxLength: 6 }
  )
  .map((turns) => ({
    _tag: "RawTranscript",
    toolCalls: [],
    turns: turns.map(([speaker, pieces]) => turnOf(speaker, pieces.join(" ")))
  }))

export const anyCall: fc.Arbitrary<Raw> = fc.oneof(callWithValues, hostileCall)

export const someFields: fc.Arbitrary<ReadonlyArray<SensitiveField>> = fc.oneof(
  fc.constant(Redaction.sensitiveFields),
  fc.subarray([...Redaction.sensitiveFields], { minLength: 1 })
)

const contents = (transcript: { readonly turns: ReadonlyArray<Turn> }): ReadonlyArray<string> =>
  transcript.turns.map((turn) => turn.content)

const covered = (redaction: ReturnType<Redact>): ReadonlySet<string> =>
  new Set(
    redaction.spans.flatMap((span) =>
      Array.from({ length: span.end - span.start }, (_, at) => `${span.turn} ${span.start + at}`)
    )
  )

/** Redacts a transcript of the fields that are asked for. */
export type Redact = (
  raw: Raw,
  fields: ReadonlyArray<SensitiveField>
) => Pick<Redaction.Redaction, "transcript" | "spans">

const promisesOf = (redact: Redact) => ({
  /** Only the asked-for fields are redacted. */
  onlyAsked: (raw: Raw, fields: ReadonlyArray<SensitiveField>): boolean =>
    redact(raw, fields).spans.every((span) => fields.includes(span.field)),

  /** Without fields nothing changes but the stage. */
  identity: (raw: Raw): boolean => {
    const { transcript } = redact(raw, [])
    return transcript.turns === raw.turns && transcript.toolCalls === raw.toolCalls
  },

  /** What goes when few fields are asked for goes when more are. */
  monotone: (raw: Raw, few: ReadonlyArray<SensitiveField>, more: ReadonlyArray<SensitiveField>): boolean => {
    const gone = covered(redact(raw, [...few, ...more]))
    return [...covered(redact(raw, few))].every((character) => gone.has(character))
  },

  /** Redacting a redacted call changes nothing. */
  stable: (raw: Raw, fields: ReadonlyArray<SensitiveField>): boolean => {
    const once = redact(raw, fields).transcript
    const twice = redact({ ...once, _tag: "RawTranscript" }, fields)
    return twice.spans.length === 0 && contents(twice.transcript).every((content, at) => content === contents(once)[at])
  },

  /** Spans lie within their turns, in order, without overlap, and what lies outside them survives to the letter. */
  offsets: (raw: Raw, fields: ReadonlyArray<SensitiveField>): boolean => {
    const { spans, transcript } = redact(raw, fields)
    return raw.turns.every((turn, at) => {
      const here = spans.filter((span) => span.turn === at)
      let expected = ""
      let end = 0
      for (const span of here) {
        if (span.start < end || span.end <= span.start || span.end > turn.content.length) return false
        expected += `${turn.content.slice(end, span.start)}[${span.field.toUpperCase()}]`
        end = span.end
      }
      return transcript.turns[at]?.content === expected + turn.content.slice(end)
    })
  },

  /** No character is cut in half: what was well-formed stays well-formed. */
  wellFormed: (raw: Raw, fields: ReadonlyArray<SensitiveField>): boolean =>
    contents(redact(raw, fields).transcript).every(
      (content, at) => !(raw.turns[at]?.content.isWellFormed() ?? true) || content.isWellFormed()
    )
})

/** What the engine's redaction promises; each answers true where the promise is kept. */
export const redactionLaws = promisesOf(Redaction.redactTranscript)

/** Values that no recogniser could take for another field's. */
const plainValues: ReadonlyMap<SensitiveField, string> = new Map([
  ["email_address", "ann.lee@example.com"],
  ["ip_address", "192.168.7.44"]
])

/** What any redaction has to keep to. */
export const lawsOfRedaction = (redact: Redact): ReadonlyArray<Law> => {
  const promises = promisesOf(redact)
  const runs = 60
  return [
    law("only the fields that were asked for are redacted", [anyCall, someFields], promises.onlyAsked, runs),
    law("without fields nothing is changed", [anyCall], promises.identity, runs),
    law("what goes for some fields goes for more of them", [anyCall, someFields, someFields], promises.monotone, runs),
    law("what was redacted is left as it is when it is redacted again", [anyCall, someFields], promises.stable, runs),
    law("spans tell what went, to the letter", [anyCall, someFields], promises.offsets, runs),
    law(
      "values of fields that were not asked for stay, those of the others go",
      [fc.subarray([...plainValues.keys()]), fc.shuffledSubarray([...plainValues.keys()], { minLength: 1 })],
      (asked, said) => {
        const content = said.map((field) => `It is ${plainValues.get(field) ?? ""}, really.`).join(" ")
        const { transcript } = redact(
          { _tag: "RawTranscript", toolCalls: [], turns: [turnOf("testing_agent", content)] },
          asked
        )
        const left = transcript.turns[0]?.content ?? ""
        return said.every((field) => left.includes(plainValues.get(field) ?? "") === !asked.includes(field))
      },
      runs
    ),
    law("no character is cut in half", [anyCall, someFields], promises.wellFormed, runs)
  ]
}
