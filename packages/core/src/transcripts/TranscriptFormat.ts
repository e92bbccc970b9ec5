/** The formats of `transcript_json` and their decoders. */
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import { type FieldErrors, fieldError, NON_FIELD, Messages } from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import type { DecodeContext, Decoder } from "./Decoder.js"
import * as NoneMono from "./NoneMono.js"
import * as ProviderA from "./ProviderA.js"
import * as ProviderB from "./ProviderB.js"
import * as ProviderC from "./ProviderC.js"
import * as ProviderD from "./ProviderD.js"
import * as ProviderE from "./ProviderE.js"
import * as ProviderF from "./ProviderF.js"
import * as Service from "./Service.js"
import * as ServiceLegacy from "./ServiceLegacy.js"
import type { RawTranscript } from "./Transcript.js"

/** The values of `transcript_type`, in the interface's order. Source: interface, E10. */
export const transcriptTypes = [
  "service",
  "service_legacy",
  "provider_a",
  "provider_b",
  "provider_c",
  "provider_d",
  "provider_e",
  "provider_f",
  "none-mono"
] as const

/** `transcript_type` of E10. A host with formats of its own uses the `type` of its `TranscriptFormats`. */
export const TranscriptType = Fields.choice(transcriptTypes)
export type TranscriptType = typeof TranscriptType.Type

/** The default of `transcript_type`. */
export const DEFAULT_TYPE = "service" satisfies TranscriptType

/** The type whose transcript is made from the audio. */
export const AUDIO_ONLY_TYPE = "none-mono" satisfies TranscriptType

/** Decoders by token. A host can replace built-in decoders and add tokens. */
export type Decoders = Readonly<Record<string, Decoder>>

export const builtInDecoders: Readonly<Record<TranscriptType, Decoder>> = {
  service: Service.decode,
  service_legacy: ServiceLegacy.decode,
  provider_a: ProviderA.decode,
  provider_b: ProviderB.decode,
  provider_c: ProviderC.decode,
  provider_d: ProviderD.decode,
  provider_e: ProviderE.decode,
  provider_f: ProviderF.decode,
  "none-mono": NoneMono.decode
}

/** The formats that an engine accepts. */
export interface TranscriptFormats {
  /** The tokens: the interface's in its order, then the host's. */
  readonly tokens: ReadonlyArray<string>
  /** The schema of a token as a field of a body. */
  readonly type: Schema.Schema<string>
  /**
   * Decodes a payload, or returns all field errors keyed by path within the payload (`non_field_errors` for the payload as
   * a whole). `FieldErrors.underPath("transcript_json", errors)` makes them paths of the body.
   */
  readonly decode: (type: string, input: unknown, context?: DecodeContext) => Either.Either<RawTranscript, FieldErrors>
}

/** The built-in formats, overridden and extended by a host's. */
export const make = (own: Decoders = {}): TranscriptFormats => {
  const decoders = new Map<string, Decoder>([...Object.entries(builtInDecoders), ...Object.entries(own)])
  const tokens = [...decoders.keys()]
  return {
    tokens,
    type: Fields.choice(tokens),
    decode: (type, input, context = {}) => {
      const decoder = decoders.get(type)
      return decoder === undefined
        ? Either.left(fieldError(NON_FIELD, Messages.notAChoice(type, tokens)))
        : decoder(input, context)
    }
  }
}

export const builtIn: TranscriptFormats = make()
