/**
 * The cost of metrics: all formulas on a transcript of 200 turns, and ingestion with metrics compared with ingestion without,
 * on SQLite files of their own.
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
import { benchmark } from "./Benchmark.js"
import { alternate, format, median, timed } from "./measure.js"

/** `evaluations`: repetitions of all formulas; `calls`: calls per round. */
interface Size {
  readonly evaluations: number
  readonly calls: number
  readonly rounds: number
}

const TURNS = 200

const utterances = [
  "Thanks for calling, how can I help?",
  "I would like to move my appointment to Thursday, if that is at all possible.",
  "Let me see: there is one slot left, at half past ten in the morning.",
  "That works. Do I have to bring anything?"
]

const turns: ReadonlyArray<Turn> = Array.from({ length: TURNS }, (_, i) => ({
  speaker: i % 2 === 0 ? "main_agent" : "testing_agent",
  content: utterances[i % utterances.length] ?? "",
  // Every seventh turn overlaps with the one before.
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

/** Evaluates all formulas on the transcript. */
const evaluateFormulas = (times: number) =>
  Effect.sync(() => {
    let values = 0
    for (let i = 0; i < times; i++) {
      const context = formulaContext({ turns, toolCalls: [], durationSeconds: 650 })
      for (const formula of formulaNames) if (measure(formula, context, null).value !== null) values++
    }
    if (values === 0) throw new Error("No formula returned a value")
  })

/** An engine on a database file of its own; ingests calls and, with `evaluate`, evaluates them. */
const makeSide = async (folder: string, evaluate: boolean, calls: number) => {
  const runtime = ManagedRuntime.make(
    Engine.layerWith({ ingest: { evaluate } }).pipe(
      Layer.provide(Database.layer(`sqlite:${join(folder, `${String(evaluate)}.db`)}`))
    )
  )
  const { agent, organization } = await runtime.runPromise(
    Effect.flatMap(Organizations, (organizations) => organizations.create({ name: "Bench" }))
  )
  let number = 0
  const ingest = Effect.flatMap(Calls, (service) =>
    Effect.forEach(
      Array.from({ length: calls }),
      () => service.ingest({ call_id: `call ${number++}`, agent: agent.id, transcript_json: transcript }),
      { concurrency: 64, discard: true }
    )
  ).pipe(Effect.provideService(CurrentActor, hostActor(organization.id)))
  const measure = (effect: Effect.Effect<unknown, unknown, Engine.Services>) =>
    Effect.promise(() => runtime.runPromise(timed(effect)))
  return {
    ingest: measure(ingest),
    evaluate: measure(Effect.flatMap(JobRunner, (runner) => runner.drain)),
    close: () => runtime.dispose()
  }
}

export const metricsBenchmark = benchmark<Size>({
  name: "metrics",
  full: { evaluations: 300, calls: 400, rounds: 7 },
  tiny: { evaluations: 2, calls: 5, rounds: 1 },
  run: async ({ calls, evaluations, rounds }, { print }) => {
    await Effect.runPromise(evaluateFormulas(evaluations))
    const formulaSamples = await Effect.runPromise(
      Effect.all(Array.from({ length: rounds }, () => timed(evaluateFormulas(evaluations))))
    )
    const micros = (values: ReadonlyArray<number>) => ((median(values) * 1_000) / evaluations).toFixed(0)
    print(
      `all ${formulaNames.length} formulas on ${TURNS} turns: ${micros(formulaSamples.map(({ ms }) => ms))} us per call ` +
        `(CPU ${micros(formulaSamples.map(({ cpuMs }) => cpuMs))})`
    )
    const folder = await mkdtemp(join(tmpdir(), "earshot-bench-metrics-"))
    const [enabled, disabled] = [await makeSide(folder, true, calls), await makeSide(folder, false, calls)]
    try {
      const evaluationTimes: Array<number> = []
      const warmUp = Effect.all([enabled.ingest, enabled.evaluate, disabled.ingest], { discard: true })
      // Calls are evaluated between the rounds, so that each round starts with an empty queue.
      const ingestAndEvaluate = Effect.zipLeft(
        enabled.ingest,
        Effect.map(enabled.evaluate, ({ ms }) => evaluationTimes.push(ms))
      )
      const comparison = await Effect.runPromise(
        Effect.zipRight(warmUp, alternate(rounds, ingestAndEvaluate, disabled.ingest))
      )
      print(`ingestion of ${calls} calls on SQLite, ${rounds} rounds, time per call`)
      print(`  with metrics vs without: ${format(comparison, calls)}`)
      print(`  evaluation afterwards: ${(median(evaluationTimes) / calls).toFixed(3)} ms`)
    } finally {
      await enabled.close()
      await disabled.close()
      await rm(folder, { recursive: true, force: true })
    }
  }
})
