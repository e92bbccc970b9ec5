/** A valid request for every operation, on an organization that `seedRecords` has filled. */
import type { Operation } from "@earshot/core"

/** What a use case is called with, and what a request is made of: an id, an input, or both. */
export interface OperationRequest {
  readonly operation: Operation
  readonly id?: number
  /** Instead of an id, the platform of an envelope. */
  readonly platform?: string
  /** The body, or the query of an operation that reads. */
  readonly input?: unknown
}

/** The ids of the records of an organization. */
export interface SeededIds {
  readonly project: number
  readonly agent: number
  readonly personality: number
  readonly profile: number
  readonly number: number
  readonly tool: number
  readonly folder: number
  readonly metric: number
  readonly evaluator: number
  readonly dashboard: number
  /** Pies of the customers and of a field of the metadata, and a bar of the durations. */
  readonly widgets: ReadonlyArray<number>
  readonly call: number
  readonly result: number
  /** A completed run, and one that is claimed. */
  readonly run: number
  readonly claimed: { readonly id: number; readonly lease: string }
  readonly key: number
  readonly link: number
  readonly progress: string
}

export const spec = (instructions: string) => ({
  version: "1",
  suite: { name: "Suite" },
  scenarios: ["a", "b", "c"].map((key) => ({ key, name: key, type: "instruction", instructions }))
})

const turns = [{ role: "Main Agent", content: "Hello", start_time: 0, end_time: 1 }]

/** The records that requests create have a number in their names, since some names are unique. */
let requests = 0

/**
 * What each operation is called with; null for one that no request can succeed for here. A new operation does not compile
 * until it is in this table. Deletions are last in `operationRequests`.
 */
