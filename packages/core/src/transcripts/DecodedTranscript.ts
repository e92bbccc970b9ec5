import type { RawTranscript } from "./Transcript.js"

/**
 * A transcript that needs no decoder, in place of `transcript_json`, for ingests from inside the engine. It is a class so
 * that no JSON document passes for it.
 */
export class DecodedTranscript {
  constructor(readonly decoded: RawTranscript) {}
}

/**
 * An envelope whose transcript cannot be read, in place of `transcript_json`, for ingests from inside the engine: the call
 * is stored without a transcript, says so in its error message, and has what else the envelope states.
 */
export class UnreadableTranscript {
  constructor(readonly envelope: unknown) {}
}
