import type { RawTranscript } from "./Transcript.js"

/**
 * A transcript that needs no decoder, in place of `transcript_json`, for ingests from inside the engine. It is a class so
 * that no JSON document passes for it.
 */
export class DecodedTranscript {
  constructor(readonly decoded: RawTranscript) {}
}
