/** Reading needs a permission to read: no answer of any operation contains what its caller may not read. */
import { allPermissions, type Permission } from "@earshot/core"
import * as fc from "fast-check"
import { at, listAt } from "../Documents.js"
import { asyncProperty, type AsyncProperty } from "../Property.js"
import { type OperationRequest, operationRequests, type SeededIds, spec } from "./OperationRequests.js"

/** An answer: whether the operation succeeded, and all that the caller sees of it, errors included. */
export interface SeenAnswer {
  readonly succeeded: boolean
  readonly text: string
}

/** Sends requests as a caller of one organization. */
export type Requester = (request: OperationRequest) => Promise<SeenAnswer>

/** A new organization. */
export interface SeededOrganization {
  readonly project: number
  readonly agent: number
  /** A caller with these permissions and an API key. */
  readonly caller: (permissions: ReadonlyArray<Permission>) => Promise<Requester>
}

/** A text in a record, and the permissions that show it: any of them is enough. */
interface Marker {
  readonly text: string
  readonly shownBy: ReadonlyArray<Permission>
}

/**
 * What the records contain, in fields that only they have. Names are not among them: a record shows the names of what it
 * refers to, as an evaluator shows the name of its personality.
 */
const MARKERS = {
  catalog: { text: "markercatalog", shownBy: ["catalog:read"] },
  // An evaluator has the data of its test profile.
  profile: { text: "markerprofile", shownBy: ["catalog:read", "evaluators:read"] },
  evaluators: { text: "markerevaluators", shownBy: ["evaluators:read"] },
  script: { text: "markerscript", shownBy: ["results:read"] },
  results: { text: "markerresults", shownBy: ["results:read"] },
  calls: { text: "markercalls", shownBy: ["calls:read"] },
  dashboards: { text: "markerdashboards", shownBy: ["dashboards:read"] },
  keys: { text: "markerkeys", shownBy: ["keys:manage"] }
} as const satisfies Readonly<Record<string, Marker>>

const markers: ReadonlyArray<Marker> = Object.values(MARKERS)

const seedRecords = async (owner: Requester, { agent, project }: SeededOrganization): Promise<SeededIds> => {
  const ask = async (request: OperationRequest): Promise<unknown> => {
    const { succeeded, text } = await owner(request)
    if (!succeeded) throw new Error(`${request.operation} failed: ${text}`)
    return JSON.parse(text)
  }
  const make = async (request: OperationRequest): Promise<number> => {
    const made = await ask(request)
    // In process, calls, links and keys that were created are in a field of the result.
    const id = at(made, "id") ?? at(made, "call", "id") ?? at(made, "link", "id") ?? at(made, "key", "id")
    if (typeof id !== "number") throw new Error(`${request.operation} answered no id: ${JSON.stringify(made)}`)
    return id
  }
  const { calls, catalog, dashboards, evaluators, keys, profile, results, script } = MARKERS
  await ask({ operation: "projects.update", id: project, input: { description: catalog.text } })
  await ask({
    operation: "agents.update",
    id: agent,
    input: { description: catalog.text, supported_channels: ["voice"], assistant_id: "seeded-assistant" }
  })
  const inProject = (fields: object) => ({ project, name: "Seeded", ...fields })
  const personality = await make({
    operation: "personalities.create",
    input: inProject({ language: "en", description: catalog.text })
  })
  await ask({ operation: "personalities.enable", id: project, input: { personalities: [personality] } })
  const test = await make({
    operation: "testProfiles.create",
    input: inProject({ information: { main_agent_variables: { name: profile.text } } })
  })
  const number = await make({ operation: "phoneNumbers.create", input: inProject({ number: "+15550100" }) })
  const tool = await make({ operation: "tools.create", input: inProject({ description: catalog.text }) })
  const folder = await make({ operation: "folders.create", input: { project, path: "seeded" } })
  const metric = await make({
    operation: "metrics.create",
    input: {
      agent,
      name: "Seeded",
      type: "llm_judge",
      eval_type: "numeric",
      prompt: `Please make sure that you return TRUE if the agent says ${catalog.text}. Otherwise, return FALSE.`
    }
  })
  const evaluator = await make({
    operation: "evaluators.create",
    input: {
      agent,
      name: "Seeded",
      scenario_type: "instruction",
      instructions: evaluators.text,
      expected_outcome_prompt: evaluators.text,
      personality,
      test_profile: test,
      tool_ids: [tool]
    }
  })
  const call = await make({
    operation: "calls.ingest",
    input: {
      call_id: "seeded",
      agent,
      customer_number: calls.text,
      call_ended_reason: calls.text,
      feedback: calls.text,
      metadata: { region: calls.text },
      dynamic_variables: { name: calls.text },
      transcript_json: [{ role: "Main Agent", content: calls.text, start_time: 0, end_time: 12 }]
    }
  })
  await ask({ operation: "calls.review", id: call, input: { topic: calls.text, dropoff_point: calls.text } })
  const dashboard = await make({
    operation: "dashboards.create",
    input: { project, name: dashboards.text }
  })
  const widgets: Array<number> = []
  for (const chart of [
    { chart_type: "pie", field: "customer_number" },
    { chart_type: "pie", field: "metadata.region", group_by: { type: "field", field: "topic" } },
    {
      chart_type: "bar",
      field: "duration",
      aggregation_function: "max",
      time_period: "day",
      group_by: { type: "field", field: "call_ended_reason" }
    },
    { chart_type: "stat" }
  ]) {
    widgets.push(await make({ operation: "widgets.create", input: { dashboard, name: dashboards.text, ...chart } }))
  }
  const result = await make({
    operation: "suites.run",
    input: { name: results.text, spec: spec(script.text), agent_id: agent, channel: "voice" }
  })
  const claim = async () => {
    const claimed = await ask({ operation: "runs.claim", input: { channel: "voice" } })
    const [first] = Array.isArray(claimed) ? claimed : listAt(claimed, "results")
    return { id: Number(at(first, "run", "id")), lease: String(at(first, "lease")) }
  }
  const played = await claim()
  await ask({
    operation: "runs.complete",
    id: played.id,
    input: {
      lease: played.lease,
      transcript_json: [{ role: "Main Agent", content: results.text, start_time: 0, end_time: 1 }]
    }
  })
  const simplification = await ask({ operation: "simplifications.request", input: { metric_id: metric } })
  return {
    project,
    agent,
    personality,
    profile: test,
    number,
    tool,
    folder,
    metric,
    evaluator,
    dashboard,
    widgets,
    call,
    result,
    run: played.id,
    claimed: await claim(),
    key: await make({ operation: "access.createApiKey", input: { name: keys.text } }),
    link: await make({
      operation: "access.createLink",
      input: { name: keys.text, bounds: [{ type: "dashboard", id: dashboard }] }
    }),
    progress: String(at(simplification, "progress_id") ?? at(simplification, "progressId"))
  }
}

