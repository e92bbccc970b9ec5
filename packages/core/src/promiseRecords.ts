/**
 * What use cases return to programs that do not use Effect: records as the HTTP API has them, with the names that inputs have,
 * plain numbers as ids and texts as instants.
 */
import * as Either from "effect/Either"
import { encodeApiKey, encodeIssuedApiKey } from "./access/ApiKey.js"
import { encodeIssuedSignInLink } from "./access/BrowserSession.js"
import type { Operation } from "./access/Operation.js"
import { encodeIssuedShareableLink, encodeShareableLink } from "./access/ShareableLink.js"
import { encodeIssuedToken } from "./access/Token.js"
import { encodeUser } from "./access/User.js"
import { encodeWidgetData } from "./analytics/WidgetData.js"
import { encodeRequestedEvaluation } from "./calls/CallEvaluations.js"
import { encodeCallFacets } from "./calls/CallFacets.js"
import { type CallRecord, encodeCallRecord } from "./calls/CallRecord.js"
import {
  encodeExpandedCall,
  encodeListedCall,
  type ExpandedCall,
  expandedIn,
  type ListedCall,
  readExpandedIn
} from "./calls/ListedCall.js"
import { encodeWebhookReceipt } from "./calls/PlatformWebhooks.js"
import { encodePeaks } from "./calls/RecordingPeaks.js"
import { encodeSignedRecording } from "./calls/RecordingUrl.js"
import { encodeAgent } from "./catalog/Agent.js"
import { encodeFolder } from "./catalog/Folder.js"
import { encodeOrganization } from "./catalog/Organization.js"
import type { CreatedOrganization } from "./catalog/Organizations.js"
import { encodePersonality } from "./catalog/Personality.js"
import { encodePhoneNumber } from "./catalog/PhoneNumber.js"
import { encodeProject } from "./catalog/Project.js"
import { encodeTestProfile } from "./catalog/TestProfile.js"
import { encodeTool } from "./catalog/Tool.js"
import { encodeCheckout } from "./checkouts/Checkout.js"
import { encodeCodeConnection } from "./checkouts/CodeConnection.js"
import { encodeLedgerEntry, encodeLedgerTotals } from "./credits/LedgerEntry.js"
import { encodeDashboard } from "./dashboards/Dashboard.js"
import { encodeDashboardData } from "./dashboards/DashboardData.js"
import { encodeWidget } from "./dashboards/Widget.js"
import { encodeEvaluator } from "./evaluators/Evaluator.js"
import { encodeJob } from "./jobs/Job.js"
import type * as Pages from "./kernel/Pages.js"
import { encodeEvaluation } from "./metrics/Evaluation.js"
import { encodeMetric } from "./metrics/Metric.js"
import { encodePredefinedMetric } from "./metrics/PredefinedMetric.js"
import { encodeIntegration, encodeIssuedIntegration } from "./platforms/Integration.js"
import { encodeComparison } from "./results/Compare.js"
import { encodeRepeats } from "./results/Repeats.js"
import { encodeCapacity, encodeClaimedRun, encodeLease, encodeResult, encodeRun } from "./results/Result.js"
import { encodeRunDetail } from "./results/RunDetail.js"
import { encodeSimplification, encodeSimplificationProgress } from "./simplification/Simplification.js"
import { encodeVoiceCheck } from "./simulation/voice/VoiceCheck.js"
import { encodeValidatedSuite } from "./suites/SuitePlan.js"
import { encodeTrace } from "./traces/Trace.js"

const pageOf =
  <A, B>(encode: (one: A) => B) =>
  ({ results, ...links }: Pages.Page<A>): Pages.Page<B> => ({ ...links, results: results.map((one) => encode(one)) })

const listOf =
  <A, B>(encode: (one: A) => B) =>
  (all: ReadonlyArray<A>): ReadonlyArray<B> =>
    all.map((one) => encode(one))

/** Texts, counts and bytes, which are what they are. */
const unchanged = <A>(result: A): A => result

const nothing = (): void => undefined

/** Encodes a call of an export, whose query has been validated. */
export const encodeExportedCall = (call: CallRecord, query: unknown) =>
  encodeExpandedCall(call, Either.getOrUndefined(expandedIn(query))?.expand)

/** A new organization: its key's secret is `api_key.api_key`, which is not shown again. */
export const encodeCreatedOrganization = ({ agent, apiKey, organization, project }: CreatedOrganization) => ({
  organization: encodeOrganization(organization),
  project: encodeProject(project),
  agent: encodeAgent(agent),
  api_key: encodeIssuedApiKey(apiKey)
})

