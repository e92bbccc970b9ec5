import {
  type NerProvider,
  redactCallBy,
  type Redaction,
  type RedactOptions,
  type SensitiveField
} from "@earshot/redaction"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Json } from "../kernel/Json.js"
import type { RawTranscript, ToolCall, Turn } from "../transcripts/Transcript.js"
import { RedactionUnavailable } from "./CallErrors.js"

/** Port: redaction, whose time grows with what is redacted, away from the thread that answers requests. */
export class RedactionWork extends Context.Tag("@earshot/core/calls/RedactionWork")<
  RedactionWork,
  {
    /** See `redactTranscript` of the redaction package. After any failure the transcript must not be stored. */
    readonly transcript: (
      raw: RawTranscript,
      fields: ReadonlyArray<SensitiveField>,
      options: RedactOptions
    ) => Effect.Effect<Redaction<Turn, ToolCall>, RedactionUnavailable>
    /** See `redactJson` of the redaction package. After any failure the document must not be stored. */
    readonly json: (
      value: Json,
      fields: ReadonlyArray<SensitiveField>,
      options: RedactOptions
    ) => Effect.Effect<Json, RedactionUnavailable>
  }
>() {}

/** Redacts a transcript with the host's model beside the rules. Fails closed, see `redactCallBy` of the redaction package. */
export const redactCall = (
  raw: RawTranscript,
  fields: ReadonlyArray<SensitiveField>,
  options: Omit<RedactOptions, "extra">
): Effect.Effect<Redaction<Turn, ToolCall>, RedactionUnavailable, NerProvider | RedactionWork> =>
  Effect.flatMap(RedactionWork, ({ json, transcript }) =>
    Effect.mapError(
      redactCallBy<Turn, ToolCall, RedactionUnavailable>(
        { transcript: (_, ...rest) => transcript(raw, ...rest), json },
        raw,
        fields,
        options
      ),
      () => new RedactionUnavailable()
    )
  )
