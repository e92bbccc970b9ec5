/** Large answers, read and unread. */
import { setTimeout as sleep } from "node:timers/promises"
import { bodies, send, type Sent } from "./Load.js"
import { CALLS, offenderAt } from "./Offender.js"
import { repeated, type Running, type Scenario, statuses, withServer } from "./Scenario.js"

const LARGE = 1_700_000
const EXPANDED = `${CALLS}?limit=200&expand=transcript,transcript_object`
const EXPORT = `${CALLS}export/`

export const largePagesScenario: Scenario = {
  name: "large-pages",
  about: "pages and exports of calls of 1.7 MB and 100 KB, several at once, read and unread",
  run: (context) =>
    withServer(context, {}, async ({ disturb, offender, server }: Running) => {
      const { figures, scale } = context
      const isTiny = scale === "tiny"
      const { get, unread } = offenderAt(server.url, offender)
      const ingest = async (count: number, bytes: number, prefix: string): Promise<ReadonlyArray<Sent>> => {
        const bodyOf = bodies(offender.agent, bytes)
        const answers: Array<Sent> = []
        for (let n = 0; n < count; n++) {
          const json = bodyOf(`${prefix}-${n}`)
          answers.push(await send(`${server.url}/observability/v1/observe/`, { key: offender.key, json }))
        }
        return answers
      }
      const checked = async (
        title: string,
        allowed: ReadonlyArray<number>,
        act: () => Promise<ReadonlyArray<Sent>>
      ) => {
        const answers = await disturb(title, "unaffected", act)
        const sizes = answers.map(({ body }) => (body.length / 1e6).toFixed(1)).slice(0, 5)
        if (answers.length > 0)
          figures.note(`${title}: answered ${statuses(answers)}; first sizes ${sizes.join(", ")} MB`)
        figures.atMost(
          `${title}: answers other than ${allowed.join(" and ")}`,
          answers.filter(({ status }) => !allowed.includes(status)).length,
          0
        )
      }
      /** Requests that nobody reads, for some seconds. */
      const held = (title: string, count: number, path: string, seconds: number) =>
        checked(title, [], async () => {
          const sockets = await Promise.all(Array.from({ length: isTiny ? 3 : count }, () => unread(path)))
          await sleep(isTiny ? 200 : seconds * 1000)
          for (const socket of sockets) socket.destroy()
          return []
        })
      const pages = (count: number) =>
        repeated(2 * context.options.seconds, () => Promise.all(Array.from({ length: count }, () => get(EXPANDED))))
      const large = isTiny ? 3 : 200
      await checked(`${large} calls of 1.7 MB ingested`, [201], () => ingest(large, isTiny ? 100_000 : LARGE, "large"))
      await checked("one page of 200 calls of 1.7 MB", [200], () => pages(1))
      await checked("five pages at once", [200, 503], () => pages(5))
      await held("20 pages that nobody reads", 20, EXPANDED, 10)
      await held("20 exports that nobody reads", 20, EXPORT, 10)
      await held("100 exports that nobody reads", 100, EXPORT, 10)
      await checked("300 calls of 100 KB ingested", [201], () => ingest(isTiny ? 3 : 300, 100_000, "medium"))
      await held("300 exports of 100 KB calls, unread", 300, EXPORT, 10)
      await checked("one export, read", [200], async () => [await get(EXPORT)])
    })
}
