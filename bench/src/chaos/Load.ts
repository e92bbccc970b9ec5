/**
 * Ordinary clients of a server: they ingest calls, read lists and single calls, open new connections and ask for `/health`, at
 * a pace of their own, and record how long each answer took. They run in a thread of their own, so that what else the suite
 * does is not in the times.
 */
import { Agent, request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import * as Schema from "effect/Schema"

export const KINDS = ["ingest", "list", "connect", "health"] as const
export type Kind = (typeof KINDS)[number]

export interface LoadSettings {
  readonly url: string
  readonly key: string
  readonly agent: number
  /** Clients that ingest, each with a connection of its own. */
  readonly clients: number
  /** Milliseconds from an answer to the client's next request. */
  readonly pause: number
  /** Beginning of the ids of calls. */
  readonly prefix: string
  /** Which kinds of requests are sent; default: all. */
  readonly kinds?: ReadonlyArray<Kind>
}

/** One answer. The status is 0 if there was none. */
const Answer = Schema.Struct({
  kind: Schema.Literal(...KINDS),
  ms: Schema.Number,
  status: Schema.Number,
  /** The code of the network's error. */
  error: Schema.optional(Schema.String)
})
export type Answer = typeof Answer.Type

/** What was recorded since the last report. */
const Report = Schema.Struct({
  answers: Schema.Array(Answer),
  /** The ids of calls that were acknowledged. */
  acknowledged: Schema.Array(Schema.String)
})
export type Report = typeof Report.Type

const UTTERANCES = [
  "Thanks for calling, how can I help you today?",
  "I would like to move my appointment to Thursday, if that is at all possible for you.",
  "Let me see: there is one slot left, at half past ten in the morning.",
  "That works. Do I have to bring anything?"
]

const PLACE_OF_ID = "id-of-this-call"

/** The body of a call of about so many bytes, with a place for its id. */
const template = (agent: number, bytes: number): string => {
  const transcript_json: Array<object> = []
  // A transcript has a limit of turns: those of large calls are longer.
  const times = Math.ceil(bytes / 100_000)
  for (let at = 0, size = 0; size < bytes; at++) {
    const turn = {
      role: at % 2 === 0 ? "Main Agent" : "Testing Agent",
      content: `${UTTERANCES[at % UTTERANCES.length]} `.repeat(times),
      start_time: at * 3.25,
      end_time: at * 3.25 + 2.75
    }
    transcript_json.push(turn)
    size += JSON.stringify(turn).length
  }
  return JSON.stringify({
    call_id: PLACE_OF_ID,
    agent,
    transcript_json,
    call_ended_reason: "customer_ended_call",
    metadata: { region: "eu-central-1", tier: "gold" }
  })
}

/** Bodies of calls by their ids. */
export const bodies = (agent: number, bytes = 10_000): ((id: string) => string) => {
  const [before, after] = template(agent, bytes).split(PLACE_OF_ID)
  return (id) => `${before}${id}${after}`
}

export interface Sent {
  readonly status: number
  /** Its first megabytes: an export may be larger than any text of Node. */
  readonly body: string
  readonly error?: string
}

const MOST_BODY = 10_000_000

/** How long an answer is waited for, in milliseconds. */
const PATIENCE = 90_000

/** Sends a request; it does not fail: without an answer the status is 0. */
export const send = (
  url: string,
  options: {
    readonly method?: string
    readonly key?: string
    readonly json?: string
    readonly agent?: Agent | false
    /** The local address, to count as another client. */
    readonly from?: string | undefined
    /** Gives up after so many milliseconds. */
    readonly patience?: number | undefined
  } = {}
): Promise<Sent> =>
  new Promise((resolve) => {
    const { agent, from, json, key, method = json === undefined ? "GET" : "POST", patience = PATIENCE } = options
    const failed = (error: unknown) => {
      const code = error instanceof Error && "code" in error ? String(error.code) : String(error)
      resolve({ status: 0, body: "", error: code })
    }
    const outgoing = request(
      url,
      {
        method,
        agent,
        localAddress: from,
        signal: AbortSignal.timeout(patience),
        headers: {
          ...(key === undefined ? {} : { "x-service-api-key": key }),
          ...(json === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(json) })
        }
      },
      (incoming) => {
        const parts: Array<Buffer> = []
        let kept = 0
        incoming.on("data", (part: Buffer) => {
          if (kept < MOST_BODY) parts.push(part)
          kept += part.length
        })
        incoming.on("error", failed)
        incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(parts).toString() }))
      }
    )
    outgoing.on("error", failed)
    outgoing.end(json)
  })

const LIST = "/observability/v1/call-logs/?limit=20"

/** Runs the clients in this thread until they are stopped. */
export const runLoad = (settings: LoadSettings) => {
  const { agent, clients, key, kinds = KINDS, pause, prefix, url } = settings
  const bodyOf = bodies(agent)
  // Below the time after which the server closes an idle connection: a request that is sent meanwhile fails.
  const keptAlive = new Agent({ keepAlive: true, timeout: 4000 })
  let answers: Array<Answer> = []
  let acknowledged: Array<string> = []
  let isStopped = false
  let calls = 0

  const timed = async (kind: Kind, act: () => Promise<Sent>): Promise<Sent> => {
    const began = performance.now()
    const sent = await act()
    const { error, status } = sent
    answers.push({ kind, status, ms: performance.now() - began, ...(error === undefined ? {} : { error }) })
    return sent
  }
  const ingest = async (): Promise<void> => {
    const id = `${prefix}-${calls++}`
    const { status } = await timed("ingest", () =>
      send(`${url}/observability/v1/observe/`, { key, json: bodyOf(id), agent: keptAlive })
    )
    if (status === 200 || status === 201) acknowledged.push(id)
  }
  const steps: Readonly<Record<Kind, () => Promise<unknown>>> = {
    ingest,
    list: () => timed("list", () => send(url + LIST, { key, agent: keptAlive })),
    connect: () => timed("connect", () => send(`${url}/user/v1/projects/`, { key, agent: false })),
    health: () => timed("health", () => send(`${url}/health`, { agent: keptAlive }))
  }
  const running = kinds.flatMap((kind) =>
    Array.from({ length: kind === "ingest" ? clients : 1 }, async () => {
      while (!isStopped) {
        await steps[kind]()
        await sleep(pause)
      }
    })
  )
  const report = (): Report => {
    const recorded = { answers, acknowledged }
    answers = []
    acknowledged = []
    return recorded
  }
  return {
    report: () => Promise.resolve(report()),
    stop: async () => {
      isStopped = true
      await Promise.all(running)
      keptAlive.destroy()
      return report()
    }
  }
}

export interface Load {
  /** What was recorded since the last report. */
  readonly report: () => Promise<Report>
  /** Waits for the requests in flight; returns what was recorded since the last report. */
  readonly stop: () => Promise<Report>
}

/** Runs the clients in a thread of their own; from sources, as in tests, in this one. */
export const startLoad = (settings: LoadSettings): Load => {
  if (import.meta.url.endsWith(".ts")) return runLoad(settings)
  const worker = new Worker(new URL("./loadThread.js", import.meta.url), { workerData: settings })
  const ask = (message: "report" | "stop"): Promise<Report> =>
    new Promise((resolve, reject) => {
      worker.once("message", (report: unknown) => {
        worker.off("error", reject)
        resolve(Schema.decodeUnknownSync(Report)(report))
      })
      worker.once("error", reject)
      worker.postMessage(message)
    })
  return {
    report: () => ask("report"),
    stop: async () => {
      const last = await ask("stop")
      await worker.terminate()
      return last
    }
  }
}
