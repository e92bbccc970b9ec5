import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ColumnStore } from "../../analytics/Projection.js"
import { ResourceNames } from "../../analytics/ResourceNames.js"
import type { ClickHouseEngine } from "./ClickHouseEngine.js"
import * as ClickHouseHttp from "./ClickHouseHttp.js"
import type { ClickHouseAddress } from "./ClickHouseUrl.js"
import * as ColumnAnswers from "./ColumnAnswers.js"
import { tablesOf } from "./ColumnTables.js"
import * as ColumnWriter from "./ColumnWriter.js"
import * as EmbeddedEngine from "./EmbeddedEngine.js"

/** The default of how long a question may take: as long as a chart of the primary database. */
const QUERY_TIMEOUT = Duration.seconds(30)

/** Requests at a time of one process; more wait. */
const CONNECTIONS = 10

/** The names of tables begin with it. */
const PREFIX = "earshot_"

interface CommonConfig {
  /** How long a question may take; default: 30 seconds. */
  readonly queryTimeout?: Duration.DurationInput
}

/** The column store on an engine. */
const onEngine = (engine: ClickHouseEngine): Effect.Effect<ColumnStore["Type"], never, ResourceNames> =>
  Effect.gen(function* () {
    const tables = tablesOf(PREFIX)
    const writer = yield* ColumnWriter.make(engine, tables)
    const analytics = yield* ColumnAnswers.make(engine, tables, yield* ResourceNames)
    return ColumnStore.of({ ...writer, analytics })
  })

const timeoutOf = ({ queryTimeout }: CommonConfig): Duration.Duration =>
  queryTimeout === undefined ? QUERY_TIMEOUT : Duration.decode(queryTimeout)

/** A ClickHouse server, version 25.8 or later. */
export const layerServer = (
  config: CommonConfig & { readonly server: ClickHouseAddress }
): Layer.Layer<ColumnStore, never, ResourceNames> =>
  Layer.scoped(
    ColumnStore,
    Effect.flatMap(
      ClickHouseHttp.make({ ...config.server, queryTimeout: timeoutOf(config), connections: CONNECTIONS }),
      onEngine
    )
  )

/** The engine in a process beside this one, by the package `chdb`; see `EmbeddedEngine.ts`. */
export const layerEmbedded = (
  config: CommonConfig & {
    /** A directory on a local disk, which is created; all processes on this machine that use it share the engine. */
    readonly directory: string
  }
): Layer.Layer<ColumnStore, never, ResourceNames> =>
  Layer.scoped(
    ColumnStore,
    Effect.flatMap(EmbeddedEngine.make({ directory: config.directory, queryTimeout: timeoutOf(config) }), onEngine)
  )