/** What a caller sees of every operation. */
const seenBy = async (
  requester: Requester,
  ids: SeededIds
): Promise<ReadonlyArray<SeenAnswer & { readonly operation: string }>> => {
  const seen: Array<SeenAnswer & { readonly operation: string }> = []
  for (const request of operationRequests(ids)) {
    seen.push({ operation: request.operation, ...(await requester(request)) })
  }
  return seen
}

/** Operations that do not succeed even for a caller with every permission, since an earlier one has ended what they change. */
const MAY_FAIL = [
  "runs.cancel",
  "runs.fail",
  "runs.complete",
  "results.deleteRuns",
  "widgets.data",
  "widgets.delete",
  "results.cancel"
]

/** Permissions of a caller: a few, single ones, or all but a few. */
const permissionSets: fc.Arbitrary<ReadonlyArray<Permission>> = fc.oneof(
  fc.constantFrom(...allPermissions).map((one) => [one]),
  fc.subarray([...allPermissions], { minLength: 1 }),
  fc
    .subarray([...allPermissions], { minLength: 1, maxLength: 4 })
    .map((without) => allPermissions.filter((one) => !without.includes(one))),
  // Whoever may change everything and read nothing.
  fc.constant(allPermissions.filter((one) => !one.endsWith(":read") && !one.endsWith(":manage")))
)

/** @param organization makes a new organization; its callers share one engine or server */
export const readingProperty = (organization: () => Promise<SeededOrganization>, runs = 12): AsyncProperty =>
  asyncProperty(
    "no answer of any operation contains what its caller may not read",
    [permissionSets],
    async (permissions) => {
      const place = await organization()
      const ids = await seedRecords(await place.caller(allPermissions), place)
      const held = new Set(permissions)
      for (const { operation, text } of await seenBy(await place.caller(permissions), ids)) {
        for (const marker of markers) {
          if (!marker.shownBy.some((one) => held.has(one)) && text.includes(marker.text)) {
            throw new Error(`${operation} shows ${marker.text} to a caller with ${permissions.join(", ")}: ${text}`)
          }
        }
      }
    },
    runs
  )

/** That the property sees something: a caller with every permission succeeds everywhere, and reads every marker. */
export const readingCoverage = async (organization: () => Promise<SeededOrganization>): Promise<void> => {
  const place = await organization()
  const owner = await place.caller(allPermissions)
  const ids = await seedRecords(owner, place)
  const seen = await seenBy(owner, ids)
  const failed = seen.filter(({ operation, succeeded }) => !succeeded && !MAY_FAIL.includes(operation))
  if (failed.length > 0) {
    throw new Error(failed.map(({ operation, text }) => `${operation} failed: ${text}`).join("\n"))
  }
  const unseen = markers.filter(({ text }) => !seen.some((answer) => answer.text.includes(text)))
  if (unseen.length > 0) throw new Error(`No answer contains ${unseen.map(({ text }) => text).join(", ")}`)
}
