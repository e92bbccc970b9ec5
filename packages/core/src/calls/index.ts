export { BLOB_KEY, type Blob, blobKey, BlobMissing, type BlobRange, BlobStore, BlobStoreFailed } from "./BlobStore.js"
export { CallRecordings, type OpenAudio, type OpenRecording } from "./CallRecordings.js"
export {
  encodePeaks,
  PEAKS_JOB,
  PeaksQuery,
  type RecordingPeaks,
  RecordingPeaksJson,
  type StoredPeaks
} from "./RecordingPeaks.js"
export { type MutedRecording, RecordingAudio } from "./RecordingAudio.js"
export { RedactionWork } from "./RedactionWork.js"
export { type CallRecording, RecordingStore, type RecordingWithPeaks } from "./RecordingStore.js"
export {
  encodeSignedRecording,
  RecordingUrlDraft,
  SIGNED_RECORDINGS_PATH,
  type SignedRecording,
  SignedRecordingJson
} from "./RecordingUrl.js"
export { type PendingBlob, PendingBlobStore, type RecordedThing } from "./PendingBlobStore.js"
export { Recordings, type RecordingsConfig, type RecordingsReport } from "./Recordings.js"
export {
  AudioWorkFailed,
  CallDeleted,
  RecordingUrlInvalid,
  RedactionIncomplete,
  RedactionUnavailable
} from "./CallErrors.js"
export * from "./CallRecord.js"
export {
  CallEvaluations,
  encodeRequestedEvaluation,
  EvaluationRequest,
  type RequestedEvaluation
} from "./CallEvaluations.js"
export { type CompletedBody, completeBody } from "./EnvelopeFields.js"
export { type CallExportForm, callExportForm, CallExportQuery, type CsvColumns, csvHeader, csvLine } from "./CallCsv.js"
export { CallFacets, CallFacetsQuery, encodeCallFacets } from "./CallFacets.js"
export { type CallCriteria, CallQuery } from "./CallQuery.js"
export { Calls } from "./Calls.js"
export {
  encodeWebhookReceipt,
  PlatformWebhooks,
  type WebhookCount,
  WebhookOptions,
  type WebhookReceipt,
  WebhookReceiptJson
} from "./PlatformWebhooks.js"
export * from "./ListedCall.js"
export { encodeStoredDelivery, StoredDeliveryJson } from "./StoredDelivery.js"
export { CallStore, type DeliveryOutcome } from "./CallStore.js"
export type { CalledAgent, Delivery, MergeBase } from "./Delivery.js"
export { type RatedEvaluation, applyEvaluations, successOf, summaryOf } from "./CallOutcomeRules.js"
export { EVALUATION_JOB, evaluationJob } from "./EvaluationJob.js"
export { IngestBody, redactFields } from "./IngestBody.js"
export { redactionTotals, type RedactionTotals } from "./RedactionMetrics.js"
export { redactionPrice } from "./RedactionPrice.js"
export { type IngestConfig, type Ingested, MAX_RECORDING_BYTES } from "./IngestCalls.js"
export { RecordingSource, RecordingUnavailable, RecordingUrlNotAllowed } from "./RecordingSource.js"
export {
  type IngestCapabilities,
  type ValidIngest,
  makeIngestValidator,
  type InvalidIngest
} from "./IngestValidation.js"
export { firstRecord, mergeRedelivery, type RedeliveryOutcome } from "./RedeliveryRules.js"
export type { RedactionConfig } from "./DeliveryRedaction.js"
export type { CallDetail } from "./DetailRedaction.js"
export { applyReview, type Reviewable, ReviewPatch } from "./Review.js"
export {
  type Audio,
  layerNone as noTranscriber,
  type Transcribe,
  Transcriber,
  TranscriptionFailed
} from "./Transcriber.js"
export { Upload } from "./Upload.js"
