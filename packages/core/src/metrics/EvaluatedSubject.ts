import type { Json } from "../kernel/Json.js"
import { type RedactedTranscript, roleNames } from "../transcripts/Transcript.js"
import { transcriptObject, transcriptText } from "../transcripts/TranscriptView.js"
import type { EvaluationValue } from "./FormulaResult.js"

/** A call, simulated or not, as metrics evaluate it. */
export interface EvaluatedSubject {
  /** The id that the provider gave the call. */
  readonly name: string
  readonly transcript: RedactedTranscript
  readonly durationSeconds: number | null
  /** When it took place, epoch milliseconds. */
  readonly startedAt: number
  readonly endedReason: string | null
  readonly metadata: Json
  readonly dynamicVariables: Json
  /** The agent's description, its placeholders filled in. */
  readonly agentDescription: string
  /** The expected outcome; null if none is given. */
  readonly expectedOutcome: string | null
}

/** The result of another metric, as custom code sees it. */
export interface PreviousResult {
  readonly value: EvaluationValue
  readonly status: string
  readonly explanation: string | null
}

/** The input of custom code. Names are those of the Call record. */
export const codeInput = (subject: EvaluatedSubject, results: ReadonlyMap<string, PreviousResult>): Json => ({
  call_id: subject.name,
  duration_s: subject.durationSeconds,
  timestamp_ms: subject.startedAt,
  call_ended_reason: subject.endedReason,
  transcript: transcriptText(subject.transcript),
  transcript_object: transcriptObject(subject.transcript).map((item) => ({ ...item })),
  tool_calls: subject.transcript.toolCalls.map((tool) => ({
    id: tool.id ?? null,
    name: tool.name,
    arguments: tool.arguments,
    result: tool.result ?? null,
    succeeded: tool.succeeded ?? null,
    start_time: tool.startTime ?? null,
    end_time: tool.endTime ?? null
  })),
  metadata: subject.metadata,
  dynamic_variables: subject.dynamicVariables,
  agent_description: subject.agentDescription,
  expected_outcome: subject.expectedOutcome,
  results: Object.fromEntries([...results].map(([name, result]) => [name, { ...result }]))
})

const isRecord = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The expected outcome that a call's metadata may state. */
export const expectedOutcomeOf = (metadata: Json): string | null => {
  const outcome = isRecord(metadata) ? metadata.expected_outcome : undefined
  return typeof outcome === "string" && outcome.trim() !== "" ? outcome : null
}

/** Line breaks that JSON does not escape. */
const BREAKS = /[\u0085\u2028\u2029]/g

/** JSON on one line. */
export const singleLineJson = (value: Json): string =>
  JSON.stringify(value).replace(BREAKS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** The turns for a language model, one JSON document per line, so that no text can imitate another turn. */
export const numberedTurns = ({ turns }: RedactedTranscript): string =>
  turns
    .map(({ content, speaker, startTime }, position) =>
      singleLineJson({ turn: position + 1, speaker: roleNames[speaker], at: startTime ?? null, text: content })
    )
    .join("\n")
