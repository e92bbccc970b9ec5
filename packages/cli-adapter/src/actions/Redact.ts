import { FieldErrors, isPlainObject, type RawTranscript, roleNames, TranscriptFormat } from "@earshot/core"
import * as Redaction from "@earshot/redaction"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { CommandRejected, UsageError } from "../Errors.js"
import { readText } from "../ReadText.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { httpAddress, lexiconOf } from "../EngineSettings.js"
import { namedEntities } from "../NamedEntities.js"
import { describeRedactions } from "../Redactions.js"
import { nonBlank, parseFields } from "../Settings.js"
import { table } from "../Table.js"
import { sanitize, sanitizeLines, jsonLine } from "../Text.js"

export interface RedactOptions {
  readonly json: boolean
  readonly file: string
  readonly fields: ReadonlyArray<string>
  readonly type: string | undefined
  readonly everyday: boolean
  readonly numbered: boolean
  readonly lexicon: string | undefined
  /** The folder of a token classification model in ONNX. */
  readonly model: string | undefined
  /** The address of a server with the interface of Presidio's analyzer. */
  readonly analyzer: string | undefined
  /** Print the report that is stored with a call instead of the values. */
  readonly explain: boolean
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
  /^\s*(?:\[(?:\d+:\d\d|--:--)\]\s*)?(main agent|testing agent|agent|ai|assistant|bot|caller|customer|human|user)\s*:\s*/i

/** Plain text with one utterance per line. A prefix such as `Main Agent:` names the speaker. */
const parseText = (text: string): RawTranscript => ({
  _tag: "RawTranscript",
  toolCalls: [],
  turns: text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [prefix = "", who = ""] = SPEAKER.exec(line) ?? []
      return {
        speaker: /^(main agent|agent|ai|assistant|bot)$/i.test(who)
          ? ("main_agent" as const)
          : ("testing_agent" as const),
        content: line.slice(prefix.length),
        startTime: undefined,
        endTime: undefined,
        words: []
      }
    })
})

/** The body of an ingest request, a transcript in one of its formats, or plain text. */
const transcriptOf = (text: string, type: string | undefined): Either.Either<RawTranscript, CommandRejected> => {
  const document = parsed(text)
  if (document === undefined) {
    return type !== undefined
      ? Either.left(new CommandRejected({ reason: "--type: A transcript with a type must be JSON." }))
      : Either.right(parseText(text))
  }
  const body = isPlainObject(document) && document.transcript_json !== undefined ? document : undefined
  const named = body?.transcript_type
  return Either.mapLeft(
    TranscriptFormat.builtIn.decode(
      type ?? (typeof named === "string" ? named : TranscriptFormat.DEFAULT_TYPE),
      body === undefined ? document : body.transcript_json,
      { mainAgentChannelIndex: undefined }
    ),
    (errors) =>
      new CommandRejected({
        reason: Object.entries(FieldErrors.underPath("transcript_json", errors))
          .slice(0, 20)
          .map(([path, messages]) => `${path}: ${messages.join(" ")}`)
          .join("\n")
      })
  )
}

/** Shows what redaction removes from a transcript, and why. It needs no database and stores nothing. */
export const redact = (options: RedactOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const fields =
      options.fields.length === 0 ? Redaction.sensitiveFields : yield* parseFields(options.fields, "--field")
    const raw = yield* transcriptOf(yield* readText(options.file), options.type)
    const lexicon = yield* lexiconOf(options.lexicon, "--lexicon")
    const analyzerUrl = yield* httpAddress("--analyzer", nonBlank(options.analyzer))
    const ner = yield* Effect.mapError(
      namedEntities({ lexicon, model: options.model, analyzerUrl }),
      (reason) => new UsageError({ reason: `--model: ${reason}` })
    )
    const { redactions, spans, toolCallSpans, transcript } = yield* Redaction.redactCall(raw, fields, {
      everyday: options.everyday,
      replacement: { style: options.numbered ? "numbered" : "label" }
    }).pipe(
      Effect.provide(ner),
      Effect.mapError(
        ({ message }) =>
          new CommandRejected({
            reason:
              analyzerUrl === undefined
                ? `${message}.`
                : `${message}. Check that the server of --analyzer runs and answers POST /analyze.`
          })
      )
    )
    if (options.explain) {
      return yield* screen.print(
        options.json
          ? jsonLine({ redactions })
          : redactions.length === 0
            ? "Nothing to redact."
            : describeRedactions(redactions, screen.columns).join("\n")
      )
    }
    const textOf = (span: Redaction.TurnSpan): string => raw.turns[span.turn]?.content.slice(span.start, span.end) ?? ""
    if (options.json) {
      return yield* screen.print(
        jsonLine({
          turns: transcript.turns.map(({ content, speaker }) => ({ role: roleNames[speaker], content })),
          spans: spans.map((span) => ({ ...span, text: textOf(span) })),
          tool_calls: transcript.toolCalls.map(({ arguments: given, name, result }) => ({
            name,
            arguments: given,
            result: result ?? null
          })),
          tool_call_spans: toolCallSpans
        })
      )
    }
    yield* screen.print(
      transcript.turns
        .map(({ content, speaker }) => sanitizeLines(`${roleNames[speaker]}: ${content.replace(/\s+/g, " ")}`))
        .join("\n")
    )
    yield* screen.print("")
    yield* screen.print(
      spans.length === 0
        ? sanitize("Nothing to redact.")
        : table(
            [
              { name: "TURN", of: (span) => String(span.turn + 1), right: true },
              { name: "FIELD", of: (span) => span.field },
              { name: "SCORE", of: (span) => span.score.toFixed(2), right: true },
              { name: "TEXT", of: textOf, least: 16 },
              { name: "EVIDENCE", of: (span) => span.evidence.join("; "), least: 20 }
            ],
            spans,
            screen.columns
          ).join("\n")
    )
    if (toolCallSpans > 0) yield* screen.print(`Redacted in tool calls: ${toolCallSpans}.`)
  }).pipe(Effect.scoped)
