/** Bodies that are sent in slices, each when the client has taken the ones before. */
import { Readable } from "node:stream"

/** Bytes of a slice. No more than two of them are buffered for a client that does not read. */
const SLICE_BYTES = 32 * 1024

/** Where the parts of a body come from. One part is asked for at a time. */
export interface PartSource {
  /** Calls back with the next part, with null at the end, or with undefined if there can be no more. */
  readonly next: (done: (part: Buffer | null | undefined) => void) => void
  /** Releases what the source holds, and ends what it runs. Called once, at the end or when the client has gone. */
  readonly close: (done: () => void) => void
}

/**
 * A body of parts. It fails, which closes the connection, if the source fails or the client takes no slice for
 * `stallMillis`.
 */
export const pacedBody = (source: PartSource, stallMillis: number): Readable => {
  let part: Buffer | undefined
  let offset = 0
  let stalled: NodeJS.Timeout | undefined

  const body: Readable = new Readable({
    // One slice is enough: more would be held for a client that does not read.
    highWaterMark: 1,
    read() {
      clearTimeout(stalled)
      if (part !== undefined) {
        pushSlice(part)
        return
      }
      source.next((next) => {
        if (body.destroyed) return
        if (next === undefined) body.destroy(new Error("The stream failed."))
        else if (next === null) body.push(null)
        else pushSlice(next)
      })
    },
    destroy(error, callback) {
      clearTimeout(stalled)
      part = undefined
      source.close(() => {
        callback(error)
      })
    }
  })

  const pushSlice = (from: Buffer): void => {
    const end = Math.min(offset + SLICE_BYTES, from.length)
    const slice = from.subarray(offset, end)
    const isLast = end === from.length
    part = isLast ? undefined : from
    offset = isLast ? 0 : end
    stalled = setTimeout(() => body.destroy(new Error("The client stopped reading.")), stallMillis)
    body.push(slice)
  }

  return body
}

/** The parts of an iterator, each made when the one before has been sent. */
export const partsOf = (parts: Iterator<string>): PartSource => ({
  next: (done) => {
    const part = parts.next()
    done(part.done === true ? null : Buffer.from(part.value))
  },
  close: (done) => {
    parts.return?.()
    done()
  }
})
