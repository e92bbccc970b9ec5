import * as Redaction from "@earshot/redaction"
import * as fc from "fast-check"
import {
  invariant,
  type Property,
  property,
  expectEvery,
  expectEqual,
  expectOrdered,
  expectIncludes
} from "../Property.js"
import { labeledCalls } from "./LabeledCalls.js"
import { randomOf } from "./Random.js"
import { scoresOf } from "./Scores.js"
import { type SensitiveField, valueOf } from "./Values.js"
import { codePoint } from "../CodePoint.js"

type Raw = Redaction.Transcript
type Turn = Raw["turns"][number]
type Tool = Raw["toolCalls"][number]
type Json = Parameters<typeof Redaction.redactJson>[0]

const turnOf = (speaker: Turn["speaker"], content: string): Turn => ({
  speaker,
  content,
  startTime: undefined,
  endTime: undefined,
  words: []
})

/** Words at even steps of 0.4 s, as a recognizer with word times would give them. */
const withWords = (turn: Turn, from: number): Turn => {
  const words = turn.content
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((text, at) => ({ text, startTime: from + at * 0.4, endTime: from + at * 0.4 + 0.35 }))
  return { ...turn, words, startTime: from, endTime: from + words.length * 0.4 }
}

const toolOf = (given: string, result: string | undefined): Tool => ({ arguments: given, result })

