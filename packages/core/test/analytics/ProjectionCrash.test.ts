/** Kills the processes of a column store while calls change, and compares it with the database afterwards. */
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import {
  AnalyticsListener,
  ColumnStores,
  type DashboardId,
  Dashboards,
  Database,
  Engine,
  hostActor,
  type OrganizationId,
  Organizations,
  Projections,
  untrusted,
  Widgets
} from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { workersOf } from "../jobs/workers.js"
import { nothing } from "./projections.js"

/** Kills for each database. A round takes half a minute, so that ordinary runs have one, of all processes. */
const ROUNDS = Number(process.env.EARSHOT_CRASH_ROUNDS ?? 1)

/** What is killed, one after another. */
const KINDS = ["all three", "the projector", "the column store", "the server"] as const

/** Changes and applied batches before a kill, which comes at another moment each time, and changes after it. */
const changesBefore = (round: number) => 60 + ((round * 37) % 90)
const batchesBefore = (round: number) => 2 + (round % 5)
const CHANGES_AFTER = 40

/** Each call has one value of the first, and each evaluation one of the second. */
const FIELDS = ["metadata.n", "metric_evaluations.metric.id"] as const

/** How long changes, and what follows from them, may take at most. */
const LIMIT = 120_000

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Waits until something is so. */
const until = async (what: string, isSo: () => boolean | Promise<boolean>) => {
  const deadline = performance.now() + LIMIT
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${LIMIT} ms`)
    await pause(10)
  }
}

/** Counts how often a process prints a line that is this word, among lines of its log. */
const counting = (child: ChildProcess, word: string) => {
  let count = 0
  let rest = ""
  child.stdout?.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n")
    rest = lines.pop() ?? ""
    count += lines.filter((line) => line === word).length
  })
  return () => count
}

const kill = async (child: ChildProcess) => {
  const closed = once(child, "close")
  child.kill("SIGKILL")
  await closed
}

describe.each(["sqlite", "postgres"] as const)("a column store whose processes are killed on %s", (database) => {
  const { address, folder, start, stop } = workersOf(new URL("./crash/worker.mjs", import.meta.url), database)
  const columns = join(folder, "columns")

  const run = <A, E>(
    effect: Effect.Effect<A, E, Engine.Services | Engine.Storage>,
    ports: Engine.Ports = {}
  ): Promise<A> =>
    Effect.runPromise(
      Effect.provide(
        effect,
        Engine.layerWith(ports).pipe(Layer.provideMerge(Database.layer(address())))
      ) as Effect.Effect<A, E>
    )

  const runWithColumns = async <A, E>(effect: Effect.Effect<A, E, Engine.Services | Engine.Storage>): Promise<A> =>
    run(effect, {
      analytics: await Effect.runPromise(ColumnStores.at(`embedded:${columns}`)),
      projection: { lease: "1 second" }
    })

  const killColumnStore = async () => {
    // It may have been killed a moment ago, and its successor has not written where it is yet.
    await until("a process of the column store", async () => {
      try {
        const { pid } = JSON.parse(await readFile(join(columns, "endpoint.json"), "utf8")) as { readonly pid: number }
        return process.kill(pid, "SIGKILL")
      } catch {
        return false
      }
    })
  }

  /** Lets the projection apply what is pending, and compares it with the database. */
  const catchUp = Effect.gen(function* () {
    const projections = yield* Projections
    const deadline = performance.now() + LIMIT
    const isApplied = Effect.gen(function* () {
      yield* projections.project
      const { generation, pending, rebuild } = yield* projections.status
      return generation !== null && pending === null && rebuild === null
    })
    while (!(yield* isApplied)) {
      if (performance.now() > deadline) return yield* Effect.dieMessage("Changes were not applied.")
      yield* Effect.sleep("50 millis")
    }
    return yield* projections.verify(nothing)
  })

  /** Charts that count all calls and all evaluations, and what answered them. */
  const charts = (organization: OrganizationId, dashboard: DashboardId) =>
    Effect.gen(function* () {
      const widgets = yield* Widgets
      const sources: Array<string> = []
      const data = yield* Effect.forEach(
        [{ chart_type: "stat" }, ...FIELDS.map((field) => ({ chart_type: "pie", field }))],
        (widget) => widgets.preview(untrusted({ dashboard, ...widget }))
      ).pipe(
        TestEngine.as(hostActor(organization)),
        Effect.provideService(AnalyticsListener, (source) => void sources.push(source))
      )
      return { data, sources: new Set(sources) }
    })

  it(
    `differs in nothing afterwards (${ROUNDS} times)`,
    async () => {
      const { organization, project, agent } = await run(
        Effect.map(
          Effect.flatMap(Organizations, (all) => all.create({ name: "Crash" })),
          (made) => ({ organization: made.organization.id, project: made.project.id, agent: made.agent.id })
        )
      )
      const dashboard = await run(
        Effect.flatMap(Dashboards, (all) => all.create({ name: "Calls", project })).pipe(
          TestEngine.as(hostActor(organization))
        )
      )
      for (let round = 0; round < ROUNDS; round++) {
        const begin = (work: "change" | "project") =>
          start(columns, work, String(organization), String(agent), String(round))
        const [projector, server] = [begin("project"), begin("change")]
        const changes = counting(server, "changed")
        const batches = counting(projector, "applied")
        await until(
          "changes and their projection",
          () => changes() >= changesBefore(round) && batches() >= batchesBefore(round)
        )
        await pause((round * 53) % 200)
        const kind = KINDS[round % KINDS.length]
        const lost: Array<ChildProcess> = []
        if (kind === "the column store" || kind === "all three") await killColumnStore()
        if (kind === "the projector" || kind === "all three") lost.push(projector)
        if (kind === "the server" || kind === "all three") lost.push(server)
        await Promise.all(lost.map(kill))
        if (!lost.includes(server)) {
          const before = changes()
          await until("changes after the kill", () => changes() >= before + CHANGES_AFTER)
        }
        await Promise.all([projector, server].filter((child) => !lost.includes(child)).map(stop))
        const ofColumns = Effect.gen(function* () {
          expect(yield* catchUp).toMatchObject({ missing: 0, extra: 0, different: 0 })
          return yield* charts(organization, dashboard.id)
        })
        const counted = await runWithColumns(ofColumns)
        expect(counted.sources).toEqual(new Set(["column-store"]))
        expect(counted.data).toEqual((await run(charts(organization, dashboard.id))).data)
      }
    },
    60_000 + ROUNDS * 120_000
  )
})
