import { audioBenchmark } from "./audio.js"
import type { Benchmark } from "./Benchmark.js"
import { bulkUpdateBenchmark } from "./bulk-update.js"
import { columnsBenchmark } from "./columns.js"
import { deletionBenchmark } from "./deletion.js"
import { evaluationBenchmark } from "./evaluation.js"
import { importBenchmark } from "./import.js"
import { ingestBenchmark } from "./ingest.js"
import { interferenceBenchmark } from "./interference.js"
import { memoryBenchmark } from "./memory.js"
import { metricsBenchmark } from "./metrics.js"
import { pagesBenchmark } from "./pages.js"
import { projectionBenchmark } from "./projection.js"
import { redactionBenchmark } from "./redaction.js"
import { resultsBenchmark } from "./results.js"
import { simplifyBenchmark } from "./simplify.js"
import { speedBenchmark } from "./speed.js"
import { suitesBenchmark } from "./suites.js"
import { transcriptBenchmark } from "./transcript.js"
import { voiceBenchmark } from "./voice.js"
import { webBenchmark } from "./web.js"
import { webhooksBenchmark } from "./webhooks.js"
import { widgetsBenchmark } from "./widgets.js"
import { wrongKeysBenchmark } from "./wrong-keys.js"

export const benchmarks: ReadonlyArray<Benchmark> = [
  audioBenchmark,
  bulkUpdateBenchmark,
  columnsBenchmark,
  deletionBenchmark,
  evaluationBenchmark,
  importBenchmark,
  ingestBenchmark,
  interferenceBenchmark,
  memoryBenchmark,
  metricsBenchmark,
  pagesBenchmark,
  projectionBenchmark,
  redactionBenchmark,
  resultsBenchmark,
  simplifyBenchmark,
  speedBenchmark,
  suitesBenchmark,
  transcriptBenchmark,
  voiceBenchmark,
  webBenchmark,
  webhooksBenchmark,
  widgetsBenchmark,
  wrongKeysBenchmark
]
