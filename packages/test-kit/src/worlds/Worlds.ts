/** Whole organisations: something of everything in them, in every state, as bodies that any door to an engine takes. */
import * as fc from "fast-check"
import { ingestInput } from "../calls/IngestBodies.js"
import * as CatalogArbitraries from "../catalog/CatalogArbitraries.js"
import { widgetJson } from "../dashboards/WidgetArbitraries.js"
import { arbitraryEvaluatorInput } from "../evaluators/EvaluatorArbitraries.js"
import { filter } from "../filters/FilterArbitraries.js"
import type { Door } from "../models/Doors.js"
import { Filters } from "@earshot/core"

type Body = Readonly<Record<string, unknown>>

/** A project and what is in it. What refers to something else of the project names it by position, modulo how many there are. */
export interface ProjectPlan {
  readonly project: Body
  readonly agents: ReadonlyArray<Body>
  readonly personalities: ReadonlyArray<Body>
  readonly profiles: ReadonlyArray<Body>
  readonly numbers: ReadonlyArray<string>
  readonly tools: ReadonlyArray<Body>
  /** Parents before what is in them. */
  readonly folders: ReadonlyArray<string>
  readonly evaluators: ReadonlyArray<{ readonly body: Body; readonly refers: ReadonlyArray<number> }>
  readonly dashboards: ReadonlyArray<{ readonly body: Body; readonly widgets: ReadonlyArray<Body> }>
  readonly calls: ReadonlyArray<{ readonly body: Body; readonly agent: number; readonly review: Body | null }>
}

export interface WorldPlan {
  readonly projects: ReadonlyArray<ProjectPlan>
}

/** The ids that a plan's things have once they are loaded, project by project and in the plan's order. */
export interface LoadedProject {
  readonly project: number
  readonly agents: ReadonlyArray<number>
  readonly personalities: ReadonlyArray<number>
  readonly profiles: ReadonlyArray<number>
  readonly numbers: ReadonlyArray<number>
  readonly tools: ReadonlyArray<number>
  readonly folders: ReadonlyArray<number>
  /** Four numeric metrics of the first agent, which widgets refer to. */
  readonly metrics: ReadonlyArray<number>
  readonly evaluators: ReadonlyArray<number>
  readonly dashboards: ReadonlyArray<number>
  readonly widgets: ReadonlyArray<number>
  /** As many as there are different calls. */
  readonly calls: ReadonlyArray<number>
}

const few = <A>(of: fc.Arbitrary<A>, maxLength = 3) => fc.array(of, { maxLength, size: "max" })
const named = CatalogArbitraries.name()

const folders = fc
  .uniqueArray(fc.constantFrom("a", "b", "a.b", "a.b.c", "ä"), { maxLength: 5 })
  .map((paths) => [
    ...new Set(paths.flatMap((path) => path.split(".").map((_, at, all) => all.slice(0, at + 1).join("."))))
  ])
  .map((paths) => paths.sort((one, other) => one.length - other.length))

const review: fc.Arbitrary<Body> = fc.oneof(
  fc.constantFrom("success", "failure", "reviewed_success", "reviewed_failure").map((status): Body => ({ status })),
  fc.record({ topic: CatalogArbitraries.text(40), dropoff_point: CatalogArbitraries.text(40) }),
  fc.record({ feedback: CatalogArbitraries.text(40), is_reviewed: fc.boolean() })
)

const projectPlan: fc.Arbitrary<ProjectPlan> = fc.record({
  project: CatalogArbitraries.projectDraft.map((draft): Body => ({ ...draft })),
  agents: fc.array(
    CatalogArbitraries.agentDraft.map((draft): Body => ({ ...draft })),
    { minLength: 1, maxLength: 3 }
  ),
  personalities: few(fc.record({ name: named, language: fc.constantFrom("en", "de", "multi") })),
  profiles: few(named.map((name) => ({ name, information: { main_agent_variables: { name } } }))),
  numbers: fc.uniqueArray(fc.stringMatching(/^\+1555\d{7}$/), { maxLength: 2 }),
  tools: few(named.map((name) => ({ name }))),
  folders,
  evaluators: few(
    fc.record({ body: arbitraryEvaluatorInput, refers: fc.array(fc.nat({ max: 9 }), { minLength: 6, maxLength: 6 }) })
  ),
  dashboards: few(
    fc.record({
      body: fc.record({ name: named, filters: filter.map(Filters.print) }),
      widgets: few(widgetJson().map((widget): Body => widget))
    }),
    2
  ),
  calls: few(fc.record({ body: ingestInput(0), agent: fc.nat({ max: 9 }), review: fc.option(review) }), 5)
})

