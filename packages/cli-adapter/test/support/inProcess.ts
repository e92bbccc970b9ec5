import { Database, Engine, noLanguageModel } from "@earshot/core"
import * as AesSecretBox from "@earshot/core/providers/AesSecretBox"
import * as MemoryBlobStore from "@earshot/core/providers/MemoryBlobStore"
import * as OutboundHttp from "@earshot/core/providers/OutboundHttp"
import * as PlatformCalls from "@earshot/core/providers/PlatformCalls"
import { layer as server } from "@earshot/http-adapter"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { reportOf } from "../../src/Errors.js"
import type { CommandEffect } from "../../src/CommandEffect.js"
import { Screen } from "../../src/Screen.js"
import { Signals } from "../../src/Signals.js"
import { Wiring } from "../../src/Wiring.js"

/** The exit code and the output of a command. */
export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

const secretBox = AesSecretBox.layer(
  Either.getOrThrow(AesSecretBox.parse(Redacted.make(Buffer.alloc(32, 7).toString("base64"))))
)

type EngineOf = Wiring["Type"]["engine"]

/** The engine of a test's commands and servers, with some of its ports replaced. */
export const engineWith =
  (ports: Engine.Ports): EngineOf =>
  ({ allowedHosts, database, readers }) =>
    Engine.layerWith({
      blobs: MemoryBlobStore.layer,
      secretBox,
      allowHosts: allowedHosts,
      ...ports
    }).pipe(Layer.provide(Database.layer(database, { readers })))

/** The engine of a test's commands and servers. */
export const engineOn: EngineOf = engineWith({})

const wiringWith = (engine: EngineOf) =>
  Layer.succeed(Wiring, {
    countForOthers: Effect.void,
    engine,
    languageModel: () => noLanguageModel,
    platformCalls: (account, period) => Stream.provideLayer(PlatformCalls.list(account, period), OutboundHttp.layer()),
    server
  })

/** Runs a command in this process, on a terminal of the given width. */
export const run = async (running: CommandEffect, columns = 80, engine: EngineOf = engineOn): Promise<Ran> => {
  const out: Array<string> = []
  const err: Array<string> = []
  const keep = (lines: Array<string>) => (text: string) =>
    Effect.sync(() => {
      lines.push(text)
    })
  const screen = Layer.succeed(Screen, {
    print: keep(out),
    note: keep(err),
    redraw: () => Effect.void,
    columns,
    color: false,
    progress: false,
    interactive: false
  })
  const code = await Effect.runPromise(
    running.pipe(
      Effect.as(0),
      Effect.catchAll((error) => {
        const report = reportOf(error)
        err.push(...report.lines)
        return Effect.succeed<number>(report.code)
      }),
      Effect.provide(
        Layer.mergeAll(wiringWith(engine), screen, Layer.succeed(Signals, { endWell: Effect.void, once: Effect.void }))
      )
    )
  )
  return { code, out: out.join("\n"), err: err.join("\n") }
}
