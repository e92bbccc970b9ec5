/**
 * What it costs to delete 100 results of 200 runs each in one call (E8), against the statements that somebody would write
 * by hand for these very results, on both databases.
 */
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
import { createDatabase, startPostgres } from "@earshot/test-kit/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const name = "deletion"

const RESULTS = 100
const RUNS = 200
const ROUNDS = Number(process.env.EARSHOT_BENCH_ROUNDS ?? 7)

const spec = {
  // So that both sides have the same share of runs under way.
  defaults: { concurrency_limit: 20 },
  version: "1",
  suite: { name: "Nightly" },
  scenarios: [
    { key: "a", name: "A", type: "instruction", instructions: "Ask.", frequency: 100 },
    { key: "b", name: "B", type: "instruction", instructions: "Ask.", frequency: 100 }
  ]
}

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

const median = (numbers: ReadonlyArray<number>): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

const actingAs =
  (actor: Actor) =>
  <A, E, R>(steps: Effect.Effect<A, E, R>) =>
    Effect.provideService(steps, CurrentActor, actor)

const measured = (database: string, address: string) =>
  Effect.gen(function* () {
    const { agent, organization } = yield* (yield* Organizations).create({ name: "Bench" })
    const as = actingAs(hostActor(organization.id))
    const results = yield* Results
    const suites = yield* Suites
    const make = Effect.gen(function* () {
      const made = yield* Effect.forEach(Array.from({ length: RESULTS }), () =>
        as(suites.run({ spec, agent_id: agent.id }))
      )
      for (let n = 0; n < 20; n++) yield* as(results.claim({ channel: "voice", limit: 100 }))
      return made.map(({ id }) => id)
    })
    const timed = <E, R>(steps: Effect.Effect<void, E, R>) =>
      Effect.gen(function* () {
        const before = performance.now()
        yield* steps
        return performance.now() - before
      })
    const own = (ids: ReadonlyArray<number>) => timed(as(results.bulkDelete({ result_ids: ids })))
    const hand = (ids: ReadonlyArray<number>) => timed(byHand(organization.id, ids))
    const rounds: Array<{ readonly own: number; readonly hand: number }> = []
    for (let round = 0; round < ROUNDS; round++) {
      const first = yield* make
      const second = yield* make
      // Who goes first alternates.
      if (round % 2 === 0) rounds.push({ own: yield* own(first), hand: yield* hand(second) })
      else {
        const before = yield* hand(first)
        rounds.push({ hand: before, own: yield* own(second) })
      }
    }
    console.log(`${RESULTS} results of ${RUNS} runs each on ${database}, ${ROUNDS} interleaved rounds`)
    console.log(`  bulk delete     ${median(rounds.map((one) => one.own)).toFixed(0)} ms`)
    console.log(`  SQL by hand     ${median(rounds.map((one) => one.hand)).toFixed(0)} ms`)
    console.log(`  median ratio    ${median(rounds.map((one) => one.own / one.hand)).toFixed(2)} (within 1.5 wanted)`)
  }).pipe(Effect.provide(Layer.provideMerge(Engine.layer, Database.layer(address))))

export const run = async (): Promise<void> => {
  await Effect.runPromise(measured("SQLite", "sqlite::memory:"))
  const postgres = await startPostgres()
  try {
    const fresh = await createDatabase(postgres.url)
    await Effect.runPromise(measured("PostgreSQL", fresh.url))
    await fresh.drop()
  } finally {
    await postgres.stop()
  }
}
