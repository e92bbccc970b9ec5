import {
  CallId,
  CallRecordings,
  encodePeaks,
  encodeSignedRecording,
  type NotFound,
  type OpenAudio,
  type OpenRecording,
  PeaksQuery,
  RecordingPeaksJson,
  RecordingUrlDraft,
  RunId,
  SIGNED_RECORDINGS_PATH,
  SignedRecordingJson,
  type StorageError
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type RangedContent, rangedResponse } from "../ByteRanges.js"
import { anyEncoding, type Endpoint, type EndpointRequest, json, type ResponseDescription } from "../Endpoint.js"
import { pathId } from "./Resource.js"

const tag = "Calls"
const path = "/observability/v1/call-logs/:id/recording/"

const callOf = ({ params }: EndpointRequest) => pathId(CallId, params, "Recording")

/** Names of files by content type. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "audio/webm": "webm",
  "audio/flac": "flac",
  "audio/mp4": "m4a",
  "audio/aac": "aac",
  "audio/amr": "amr",
  "audio/aiff": "aiff",
  "audio/basic": "au"
}

/** @param name of the file, without its extension */
const contentOf = (recording: OpenAudio, name: string): RangedContent<NotFound | StorageError> => ({
  type: recording.contentType,
  sizeBytes: recording.sizeBytes,
  etag: `"${recording.sha256}"`,
  headers: {
    "content-disposition": `inline; filename="${name}.${EXTENSIONS[recording.contentType] ?? "bin"}"`
  },
  read: recording.read
})

const contentOfCall = (recording: OpenRecording) => contentOf(recording, `call-${recording.callId}`)

const audio: readonly [ResponseDescription, ...ReadonlyArray<ResponseDescription>] = [
  { status: 200, description: "The bytes of the recording.", mediaType: "audio/*" },
  { status: 206, description: "The requested range of bytes.", mediaType: "audio/*" },
  { status: 304, description: "The client has the recording already, by `If-None-Match`." }
]

const RANGES = "Supports `Range` with one range, `If-Range` and `If-None-Match`. The ETag is the SHA-256 of the bytes."
const MUTED = `${RANGES} A recording with \`redact_fields\` is the muted one.`

export const recordings: ReadonlyArray<Endpoint> = [
  {
    method: "GET",
    path,
    id: "recordings.read",
    operation: "recordings.read",
    tag,
    summary: "Read the recording of a call",
    description: MUTED,
    errorStatuses: [416],
    responses: audio,
    handle: (request) =>
      Effect.gen(function* () {
        const recording = yield* (yield* CallRecordings).open(yield* callOf(request))
        return yield* rangedResponse(request, contentOfCall(recording))
      })
  },
  {
    method: "POST",
    path: `${path}url/`,
    id: "recordings.sign",
    operation: "recordings.sign",
    tag,
    summary: "Make a URL of a recording",
    description:
      "For players, which cannot send a header: the URL reads this recording without a credential until it expires, after " +
      "`ttl` seconds (default: 600, at most 3600). It cannot be revoked, except by deleting the call or discarding all signing keys.",
    body: { name: "RecordingUrlDraft", schema: RecordingUrlDraft, encodings: anyEncoding, example: { ttl: 600 } },
    responses: [
      { status: 201, description: "The URL.", body: { name: "SignedRecording", schema: SignedRecordingJson } }
    ],
    handle: (request) =>
      Effect.gen(function* () {
        const signed = yield* (yield* CallRecordings).sign(yield* callOf(request), request.body)
        return json(201, encodeSignedRecording(signed))
      })
  },
  {
    method: "GET",
    path: `${path}peaks/`,
    id: "recordings.peaks",
    operation: "recordings.peaks",
    tag,
    summary: "Read the waveform of a recording",
    description:
      "The first request starts a job that computes it: until then `status` is `pending`, and the response has `Retry-After`. " +
      "`unavailable` says why there is none: waveforms are available for WAV, FLAC, MP3 and Opus.",
    query: PeaksQuery,
    responses: [
      {
        status: 200,
        description: "The waveform, by its status.",
        body: { name: "RecordingPeaks", schema: RecordingPeaksJson }
      }
    ],
    handle: (request) =>
      Effect.gen(function* () {
        const peaks = yield* (yield* CallRecordings).peaks(yield* callOf(request), request.query)
        const response = json(200, encodePeaks(peaks))
        return peaks.status === "pending" ? { ...response, headers: { "retry-after": "1" } } : response
      })
  },
  {
    method: "GET",
    path: SIGNED_RECORDINGS_PATH,
    id: "recordings.readSigned",
    operation: null,
    tag,
    summary: "Read a recording by a signed URL",
    description: `Requires no credential beside the token. ${MUTED}`,
    query: Schema.Struct({ token: Schema.String }),
    errorStatuses: [403, 404, 416],
    responses: audio,
    handle: (request) =>
      Effect.gen(function* () {
        const token = request.query.token
        const recording = yield* (yield* CallRecordings).openSigned(typeof token === "string" ? token : "")
        return yield* rangedResponse(request, contentOfCall(recording))
      })
  },
  {
    method: "GET",
    path: "/test_framework/v1/runs/:id/recording/",
    id: "runs.recording",
    operation: "runs.recording",
    tag: "Results",
    summary: "Read the recording of a run",
    description: `Runs by voice that Earshot executes have one: stereo, the testing agent left and the main agent right. ${RANGES}`,
    errorStatuses: [416],
    responses: audio,
    handle: (request) =>
      Effect.gen(function* () {
        const id = yield* pathId(RunId, request.params, "Recording")
        const recording = yield* (yield* CallRecordings).openRun(id)
        return yield* rangedResponse(request, contentOf(recording, `run-${id}`))
      })
  }
]
