import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Layer from "effect/Layer"
import { resolve } from "node:path"
import type { ColumnStore } from "./analytics/Projection.js"
import type { ResourceNames } from "./analytics/ResourceNames.js"
import { DatabaseUnusable } from "./Database.js"

/** The directory of an embedded column store without a path, in the working directory. */
const DIRECTORY = "earshot-analytics"

const EXPECTED =
  "A column store is given as embedded, embedded:DIRECTORY or clickhouse://user:password@host:port/database."

/**
 * The column store at an address: `clickhouse://user:password@host:port/database` (`clickhouses://` over TLS), `embedded`, or
 * `embedded:DIRECTORY`. It is connected to when it is first used. The error does not repeat the address, which may contain a
 * password.
 */
export const at = (address: string): Effect.Effect<Layer.Layer<ColumnStore, never, ResourceNames>, DatabaseUnusable> =>
  Effect.gen(function* () {
    const isEmbedded = /^embedded(?::.+)?$/.test(address)
    if (!isEmbedded && !/^clickhouses?:/.test(address)) return yield* new DatabaseUnusable({ reason: EXPECTED })
    const { ClickHouseColumnStore, isEmbeddedEngineInstalled, parseClickHouseUrl } = yield* Effect.promise(
      () => import("./storage/clickhouse/index.js")
    )
    if (!isEmbedded) {
      const server = yield* Either.mapLeft(parseClickHouseUrl(address), (reason) => new DatabaseUnusable({ reason }))
      return ClickHouseColumnStore.layerServer({ server })
    }
    if (!isEmbeddedEngineInstalled()) {
      return yield* new DatabaseUnusable({ reason: "An embedded column store needs the package chdb. Install it." })
    }
    return ClickHouseColumnStore.layerEmbedded({ directory: resolve(address.slice("embedded:".length) || DIRECTORY) })
  })
