/** What checks stand on: things of their own, made through the server's own endpoints and taken away afterwards. */
import { at, listAt } from "../Documents.js"
import type { Client, Reply, Request } from "./Client.js"
import { bodyOf, Skipped } from "./Expect.js"

interface FixtureOptions {
  readonly client: Client
  /** A client with the key of another organisation, for what the two must not see of each other. */
  readonly other: Client | null
  /** A project and an agent in it to use, where the server makes none. */
  readonly project?: number | undefined
  readonly agent?: number | undefined
  /** Tells this run's names from those of others. */
  readonly run: string
  /** What was told of the server's limits. */
  readonly limits: ServerLimits
  /** A repository that the key's organisation may check out. */
  readonly repo?: string | undefined
}

/** What a server was started with. */
export interface ServerLimits {
  /** Bytes of a JSON body. */
  readonly bodyBytes?: number | undefined
  /** Bytes of a multipart body. */
  readonly uploadBytes?: number | undefined
  /** Requests a minute of one credential. */
  readonly requestsAMinute?: number | undefined
  /** Processes that answer; one unless told, which knows at once what it has changed. */
  readonly processes?: number | undefined
}

type Body = Readonly<Record<string, unknown>>

export interface Fixture {
  readonly client: Client
  readonly other: Client
  readonly run: string
  readonly limits: ServerLimits
  /** The short name of a repository that may be checked out. */
  readonly repo: string
  /** An id that nothing has. */
  readonly nobody: number
  readonly ask: Client["ask"]
  readonly post: (path: string, json: unknown, request?: Request) => Promise<Reply>
  readonly patch: (path: string, json: unknown, request?: Request) => Promise<Reply>
  readonly get: (path: string, request?: Request) => Promise<Reply>
  /** Makes a thing that is taken away at the end: its body. */
  readonly make: (path: string, json: Body) => Promise<Body>
  /** The same, and its id. */
  readonly makeId: (path: string, json: Body) => Promise<number>
  /** Makes many things, a few at a time, that go with a project or an agent of their own: their ids in order. */
  readonly makeWithin: (path: string, all: ReadonlyArray<Body>) => Promise<ReadonlyArray<number>>
  /** Takes note of a thing to be taken away at the end; whoever takes it away before does no harm. */
  readonly owes: (path: string) => void
  readonly project: () => Promise<number>
  readonly agent: () => Promise<number>
  /** Another agent of the project, whose calls no language model is asked about. */
  readonly quietAgent: (name: string) => Promise<number>
  /** A project that nothing else is in, with an agent. */
  readonly elsewhere: (fields?: Body) => Promise<{ readonly project: number; readonly agent: number }>
  /** The agent's name with its provider. */
  readonly assistant: () => Promise<string>
  /** A name for a call that no other run gives. */
  readonly callId: () => string
  /** Delivers a call that is taken away at the end: its record. */
  readonly ingest: (body: Body) => Promise<Body>
  /** A metric of the agent's that no call is asked unless it says so: with a language model, answers cost. */
  readonly numericMetric: () => Promise<number>
  readonly evaluator: (fields?: Body) => Promise<number>
  readonly dashboard: (fields?: Body) => Promise<number>
  /**
   * Has runs queued by a suite: a result of so many by voice, which wait for a worker, and the ids of the runs, oldest first.
   * It is deleted at the end.
   */
  readonly result: (runs: number, fields?: Body) => Promise<StartedResult>
  /** A secret of a credential of this kind, with everything that it can be given. */
  readonly credential: (kind: CredentialKind) => Promise<Readonly<Record<string, string>>>
  /** Takes away what was made; answers what could not be. */
  readonly cleanUp: () => Promise<ReadonlyArray<string>>
}

/** A result and its runs. */
export interface StartedResult {
  readonly body: Body
  readonly id: number
  readonly path: string
  readonly runs: ReadonlyArray<number>
}

export const PATHS = {
  observe: "/observability/v1/observe/",
  calls: "/observability/v1/call-logs/",
  dashboards: "/dashboards/dashboards/",
  widgets: "/dashboards/widgets/",
  projects: "/user/v1/projects/",
  agents: "/test_framework/v1/agents/",
  evaluators: "/test_framework/v1/scenarios/",
  bulkUpdate: "/test_framework/v1/scenarios/adv_update/",
  metrics: "/test_framework/v1/metrics/",
  predefined: "/test_framework/v1/predefined-metrics/",
  personalities: "/test_framework/v1/personalities/",
  profiles: "/test_framework/v1/test_profiles/",
  tools: "/test_framework/v1/tools/",
  numbers: "/test_framework/v1/phone_numbers/",
  folders: "/test_framework/v1/folders/",
  checkout: "/repohost/checkout-token/",
  keys: "/user/v1/api_keys/",
  tokens: "/user/v1/tokens/",
  links: "/user/v1/shareable_links/",
  ledger: "/credits/ledger/",
  validate: "/test_framework/v2/scenarios/validate_scenarios_json/",
  run: "/test_framework/v2/scenarios/run_scenarios_json/",
  schema: "/test_framework/v2/scenarios/json_schema/",
  results: "/test_framework/v1/results/",
  bulkDelete: "/test_framework/v1/results/bulk_delete/",
  runs: "/test_framework/v1/runs/",
  capacity: "/test_framework/v1/capacity/",
  simplify: "/test_framework/v1/metrics/simplify_prompt/",
  progress: "/test_framework/v1/metrics/simplify_prompt_progress/"
} as const

