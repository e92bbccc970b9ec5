/** Whole organisations: something of everything in them, in every state, as bodies that any door to an engine takes. */
import * as fc from "fast-check"
import { ingestInput } from "../calls/IngestBodies.js"
import * as CatalogArbitraries from "../catalog/CatalogArbitraries.js"
import { widgetJson } from "../dashboards/WidgetArbitraries.js"
import { arbitraryEvaluatorInput } from "../evaluators/EvaluatorArbitraries.js"
import { filter } from "../filters/FilterArbitraries.js"
import { at, listAt } from "../Documents.js"
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
  /** Which of the personalities are enabled, by position; evaluators use these alone. */
  readonly enabled?: ReadonlyArray<number>
  /** Metrics beside those that widgets refer to, without their agent. */
  readonly metrics?: ReadonlyArray<{ readonly body: Body; readonly agent: number }>
  /** Results of the first agent, which has to support `voice`. */
  readonly results?: ReadonlyArray<ResultPlan>
  /** Keys, links and people of the organisation. */
  readonly keys?: ReadonlyArray<{ readonly body: Body; readonly isRevoked: boolean }>
  readonly links?: ReadonlyArray<{
    readonly body: Body
    readonly to: "project" | "agent" | "dashboard" | "result"
    readonly isRevoked: boolean
  }>
  readonly people?: ReadonlyArray<Body>
}

/** How a run ends that a worker took: of the last two somebody else ends it. */
export type RunEnd = "completed" | "failed" | "cancelled" | "deleted"

/** A result, run by run, oldest first. Where some are over and others wait, at least one is running. */
export interface ResultPlan {
  readonly name: string
  /** Whether it holds one of the project's numbers. */
  readonly hasNumber: boolean
  readonly over: ReadonlyArray<RunEnd>
  readonly running: number
  readonly waiting: ReadonlyArray<"queued" | "cancelled" | "deleted">
  /** What becomes of the result in the end. */
  readonly then: "kept" | "cancelled" | "deleted"
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
  /** Four numeric metrics of the first agent, which widgets refer to, and then those of the plan. */
  readonly metrics: ReadonlyArray<number>
  readonly evaluators: ReadonlyArray<number>
  readonly dashboards: ReadonlyArray<number>
  readonly widgets: ReadonlyArray<number>
  /** As many as there are different calls. */
  readonly calls: ReadonlyArray<number>
  readonly results: ReadonlyArray<LoadedResult>
  readonly keys: ReadonlyArray<number>
  readonly links: ReadonlyArray<number>
  readonly people: ReadonlyArray<number>
}

