/** Connections that send nothing useful, and new connections while many clients ingest. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { send } from "./Load.js"
import { percentile, type Scenario, statuses, withServer } from "./Scenario.js"

/** Addresses of this machine, each of which counts as a client: the limit of one is below that of all. */
const addressOf = (n: number): string => `127.0.1.${1 + (n % 20)}`

const open = async (url: string, count: number, text: string): Promise<ReadonlyArray<Socket>> => {
  const { hostname, port } = new URL(url)
  const sockets: Array<Socket> = []
  for (let n = 0; n < count; n++) {
    const socket = connect({ host: hostname, port: Number(port), localAddress: addressOf(n) })
    socket.on("error", () => undefined)
    sockets.push(socket)
    if (text !== "") socket.write(text)
    // As fast as they are accepted.
    if (n % 100 === 99) await Promise.race([once(socket, "connect"), once(socket, "close"), sleep(1000)])
  }
  return sockets
}

export const halfHeadersScenario: Scenario = {
  name: "half-headers",
  about: "10,000 connections with half a header, and 2,000 idle ones, with two processes that serve",
  run: (context) =>
    // Node accepts one connection a turn of its event loop. The process that accepts for others has short turns.
    withServer(context, { args: ["--processes", "2"] }, async ({ disturb, server }) => {
      const isTiny = context.scale === "tiny"
      const flood = (title: string, count: number, text: string) =>
        disturb(title, "unaffected", async () => {
          const sockets = await open(server.url, isTiny ? 50 : count, text)
          await sleep(isTiny ? 200 : 6000)
          for (const socket of sockets) socket.destroy()
          // The server's work of closing them belongs to the disturbance.
          await sleep(isTiny ? 50 : 500)
        })
      await flood("10,000 half headers", 10_000, "POST /observability/v1/observe/ HTTP/1.1\r\nHost: chaos\r\nX-Half")
      await flood("2,000 idle connections", 2_000, "")
    })
}

export const wrongKeysScenario: Scenario = {
  name: "wrong-keys",
  about: "40 wrong keys a second from the address of right ones",
  run: (context) =>
    withServer(context, {}, async ({ disturb, server }) => {
      const answers = await disturb("wrong keys", "unaffected", async () => {
        const wrong = Array.from({ length: 40 }, async (_, n) => {
          const all = []
          for (let times = 0; times < context.options.seconds; times++) {
            all.push(
              await send(`${server.url}/user/v1/projects/`, { key: `ear_${String(n).padStart(49, "x")}`, agent: false })
            )
            await sleep(1000)
          }
          return all
        })
        return (await Promise.all(wrong)).flat()
      })
      context.figures.note(`wrong keys were answered with ${statuses(answers)}`)
      const others = answers.filter(({ status }) => ![401, 429].includes(status))
      context.figures.atMost("wrong keys answered with another status than 401 and 429", others.length, 0)
    })
}

export const newConnectionsScenario: Scenario = {
  name: "new-connections",
  about: "64 clients that ingest without a pause, with evaluation, while connections are opened",
  run: (context) =>
    withServer(context, { load: { clients: 64, pause: 0, kinds: ["ingest"] } }, async ({ others, server }) => {
      const { figures, options } = context
      const served: Array<number> = []
      const fresh: Array<number> = []
      const end = Date.now() + options.seconds * 2000
      const sample = async (into: Array<number>, isFresh: boolean) => {
        while (Date.now() < end) {
          const began = performance.now()
          // An agent that is undefined is Node's own, which keeps connections open.
          await send(`${server.url}/user/v1/projects/`, { key: others.key, ...(isFresh ? { agent: false } : {}) })
          into.push(performance.now() - began)
          await sleep(20)
        }
      }
      await Promise.all([sample(served, false), sample(fresh, true), sample(fresh, true)])
      const [median, slowest] = [percentile(served, 0.5), percentile(fresh, 1)]
      figures.note(
        `connections that were open: p50 ${median.toFixed(0)}, slowest ${percentile(served, 1).toFixed(0)} ms; new ones: p50 ${percentile(fresh, 0.5).toFixed(0)}, p99 ${percentile(fresh, 0.99).toFixed(0)}, slowest ${slowest.toFixed(0)} ms (${fresh.length})`
      )
      figures.atMost(
        "p99 of new connections against the p99 of open ones",
        percentile(fresh, 0.99) / percentile(served, 0.99),
        3
      )
      figures.atMost("slowest new connection", slowest, 1000, "ms")
      figures.atMost("resident memory", await server.peak(), 500, "MB")
    })
}
