import type { RawTranscript, RedactedTranscript } from "../transcripts/Transcript.js"

/** The redaction of a call that asks for none: everything stays as it was said. Source: interface, E10 `redact_fields`. */
export const keepAll = (transcript: RawTranscript): RedactedTranscript => ({
  _tag: "RedactedTranscript",
  turns: transcript.turns,
  toolCalls: transcript.toolCalls
})
