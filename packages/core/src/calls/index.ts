export { type Blob, BlobMissing, BlobStore, BlobStoreFailed } from "./BlobStore.js"
export { CallGone, RedactionOwed, RedactionUnavailable } from "./CallErrors.js"
export * from "./CallRecord.js"
export { CallEvaluations, EvaluationRequest, type Requested } from "./CallEvaluations.js"
export { CallQuery, Calls, type IngestConfig, type Ingested, MAX_RECORDING_BYTES } from "./Calls.js"
export { type CallQuestion, CallStore, type Delivered } from "./CallStore.js"
export type { CalledAgent, Delivery, LaidOver } from "./Delivery.js"
export { type Considered, evaluated as evaluatedCall, successOf, summaryOf } from "./EvaluatedCall.js"
export { EVALUATION_JOB, evaluationJob } from "./EvaluationJob.js"
export { IngestBody, redactFields } from "./IngestBody.js"
export { RecordingSource, RecordingUnavailable, RecordingUrlRefused } from "./RecordingSource.js"
export { type Abilities, type Judged, makeJudge as makeIngestJudge, type Refused } from "./JudgeIngest.js"
export { firstRecord, redeliver, type Redelivered } from "./Redelivery.js"
export type { CallDetail, RedactionConfig } from "./RedactDelivery.js"
export { review as reviewCall, type Reviewable, ReviewPatch } from "./Review.js"
export {
  type Audio,
  layerNone as noTranscriber,
  type Transcribe,
  Transcriber,
  TranscriptionFailed
} from "./Transcriber.js"
export { Upload } from "./Upload.js"
