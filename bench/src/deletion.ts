/** Bulk deletion of 100 results with 200 runs each (E8), compared with hand-written SQL, on both databases. */
import {
  type Actor,
  CurrentActor,
  Database,
  Engine,
  hostActor,
  type OrganizationId,
  Organizations,
  Results,
  Suites
} from "@earshot/core"
import { SqlClient } from "@effect/sql/SqlClient"
import { createDatabase } from "@earshot/test-kit/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { benchmark, type Environment, numberFrom } from "./Benchmark.js"
import { alternate, format, timed } from "./measure.js"

/** `frequency`: runs of each of the two scenarios of a result. */
interface Size {
  readonly results: number
  readonly frequency: number
  readonly rounds: number
}

const spec = (frequency: number) => ({
  // The same share of runs is in progress on both sides.
  defaults: { concurrency_limit: 20 },
  version: "1",
  suite: { name: "Nightly" },
  scenarios: [
    { key: "a", name: "A", type: "instruction", instructions: "Ask.", frequency },
    { key: "b", name: "B", type: "instruction", instructions: "Ask.", frequency }
  ]
})

const byHand = (organization: OrganizationId, ids: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql.withTransaction(
      Effect.gen(function* () {
        const list = sql.literal(ids.join(","))
        yield* sql`UPDATE results SET deleted_ms = 1 WHERE id IN (${list}) AND organization_id = ${organization}`
        yield* sql`UPDATE capacity SET
            active_sessions = active_sessions - (SELECT count(*) FROM runs WHERE result_id IN (${list})
              AND deleted_ms IS NULL AND status = 'running'),
            pending_demand = pending_demand - (SELECT count(*) FROM runs WHERE result_id IN (${list})
              AND deleted_ms IS NULL AND status = 'queued')
          WHERE organization_id = ${organization}`
        yield* sql`UPDATE runs SET deleted_ms = 1, lease = NULL WHERE result_id IN (${list}) AND deleted_ms IS NULL`
        yield* sql`DELETE FROM capacity_slots WHERE result_id IN (${list})`
        yield* sql`DELETE FROM held_numbers WHERE organization_id = ${organization} AND NOT EXISTS (
          SELECT 1 FROM runs WHERE runs.phone_number_id = held_numbers.phone_number_id AND deleted_ms IS NULL
            AND status IN ('queued', 'running'))`
      })
    )
  })

const actingAs =
  (actor: Actor) =>
  <A, E, R>(steps: Effect.Effect<A, E, R>) =>
    Effect.provideService(steps, CurrentActor, actor)

const measure = (database: string, address: string, size: Size, print: Environment["print"]) =>
  Effect.gen(function* () {
    const { agent, organization } = yield* (yield* Organizations).create({ name: "Bench" })
    const as = actingAs(hostActor(organization.id))
    const results = yield* Results
    const suites = yield* Suites
    const make = Effect.gen(function* () {
      const made = yield* Effect.forEach(Array.from({ length: size.results }), () =>
        as(suites.run({ spec: spec(size.frequency), agent_id: agent.id }))
      )
      for (let n = 0; n < 20; n++) yield* as(results.claim({ channel: "voice", limit: 100 }))
      return made.map(({ id }) => id)
    })
    const comparison = yield* alternate(
      size.rounds,
      Effect.flatMap(make, (ids) => timed(as(results.bulkDelete({ result_ids: ids })))),
      Effect.flatMap(make, (ids) => timed(byHand(organization.id, ids)))
    )
    print(
      `deletion of ${size.results} results with ${2 * size.frequency} runs each on ${database}, ${size.rounds} rounds`
    )
    print(`  engine vs SQL: ${format(comparison)} (target: at most 1.5)`)
  }).pipe(Effect.provide(Layer.provideMerge(Engine.layer, Database.layer(address))))

export const deletionBenchmark = benchmark<Size>({
  name: "deletion",
  full: { results: 100, frequency: 100, rounds: numberFrom("EARSHOT_BENCH_ROUNDS", 7) },
  tiny: { results: 3, frequency: 2, rounds: 1 },
  run: async (size, { databases, print, startPostgres }) => {
    if (databases.includes("sqlite")) await Effect.runPromise(measure("SQLite", "sqlite::memory:", size, print))
    if (databases.includes("postgres")) {
      const server = await startPostgres()
      try {
        const database = await createDatabase(server.url)
        await Effect.runPromise(measure("PostgreSQL", database.url, size, print))
        await database.drop()
      } finally {
        await server.stop()
      }
    }
  }
})
