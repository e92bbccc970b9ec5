import { Faults, isPlainObject, type RawTranscript, Redaction, roleNames, TranscriptFormat } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { Refused } from "../Faults.js"
import { readText } from "../ReadText.js"
import type { Running } from "../Running.js"
import { Screen } from "../Screen.js"
import { fieldsOf } from "../Settings.js"
import { table } from "../Table.js"
import { neutralised, neutralisedLines, printJson } from "../Text.js"

export interface RedactOptions {
  readonly json: boolean
  readonly file: string
  readonly fields: ReadonlyArray<string>
  readonly type: Option.Option<string>
  readonly everyday: boolean
  readonly numbered: boolean
}

const parsed = (text: string): unknown => {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const SPEAKER =
  /^\s*(?:\[(?:\d+:\d\d|--:--)\]\s*)?(main agent|testing agent|agent|assistant|bot|user|customer|caller)\s*:\s*/i

/** Plain text, a line an utterance; `Main Agent:` and the like before it tell who speaks, as the record prints it. */
const spoken = (text: string): RawTranscript => ({
  _tag: "RawTranscript",
  toolCalls: [],
  turns: text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [said = "", who = ""] = SPEAKER.exec(line) ?? []
      return {
        speaker: /^(main agent|agent|assistant|bot)$/i.test(who) ? ("main_agent" as const) : ("testing_agent" as const),
        content: line.slice(said.length),
        startTime: undefined,
        endTime: undefined,
        words: []
      }
    })
})

/** A body of E10, a transcript in one of its formats, or plain text. */
const transcriptOf = (text: string, type: Option.Option<string>): Either.Either<RawTranscript, Refused> => {
  const document = parsed(text)
  if (document === undefined) {
    return Option.isSome(type)
      ? Either.left(new Refused({ reason: "A transcript with a type is JSON, and this is none." }))
      : Either.right(spoken(text))
  }
  const body = isPlainObject(document) && document.transcript_json !== undefined ? document : undefined
  const named = body?.transcript_type
  return Either.mapLeft(
    TranscriptFormat.builtIn.decode(
      Option.getOrElse(type, () => (typeof named === "string" ? named : TranscriptFormat.DEFAULT_TYPE)),
      body === undefined ? document : body.transcript_json,
      { mainAgentChannelIndex: undefined }
    ),
    (faults) =>
      new Refused({
        reason: Object.entries(Faults.underPath("transcript_json", faults))
          .slice(0, 20)
          .map(([path, messages]) => `${path}: ${messages.join(" ")}`)
          .join("\n")
      })
  )
}

/** Shows what would go of a transcript and why. It needs no database, and keeps nothing. */
export const redact = (options: RedactOptions): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const fields = options.fields.length === 0 ? Redaction.sensitiveFields : yield* fieldsOf(options.fields, "--field")
    const raw = yield* transcriptOf(yield* readText(options.file), options.type)
    const { spans, toolCallSpans, transcript } = Redaction.redactTranscript(raw, fields, {
      everyday: options.everyday,
      replacement: { style: options.numbered ? "numbered" : "label" }
    })
    const textOf = (span: Redaction.TurnSpan): string => raw.turns[span.turn]?.content.slice(span.start, span.end) ?? ""
    if (options.json) {
      return yield* screen.print(
        printJson({
          turns: transcript.turns.map(({ content, speaker }) => ({ role: roleNames[speaker], content })),
          spans: spans.map((span) => ({ ...span, text: textOf(span) })),
          tool_call_spans: toolCallSpans
        })
      )
    }
    yield* screen.print(
      transcript.turns
        .map(({ content, speaker }) => neutralisedLines(`${roleNames[speaker]}: ${content.replace(/\s+/g, " ")}`))
        .join("\n")
    )
    yield* screen.print("")
    yield* screen.print(
      spans.length === 0
        ? neutralised("Nothing would go.")
        : table(
            [
              { name: "TURN", of: (span) => String(span.turn + 1), right: true },
              { name: "FIELD", of: (span) => span.field },
              { name: "SURE", of: (span) => span.score.toFixed(2), right: true },
              { name: "TEXT", of: textOf, least: 16 },
              { name: "WHY", of: (span) => span.evidence.join("; "), least: 20 }
            ],
            spans,
            screen.columns
          ).join("\n")
    )
    if (toolCallSpans > 0) yield* screen.print(`In tool calls: ${toolCallSpans}.`)
  })
