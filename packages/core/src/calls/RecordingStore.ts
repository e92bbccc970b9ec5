import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { CallId, RunId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Recording } from "./CallRecord.js"
import type { StoredPeaks } from "./RecordingPeaks.js"

/** The recording of a call, without the call. */
export interface CallRecording {
  readonly callId: CallId
  readonly recording: Recording
}

/** What the bytes of a recording are read by. */
export type ReadableRecording = Pick<Recording, "blobKey" | "contentType" | "sizeBytes" | "sha256">

/** A recording and its waveform, if that was computed. */
export interface RecordingWithPeaks extends CallRecording {
  readonly peaks: StoredPeaks | null
}

/** Port: storage of what recordings of calls consist of, besides their bytes. Limited to the permit's organization and scope. */
export class RecordingStore extends Context.Tag("@earshot/core/calls/RecordingStore")<
  RecordingStore,
  {
    readonly find: (
      permit: Permit<"recordings:read">,
      call: CallId
    ) => Effect.Effect<Option.Option<CallRecording>, StorageError>
    /** The recording of a run by voice. */
    readonly findOfRun: (
      permit: Permit<"results:read">,
      run: RunId
    ) => Effect.Effect<Option.Option<ReadableRecording>, StorageError>
    /** The bytes of the waveform are taken from the request's budget before they are read. */
    readonly findWithPeaks: (
      permit: Permit<"recordings:read">,
      call: CallId
    ) => Effect.Effect<Option.Option<RecordingWithPeaks>, StorageError>
    /**
     * Stores the waveform of a recording, if it is still the call's: one that was replaced, redacted or deleted meanwhile
     * gets none. Replaces an earlier one.
     */
    readonly savePeaks: (
      permit: Permit<"recordings:read">,
      of: CallRecording["callId"],
      blobKey: string,
      peaks: StoredPeaks
    ) => Effect.Effect<void, StorageError>
  }
>() {}
