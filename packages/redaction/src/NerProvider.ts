import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { runYielding } from "./Steps.js"
import type { Json } from "./Json.js"
import { redactingJson, redactJson } from "./RedactJson.js"
import type { ToolCall, Transcript, Turn } from "./Transcript.js"
import { redactingTranscript, type Redaction, redactTranscript } from "./RedactTranscript.js"
import type { SensitiveField } from "./SensitiveField.js"
import type { RedactOptions, TurnSpan } from "./SpansToRedact.js"

/** The host's model failed on the call. The call must not be stored unredacted: see `redactCall`. */
export class NerFailed extends Schema.TaggedError<NerFailed>("@earshot/redaction/NerFailed")("NerFailed", {
  cause: Schema.Defect
}) {
  override get message(): string {
    return "The named-entity model failed"
  }
}

/**
 * A host's own model for finding sensitive values, run in addition to the rules and the shipped tagger. It is given the
 * turns' contents and returns spans by turn, in UTF-16 code units, with scores from 0 to 1; where spans overlap, the best score decides
 * the field. The default finds nothing.
 */
export class NerProvider extends Context.Tag("@earshot/redaction/NerProvider")<
  NerProvider,
  {
    readonly recognize: (
      turns: ReadonlyArray<string>,
      fields: ReadonlyArray<SensitiveField>
    ) => Effect.Effect<ReadonlyArray<TurnSpan>, NerFailed>
  }
>() {}

/** No model of the host's own. */
export const layerNone: Layer.Layer<NerProvider> = Layer.succeed(NerProvider, { recognize: () => Effect.succeed([]) })

/** Drops spans that are not within their turn: a model's offsets are not trusted. */
const validSpans = (raw: Transcript, spans: ReadonlyArray<TurnSpan>): ReadonlyArray<TurnSpan> =>
  spans.filter((span) => {
    const length = raw.turns[span.turn]?.content.length
    return (
      length !== undefined &&
      Number.isInteger(span.start) &&
      Number.isInteger(span.end) &&
      span.start >= 0 &&
      span.start < span.end &&
      span.end <= length &&
      span.score >= 0 &&
      span.score <= 1
    )
  })

/** What the model finds in a call, without spans that are not within their turn. Without fields it is not asked. */
export const recognizedSpans = (
  raw: Transcript,
  fields: ReadonlyArray<SensitiveField>
): Effect.Effect<ReadonlyArray<TurnSpan>, NerFailed, NerProvider> =>
  fields.length === 0
    ? Effect.succeed([])
    : Effect.flatMap(NerProvider, (provider) =>
        Effect.map(
          provider.recognize(
            raw.turns.map((turn) => turn.content),
            fields
          ),
          (spans) => validSpans(raw, spans)
        )
      )

/** Characters above which the work yields to the event loop. */
const LONG = 4096

/** Redacts a transcript like `redactTranscript`; a long one in steps between which the event loop runs. */
export const redactInSteps = <T extends Turn, C extends ToolCall>(
  raw: Transcript<T, C>,
  fields: ReadonlyArray<SensitiveField>,
  options: RedactOptions = {}
): Effect.Effect<Redaction<T, C>> =>
  raw.toolCalls.length === 0 && raw.turns.reduce((length, turn) => length + turn.content.length, 0) <= LONG
    ? Effect.sync(() => redactTranscript(raw, fields, options))
    : runYielding(() => redactingTranscript(raw, fields, options))

/** Redacts a document like `redactJson`; a long one in steps between which the event loop runs. */
export const redactJsonInSteps = (
  value: Json,
  fields: ReadonlyArray<SensitiveField>,
  options: RedactOptions = {}
): Effect.Effect<Json> =>
  Effect.suspend(() =>
    fields.length === 0 || JSON.stringify(value).length <= LONG
      ? Effect.succeed(redactJson(value, fields, options))
      : runYielding(() => redactingJson(value, fields, options))
  )