export const credentialKinds = [
  "api_key",
  "oauth2",
  "dashboard_session",
  "embedded_session",
  "shareable_link",
  "agent_session"
] as const
export type CredentialKind = (typeof credentialKinds)[number]

/** Remembers what a step made; a step that failed is not taken again. */
const once = <A>(step: () => Promise<A>): (() => Promise<A>) => {
  let made: Promise<A> | undefined
  return () => (made ??= step())
}

/** Requests under way at a time, where there are many. */
const AT_ONCE = 10

/** Sends a request for each of many things, a few at a time: the replies in their order. */
const fewAtOnce = async <A>(all: ReadonlyArray<A>, send: (one: A) => Promise<Reply>): Promise<ReadonlyArray<Reply>> => {
  const replies: Array<Reply> = []
  for (let from = 0; from < all.length; from += AT_ONCE) {
    replies.push(...(await Promise.all(all.slice(from, from + AT_ONCE).map(send))))
  }
  return replies
}

/** Results that one request deletes. Source: interface, Limits. */
const MAX_DELETED = 100

/** A suite of one scenario. */
export const suiteOf = (runs: number, fields: Body = {}): Body => ({
  version: "1",
  suite: { name: "Conformance" },
  scenarios: [{ key: "a", name: "A", type: "instruction", instructions: "Say hello.", frequency: runs, ...fields }]
})

/** What a credential needs to be let in everywhere that its kind is. */
export const PERMISSIONS = [
  "catalog:read",
  "catalog:write",
  "catalog:delete",
  "evaluators:read",
  "evaluators:write",
  "evaluators:delete",
  "checkouts:create",
  "calls:read",
  "calls:write",
  "calls:delete",
  "results:read",
  "results:write",
  "results:delete",
  "dashboards:read",
  "dashboards:write",
  "dashboards:delete"
] as const

