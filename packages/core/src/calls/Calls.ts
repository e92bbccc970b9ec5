import type { NerProvider } from "@earshot/redaction"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Forbidden, NotFound, Unauthenticated } from "../access/AccessErrors.js"
import { orNotFound } from "../access/OrNotFound.js"
import type { CurrentActor } from "../access/Actor.js"
import type { Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import type { Agents } from "../catalog/Agents.js"
import type { JobSignal } from "../jobs/JobSignal.js"
import { decode, decodeInput, ValidationFailed } from "../kernel/FieldErrors.js"
import type { Input } from "../kernel/Input.js"
import type { CallId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { streamPages } from "../kernel/StreamPages.js"
import { Evaluations } from "../metrics/Evaluations.js"
import type { Metrics } from "../metrics/Metrics.js"
import type { AudioProbe } from "./AudioProbe.js"
import type { RecordingAudio } from "./RecordingAudio.js"
import type { RedactionWork } from "./RedactionWork.js"
import type { BlobStore } from "./BlobStore.js"
import type { RedactionUnavailable } from "./CallErrors.js"
import { type CallFacets, type CallFacetsQuery, parseFacetsQuery } from "./CallFacets.js"
import { CallFacetStore } from "./CallFacetStore.js"
import { type CallQuery, parseCallQuery } from "./CallQuery.js"
import type { CallRecord } from "./CallRecord.js"
import { CallReadQuery, type ExpandedCall, type ListedCall } from "./ListedCall.js"
import type { SpanRedaction } from "./SpanRedaction.js"
import { CallStore } from "./CallStore.js"
import * as DeliveryRedaction from "./DeliveryRedaction.js"
import type { IngestBody } from "./IngestBody.js"
import * as IngestCalls from "./IngestCalls.js"
import { Recordings } from "./Recordings.js"
import type { RecordingSource } from "./RecordingSource.js"
import { applyReview, ReviewPatch } from "./Review.js"
import type { Transcriber } from "./Transcriber.js"

export type { IngestConfig } from "./IngestCalls.js"

/** Production calls of the caller's organization. Inputs are unvalidated. */
export class Calls extends Context.Tag("@earshot/core/calls/Calls")<
  Calls,
  {
    /**
     * E10. The body as parsed JSON or form fields (see `IngestBody`), with an `Upload` under `voice_recording` for an
     * uploaded file. Completes when the call is durable. The call is stored in a transaction shared with concurrent
     * deliveries: do not call this inside `UnitOfWork.atomically`.
     *
     * `redact_fields` are redacted in transcript and recording before either is stored. A recording that cannot be
     * redacted is omitted and the record says why; a transcript that cannot be redacted fails the delivery.
     */
    readonly ingest: UseCase<
      "calls.ingest",
      [input: Input<typeof IngestBody>],
      IngestCalls.Ingested,
      ValidationFailed | StorageError | RedactionUnavailable
    >
    /**
     * `{filters_v2?, agent_id?, project?, cursor?, limit?, expand?}`; `filters_v2` as JSON text or an object, `expand` as
     * names separated by commas or a list (`CALL_EXPANSIONS`). Newest first; a page ends early at `PageBytes`.
     */
    readonly list: UseCase<
      "calls.list",
      [query: Input<typeof CallQuery>],
      Pages.Page<ListedCall>,
      ValidationFailed | StorageError
    >
    /**
     * `{filters_v2?, agent_id?, project?, fields?, limit?}`: how many of the calls that `list` finds have each value of the
     * fields. What was not counted within the time limit of a list is named in `timedOut`.
     */
    readonly facets: UseCase<
      "calls.facets",
      [query: Input<typeof CallFacetsQuery>],
      CallFacets,
      ValidationFailed | StorageError
    >
    /** `{expand?}`: names of `CALL_READ_EXPANSIONS`, of which `evaluations` are read only if it names them. */
    readonly read: UseCase<
      "calls.read",
      [id: CallId, query?: Input<typeof CallReadQuery>],
      ExpandedCall,
      ValidationFailed | NotFound | StorageError
    >
    /** A person's review: `{success?, is_reviewed?, status?, feedback?, dropoff_point?, topic?}`. */
    readonly review: UseCase<
      "calls.review",
      [id: CallId, patch: Input<typeof ReviewPatch>],
      CallRecord,
      ValidationFailed | NotFound | StorageError
    >
    /** Permanently deletes a call with its transcript, evaluations and recording. */
    readonly delete: UseCase<"calls.delete", [id: CallId], void, NotFound | StorageError>
    /** All calls that match the query of `list`, newest first, read page by page as the stream is pulled. */
    readonly export: (
      query: Input<typeof CallQuery>
    ) => Stream.Stream<CallRecord, ValidationFailed | StorageError | Unauthenticated | Forbidden, CurrentActor>
  }
>() {}

export const layer = (
  config: IngestCalls.IngestConfig = {}
): Layer.Layer<
  Calls,
  never,
  | CallStore
  | CallFacetStore
  | Agents
  | Metrics
  | Evaluations
  | SpanRedaction
  | JobSignal
  | UnitOfWork
  | BlobStore
  | Recordings
  | RecordingSource
  | Transcriber
  | AudioProbe
  | RecordingAudio
  | RedactionWork
  | NerProvider
> =>
  Layer.effect(
    Calls,
    Effect.gen(function* () {
      const store = yield* CallStore
      const facets = yield* CallFacetStore
      const work = yield* UnitOfWork
      const recordings = yield* Recordings
      const evaluations = yield* Evaluations
      const redaction = yield* DeliveryRedaction.make(config.redaction ?? {})
      const ingest = yield* IngestCalls.make(config, redaction)

      const find = (permit: Permit, id: CallId) => foundCall(store.find(permit, id))
      const findForUpdate = (permit: Permit<"calls:write" | "calls:delete">, id: CallId) =>
        foundCall(store.findForUpdate(permit, id))

      const exportCriteria = useCase("calls.export")((permit, query: unknown) =>
        Effect.gen(function* () {
          const { criteria } = yield* parseCallQuery(query, yield* DateTime.now)
          return { permit, criteria }
        })
      )

      return Calls.of({
        ingest: useCase("calls.ingest")(ingest, ({ call, created }) => ({ receipt: { id: call.id }, created })),
        list: useCase("calls.list")((permit, query) =>
          Effect.gen(function* () {
            const { criteria, expand, page } = yield* parseCallQuery(query, yield* DateTime.now)
            const found = yield* store.list(permit, criteria, page, expand)
            return Pages.pageOf(page, found, (call) => call.id)
          })
        ),
        facets: useCase("calls.facets")((permit, query) =>
          Effect.gen(function* () {
            return yield* facets.count(permit, yield* parseFacetsQuery(query, yield* DateTime.now))
          })
        ),
        read: useCase("calls.read")((permit, id, query) =>
          Effect.gen(function* () {
            const { expand } = yield* decodeInput(CallReadQuery, query ?? {})
            const call = yield* find(permit, id)
            return expand?.has("evaluations") === true
              ? { ...call, evaluations: yield* evaluations.ofCall(permit, call.id) }
              : call
          })
        ),
        review: useCase("calls.review")((permit, id, input) =>
          work.atomically(
            Effect.gen(function* () {
              const call = yield* findForUpdate(permit, id)
              const reviewed = yield* Either.mapLeft(
                Either.flatMap(decode(ReviewPatch)(input), (patch) => applyReview(call, patch)),
                (errors) => new ValidationFailed({ errors })
              )
              const texts = yield* redaction.redactReview(reviewed)
              const changed = { ...reviewed, ...texts, updatedAt: yield* DateTime.now }
              yield* store.saveReview(permit, changed)
              return changed
            })
          )
        ),
        delete: useCase("calls.delete")((permit, id) =>
          Effect.gen(function* () {
            const call = yield* work.atomically(Effect.tap(findForUpdate(permit, id), () => store.remove(permit, id)))
            if (call.recording !== null) yield* recordings.release([call.recording.blobKey])
          }).pipe(Effect.uninterruptible)
        ),
        export: (query) =>
          Stream.unwrap(
            Effect.map(exportCriteria(query), ({ criteria, permit }) =>
              streamPages(Pages.firstPage, (page) => store.listRecords(permit, criteria, page))
            )
          )
      })
    })
  )

const foundCall = orNotFound("Call")
