/** Clients that send calls to a server, in a process of their own or in that of their caller. */
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import autocannon from "autocannon"
import * as Schema from "effect/Schema"

/** Stands for the id of a call in the body of each. */
export const CALL_ID = "id-of-this-call"

const LoadOptions = Schema.Struct({
  url: Schema.String,
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  connections: Schema.Number,
  /** How much is sent: for so many seconds, or so many calls. */
  load: Schema.Union(Schema.Struct({ duration: Schema.Number }), Schema.Struct({ amount: Schema.Number })),
  /** What the ids of the calls begin with. */
  prefix: Schema.String,
  body: Schema.String
})
type LoadOptions = typeof LoadOptions.Type

const Load = Schema.Struct({ calls: Schema.Number, rate: Schema.Number, p99: Schema.Number })

/** How many calls were stored, calls per second, and the slowest hundredth in milliseconds. */
export type Load = typeof Load.Type

/** Sends calls from this process. */
export const sendCalls = async (options: LoadOptions): Promise<Load> => {
  const { body, connections, headers, load, prefix, url } = options
  const [before = "", after = ""] = body.split(CALL_ID)
  let sent = 0
  const result = await autocannon({
    url,
    connections,
    ...load,
    // The duration is a multiple of this.
    sampleInt: 10,
    requests: [
      {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        setupRequest: (request) => ({ ...request, body: `${before}${prefix}${sent++}${after}` })
      }
    ]
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} rejected, ${result.errors} failed`)
  const calls = result["2xx"]
  return { calls, rate: calls / result.duration, p99: result.latency.p99 }
}

/** The same from a process of its own, so that clients take no time of the server's thread. Only from the build. */
export const sendCallsFromProcess = async (options: LoadOptions): Promise<Load> => {
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(options)])
  const answer = await new Promise((resolve, reject) => {
    child.once("message", resolve)
    child.once("exit", () => reject(new Error("The clients ended without a result")))
  })
  return Schema.decodeUnknownSync(Load)(answer)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const load = await sendCalls(Schema.decodeUnknownSync(Schema.parseJson(LoadOptions))(process.argv[2]))
  process.send?.(load)
  process.disconnect()
}