/** How the result of each operation is encoded, given the arguments of its use case too. A new operation does not compile without. */
export const encoders = {
  "access.createApiKey": encodeIssuedApiKey,
  "access.listApiKeys": pageOf(encodeApiKey),
  "access.revokeApiKey": nothing,
  "access.issueToken": encodeIssuedToken,
  "access.revokeToken": nothing,
  "access.createSignInLink": encodeIssuedSignInLink,
  "access.createLink": encodeIssuedShareableLink,
  "access.listLinks": pageOf(encodeShareableLink),
  "access.revokeLink": nothing,
  "users.create": encodeUser,
  "users.list": pageOf(encodeUser),
  "projects.create": encodeProject,
  "projects.list": pageOf(encodeProject),
  "projects.read": encodeProject,
  "projects.update": encodeProject,
  "projects.delete": nothing,
  "agents.create": encodeAgent,
  "agents.list": pageOf(encodeAgent),
  "agents.read": encodeAgent,
  "agents.update": encodeAgent,
  "agents.delete": nothing,
  "agents.checkVoice": encodeVoiceCheck,
  "personalities.create": encodePersonality,
  "personalities.list": pageOf(encodePersonality),
  "personalities.read": encodePersonality,
  "personalities.update": encodePersonality,
  "personalities.delete": nothing,
  "personalities.enable": listOf(encodePersonality),
  "testProfiles.create": encodeTestProfile,
  "testProfiles.list": pageOf(encodeTestProfile),
  "testProfiles.read": encodeTestProfile,
  "testProfiles.update": encodeTestProfile,
  "testProfiles.delete": nothing,
  "phoneNumbers.create": encodePhoneNumber,
  "phoneNumbers.list": pageOf(encodePhoneNumber),
  "phoneNumbers.read": encodePhoneNumber,
  "phoneNumbers.update": encodePhoneNumber,
  "phoneNumbers.delete": nothing,
  "tools.create": encodeTool,
  "tools.list": pageOf(encodeTool),
  "tools.read": encodeTool,
  "tools.update": encodeTool,
  "tools.delete": nothing,
  "folders.create": encodeFolder,
  "folders.list": pageOf(encodeFolder),
  "folders.read": encodeFolder,
  "folders.update": encodeFolder,
  "folders.delete": nothing,
  "evaluators.create": encodeEvaluator,
  "evaluators.list": pageOf(encodeEvaluator),
  "evaluators.read": encodeEvaluator,
  "evaluators.update": encodeEvaluator,
  "evaluators.delete": nothing,
  "evaluators.bulkUpdate": listOf(encodeEvaluator),
  "suites.validate": encodeValidatedSuite,
  "suites.run": encodeResult,
  "results.list": pageOf(encodeResult),
  "results.read": encodeResult,
  "results.compare": encodeComparison,
  "results.repeats": encodeRepeats,
  "results.junit": unchanged<string>,
  "results.report": unchanged<{ readonly format: string; readonly text: string }>,
  "results.bulkDelete": nothing,
  "results.deleteRuns": nothing,
  "results.cancel": encodeResult,
  "results.capacity": encodeCapacity,
  "runs.list": pageOf(encodeRun),
  "runs.read": encodeRunDetail,
  "runs.cancel": encodeRun,
  "runs.claim": listOf(encodeClaimedRun),
  "runs.heartbeat": encodeLease,
  "runs.complete": encodeRun,
  "runs.fail": encodeRun,
  "connections.create": encodeCodeConnection,
  "connections.list": pageOf(encodeCodeConnection),
  "connections.read": encodeCodeConnection,
  "connections.test": encodeCodeConnection,
  "connections.activate": encodeCodeConnection,
  "connections.revoke": nothing,
  "integrations.create": encodeIssuedIntegration,
  "integrations.list": pageOf(encodeIntegration),
  "integrations.read": encodeIntegration,
  "integrations.update": encodeIntegration,
  "integrations.rotate": encodeIssuedIntegration,
  "integrations.delete": nothing,
  "checkouts.create": encodeCheckout,
  "calls.ingest": ({ call, created }: { readonly call: CallRecord; readonly created: boolean }) => ({
    call: encodeCallRecord(call),
    created
  }),
  "calls.observe": encodeWebhookReceipt,
  "traces.receive": unchanged<{
    readonly stored: number
    readonly ignored: number
    readonly rejected: number
    readonly reason: string
  }>,
  "traces.list": pageOf(encodeTrace),
  "traces.read": encodeTrace,
  "calls.list": (page: Pages.Page<ListedCall>, query?: unknown) =>
    pageOf((call: ListedCall) => encodeListedCall(call, Either.getOrUndefined(expandedIn(query))?.expand))(page),
  "calls.read": (call: ExpandedCall, _id?: unknown, query?: unknown) =>
    encodeExpandedCall(call, Either.getOrUndefined(readExpandedIn(query ?? {}))?.expand),
  "calls.facets": encodeCallFacets,
  "calls.review": encodeCallRecord,
  "calls.delete": nothing,
  "recordings.sign": encodeSignedRecording,
  "recordings.peaks": encodePeaks,
  "metrics.predefined": listOf(encodePredefinedMetric),
  "metrics.create": encodeMetric,
  "metrics.list": pageOf(encodeMetric),
  "metrics.read": encodeMetric,
  "metrics.update": encodeMetric,
  "metrics.delete": nothing,
  "simplifications.request": encodeSimplification,
  "simplifications.progress": encodeSimplificationProgress,
  "calls.evaluate": encodeRequestedEvaluation,
  "calls.evaluations": listOf(encodeEvaluation),
  "jobs.list": pageOf(encodeJob),
  "jobs.retry": encodeJob,
  "credits.list": pageOf(encodeLedgerEntry),
  "credits.totals": encodeLedgerTotals,
  "dashboards.create": encodeDashboard,
  "dashboards.list": pageOf(encodeDashboard),
  "dashboards.read": encodeDashboard,
  "dashboards.update": encodeDashboard,
  "dashboards.delete": nothing,
  "dashboards.data": encodeDashboardData,
  "widgets.create": encodeWidget,
  "widgets.list": pageOf(encodeWidget),
  "widgets.read": encodeWidget,
  "widgets.update": encodeWidget,
  "widgets.delete": nothing,
  "widgets.data": encodeWidgetData,
  "widgets.preview": encodeWidgetData
} as const satisfies {
  readonly [O in Exclude<Operation, StreamedOperation>]: (result: never, ...args: never) => unknown
}

/** Their use cases return streams or transfer bytes, which `promise.ts` offers by functions of their own. */
type StreamedOperation = "recordings.read" | "runs.recording" | "runs.listen" | "calls.export" | "results.export"
