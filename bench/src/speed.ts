/** All figures of what a call costs, from the socket to its scores, in one run: ingestion, evaluation and memory. */
import type { Benchmark } from "./Benchmark.js"
import { evaluationBenchmark } from "./evaluation.js"
import { ingestBenchmark } from "./ingest.js"
import { memoryBenchmark } from "./memory.js"

export const speedBenchmark: Benchmark = {
  name: "speed",
  run: async (scale, environment) => {
    for (const part of [ingestBenchmark, evaluationBenchmark, memoryBenchmark]) await part.run(scale, environment)
  }
}
