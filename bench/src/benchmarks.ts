import audio from "./audio.js"
import type { Benchmark } from "./Benchmark.js"
import bulkUpdate from "./bulk-update.js"
import deletion from "./deletion.js"
import ingest from "./ingest.js"
import metrics from "./metrics.js"
import pages from "./pages.js"
import redaction from "./redaction.js"
import simplify from "./simplify.js"
import suites from "./suites.js"
import transcript from "./transcript.js"
import widgets from "./widgets.js"

export const benchmarks: ReadonlyArray<Benchmark> = [
  audio,
  bulkUpdate,
  deletion,
  ingest,
  metrics,
  pages,
  redaction,
  simplify,
  suites,
  transcript,
  widgets
]