/** Calls that hold values of every field, in every style, in what tools were given and gave back as well. */
export const callWithValues: fc.Arbitrary<Raw> = fc
  .record({ seed: fc.integer({ min: 1, max: 1_000_000 }), timed: fc.boolean() })
  .map(({ seed, timed }) => {
    let clock = 0
    const calls = labeledCalls(seed, 1, seed % 2 === 0 ? "fit" : "measure")
    const texts = calls.flatMap((call) => call.turns.map(({ content }) => content))
    return {
      toolCalls: [toolOf(JSON.stringify({ note: texts.at(-1) ?? "", count: 2 }), texts[seed % texts.length])],
      turns: calls.flatMap((call) =>
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

/** Anything a caller or a recognizer may produce: emoji, combining marks, right-to-left text, placeholders, noise. */
export const hostileCall: fc.Arbitrary<Raw> = fc
  .array(
    fc.tuple(
      fc.constantFrom<Turn["speaker"]>("main_agent", "testing_agent"),
      fc.array(
        fc.oneof(
          fc.constantFrom(...hostilePieces),
          fc.string({ unit: codePoint, maxLength: 12 }),
          fc.string({ maxLength: 12 })
        ),
        { maxLength: 8 }
      )
    ),
    { maxLength: 6 }
  )
  .map((turns) => ({
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
) => Pick<Redaction.Redaction, "transcript" | "spans" | "toolCallSpans" | "redactions">

/** Redacts a document, such as a call's metadata, of the fields that are asked for. */
export type RedactDocument = (document: Json, fields: ReadonlyArray<SensitiveField>) => unknown

const placeholders: ReadonlySet<string> = new Set(
  Redaction.sensitiveFields.map((field) => `[${Redaction.labelOf(field)}]`)
)

const checksOf = (redact: Redact) => ({
  /** Only the asked-for fields are redacted. */
  onlyAsked: (raw: Raw, fields: ReadonlyArray<SensitiveField>): undefined => {
    expectEvery("spans of fields that were asked for", redact(raw, fields).spans, (span) => fields.includes(span.field))
  },

  /** Without fields nothing changes but the stage. */
  identity: (raw: Raw): undefined => {
    const { transcript } = redact(raw, [])
    expectEqual("the turns", transcript.turns, raw.turns)
    expectEqual("the tool calls", transcript.toolCalls, raw.toolCalls)
  },

  /** What goes when few fields are asked for goes when more are. */
  monotone: (raw: Raw, few: ReadonlyArray<SensitiveField>, more: ReadonlyArray<SensitiveField>): undefined => {
    const gone = covered(redact(raw, [...few, ...more]))
    expectEvery("characters (turn, offset) that are redacted", covered(redact(raw, few)), (one) => gone.has(one))
  },

  /** A value that is found as one of a field when everything is asked for is found when the field is asked for alone. */
  alone: (raw: Raw, field: SensitiveField): undefined => {
    const alone = covered(redact(raw, [field]))
    const { spans } = redact(raw, Redaction.sensitiveFields)
    expectEvery(
      `spans of ${field} that are found alone`,
      spans.filter((span) => span.field === field),
      (span) => {
        for (let at = span.start; at < span.end; at++) if (!alone.has(`${span.turn} ${at}`)) return false
        return true
      }
    )
  },

  /** Redacting a redacted call changes nothing. */
  stable: (raw: Raw, fields: ReadonlyArray<SensitiveField>): undefined => {
    const once = redact(raw, fields).transcript
    const twice = redact(once, fields)
    expectEqual("spans of the second time", twice.spans, [])
    expectEqual("the transcript of the second time", twice.transcript, once)
  },

  /** Words go with what they say: those that a span touches become placeholders, and the others stay. */
  words: (raw: Raw, fields: ReadonlyArray<SensitiveField>): undefined => {
    const { spans, transcript } = redact(raw, fields)
    for (const [at, turn] of raw.turns.entries()) {
      if (turn.words.length === 0) continue
      const here = spans.filter((span) => span.turn === at)
      let from = 0
      const stay = turn.words.filter(({ text }) => {
        const start = turn.content.indexOf(text, from)
        from = start + text.length
        return here.every((span) => span.end <= start || from <= span.start)
      })
      const words = transcript.turns[at]?.words ?? []
      expectEqual(
        `the words of turn ${at}`,
        words.filter(({ text }) => !placeholders.has(text)),
        stay
      )
    }
  },

  /** The report counts what went, by field, and holds nothing but names. */
  report: (raw: Raw, fields: ReadonlyArray<SensitiveField>): undefined => {
    const { redactions, spans, toolCallSpans } = redact(raw, fields)
    const sum = (place: Redaction.RedactionPlace, field?: SensitiveField): number =>
      redactions
        .filter((one) => one.where === place && (field === undefined || one.field === field))
        .reduce((total, { count }) => total + count, 0)
    for (const field of Redaction.sensitiveFields)
      expectEqual(`values of ${field}`, sum("transcript", field), spans.filter((one) => one.field === field).length)
    expectEqual("values in tool calls", sum("tool_calls"), toolCallSpans)
    expectEqual(
      "all values",
      sum("transcript") + sum("tool_calls"),
      redactions.reduce((total, { count }) => total + count, 0)
    )
    const keys = redactions.map(({ field, recognizer, where }) => `${where} ${field} ${recognizer}`)
    expectEqual("entries of the same kind", keys.length - new Set(keys).size, 0)
    expectEvery(
      "entries",
      redactions,
      ({ count, field, recognizer }) =>
        count > 0 && fields.includes(field) && /^[a-zA-Z][a-zA-Z0-9-]*$/.test(recognizer)
    )
  },

  /** Spans lie within their turns, in order, without overlap, and what lies outside them survives to the letter. */
  offsets: (raw: Raw, fields: ReadonlyArray<SensitiveField>): undefined => {
    const { spans, transcript } = redact(raw, fields)
    for (const [at, turn] of raw.turns.entries()) {
      let expected = ""
      let end = 0
      for (const span of spans.filter((one) => one.turn === at)) {
        expectOrdered(`the start of a span in turn ${at}`, span.start, ">=", end)
        expectOrdered(`its end`, span.end, ">", span.start)
        expectOrdered(`its end in the turn`, span.end, "<=", turn.content.length)
        expected += `${turn.content.slice(end, span.start)}[${span.field.toUpperCase()}]`
        end = span.end
      }
      expectEqual(`turn ${at}`, transcript.turns[at]?.content, expected + turn.content.slice(end))
    }
  },

  /** No character is cut in half: what was well-formed stays well-formed. */
  wellFormed: (raw: Raw, fields: ReadonlyArray<SensitiveField>): undefined => {
    expectEvery(
      "well-formed turns",
      contents(redact(raw, fields).transcript),
      (content, at) => !(raw.turns[at]?.content.isWellFormed() ?? true) || content.isWellFormed()
    )
  }
})

/** What the engine's redaction promises; each throws where the promise is not kept. */
export const redactionPredicates = checksOf(Redaction.redactTranscript)

/** Values that no recognizer could take for another field's. */
const plainValues: ReadonlyMap<SensitiveField, string> = new Map([
  ["email_address", "ann.lee@example.com"],
  ["ip_address", "192.168.7.44"]
])

/** What is said of values that nobody could take for anything else, and the keys that documents have them under. */
const unmistakable: Readonly<Partial<Record<SensitiveField, readonly [says: string, slot: string, key: string]>>> = {
  phone_number: ["You can call me back at", "phone_number", "phone_number"],
  email_address: ["My email address is", "email_address", "email"],
  ip_address: ["The server's IP address is", "ip_address", "ip_address"],
  vehicle_id: ["The VIN is", "vehicle_id", "vin"],
  credit_card: ["My credit card number is", "credit_card", "credit_card_number"],
  account_number: ["My account number is", "account_number", "account_number"],
  bank_account: ["My IBAN is", "iban", "iban"],
  ssn: ["My social security number is", "ssn", "ssn"],
  passport_number: ["My passport number is", "passport_number", "passport_number"],
  driver_license: ["My driver's license number is", "driver_license", "driver_license_number"]
}

interface StatedValue {
  readonly field: SensitiveField
  readonly value: string
  readonly sentence: string
  readonly key: string
}

const statedValue: fc.Arbitrary<StatedValue> = fc
  .tuple(fc.constantFrom(...Redaction.sensitiveFields), fc.integer({ min: 1, max: 1_000_000 }))
  .map(([field, seed]) => {
    const found = unmistakable[field]
    if (found === undefined) return undefined
    const [says, slot, key] = found
    const value = valueOf(randomOf(seed), seed % 2 === 0 ? "fit" : "measure", "typed", slot)
    return { field, value, sentence: `${says} ${value}, thank you.`, key }
  })
  .filter((sample) => sample !== undefined)

/** A text without what writings of one value differ in. */
const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")

const wholeText = ({ toolCalls, turns }: Pick<Raw, "toolCalls" | "turns">): string =>
  [
    ...turns.map(({ content }) => content),
    ...turns.map(({ words }) => words.map(({ text }) => text).join(" ")),
    ...toolCalls.flatMap((tool) => [tool.arguments, tool.result ?? ""])
  ].join("\n")

/**
 * The least share of labeled values that is found in calls that nothing was fitted to. Rules and statistics miss some, of
 * names more than of numbers, so that a floor says what a fault would undercut and chance would not.
 */
const FLOOR = 0.6

const CALLS = 80

/** What any redaction has to keep to: of transcripts, and of documents where `redactDocument` is given. */
export const redactionProperties = (redact: Redact, redactDocument?: RedactDocument): ReadonlyArray<Property> => {
  const promises = checksOf(redact)
  const runs = 60
  return [
    property("only the fields that were asked for are redacted", [anyCall, someFields], promises.onlyAsked, runs),
    property("without fields nothing is changed", [anyCall], promises.identity, runs),
    property(
      "what goes for some fields goes for more of them",
      [anyCall, someFields, someFields],
      promises.monotone,
      runs
    ),
    property(
      "a value is found whether its field is asked for alone or with all others",
      [anyCall, fc.constantFrom(...Redaction.sensitiveFields)],
      promises.alone,
      runs
    ),
    property(
      "what was redacted is left as it is when it is redacted again",
      [anyCall, someFields],
      promises.stable,
      runs
    ),
    property("the report counts what was redacted, and has no value", [anyCall, someFields], promises.report, runs),
    property("spans tell what went, to the letter", [anyCall, someFields], promises.offsets, runs),
    property(
      "values of fields that were not asked for stay, those of the others go",
      [fc.subarray([...plainValues.keys()]), fc.shuffledSubarray([...plainValues.keys()], { minLength: 1 })],
      (asked, mentioned) => {
        const content = mentioned.map((field) => `It is ${plainValues.get(field) ?? ""}, really.`).join(" ")
        const { transcript } = redact({ toolCalls: [], turns: [turnOf("testing_agent", content)] }, asked)
        const left = transcript.turns[0]?.content ?? ""
        expectEvery(
          "mentioned",
          mentioned,
          (field) => left.includes(plainValues.get(field) ?? "") === !asked.includes(field)
        )
      },
      runs
    ),
    property("no character is cut in half", [anyCall, someFields], promises.wellFormed, runs),
    property("words go with what they say", [callWithValues, someFields], promises.words, runs),
    property(
      "no value that is unmistakable is left anywhere: not in what was said, not in words, not in tool calls",
      [
        fc.uniqueArray(statedValue, { minLength: 1, maxLength: 3, selector: ({ field }) => field }),
        someFields,
        fc.constantFrom("spoken", "words", "arguments", "keys", "result")
      ],
      (samples, more, place) => {
        const spoken = samples.map(({ sentence }) => turnOf("testing_agent", sentence))
        const raw: Raw = {
          turns:
            place === "spoken" ? spoken : place === "words" ? spoken.map((turn, at) => withWords(turn, at * 60)) : [],
          toolCalls: samples.flatMap(({ key, sentence, value }) =>
            place === "arguments"
              ? [toolOf(JSON.stringify({ steps: [{ note: sentence }], count: 2 }), undefined)]
              : place === "keys"
                ? [toolOf(JSON.stringify({ customer: { [key]: value } }), JSON.stringify({ [key]: value }))]
                : place === "result"
                  ? [toolOf("{}", sentence)]
                  : []
          )
        }
        const asked = [...new Set([...samples.map(({ field }) => field), ...more])]
        const left = plain(wholeText(redact(raw, asked).transcript))
        expectEvery("samples", samples, ({ value }) => !left.includes(plain(value)))
      },
      100
    ),
    ...(redactDocument === undefined
      ? []
      : [
          property(
            "no value that is unmistakable is left in a document, and what was not asked for stays",
            [fc.uniqueArray(statedValue, { minLength: 1, maxLength: 3, selector: ({ field }) => field }), someFields],
            (samples, more) => {
              const document = {
                plan: "basic",
                deep: samples.map(({ sentence }) => ({ note: sentence })),
                ...Object.fromEntries(samples.map(({ key, value }) => [key, value]))
              }
              const asked = [...new Set([...samples.map(({ field }) => field), ...more])]
              const left = JSON.stringify(redactDocument(document, asked))
              expectEvery("samples", samples, ({ value }) => !plain(left).includes(plain(value)))
              expectIncludes("left", left, '"plan":"basic"')
              expectEqual("redactDocument(document, [])", redactDocument(document, []), document)
            },
            100
          )
        ]),
    ...recallProperties(redact)
  ]
}

/** How much of every field is found in calls that nothing was fitted to. */
const recallProperties = (redact: Redact): ReadonlyArray<Property> => {
  let known: ReturnType<typeof scoresOf> | undefined
  const scores = () =>
    (known ??= scoresOf(
      labeledCalls(20_261_121, CALLS, "measure"),
      (turns) =>
        redact(
          {
            toolCalls: [],
            turns: turns.map(({ content, speaker }) => turnOf(speaker, content))
          },
          Redaction.sensitiveFields
        ).spans
    ))
  return Redaction.sensitiveFields.map((field) =>
    invariant(`of labeled values of ${field}, most are found`, () => {
      expectOrdered("(scores().fields.get(field)?.recall ?? 0)", scores().fields.get(field)?.recall ?? 0, ">=", FLOOR)
    })
  )
}
