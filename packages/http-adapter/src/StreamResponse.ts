import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { SuccessResponse } from "./Endpoint.js"
import type { PartSource } from "./PacedBody.js"

/**
 * Streams text or bytes as a response with backpressure: the next chunk is made when the one before has been sent. A failure before the first chunk is an ordinary error response; a
 * later one closes the connection, since the status has already been sent.
 */
export const streamResponse = <E, R>(
  type: string,
  chunks: Stream.Stream<string | Uint8Array, E, R>,
  head: Pick<SuccessResponse, "status" | "headers"> = { status: 200 }
): Effect.Effect<SuccessResponse, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const runtime = yield* Effect.runtime<R>()
      return yield* restore(
        Effect.gen(function* () {
          const pull = yield* Scope.extend(Stream.toPull(chunks), scope)
          const first = yield* pullNonEmpty(pull)
          return { runtime, pull, first }
        })
      ).pipe(
        Effect.map(({ first, pull }): SuccessResponse => {
          const later = Effect.tapErrorCause(pullNonEmpty(pull), (cause) =>
            // Interrupted: the client has gone, or the server is closing.
            Cause.isInterruptedOnly(cause) ? Effect.void : Effect.logError("Response stream failed", cause)
          )
          const source = makeSource(runtime, later, first, Scope.close(scope, Exit.void))
          return { ...head, content: { as: "parts", type, source } }
        }),
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
    })
  )

/** The next non-empty chunk, or null at the end. */
const pullNonEmpty = <E, R>(
  pull: Effect.Effect<Chunk.Chunk<string | Uint8Array>, Option.Option<E>, R>
): Effect.Effect<Buffer | null, E, R> =>
  pull.pipe(
    Effect.map((chunk) => Buffer.concat(Chunk.toReadonlyArray(chunk).map(toBytes))),
    Effect.repeat({ until: (bytes) => bytes.length > 0 }),
    Effect.catchAll(Option.match({ onNone: () => Effect.succeed(null), onSome: (error) => Effect.fail(error) }))
  )

const toBytes = (value: string | Uint8Array): Uint8Array => (typeof value === "string" ? Buffer.from(value) : value)

const makeSource = <E, R>(
  runtime: Runtime.Runtime<R>,
  next: Effect.Effect<Buffer | null, E, R>,
  first: Buffer | null,
  close: Effect.Effect<void>
): PartSource => {
  const runCallback = Runtime.runCallback(runtime)
  let pending: { readonly bytes: Buffer | null } | undefined = { bytes: first }
  let cancel: (() => void) | undefined
  return {
    next: (done) => {
      if (pending !== undefined) {
        const { bytes } = pending
        pending = undefined
        done(bytes)
        return
      }
      cancel = runCallback(next, {
        onExit: (exit) => {
          done(Exit.isSuccess(exit) ? exit.value : undefined)
        }
      })
    },
    close: (done) => {
      pending = undefined
      // Interrupts the statement that runs, if one does.
      cancel?.()
      runCallback(close, { onExit: done })
    }
  }
}
