/** The fixture of the checks: resources created through the server's endpoints and deleted afterwards. */
import { at, listAt } from "../Documents.js"
import type { Client, Reply, Request } from "./Client.js"
import { bodyOf, Skipped } from "./Expect.js"

interface FixtureOptions {
  readonly client: Client
  /** A client with the key of another organization, to check that the two are isolated. */
  readonly other: Client | null
  /** A project and an agent in it, where the server cannot create them. */
  readonly project?: number | undefined
  readonly agent?: number | undefined
  /** Distinguishes this run's names from those of others. */
  readonly run: string
  /** The server's configured limits, as far as known. */
  readonly limits: ServerLimits
  /** A repository that the key's organization may check out. */
  readonly repo?: string | undefined
}

/** The configured limits of a server. */
export interface ServerLimits {
  /** Bytes of a JSON body. */
  readonly bodyBytes?: number | undefined
  /** Bytes of a multipart body. */
  readonly uploadBytes?: number | undefined
  /** Requests per minute of one credential. */
  readonly requestsPerMinute?: number | undefined
  /** Server processes (default: 1); several propagate revocations with a delay. */
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
  /** An id that does not exist. */
  readonly unknownId: number
  readonly ask: Client["ask"]
  readonly post: (path: string, json: unknown, request?: Request) => Promise<Reply>
  readonly patch: (path: string, json: unknown, request?: Request) => Promise<Reply>
  readonly get: (path: string, request?: Request) => Promise<Reply>
  /** Creates a resource that is deleted at the end; returns its body. */
  readonly make: (path: string, json: Body) => Promise<Body>
  /** As `make`; returns the id. */
  readonly makeId: (path: string, json: Body) => Promise<number>
  /** Creates many resources, which are deleted with their project or agent; returns their ids in order. */
  readonly makeMany: (path: string, all: ReadonlyArray<Body>) => Promise<ReadonlyArray<number>>
  /** Registers a resource to delete at the end; a check may delete it before. */
  readonly deleteAtEnd: (path: string) => void
  readonly project: () => Promise<number>
  readonly agent: () => Promise<number>
  /** Another agent of the project, whose calls no language model evaluates. */
  readonly quietAgent: (name: string) => Promise<number>
  /** A new project with an agent. */
  readonly otherProject: (fields?: Body) => Promise<{ readonly project: number; readonly agent: number }>
  /** The agent's assistant_id. */
  readonly assistant: () => Promise<string>
  /** A unique call_id. */
  readonly callId: () => string
  /** Delivers a call that is deleted at the end; returns its record. */
  readonly ingest: (body: Body) => Promise<Body>
  /** A metric of the agent that is evaluated only on request, since language models cost. */
  readonly numericMetric: () => Promise<number>
  readonly evaluator: (fields?: Body) => Promise<number>
  readonly dashboard: (fields?: Body) => Promise<number>
  /**
   * Runs a suite: a result with this many queued voice runs, and their ids, oldest first. It is deleted at the end.
   */
  readonly result: (runs: number, fields?: Body) => Promise<StartedResult>
  /** The headers of a credential of this kind, with all permissions it can have. */
  readonly credential: (kind: CredentialKind) => Promise<Readonly<Record<string, string>>>
  /** Deletes what was created; returns the paths that could not be deleted. */
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
  integrations: "/observability/v1/integrations/",
  hooks: "/observability/v1/hooks/",
  spans: "/otel/v1/traces/",
  traces: "/observability/v1/traces/",
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
  connections: "/repohost/connections/",
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

/** Memoizes a step, including its failure. */
const once = <A>(step: () => Promise<A>): (() => Promise<A>) => {
  let made: Promise<A> | undefined
  return () => (made ??= step())
}

/** The greatest number of concurrent requests. */
const CONCURRENCY = 10

/** Sends a request for each item with limited concurrency; returns the replies in order. */
const sendAll = async <A>(all: ReadonlyArray<A>, send: (one: A) => Promise<Reply>): Promise<ReadonlyArray<Reply>> => {
  const replies: Array<Reply> = []
  for (let from = 0; from < all.length; from += CONCURRENCY) {
    replies.push(...(await Promise.all(all.slice(from, from + CONCURRENCY).map(send))))
  }
  return replies
}

/** The most results of one request. Source: interface, Limits. */
const MAX_DELETED = 100

/** A suite of one scenario. */
export const suiteOf = (runs: number, fields: Body = {}): Body => ({
  version: "1",
  suite: { name: "Conformance" },
  scenarios: [{ key: "a", name: "A", type: "instruction", instructions: "Say hello.", frequency: runs, ...fields }]
})

/** All permissions that a credential needs for the checks. */
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
  "recordings:read",
  "results:read",
  "results:write",
  "results:delete",
  "dashboards:read",
  "dashboards:write",
  "dashboards:delete"
] as const