export interface LoadedResult {
  readonly id: number
  /** Oldest first, those that are deleted too. */
  readonly runs: ReadonlyArray<number>
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

const PROMPT = { type: "llm_judge", prompt: "Was the caller served?" }

/** Metrics of every type that a new one may have, and of every kind of values. */
const metricBody: fc.Arbitrary<Body> = fc
  .tuple(
    named,
    fc.oneof(
      fc.constantFrom("binary", "numeric", "binary_workflow_adherence").map((eval_type) => ({ ...PROMPT, eval_type })),
      fc.constantFrom({ min: 1, max: 5 }, null).map((configuration) => ({
        ...PROMPT,
        eval_type: "continuous_qualitative",
        configuration
      })),
      fc
        .uniqueArray(fc.constantFrom("good", "bad", "neither"), { minLength: 1 })
        .map((enum_values) => ({ ...PROMPT, eval_type: "enum", enum_values })),
      fc.constantFrom("binary", "numeric").map((eval_type) => ({
        type: "custom_code",
        eval_type,
        custom_code: "_result = true"
      }))
    ),
    fc.record({
      simulation_enabled: fc.boolean(),
      observability_enabled: fc.boolean(),
      audio_enabled: fc.boolean(),
      evaluation_trigger: fc.constantFrom("always", "automatic", "custom"),
      evaluation_trigger_prompt: fc.constant("When it was asked for.")
    })
  )
  .map(([name, kind, rest]) => ({ name, ...kind, ...rest }))

const resultPlan: fc.Arbitrary<ResultPlan> = fc
  .record({
    name: named,
    hasNumber: fc.boolean(),
    over: few(fc.constantFrom<RunEnd>("completed", "failed", "cancelled", "deleted")),
    running: fc.nat({ max: 2 }),
    waiting: few(fc.constantFrom("queued" as const, "cancelled" as const, "deleted" as const)),
    then: fc.oneof(
      { weight: 4, arbitrary: fc.constant("kept" as const) },
      { weight: 1, arbitrary: fc.constantFrom("cancelled" as const, "deleted" as const) }
    )
  })
  .map((plan) => {
    const runs = plan.over.length + plan.running + plan.waiting.length
    if (runs === 0) return { ...plan, waiting: ["queued" as const] }
    const needsRunning = plan.over.length > 0 && plan.waiting.length > 0
    return { ...plan, running: needsRunning ? Math.max(1, plan.running) : plan.running }
  })

/** An end that lies in the future for as long as anybody uses it. */
const FAR = "2999-12-31T00:00:00Z"
const expires = fc.constantFrom(FAR, null)

const projectPlan: fc.Arbitrary<ProjectPlan> = fc.record({
  project: CatalogArbitraries.projectDraft.map((draft): Body => ({ ...draft })),
  agents: fc.array(CatalogArbitraries.agentDraft, { minLength: 1, maxLength: 3 }).map((drafts) =>
    drafts.map((draft, position): Body => ({
      ...draft,
      supported_channels:
        position === 0 ? [...new Set(["voice", ...draft.supported_channels])] : draft.supported_channels
    }))
  ),
  personalities: few(fc.record({ name: named, language: fc.constantFrom("en", "de", "multi") })),
  profiles: few(named.map((name) => ({ name, information: { main_agent_variables: { name } } }))),
  numbers: fc.uniqueArray(fc.stringMatching(/^\+1555\d{7}$/), { maxLength: 2 }),
  tools: few(named.map((name) => ({ name }))),
  folders,
  evaluators: few(
    fc.record({ body: arbitraryEvaluatorInput, refers: fc.array(fc.nat({ max: 9 }), { minLength: 7, maxLength: 7 }) })
  ),
  dashboards: few(
    fc.record({
      body: fc.record({ name: named, filters: filter.map(Filters.print) }),
      widgets: few(widgetJson().map((widget): Body => widget))
    }),
    2
  ),
  calls: few(fc.record({ body: ingestInput(0), agent: fc.nat({ max: 9 }), review: fc.option(review) }), 5),
  enabled: fc.uniqueArray(fc.nat({ max: 2 }), { maxLength: 3 }),
  metrics: few(fc.record({ body: metricBody, agent: fc.nat({ max: 9 }) })),
  results: few(resultPlan, 2),
  keys: few(
    fc.record({
      body: fc.record({
        name: named,
        scopes: fc.subarray(["all", "calls:read", "calls:write", "dashboards:read"], { minLength: 1 }),
        expires_at: expires
      }),
      isRevoked: fc.boolean()
    }),
    2
  ),
  links: few(
    fc.record({
      body: fc.record({ name: named, expires_at: expires }),
      to: fc.constantFrom("project" as const, "agent" as const, "dashboard" as const, "result" as const),
      isRevoked: fc.boolean()
    }),
    2
  ),
  people: few(fc.record({ name: named }), 2)
})

/** An organisation of one to three projects, the smaller the more it is shrunk. */
export const world: fc.Arbitrary<WorldPlan> = fc.record({
  projects: fc.array(projectPlan, { minLength: 1, maxLength: 3 })
})

const picked = (ids: ReadonlyArray<number>, at: number | undefined): number | null =>
  ids.length === 0 ? null : (ids[(at ?? 0) % ids.length] ?? null)

const TESTS = "/test_framework/v1/"

/** A door whose refusals are faults of the plan. */
const asking = (door: Door) => {
  const ask = async (method: "GET" | "POST" | "PATCH" | "DELETE", path: string, json?: Body): Promise<unknown> => {
    const { body, faults, outcome } = await door(method, path, json)
    if (outcome === "done" || outcome === "created") return body
    throw new Error(`${method} ${path} was ${outcome} (${faults.join(", ")}): ${JSON.stringify(json)}`)
  }
  const make = async (path: string, json: Body): Promise<number> => {
    const id = at(await ask("POST", path, json), "id")
    if (typeof id !== "number") throw new Error(`POST ${path} answered no id: ${JSON.stringify(json)}`)
    return id
  }
  const makeAll = async (path: string, all: ReadonlyArray<Body>): Promise<ReadonlyArray<number>> => {
    const ids: Array<number> = []
    for (const one of all) ids.push(await make(path, one))
    return ids
  }
  return { ask, make, makeAll }
}

const TURNS = [
  { role: "Testing Agent", content: "Hello?", start_time: 0, end_time: 1 },
  { role: "Main Agent", content: "Good day.", start_time: 1.5, end_time: 3 }
]

/**
 * Starts a result and brings its runs to where the plan has them. No more of them run at a time than the plan has
 * running, so that those which wait are given to nobody, by claims for other results either.
 */
const loadResult = async (
  door: Door,
  agent: number | undefined,
  number: number | null,
  { name, over, running, then, waiting }: ResultPlan
): Promise<LoadedResult> => {
  const { ask, make } = asking(door)
  const frequency = over.length + running + waiting.length
  const id = await make("/test_framework/v2/scenarios/run_scenarios_json/", {
    name,
    agent_id: agent,
    phone_number: number,
    spec: {
      version: "1",
      suite: { name: "World" },
      defaults: running > 0 ? { concurrency_limit: running } : {},
      scenarios: [{ key: "a", name: "A", type: "instruction", instructions: "Ask.", frequency }]
    }
  })
  const listed = listAt(await ask("GET", `${TESTS}runs/?result=${id}&limit=200`), "results")
  const runs = listed.map((run) => Number(at(run, "id"))).sort((one, other) => one - other)
  const end = async (run: number, how: RunEnd, lease: unknown): Promise<void> => {
    if (how === "deleted") await ask("POST", `${TESTS}results/${id}/delete_runs/`, { run_ids: [run] })
    else if (how === "cancelled") await ask("POST", `${TESTS}runs/${run}/cancel/`)
    else if (how === "failed") await ask("POST", `${TESTS}runs/${run}/fail/`, { lease, error: "The line was dead." })
    else await ask("POST", `${TESTS}runs/${run}/complete/`, { lease, transcript_json: TURNS, success: run % 2 === 0 })
  }
  const taken = over.length + running
  for (let done = 0; done < taken;) {
    const claimed = listAt(
      await ask("POST", `${TESTS}runs/claim/`, { channel: "voice", limit: taken - done, lease_seconds: 3600 }),
      "results"
    )
    if (claimed.length === 0) throw new Error(`No run of result ${id} was given to a worker`)
    for (const one of claimed) {
      const [run, how] = [Number(at(one, "run", "id")), over[done++]]
      if (how !== undefined) await end(run, how, at(one, "lease"))
    }
  }
  for (const [position, how] of waiting.entries()) {
    const run = runs[taken + position]
    if (how !== "queued" && run !== undefined) await end(run, how, null)
  }
  if (then === "cancelled") await ask("POST", `${TESTS}results/${id}/cancel/`)
  if (then === "deleted") await ask("POST", `${TESTS}results/bulk_delete/`, { result_ids: [id] })
  return { id, runs }
}

/**
 * Loads a world through a door that may do everything; rejects where anything of it is refused. The organisation has to
 * be without runs that wait for a worker.
 */
export const load = async (door: Door, { projects }: WorldPlan): Promise<ReadonlyArray<LoadedProject>> => {
  const { ask, make, makeAll } = asking(door)
  const assistants = new Set<unknown>()
  const loaded: Array<LoadedProject> = []
  for (const plan of projects) {
    const project = await make("/user/v1/projects/", plan.project)
    const own = (body: Body): Body => ({ ...body, project })
    const agents = await makeAll(
      `${TESTS}agents/`,
      plan.agents.map((agent) => {
        // An assistant is of one agent in its organisation.
        const isTaken = assistants.has(agent.assistant_id)
        assistants.add(agent.assistant_id)
        return own(isTaken ? { ...agent, assistant_id: null } : agent)
      })
    )
    const personalities = await makeAll(`${TESTS}personalities/`, plan.personalities.map(own))
    const enabled = [...new Set((plan.enabled ?? []).flatMap((position) => picked(personalities, position) ?? []))]
    if (enabled.length > 0) {
      await ask("POST", `/user/v1/projects/${project}/enable_personalities/`, { personalities: enabled })
    }
    const profiles = await makeAll(`${TESTS}test_profiles/`, plan.profiles.map(own))
    const numbers = await makeAll(
      `${TESTS}phone_numbers/`,
      plan.numbers.map((number) => own({ number }))
    )
    const tools = await makeAll(`${TESTS}tools/`, plan.tools.map(own))
    const folders = await makeAll(
      `${TESTS}folders/`,
      plan.folders.map((path) => own({ path }))
    )
    const metrics = await makeAll(`${TESTS}metrics/`, [
      ...["One", "Two", "Three", "Four"].map((name) => ({
        agent: agents[0],
        name,
        type: "llm_judge",
        eval_type: "numeric",
        prompt: "How many?"
      })),
      ...(plan.metrics ?? []).map(({ agent, body }) => ({ ...body, agent: picked(agents, agent) }))
    ])
    const evaluators = await makeAll(
      `${TESTS}scenarios/`,
      plan.evaluators.map(({ body, refers: [agent, profile, number, tool, folder, metric, personality] }) => ({
        ...body,
        agent: picked(agents, agent),
        personality: picked(enabled, personality),
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
      await ask("PATCH", `/observability/v1/call-logs/${id}/`, review)
    }
    const keys: Array<number> = []
    for (const { body, isRevoked } of plan.keys ?? []) {
      const id = await make("/user/v1/api_keys/", body)
      keys.push(id)
      if (isRevoked) await ask("DELETE", `/user/v1/api_keys/${id}/`)
    }
    const people = await makeAll(
      "/user/v1/users/",
      (plan.people ?? []).map((body, position) => ({ ...body, email: `p${project}-${position}@example.org` }))
    )
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
      calls: [...calls],
      results: [],
      keys,
      links: [],
      people
    })
  }
  // Those of which nobody takes a run come last, so that what waits for a worker is given to none.
  const results = projects.map(() => new Map<number, LoadedResult>())
  for (const isTaken of [true, false]) {
    for (const [place, plan] of projects.entries()) {
      for (const [position, result] of (plan.results ?? []).entries()) {
        if (result.over.length + result.running > 0 !== isTaken) continue
        const number = result.hasNumber ? picked(loaded[place]?.numbers ?? [], position) : null
        results[place]?.set(position, await loadResult(door, loaded[place]?.agents[0], number, result))
      }
    }
  }
  const whole: Array<LoadedProject> = []
  for (const [place, one] of loaded.entries()) {
    const own = [...(results[place] ?? [])].sort(([first], [second]) => first - second).map(([, result]) => result)
    const links: Array<number> = []
    // Nothing is bound to what is not there any more.
    const kept = own.find((_, order) => projects[place]?.results?.[order]?.then !== "deleted")
    const within = { project: one.project, agent: one.agents[0], dashboard: one.dashboards[0], result: kept?.id }
    for (const { body, isRevoked, to } of projects[place]?.links ?? []) {
      // Where there is none of its kind, it is bound to the project.
      const bound = within[to] === undefined ? "project" : to
      const id = await make("/user/v1/shareable_links/", { ...body, bounds: [{ type: bound, id: within[bound] }] })
      links.push(id)
      if (isRevoked) await ask("DELETE", `/user/v1/shareable_links/${id}/`)
    }
    whole.push({ ...one, results: own, links })
  }
  return whole
}
