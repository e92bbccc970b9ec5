/** Costly questions of one organization, one at a time and several at once. */
import { listWith, offenderAt } from "./Offender.js"
import { repeated, type Running, type Scenario, statuses, withServer } from "./Scenario.js"
import { seedCalls } from "./seedCalls.js"
import type { Sent } from "./Load.js"

const NO_MATCH = { field: "customer_number", op: "regex", value: "^nobody-has-(this|that)+$" }

/** Conditions on document paths, as many as a stored filter may have. */
const manyPaths = (count: number): object => ({
  operator: "or",
  conditions: Array.from({ length: count }, (_, n) => ({
    field: `metadata.key_${n}`,
    op: "eq",
    value: `value ${n}`
  }))
})

export const queriesScenario: Scenario = {
  name: "queries",
  about:
    "one costly query at a time, eight charts at once, ten lists with twelve conditions, while others ingest and list",
  run: (context) =>
    withServer(
      context,
      { prepare: (place, offender) => seedCalls(place, offender, context.options.calls) },
      async ({ disturb, offender, server }: Running) => {
        const { create, get, post } = offenderAt(server.url, offender)
        const dashboard = await create("/dashboards/dashboards/", { name: "Costly", project: offender.project })
        const preview = (widget: object) => post("/dashboards/widgets/preview_data/", { dashboard, ...widget })
        const pie = () => preview({ chart_type: "pie", field: "metadata.customer.id" })
        const checked = async (title: string, act: () => Promise<ReadonlyArray<Sent>>) => {
          const answers = await disturb(title, "unaffected", () => repeated(2 * context.options.seconds, act))
          context.figures.note(`${title}: answered ${statuses(answers)}`)
          const rejected = answers.find(({ status }) => status === 400)
          if (rejected !== undefined) context.figures.note(rejected.body.slice(0, 300))
          context.figures.atMost(
            `${title}: answers other than 200, 422 and 503`,
            answers.filter(({ status }) => ![200, 422, 503].includes(status)).length,
            0
          )
        }
        await checked("pie of a metadata field", async () => [await pie()])
        await checked("list with a pattern without a match", async () => [await get(listWith(NO_MATCH))])
        await checked("stat with 100 metadata conditions", async () => [
          await preview({ chart_type: "stat", filters: manyPaths(100) })
        ])
        await checked("eight previews at once", () => Promise.all(Array.from({ length: 8 }, pie)))
        await checked("ten lists with 12 conditions at once", () =>
          Promise.all(Array.from({ length: 10 }, () => get(listWith(manyPaths(12)))))
        )
        await checked("clients that leave ten charts", async () => {
          const left = await Promise.all(Array.from({ length: 10 }, () => get(listWith(manyPaths(12)), 300)))
          return left.map((sent) => (sent.status === 0 ? { ...sent, status: 200 } : sent))
        })
      }
    )
}