/** An organisation of one to three projects, the smaller the more it is shrunk. */
export const world: fc.Arbitrary<WorldPlan> = fc.record({
  projects: fc.array(projectPlan, { minLength: 1, maxLength: 3 })
})

const picked = (ids: ReadonlyArray<number>, at: number | undefined): number | null =>
  ids.length === 0 ? null : (ids[(at ?? 0) % ids.length] ?? null)

/** Loads a world through a door; rejects where anything of it is refused. */
export const load = async (door: Door, { projects }: WorldPlan): Promise<ReadonlyArray<LoadedProject>> => {
  const make = async (path: string, json: Body): Promise<number> => {
    const { body, faults, outcome } = await door("POST", path, json)
    const id: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "id") : undefined
    if (typeof id !== "number")
      throw new Error(`POST ${path} was ${outcome} (${faults.join(", ")}): ${JSON.stringify(json)}`)
    return id
  }
  const makeAll = async (path: string, all: ReadonlyArray<Body>): Promise<ReadonlyArray<number>> => {
    const ids: Array<number> = []
    for (const one of all) ids.push(await make(path, one))
    return ids
  }
  const assistants = new Set<unknown>()
  const tests = "/test_framework/v1/"
  const loaded: Array<LoadedProject> = []
  for (const plan of projects) {
    const project = await make("/user/v1/projects/", plan.project)
    const own = (body: Body): Body => ({ ...body, project })
    const agents = await makeAll(
      `${tests}agents/`,
      plan.agents.map((agent) => {
        // An assistant is of one agent in its organisation.
        const isTaken = assistants.has(agent.assistant_id)
        assistants.add(agent.assistant_id)
        return own(isTaken ? { ...agent, assistant_id: null } : agent)
      })
    )
    const personalities = await makeAll(`${tests}personalities/`, plan.personalities.map(own))
    const profiles = await makeAll(`${tests}test_profiles/`, plan.profiles.map(own))
    const numbers = await makeAll(
      `${tests}phone_numbers/`,
      plan.numbers.map((number) => own({ number }))
    )
    const tools = await makeAll(`${tests}tools/`, plan.tools.map(own))
    const folders = await makeAll(
      `${tests}folders/`,
      plan.folders.map((path) => own({ path }))
    )
    const metrics = await makeAll(
      `${tests}metrics/`,
      ["One", "Two", "Three", "Four"].map((name) => ({
        agent: agents[0],
        name,
        type: "llm_judge",
        eval_type: "numeric",
        prompt: "How many?"
      }))
    )
    const evaluators = await makeAll(
      `${tests}scenarios/`,
      plan.evaluators.map(({ body, refers: [agent, profile, number, tool, folder, metric] }) => ({
        ...body,
        agent: picked(agents, agent),
        test_profile: picked(profiles, profile),
        phone_number: picked(numbers, number),
        tool_ids: [picked(tools, tool)].filter((id) => id !== null),
        metrics: [picked(metrics, metric)],
        folder_path: folders.length === 0 ? "" : plan.folders[(folder ?? 0) % folders.length]
      }))
    )
    const dashboards: Array<number> = []
    const widgets: Array<number> = []
    for (const { body, widgets: charts } of plan.dashboards) {
      const dashboard = await make("/dashboards/dashboards/", own(body))
      dashboards.push(dashboard)
      for (const chart of charts) {
        const metric = typeof chart.metric === "number" ? { metric: metrics[chart.metric - 1] } : {}
        widgets.push(await make("/dashboards/widgets/", { ...chart, dashboard, ...metric }))
      }
    }
    const calls = new Set<number>()
    for (const { agent, body, review } of plan.calls) {
      const id = await make("/observability/v1/observe/", { ...body, agent: picked(agents, agent) })
      calls.add(id)
      if (review === null) continue
      const { faults, outcome } = await door("PATCH", `/observability/v1/call-logs/${id}/`, review)
      if (outcome !== "done")
        throw new Error(`A review was ${outcome} (${faults.join(", ")}): ${JSON.stringify(review)}`)
    }
    loaded.push({
      project,
      agents,
      personalities,
      profiles,
      numbers,
      tools,
      folders,
      metrics,
      evaluators,
      dashboards,
      widgets,
      calls: [...calls]
    })
  }
  return loaded
}
