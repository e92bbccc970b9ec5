import {
  type CurrentActor,
  encodeCapacity,
  encodeResult,
  NotFound,
  PhoneNumbers,
  ResultId,
  Results,
  RunId,
  RunIsOver,
  Suites,
  ValidationFailed
} from "@earshot/core"
import { ResultKit, TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { afterAll, describe, it } from "vitest"

/** Walks through the model for each database; hundreds are what the promise is tested with. */
const WALKS = Number(process.env.EARSHOT_TEST_RUNS ?? 8)
const SEED = process.env.EARSHOT_TEST_SEED === undefined ? {} : { seed: Number(process.env.EARSHOT_TEST_SEED) }

describe.each(TestEngine.databases)("any walk through results and runs on %s", (database) => {
  const runtime = ManagedRuntime.make(TestEngine.layer(database))
  afterAll(() => runtime.dispose())

  /** An organisation, and how it starts runs. */
  const founded = Effect.gen(function* () {
    const owner = yield* TestEngine.world
    const as = TestEngine.as(owner.actor)
    const results = yield* Results
    const suites = yield* Suites
    const start: ResultKit.CapacityDoor["start"] = ({ concurrencyLimit, number, runs }) =>
      runtime.runPromise(
        Effect.gen(function* () {
          const { id } = yield* as(
            suites.run({
              spec: {
                version: "1",
                suite: { name: "S" },
                defaults: concurrencyLimit === null ? {} : { concurrency_limit: concurrencyLimit },
                scenarios: [{ key: "a", name: "A", type: "instruction", instructions: "Ask.", frequency: runs }]
              },
              agent_id: owner.agent.id,
              phone_number: number
            })
          )
          const { results: made } = yield* as(results.listRuns({ result: id }))
          return { result: id, runs: made.map((run) => run.id).toReversed() }
        })
      )
    return { ...owner, as, results, start }
  })

  const world = async (): Promise<ResultKit.CapacityWorld> => {
    const { as, organization, project, results, start } = await runtime.runPromise(founded)
    const other = await (await runtime.runPromise(founded)).start({ runs: 1, number: null, concurrencyLimit: null })
    const numbers = await runtime.runPromise(
      Effect.flatMap(PhoneNumbers, (all) =>
        Effect.all([
          as(all.create({ project: project.id, number: "+15550100" })),
          as(all.create({ project: project.id, number: "+15550101" }))
        ])
      )
    )
    const ask = (useCase: Effect.Effect<unknown, unknown, CurrentActor>): Promise<ResultKit.CapacityAnswer> =>
      runtime.runPromise(
        as(useCase).pipe(
          Effect.as("done" as const),
          Effect.catchIf(
            (error) => error instanceof ValidationFailed || error instanceof NotFound || error instanceof RunIsOver,
            () => Effect.succeed("refused" as const)
          )
        )
      )
    return {
      numbers: [numbers[0].id, numbers[1].id],
      foreign: { result: other.result, run: other.runs[0] ?? 0 },
      door: {
        start,
        claim: (limit) =>
          runtime.runPromise(
            Effect.map(as(results.claim({ channel: "voice", limit })), (claimed) =>
              claimed.map(({ lease, run }) => ({ run: run.id, lease }))
            )
          ),
        heartbeat: (run, lease) => ask(results.heartbeat(RunId.make(run), { lease })),
        complete: (run, lease) => ask(results.complete(RunId.make(run), { lease })),
        fail: (run, lease) => ask(results.fail(RunId.make(run), { lease, error: "x" })),
        cancelRun: (run) => ask(results.cancelRun(RunId.make(run))),
        cancelResult: (result) => ask(results.cancel(ResultId.make(result))),
        deleteResults: (ids) => ask(results.bulkDelete({ result_ids: ids })),
        deleteRuns: (result, ids) => ask(results.deleteRuns(ResultId.make(result), { run_ids: ids })),
        endLeases: async () => {
          await runtime.runPromise(
            TestEngine.execute(
              `UPDATE runs SET lease_until_ms = 1 WHERE status = 'running' AND organization_id = ${organization.id}`
            )
          )
        },
        sweep: async () => {
          await runtime.runPromise(results.sweep)
        },
        capacity: async () => {
          const held = encodeCapacity(await runtime.runPromise(as(results.capacity())))
          return {
            activeSessions: held.active_sessions,
            pendingDemand: held.pending_demand,
            slotsInUse: held.slots_in_use,
            phoneNumbersHeld: held.phone_numbers_held
          }
        },
        results: async () =>
          (await runtime.runPromise(as(results.list({ limit: 200 })))).results
            .map((one) => encodeResult(one))
            .map(({ id, runs_by_status: runs }) => ({ id, runs }))
      }
    }
  }

  it(
    `holds what its queued and running runs need, and nothing else (${WALKS} walks)`,
    () => ResultKit.checkCapacityModel(world, { walks: WALKS, steps: 40, ...SEED }),
    60_000 + WALKS * 5_000
  )
})
