/** Properties of the order in which metrics are evaluated. Source: docs/metrics.md, Custom code. */
import {
  AgentId,
  defaultMetricSpec,
  type evaluationOrder,
  type Metric,
  MetricId,
  OrganizationId,
  ProjectId
} from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as fc from "fast-check"
import { expectEqual, expectOrdered, type Property, property } from "../Property.js"

type Order = typeof evaluationOrder

/** A metric and the positions of those that it depends on. */
interface Planned {
  readonly kind: "formula" | "judge" | "code"
  readonly needs: ReadonlyArray<number>
  readonly isNamedBySlug: boolean
  readonly displayOrder: number
}

const planned: fc.Arbitrary<ReadonlyArray<Planned>> = fc.array(
  fc.record<Planned>({
    kind: fc.constantFrom("formula", "judge", "code", "code", "code"),
    needs: fc.array(fc.nat({ max: 6 }), { maxLength: 2 }),
    isNamedBySlug: fc.boolean(),
    displayOrder: fc.nat({ max: 2 })
  }),
  { maxLength: 7 }
)

const NOW = DateTime.unsafeMake(0)

/** Metrics of a plan; dependencies are named by slug or by id, and those of no metric stay unknown names. */
const metricsOf = (plan: ReadonlyArray<Planned>): ReadonlyArray<Metric> =>
  plan.map(({ displayOrder, isNamedBySlug, kind, needs }, at) => ({
    ...defaultMetricSpec,
    id: MetricId.make(at + 1),
    organizationId: OrganizationId.make(1),
    projectId: ProjectId.make(1),
    agentId: AgentId.make(1),
    slug: `metric_${at}`,
    predefinedCode: null,
    name: `Metric ${at}`,
    type: kind === "judge" ? ("llm_judge" as const) : ("custom_code" as const),
    evalType: "numeric" as const,
    prompt: "How many?",
    functionName: kind === "formula" ? "talk_ratio" : "",
    customCode: kind === "code" ? "return 1" : "",
    configuration: { depends_on: needs.map((need) => (isNamedBySlug ? `metric_${need}` : need + 1)) },
    displayOrder,
    createdAt: NOW,
    updatedAt: NOW
  }))

/** Which code metrics can never be evaluated: those that lead to a cycle of code metrics. */
const blocked = (plan: ReadonlyArray<Planned>): ReadonlySet<number> => {
  const isCode = (at: number) => plan[at]?.kind === "code"
  const done = new Set<number>()
  for (let before = -1; before !== done.size;) {
    before = done.size
    for (const [at, { needs }] of plan.entries())
      if (isCode(at) && needs.every((need) => !isCode(need) || done.has(need))) done.add(at)
  }
  return new Set([...plan.keys()].filter((at) => isCode(at) && !done.has(at)))
}

const positionsOf = (metrics: ReadonlyArray<Metric>): ReadonlyArray<number> => metrics.map(({ id }) => id - 1)

const sorted = (positions: Iterable<number>): ReadonlyArray<number> => [...positions].sort((a, b) => a - b)

export const evaluationOrderProperties = (order: Order): ReadonlyArray<Property> => [
  property("each metric has one place, and code metrics that lead to a cycle are circular", [planned], (plan) => {
    const { circular, code, formulas, judged } = order(metricsOf(plan))
    const of = (kind: Planned["kind"]) => [...plan.keys()].filter((at) => plan[at]?.kind === kind)
    const never = blocked(plan)
    expectEqual("formulas", sorted(positionsOf(formulas)), of("formula"))
    expectEqual("judged", sorted(positionsOf(judged)), of("judge"))
    expectEqual("circular", sorted(positionsOf(circular)), sorted(never))
    expectEqual(
      "code",
      sorted(positionsOf(code)),
      of("code").filter((at) => !never.has(at))
    )
  }),
  property(
    "a code metric comes after those that it depends on, otherwise by display order and id",
    [planned],
    (plan) => {
      const code = positionsOf(order(metricsOf(plan)).code)
      for (const [place, at] of code.entries()) {
        for (const need of plan[at]?.needs ?? [])
          if (code.includes(need)) expectOrdered(`the place of metric ${need}`, code.indexOf(need), "<", place)
      }
      const free = positionsOf(order(metricsOf(plan.map((one) => ({ ...one, needs: [] })))).code)
      const byDisplay = free.toSorted((a, b) => (plan[a]?.displayOrder ?? 0) - (plan[b]?.displayOrder ?? 0) || a - b)
      expectEqual("code without dependencies", free, byDisplay)
    }
  ),
  property("the order does not depend on the order of the list", [planned, fc.integer()], (plan, seed) => {
    const metrics = metricsOf(plan)
    const shuffled = metrics.toSorted((a, b) => ((a.id * seed) % 7) - ((b.id * seed) % 7))
    const places = ({ circular, code, formulas, judged }: ReturnType<Order>) =>
      [formulas, judged, code, circular].map(positionsOf)
    expectEqual("the order", places(order(shuffled)), places(order(metrics)))
  })
]