export const makeFixture = (options: FixtureOptions): Fixture => {
  const { client, limits, run } = options
  const owed: Array<string> = []
  const results: Array<number> = []
  let calls = 0

  const post: Fixture["post"] = (path, json, request) => client.ask("POST", path, { ...request, json })
  const patch: Fixture["patch"] = (path, json, request) => client.ask("PATCH", path, { ...request, json })
  const get: Fixture["get"] = (path, request) => client.ask("GET", path, request)

  const make = async (path: string, json: Body): Promise<Body> => {
    const reply = await post(path, json)
    if (reply.status === 404 || reply.status === 405)
      throw new Skipped(`the server makes nothing at ${path} (${reply.status})`)
    const made = bodyOf(reply, 201)
    owed.push(`${path}${Number(made.id)}/`)
    return made
  }
  const makeId = async (path: string, json: Body): Promise<number> => Number((await make(path, json)).id)

  const makeWithin: Fixture["makeWithin"] = async (path, all) => {
    const replies = await fewAtOnce(all, (json) => post(path, json))
    return replies.map((reply) => Number(bodyOf(reply, 201).id))
  }

  /**
   * Switches off what a language model would be asked of the agent's calls, since answers differ, and cost. A server that
   * takes no such patch asks on.
   */
  const quiet = async (agent: Body): Promise<void> => {
    const { json } = await get(`${PATHS.metrics}?agent_id=${Number(agent.id)}&limit=200`)
    const judged = listAt(json, "results").filter(
      (metric) => at(metric, "type") !== "custom_code" && at(metric, "observability_enabled") === true
    )
    await fewAtOnce(judged, (metric) =>
      patch(`${PATHS.metrics}${Number(at(metric, "id"))}/`, { observability_enabled: false })
    )
  }

  const given = <A>(told: A | undefined, step: () => Promise<A>, option: string) =>
    once(async () => {
      if (told !== undefined) return told
      try {
        return await step()
      } catch (error) {
        throw error instanceof Skipped ? new Skipped(`${error.message}; name one with ${option}`) : error
      }
    })

  const project = given(options.project, () => makeId(PATHS.projects, { name: `Conformance ${run}` }), "--project")
  const quietAgent = async (fields: Body): Promise<Body> => {
    const made = await make(PATHS.agents, { project: await project(), ...fields })
    await quiet(made)
    return made
  }
  const madeAgent = once(() => quietAgent({ name: "Conformance", assistant_id: `conformance-${run}` }))
  const agent = given(options.agent, async () => Number((await madeAgent()).id), "--agent")
  const numericMetric = once(async () =>
    makeId(PATHS.metrics, {
      agent: await agent(),
      name: "Conformance",
      type: "llm_judge",
      eval_type: "numeric",
      prompt: "How many questions does the caller ask?",
      observability_enabled: false
    })
  )

  const token = async (kind: string, bounds: unknown): Promise<Readonly<Record<string, string>>> => {
    const reply = await post(PATHS.tokens, { kind, bounds, permissions: PERMISSIONS })
    if (reply.status === 404 || reply.status === 405)
      throw new Skipped(`the server issues no tokens at ${PATHS.tokens}`)
    return { authorization: `Bearer ${String(bodyOf(reply, 201).token)}` }
  }
  const within = async () => [{ type: "project", id: await project() }]
  const credentials: { readonly [K in CredentialKind]: () => Promise<Readonly<Record<string, string>>> } = {
    api_key: once(async () => ({
      "x-service-api-key": String((await make(PATHS.keys, { name: `Conformance ${run}` })).api_key)
    })),
    oauth2: once(() => token("oauth2", null)),
    dashboard_session: once(() => token("dashboard_session", null)),
    embedded_session: once(async () => token("embedded_session", await within())),
    agent_session: once(async () => token("agent_session", [{ type: "agent", id: await agent() }])),
    shareable_link: once(async () => ({
      "x-shareable-link": String(
        (await make(PATHS.links, { name: run, bounds: await within(), permissions: PERMISSIONS })).token
      )
    }))
  }

  return {
    client,
    run,
    limits,
    get other() {
      if (options.other === null) throw new Skipped("no key of another organisation: name one with --other-api-key")
      return options.other
    },
    get repo() {
      if (options.repo === undefined) throw new Skipped("no repository to check out: name one with --repo")
      return options.repo
    },
    nobody: 999_999_999,
    ask: client.ask,
    post,
    patch,
    get,
    make,
    makeId,
    makeWithin,
    owes: (path) => owed.push(path),
    project,
    agent,
    quietAgent: async (name) => Number((await quietAgent({ name })).id),
    elsewhere: async (fields = {}) => {
      const project = await makeId(PATHS.projects, { name: "Conformance, elsewhere" })
      const [agent = 0] = await makeWithin(PATHS.agents, [{ project, name: "Elsewhere", ...fields }])
      return { project, agent }
    },
    assistant: async () => {
      const name = options.agent === undefined ? (await madeAgent()).assistant_id : null
      if (typeof name !== "string") throw new Skipped("the agent was told, and its provider's name of it was not")
      return name
    },
    callId: () => `conformance-${run}-${++calls}`,
    ingest: async (body) => {
      const made = bodyOf(await post(PATHS.observe, { agent: await agent(), ...body }), 200, 201)
      owed.push(`${PATHS.calls}${Number(made.id)}/`)
      return made
    },
    numericMetric,
    evaluator: async (fields = {}) =>
      makeId(PATHS.evaluators, {
        agent: await agent(),
        name: "Conformance",
        scenario_type: "instruction",
        instructions: "Say hello.",
        ...fields
      }),
    dashboard: async (fields = {}) =>
      makeId(PATHS.dashboards, { name: "Conformance", project: await project(), ...fields }),
    result: async (runs, fields = {}) => {
      const reply = await post(PATHS.run, { spec: suiteOf(runs), agent_id: await agent(), ...fields })
      if (reply.status === 404 || reply.status === 405) throw new Skipped(`the server runs no suites at ${PATHS.run}`)
      const body = bodyOf(reply, 201)
      const id = Number(body.id)
      results.push(id)
      const listed = bodyOf(await get(`${PATHS.runs}?result=${id}&limit=200`), 200)
      const ids = listAt(listed, "results").map((one) => Number(at(one, "id")))
      return { body, id, path: `${PATHS.results}${id}/`, runs: ids.reverse() }
    },
    credential: (kind) => credentials[kind](),
    cleanUp: async () => {
      const left: Array<string> = []
      for (let from = 0; from < results.length; from += MAX_DELETED) {
        const some = results.slice(from, from + MAX_DELETED)
        const isGone = await post(PATHS.bulkDelete, { result_ids: some }).then(
          ({ status }) => status === 204,
          () => false
        )
        if (!isGone) left.push(...some.map((id) => `${PATHS.results}${id}/`))
      }
      for (const path of owed.reverse()) {
        try {
          const { status } = await client.ask("DELETE", path)
          // What went with something else, or was taken away by its own check, is gone.
          if (status !== 204 && status !== 404) left.push(path)
        } catch {
          left.push(path)
        }
      }
      return left
    }
  }
}
