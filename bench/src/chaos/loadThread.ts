/** The thread of `startLoad`. */
import { parentPort, workerData } from "node:worker_threads"
import * as Schema from "effect/Schema"
import { KINDS, runLoad } from "./Load.js"

const Settings = Schema.Struct({
  url: Schema.String,
  key: Schema.String,
  agent: Schema.Int,
  clients: Schema.Int,
  pause: Schema.Number,
  prefix: Schema.String,
  kinds: Schema.optionalWith(Schema.Array(Schema.Literal(...KINDS)), { default: () => KINDS })
})

const load = runLoad(Schema.decodeUnknownSync(Settings)(workerData))
parentPort?.on("message", (message: unknown) => {
  void (message === "stop" ? load.stop() : load.report()).then((report) => parentPort?.postMessage(report))
})
