import { RecordingSource } from "@earshot/core"
import { CallKit } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

/** A source of recordings that waits until `open` is called, so that a call with a recording stays in flight. */
export const gatedRecordings = () => {
  let open = (): void => undefined
  let reached = (): void => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  const isReached = new Promise<void>((resolve) => (reached = resolve))
  const source = Layer.succeed(
    RecordingSource,
    RecordingSource.of({
      fetch: () =>
        Stream.unwrap(
          Effect.promise(() => {
            reached()
            return opened
          }).pipe(Effect.as(Stream.make(CallKit.wav(1))))
        )
    })
  )
  return {
    open: () => {
      open()
    },
    isReached,
    source
  }
}
