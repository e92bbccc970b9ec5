/**
 * Embeds the engine in an Effect program, from layers, and prints the data of a widget.
 *
 *     node examples/dist/embed-with-effect.js
 */
import { pathToFileURL } from "node:url"
import {
  Calls,
  CurrentActor,
  Dashboards,
  encodeWidgetData,
  Engine,
  hostActor,
  Organizations,
  Widgets
} from "@earshot/core"
import { SqliteStorage } from "@earshot/core/sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The storage is the only part without a default. */
const EngineLive = Engine.layer.pipe(Layer.provide(SqliteStorage.layer({ filename: ":memory:" })))

const printWidget = (print: (line: string) => void) =>
  Effect.gen(function* () {
    const organizations = yield* Organizations
    const { agent, organization, project } = yield* organizations.create({ name: "Northside Plumbing" })

    yield* Effect.gen(function* () {
      const calls = yield* Calls
      const dashboards = yield* Dashboards
      const widgets = yield* Widgets
      yield* Effect.forEach(["resolved", "resolved", "no-answer"], (reason, index) =>
        calls.ingest({ call_id: `call-${index}`, agent: agent.id, call_ended_reason: reason })
      )
      const dashboard = yield* dashboards.create({ name: "Calls", project: project.id })
      const widget = yield* widgets.create({ dashboard: dashboard.id, chart_type: "pie", field: "call_ended_reason" })
      print(JSON.stringify(encodeWidgetData(yield* widgets.data(widget.id))))
    }).pipe(Effect.provideService(CurrentActor, hostActor(organization.id)))
  })

export const main = (print: (line: string) => void): Promise<void> =>
  Effect.runPromise(printWidget(print).pipe(Effect.provide(EngineLive)))

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(console.log)