const inputs = (ids: SeededIds): { readonly [O in Operation]: Omit<OperationRequest, "operation"> | null } => {
  const unique = `New ${++requests}`
  const { agent, project } = ids
  const widget = { dashboard: ids.dashboard, chart_type: "pie", field: "customer_number" }
  return {
    "access.createApiKey": { input: { name: unique } },
    "access.listApiKeys": { input: {} },
    "access.revokeApiKey": { id: ids.key },
    "access.issueToken": { input: { kind: "embedded_session", bounds: [{ type: "project", id: project }] } },
    "access.revokeToken": { input: { jti: "unknown" } },
    "access.createSignInLink": { input: {} },
    "access.createLink": { input: { name: unique, bounds: [{ type: "dashboard", id: ids.dashboard }] } },
    "access.listLinks": { input: {} },
    "access.revokeLink": { id: ids.link },
    "users.create": { input: { email: `user${requests}@example.org` } },
    "users.list": { input: {} },
    "projects.create": { input: { name: unique } },
    "projects.list": { input: {} },
    "projects.read": { id: project },
    "projects.update": { id: project, input: { name: unique } },
    "projects.delete": null,
    "agents.create": { input: { project, name: unique } },
    "agents.list": { input: {} },
    "agents.read": { id: agent },
    "agents.update": { id: agent, input: { name: unique } },
    "agents.delete": null,
    "agents.checkVoice": null,
    "personalities.create": { input: { project, name: unique, language: "en" } },
    "personalities.list": { input: {} },
    "personalities.read": { id: ids.personality },
    "personalities.update": { id: ids.personality, input: { language: "de" } },
    "personalities.delete": { id: ids.personality },
    "personalities.enable": { id: project, input: { personalities: "all" } },
    "testProfiles.create": { input: { project, name: unique } },
    "testProfiles.list": { input: {} },
    "testProfiles.read": { id: ids.profile },
    "testProfiles.update": { id: ids.profile, input: { name: unique } },
    "testProfiles.delete": { id: ids.profile },
    "phoneNumbers.create": { input: { project, number: `+1555${String(requests).padStart(6, "0")}` } },
    "phoneNumbers.list": { input: {} },
    "phoneNumbers.read": { id: ids.number },
    "phoneNumbers.update": { id: ids.number, input: { number: `+1666${String(requests).padStart(6, "0")}` } },
    "phoneNumbers.delete": { id: ids.number },
    "tools.create": { input: { project, name: unique } },
    "tools.list": { input: {} },
    "tools.read": { id: ids.tool },
    "tools.update": { id: ids.tool, input: { name: unique } },
    "tools.delete": { id: ids.tool },
    "folders.create": { input: { project, path: `folder${requests}` } },
    "folders.list": { input: {} },
    "folders.read": { id: ids.folder },
    "folders.update": { id: ids.folder, input: { path: `moved${requests}` } },
    "folders.delete": { id: ids.folder },
    "evaluators.create": {
      input: { agent, name: unique, scenario_type: "instruction", instructions: "Ask.", test_profile: ids.profile }
    },
    "evaluators.list": { input: {} },
    "evaluators.read": { id: ids.evaluator },
    "evaluators.update": { id: ids.evaluator, input: { name: unique } },
    "evaluators.delete": { id: ids.evaluator },
    "evaluators.bulkUpdate": { input: { scenarios: [ids.evaluator], project, max_duration: 60 } },
    "suites.validate": { input: { spec: spec("Ask."), agent_id: agent } },
    "suites.run": { input: { spec: spec("Ask."), agent_id: agent, channel: "voice" } },
    "results.list": { input: {} },
    "results.read": { id: ids.result },
    "results.compare": { id: ids.result, input: { base: ids.result } },
    "results.export": { id: ids.result },
    "results.junit": { id: ids.result },
    "results.report": { id: ids.result, input: { format: "markdown" } },
    "results.repeats": { id: ids.result },
    "results.bulkDelete": { input: { result_ids: [ids.result] } },
    "results.deleteRuns": { id: ids.result, input: { run_ids: [ids.run] } },
    "results.cancel": { id: ids.result },
    "results.capacity": {},
    "runs.list": { input: {} },
    "runs.read": { id: ids.run },
    // It needs a run by voice.
    "runs.recording": null,
    // It needs a run that is being played.
    "runs.listen": null,
    "runs.cancel": { id: ids.claimed.id },
    "runs.claim": { input: { channel: "voice" } },
    "runs.heartbeat": { id: ids.claimed.id, input: { lease: ids.claimed.lease } },
    "runs.complete": { id: ids.claimed.id, input: { lease: ids.claimed.lease, transcript_json: turns } },
    "runs.fail": { id: ids.claimed.id, input: { lease: ids.claimed.lease, error: "No answer" } },
    // One permission manages them, reading included.
    "integrations.create": null,
    "integrations.list": { input: {} },
    "integrations.read": null,
    "integrations.update": null,
    "integrations.rotate": null,
    "integrations.delete": null,
    // Their answers are of code hosts, and need a connection to one.
    "connections.create": null,
    // It takes spans in encodings of their own.
    "traces.receive": null,
    "traces.list": { input: {} },
    // It needs spans.
    "traces.read": null,
    "connections.list": { input: {} },
    "connections.read": null,
    "connections.test": null,
    "connections.activate": null,
    "connections.revoke": null,
    "checkouts.create": null,
    "calls.ingest": { input: { call_id: "seeded", agent, transcript_type: "service" } },
    "calls.observe": {
      platform: "vapi",
      input: {
        message: {
          type: "end-of-call-report",
          call: { id: "seeded", assistantId: "seeded-assistant" },
          artifact: { messages: [{ role: "bot", message: "Hello.", secondsFromStart: 1.5 }] }
        }
      }
    },
    "calls.list": { input: { expand: "transcript,transcript_object,metadata,dynamic_variables" } },
    "calls.facets": { input: {} },
    "calls.read": { id: ids.call },
    "calls.review": { id: ids.call, input: { is_reviewed: true } },
    "calls.delete": { id: ids.call },
    "calls.export": { input: {} },
    // They need a recording.
    "recordings.read": null,
    "recordings.sign": null,
    "recordings.peaks": null,
    "metrics.predefined": {},
    "metrics.create": { input: { agent, name: unique, type: "llm_judge", eval_type: "numeric", prompt: "How many?" } },
    "metrics.list": { input: {} },
    "metrics.read": { id: ids.metric },
    "metrics.update": { id: ids.metric, input: { name: unique } },
    "metrics.delete": { id: ids.metric },
    "simplifications.request": { input: { metric_id: ids.metric } },
    "simplifications.progress": { input: { progress_id: ids.progress } },
    "calls.evaluate": { id: ids.call, input: { metric_ids: String(ids.metric) } },
    "calls.evaluations": { id: ids.call },
    "jobs.list": { input: {} },
    // It needs a job that has failed for good.
    "jobs.retry": null,
    "credits.list": { input: {} },
    "credits.totals": { input: {} },
    "dashboards.create": { input: { project, name: unique } },
    "dashboards.list": { input: {} },
    "dashboards.read": { id: ids.dashboard },
    "dashboards.update": { id: ids.dashboard, input: { filters: {} } },
    "dashboards.delete": { id: ids.dashboard },
    "dashboards.data": { id: ids.dashboard },
    "widgets.create": { input: widget },
    "widgets.list": { input: {} },
    "widgets.read": { id: ids.widgets[0] ?? 0 },
    "widgets.update": { id: ids.widgets[0] ?? 0, input: { metadata: { x: 1 } } },
    "widgets.delete": { id: ids.widgets[0] ?? 0 },
    "widgets.data": { id: ids.widgets[0] ?? 0 },
    "widgets.preview": { input: widget }
  }
}

const changesLast = (operation: Operation): number =>
  /delete|revoke|cancel|complete|fail$/i.test(operation) ? (operation.endsWith("dashboards.delete") ? 3 : 2) : 1

/** A request for every operation, in an order in which each can succeed where its permission is held. */
export const operationRequests = (ids: SeededIds): ReadonlyArray<OperationRequest> => {
  const of = inputs(ids)
  const names = Object.keys(of).filter((name): name is Operation => Object.hasOwn(of, name))
  return [
    ...names.toSorted((a, b) => changesLast(a) - changesLast(b)),
    // Each widget and each form of a request that answers with other records.
    ...ids.widgets.slice(1).map((): Operation => "widgets.data")
  ].flatMap((operation, position): ReadonlyArray<OperationRequest> => {
    const request = of[operation]
    if (request === null) return []
    const further = position - names.length
    return [{ operation, ...request, ...(further < 0 ? {} : { id: ids.widgets[further + 1] ?? 0 }) }]
  })
}