export const makeFixture = (options: FixtureOptions): Fixture => {
  const { client, limits, run } = options
  const pathsToDelete: Array<string> = []
  const results: Array<number> = []
  let calls = 0

  const post: Fixture["post"] = (path, json, request) => client.ask("POST", path, { ...request, json })
  const patch: Fixture["patch"] = (path, json, request) => client.ask("PATCH", path, { ...request, json })
  const get: Fixture["get"] = (path, request) => client.ask("GET", path, request)

  const make = async (path: string, json: Body): Promise<Body> => {
    const reply = await post(path, json)
    if (reply.status === 404 || reply.status === 405)
      throw new Skipped(`the server cannot create resources at ${path} (${reply.status})`)
    const made = bodyOf(reply, 201)
    pathsToDelete.push(`${path}${Number(made.id)}/`)
    return made
  }
  const makeId = async (path: string, json: Body): Promise<number> => Number((await make(path, json)).id)

  const makeWithin: Fixture["makeMany"] = async (path, all) => {
    const replies = await sendAll(all, (json) => post(path, json))
    return replies.map((reply) => Number(bodyOf(reply, 201).id))
  }

  /**
   * Disables the metrics that a language model would evaluate, since its answers vary and cost. Ignored by a server without
   * such a patch.
   */
  const disableModelMetrics = async (agent: Body): Promise<void> => {
    const { json } = await get(`${PATHS.metrics}?agent_id=${Number(agent.id)}&limit=200`)
    const evaluated = listAt(json, "results").filter(
      (metric) => at(metric, "type") !== "custom_code" && at(metric, "observability_enabled") === true
    )
    await sendAll(evaluated, (metric) =>
      patch(`${PATHS.metrics}${Number(at(metric, "id"))}/`, { observability_enabled: false })
    )
  }

  const given = <A>(value: A | undefined, step: () => Promise<A>, option: string) =>
    once(async () => {
      if (value !== undefined) return value
      try {
        return await step()
      } catch (error) {
        throw error instanceof Skipped ? new Skipped(`${error.message}; set ${option}`) : error
      }
    })

  const project = given(options.project, () => makeId(PATHS.projects, { name: `Conformance ${run}` }), "--project")
  const quietAgent = async (fields: Body): Promise<Body> => {
    const made = await make(PATHS.agents, { project: await project(), ...fields })
    await disableModelMetrics(made)
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
      if (options.other === null) throw new Skipped("no key of another organization: set --other-api-key")
      return options.other
    },
    get repo() {
      if (options.repo === undefined) throw new Skipped("no repository to check out: set --repo")
      return options.repo
    },
    unknownId: 999_999_999,
    ask: client.ask,
    post,
    patch,
    get,
    make,
    makeId,
    makeMany: makeWithin,
    deleteAtEnd: (path) => pathsToDelete.push(path),
    project,
    agent,
    quietAgent: async (name) => Number((await quietAgent({ name })).id),
    otherProject: async (fields = {}) => {
      const project = await makeId(PATHS.projects, { name: "Conformance, other" })
      const [agent = 0] = await makeWithin(PATHS.agents, [{ project, name: "Other", ...fields }])
      return { project, agent }
    },
    assistant: async () => {
      const name = options.agent === undefined ? (await madeAgent()).assistant_id : null
      if (typeof name !== "string") throw new Skipped("the assistant_id of the agent given by --agent is unknown")
      return name
    },
    callId: () => `conformance-${run}-${++calls}`,
    ingest: async (body) => {
      const made = bodyOf(await post(PATHS.observe, { agent: await agent(), ...body }), 200, 201)
      pathsToDelete.push(`${PATHS.calls}${Number(made.id)}/`)
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
      const notDeleted: Array<string> = []
      for (let from = 0; from < results.length; from += MAX_DELETED) {
        const some = results.slice(from, from + MAX_DELETED)
        const isDeleted = await post(PATHS.bulkDelete, { result_ids: some }).then(
          ({ status }) => status === 204,
          () => false
        )
        if (!isDeleted) notDeleted.push(...some.map((id) => `${PATHS.results}${id}/`))
      }
      for (const path of pathsToDelete.reverse()) {
        try {
          const { status } = await client.ask("DELETE", path)
          // 404: deleted with something else, or by its own check.
          if (status !== 204 && status !== 404) notDeleted.push(path)
        } catch {
          notDeleted.push(path)
        }
      }
      return notDeleted
    }
  }
}
