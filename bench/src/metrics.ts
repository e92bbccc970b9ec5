/**
 * What metrics cost: all formulas on a transcript of 200 turns, and taking calls in with metrics on against taking them in
 * with none, in interleaved rounds on SQLite files of their own.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  Calls,
  formulaContext,
  CurrentActor,
  Database,
  Engine,
  formulaNames,
  hostActor,
  JobRunner,
  measure,
  Organizations,
  type Turn
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"

export const name = "metrics"

const TURNS = 200
const CALLS = 400
const ROUNDS = 7

const said = [
  "Thanks for calling, how can I help?",
  "I would like to move my appointment to Thursday, if that is at all possible.",
  "Let me see: there is one slot left, at half past ten in the morning.",
  "That works. Do I have to bring anything?"
]

const turns: ReadonlyArray<Turn> = Array.from({ length: TURNS }, (_, i) => ({
  speaker: i % 2 === 0 ? "main_agent" : "testing_agent",
  content: said[i % said.length] ?? "",
  // Every seventh turn begins before the last one has ended.
  startTime: i * 3.25 - (i % 7 === 0 && i > 0 ? 1 : 0),
  endTime: i * 3.25 + 2.75,
  words: []
}))

const transcript = turns.map(({ content, endTime, speaker, startTime }) => ({
  role: speaker === "main_agent" ? "Main Agent" : "Testing Agent",
  content,
  start_time: startTime,
  end_time: endTime
}))

const median = (numbers: ReadonlyArray<number>): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN


/** Microseconds a call for all formulas. */
const measured = (): number => {
  const times = 300
  let values = 0
  const before = process.hrtime.bigint()
  for (let i = 0; i < times; i++) {
    const context = formulaContext({ turns, toolCalls: [], durationSeconds: 650 })
    for (const formula of formulaNames) if (measure(formula, context, null).value !== null) values++
  }
  const nanoseconds = Number(process.hrtime.bigint() - before)
  return values > 0 ? nanoseconds / 1000 / times : Number.NaN
}

/** An engine on a file of its own, with metrics on or off; one that takes in calls and, if they are on, scores them. */
const side = async (folder: string, evaluate: boolean) => {
  const runtime = ManagedRuntime.make(
    Engine.layerWith({ ingest: { evaluate } }).pipe(
      Layer.provide(Database.layer(`sqlite:${join(folder, `${String(evaluate)}.db`)}`))
    )
  )
  const { agent, organization } = await runtime.runPromise(
    Effect.flatMap(Organizations, (organizations) => organizations.create({ name: "Bench" }))
  )
  let number = 0
  const ingest = Effect.flatMap(Calls, (calls) =>
    Effect.forEach(
      Array.from({ length: CALLS }),
      () => calls.ingest({ call_id: `call ${number++}`, agent: agent.id, transcript_json: transcript }),
      { concurrency: 64, discard: true }
    )
  ).pipe(Effect.provideService(CurrentActor, hostActor(organization.id)))
  const timed = async (steps: Effect.Effect<unknown, unknown, Engine.Services>): Promise<number> => {
    const before = process.hrtime.bigint()
    await runtime.runPromise(steps)
    return Number(process.hrtime.bigint() - before) / 1e6 / CALLS
  }
  return {
    ingest: () => timed(ingest),
    score: () => timed(Effect.flatMap(JobRunner, (runner) => runner.drain)),
    close: () => runtime.dispose()
  }
}

export const run = async (): Promise<void> => {
  measured()
  const formulasCost = median(Array.from({ length: ROUNDS }, measured))
  console.log(`all ${formulaNames.length} formulas on ${TURNS} turns   ${formulasCost.toFixed(0)} us a call`)

  const folder = await mkdtemp(join(tmpdir(), "earshot-bench-metrics-"))
  const [on, off] = [await side(folder, true), await side(folder, false)]
  try {
    await on.ingest()
    await on.score()
    await off.ingest()
    const rounds: Array<{ readonly on: number; readonly off: number; readonly score: number }> = []
    for (let round = 0; round < ROUNDS; round++) {
      // Who goes first alternates, so that neither always runs on the other's garbage.
      const first = round % 2 === 0 ? await on.ingest() : Number.NaN
      const without = await off.ingest()
      const withMetrics = round % 2 === 0 ? first : await on.ingest()
      rounds.push({ on: withMetrics, off: without, score: await on.score() })
    }
    console.log(`ingest, ${ROUNDS} interleaved rounds of ${CALLS} calls on SQLite`)
    console.log(`  without metrics       ${median(rounds.map((round) => round.off)).toFixed(3)} ms a call`)
    console.log(`  with metrics          ${median(rounds.map((round) => round.on)).toFixed(3)} ms a call`)
    console.log(`  median ratio          ${median(rounds.map((round) => round.on / round.off)).toFixed(3)}`)
    console.log(`  scored afterwards     ${median(rounds.map((round) => round.score)).toFixed(3)} ms a call`)
  } finally {
    await on.close()
    await off.close()
    await rm(folder, { recursive: true, force: true })
  }
}
