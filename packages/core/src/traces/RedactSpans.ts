import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SpanRedaction } from "../calls/SpanRedaction.js"
import { JobQueue } from "../jobs/JobQueue.js"
import { spanRedactionJob } from "./TraceJob.js"
import { TraceStore } from "./TraceStore.js"

/** Enqueues a job for each trace whose spans have to be redacted by the fields of their call. */
export const layer = Layer.effect(
  SpanRedaction,
  Effect.gen(function* () {
    const store = yield* TraceStore
    const queue = yield* JobQueue
    return SpanRedaction.of({
      redact: (permit, call, fields) =>
        Effect.gen(function* () {
          for (const { trace } of yield* store.ofCall(permit, call)) {
            if (fields.every((field) => trace.redactFields.includes(field))) continue
            yield* queue.enqueue(spanRedactionJob(permit.organizationId, trace.id, fields))
          }
        })
    })
  })
)
