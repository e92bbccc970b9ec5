import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { RecordingSource, RecordingUnavailable, RecordingUrlNotAllowed } from "../calls/RecordingSource.js"
import { type OutboundError, OutboundHttp } from "./OutboundHttp.js"

export interface HttpRecordingSourceConfig {
  /** The largest recording in bytes. Default: 200,000,000. */
  readonly maxBytes?: number
  /** Milliseconds for the whole download, redirects included. Default: 20,000. */
  readonly timeoutMillis?: number
  /** Default: 5. */
  readonly maxRedirects?: number
}

/** A wrong URL is an error of the request; every other failure keeps the call and notes the reason. */
const toRecordingError = (error: OutboundError): RecordingUrlNotAllowed | RecordingUnavailable => {
  switch (error.reason.is) {
    case "InvalidUrl":
      return new RecordingUrlNotAllowed({ reason: "Enter a valid URL." })
    case "UnsupportedScheme":
      return new RecordingUrlNotAllowed({ reason: "Recordings are fetched over http and https only." })
    case "AddressNotPublic":
      return new RecordingUrlNotAllowed({
        reason: "Recordings are not fetched from this address: it is not a public one."
      })
    default:
      return new RecordingUnavailable({ reason: `the server ${error.message}.` })
  }
}

/** Recordings over HTTP, as streams. */
export const layer = (config: HttpRecordingSourceConfig = {}): Layer.Layer<RecordingSource, never, OutboundHttp> =>
  Layer.effect(
    RecordingSource,
    Effect.map(OutboundHttp, (http) => {
      const { maxBytes = 200_000_000, maxRedirects = 5, timeoutMillis = 20_000 } = config
      return RecordingSource.of({
        fetch: (url) =>
          Stream.unwrapScoped(
            http
              .open({
                url,
                headers: { accept: "audio/*, */*;q=0.5" },
                maxRedirects,
                limits: { maxBytes, totalMillis: timeoutMillis }
              })
              .pipe(
                Effect.mapError(toRecordingError),
                Effect.filterOrFail(
                  ({ status }) => status === 200,
                  ({ status }) => new RecordingUnavailable({ reason: `the server answered HTTP ${status}.` })
                ),
                Effect.map(({ body }) => Stream.mapError(body, toRecordingError))
              )
          )
      })
    })
  )
