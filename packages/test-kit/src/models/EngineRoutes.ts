import {
  encodeComparison,
  encodeIssuedToken,
  encodeSimplification,
  encodeSimplificationProgress,
  Simplifications,
  Tokens,
  AgentId,
  Agents,
  ApiKeyId,
  ApiKeys,
  BrowserSessions,
  CallEvaluations,
  CallId,
  CallRecordings,
  Calls,
  type CurrentActor,
  DashboardId,
  Dashboards,
  encodeAgent,
  encodeApiKey,
  encodeCallRecord,
  encodeCapacity,
  encodeDashboard,
  encodeDashboardData,
  encodeEvaluation,
  encodeEvaluator,
  encodeFolder,
  encodeIssuedApiKey,
  encodeIssuedShareableLink,
  encodeIssuedSignInLink,
  encodeLedgerEntry,
  encodeLedgerTotals,
  encodeListedCall,
  encodeMetric,
  encodePeaks,
  encodePersonality,
  encodePhoneNumber,
  encodeProject,
  encodeRepeats,
  encodeResult,
  encodeRun,
  encodeRunDetail,
  encodeShareableLink,
  encodeTestProfile,
  encodeTool,
  encodeUser,
  encodeWidget,
  encodeWebhookReceipt,
  encodeWidgetData,
  type Engine,
  EvaluatorId,
  expandedIn,
  Evaluators,
  FolderId,
  Folders,
  Ledger,
  LiveRuns,
  MetricId,
  Metrics,
  type Pages,
  Personalities,
  PersonalityId,
  PhoneNumberId,
  PhoneNumbers,
  Platforms,
  PlatformWebhooks,
  ProjectId,
  Projects,
  ResultId,
  Results,
  RunId,
  ShareableLinkId,
  ShareableLinks,
  Suites,
  TestProfileId,
  TestProfiles,
  ToolId,
  Voice,
  VoiceChecks,
  Tools,
  type Untrusted,
  Users,
  WidgetId,
  Widgets
} from "@earshot/core"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Either from "effect/Either"
import { type DriverResponse, response } from "./Drivers.js"

type UseCase<A> = Effect.Effect<A, unknown, Engine.Services | CurrentActor>

type Route = (
  id: number,
  json: Untrusted,
  query: Readonly<Record<string, string>> & Untrusted
) => UseCase<DriverResponse>

const done = <A>(useCase: UseCase<A>, encode: (made: A) => unknown, outcome: DriverResponse["outcome"] = "done") =>
  Effect.map(useCase, (made) => response(outcome, encode(made)))

const page =
  <A>(encode: (one: A) => unknown) =>
  (found: { readonly results: ReadonlyArray<A>; readonly next: string | null; readonly previous: string | null }) => ({
    ...found,
    results: found.results.map(encode)
  })

/** A service whose things are made, listed, read, changed and deleted as everywhere else. */
interface Keeps<Id, A> {
  readonly create: (input: Untrusted) => UseCase<A>
  readonly list: (query: Untrusted) => UseCase<Pages.Page<A>>
  readonly read: (id: Id) => UseCase<A>
  readonly update: (id: Id, input: Untrusted) => UseCase<A>
  readonly delete: (id: Id) => UseCase<void>
}

const resource = <Id, A>(
  path: string,
  service: Effect.Effect<Keeps<Id, A>, never, Engine.Services>,
  ids: { readonly make: (id: number) => Id },
  encode: (one: A) => unknown
): Readonly<Record<string, Route>> => {
  const asked = <B>(use: (all: Keeps<Id, A>) => UseCase<B>): UseCase<B> => Effect.flatMap(service, use)
  return {
    [`POST ${path}`]: (_, json) =>
      done(
        asked((all) => all.create(json)),
        encode,
        "created"
      ),
    [`GET ${path}`]: (_, __, query) =>
      done(
        asked((all) => all.list(query)),
        page(encode)
      ),
    [`GET ${path}:id/`]: (id) =>
      done(
        asked((all) => all.read(ids.make(id))),
        encode
      ),
    [`PATCH ${path}:id/`]: (id, json) =>
      done(
        asked((all) => all.update(ids.make(id), json)),
        encode
      ),
    [`DELETE ${path}:id/`]: (id) =>
      done(
        asked((all) => all.delete(ids.make(id))),
        () => null
      )
  }
}

const tests = "/test_framework/v1/"

/** The requests that models make, as use cases. */
export const routes: Readonly<Record<string, Route>> = {
  ...resource("/user/v1/projects/", Projects, ProjectId, (one) => encodeProject(one)),
  ...resource(`${tests}agents/`, Agents, AgentId, encodeAgent),
  "POST /test_framework/v1/agents/:id/check_voice/": (id) =>
    done(
      Effect.flatMap(VoiceChecks, (all) => all.check(AgentId.make(id))),
      (found) => Voice.encodeVoiceCheck(found)
    ),
  ...resource(`${tests}personalities/`, Personalities, PersonalityId, (one) => encodePersonality(one)),
  ...resource(`${tests}test_profiles/`, TestProfiles, TestProfileId, (one) => encodeTestProfile(one)),
  ...resource(`${tests}phone_numbers/`, PhoneNumbers, PhoneNumberId, (one) => encodePhoneNumber(one)),
  ...resource(`${tests}tools/`, Tools, ToolId, (one) => encodeTool(one)),
  ...resource(`${tests}folders/`, Folders, FolderId, (one) => encodeFolder(one)),
  ...resource(`${tests}metrics/`, Metrics, MetricId, encodeMetric),
  ...resource(`${tests}scenarios/`, Evaluators, EvaluatorId, encodeEvaluator),
  ...resource("/dashboards/dashboards/", Dashboards, DashboardId, (one) => encodeDashboard(one)),
  ...resource("/dashboards/widgets/", Widgets, WidgetId, (one) => encodeWidget(one)),
  "POST /user/v1/projects/:id/enable_personalities/": (id, json) =>
    done(
      Effect.flatMap(Personalities, (all) => all.enable(ProjectId.make(id), json)),
      (enabled) => enabled.map((one) => encodePersonality(one))
    ),
  "POST /user/v1/api_keys/": (_, json) =>
    done(
      Effect.flatMap(ApiKeys, (all) => all.create(json)),
      encodeIssuedApiKey,
      "created"
    ),
  "GET /user/v1/api_keys/": (_, __, query) =>
    done(
      Effect.flatMap(ApiKeys, (all) => all.list(query)),
      page((one) => encodeApiKey(one))
    ),
  "DELETE /user/v1/api_keys/:id/": (id) =>
    done(
      Effect.flatMap(ApiKeys, (all) => all.revoke(ApiKeyId.make(id))),
      () => null
    ),
  "POST /user/v1/sign_in_links/": (_, json) =>
    done(
      Effect.flatMap(BrowserSessions, (all) => all.createLink(json)),
      encodeIssuedSignInLink,
      "created"
    ),
  "POST /user/v1/shareable_links/": (_, json) =>
    done(
      Effect.flatMap(ShareableLinks, (all) => all.create(json)),
      encodeIssuedShareableLink,
      "created"
    ),
  "GET /user/v1/shareable_links/": (_, __, query) =>
    done(
      Effect.flatMap(ShareableLinks, (all) => all.list(query)),
      page((one) => encodeShareableLink(one))
    ),
  "DELETE /user/v1/shareable_links/:id/": (id) =>
    done(
      Effect.flatMap(ShareableLinks, (all) => all.revoke(ShareableLinkId.make(id))),
      () => null
    ),
  "POST /user/v1/users/": (_, json) =>
    done(
      Effect.flatMap(Users, (all) => all.create(json)),
      (one) => encodeUser(one),
      "created"
    ),
  "GET /user/v1/users/": (_, __, query) =>
    done(
      Effect.flatMap(Users, (all) => all.list(query)),
      page((one) => encodeUser(one))
    ),
  "POST /observability/v1/observe/": (_, json) =>
    Effect.flatMap(Calls, (calls) =>
      Effect.map(calls.ingest(json), ({ call, created }) =>
        response(created ? "created" : "done", encodeCallRecord(call))
      )
    ),
  ...Object.fromEntries(
    Platforms.platforms.map((platform): [string, Route] => [
      `POST /observability/v1/${platform}/observe/`,
      (_, json, query) =>
        done(
          Effect.flatMap(PlatformWebhooks, (all) => all.observe(platform, json, query)),
          encodeWebhookReceipt
        )
    ])
  ),
  "GET /observability/v1/call-logs/": (_, __, query) =>
    done(
      Effect.flatMap(Calls, (calls) => calls.list(query)),
      page((one) => encodeListedCall(one, Either.getOrThrow(expandedIn(query)).expand))
    ),
  "GET /observability/v1/call-logs/export/": (_, __, query) =>
    done(
      Effect.flatMap(Calls, (calls) => Stream.runCollect(calls.export(query))),
      (calls) => Chunk.toReadonlyArray(calls).map(encodeCallRecord)
    ),
  "GET /observability/v1/call-logs/:id/": (id) =>
    done(
      Effect.flatMap(Calls, (calls) => calls.read(CallId.make(id))),
      encodeCallRecord
    ),
  "PATCH /observability/v1/call-logs/:id/": (id, json) =>
    done(
      Effect.flatMap(Calls, (calls) => calls.review(CallId.make(id), json)),
      encodeCallRecord
    ),
  "DELETE /observability/v1/call-logs/:id/": (id) =>
    done(
      Effect.flatMap(Calls, (calls) => calls.delete(CallId.make(id))),
      () => null
    ),
  "GET /observability/v1/call-logs/:id/evaluations/": (id) =>
    done(
      Effect.flatMap(CallEvaluations, (all) => all.evaluations(CallId.make(id))),
      (found) => found.map(encodeEvaluation)
    ),
  "GET /observability/v1/call-logs/:id/recording/": (id) =>
    done(
      Effect.flatMap(CallRecordings, (all) => all.open(CallId.make(id))),
      ({ contentType }) => contentType
    ),
  "POST /observability/v1/call-logs/:id/recording/url/": (id, json) =>
    done(
      Effect.flatMap(CallRecordings, (all) => all.sign(CallId.make(id), json)),
      ({ url }) => ({ url }),
      "created"
    ),
  "GET /observability/v1/call-logs/:id/recording/peaks/": (id, _, query) =>
    done(
      Effect.flatMap(CallRecordings, (all) => all.peaks(CallId.make(id), query)),
      encodePeaks
    ),
  "POST /observability/v1/call-logs/:id/evaluate_metrics/": (id, json) =>
    done(
      Effect.flatMap(CallEvaluations, (all) => all.evaluate(CallId.make(id), json)),
      ({ jobId }) => ({ job_id: jobId })
    ),
  "POST /dashboards/widgets/preview_data/": (_, json) =>
    done(
      Effect.flatMap(Widgets, (all) => all.preview(json)),
      (shown) => encodeWidgetData(shown)
    ),
  "POST /user/v1/tokens/": (_, json) =>
    done(
      Effect.flatMap(Tokens, (all) => all.issue(json)),
      encodeIssuedToken,
      "created"
    ),
  "POST /test_framework/v1/metrics/simplify_prompt/": (_, json) =>
    done(
      Effect.flatMap(Simplifications, (all) => all.request(json)),
      (one) => encodeSimplification(one)
    ),
  "GET /test_framework/v1/metrics/simplify_prompt_progress/": (_, __, query) =>
    done(
      Effect.flatMap(Simplifications, (all) => all.progress(query)),
      (one) => encodeSimplificationProgress(one)
    ),
  "GET /test_framework/v1/results/:id/compare/": (id, _, query) =>
    done(
      Effect.flatMap(Results, (all) => all.compare(ResultId.make(id), query)),
      (one) => encodeComparison(one)
    ),
  "GET /test_framework/v1/results/:id/repeats/": (id) =>
    done(
      Effect.flatMap(Results, (all) => all.repeats(ResultId.make(id))),
      encodeRepeats
    ),
  "GET /test_framework/v1/results/:id/export/": (id) =>
    done(
      Effect.flatMap(Results, (all) => Stream.runCollect(all.export(ResultId.make(id)))),
      (runs) => Chunk.toReadonlyArray(runs).map((one) => encodeRunDetail(one))
    ),
  "GET /test_framework/v1/results/:id/junit/": (id, _, query) =>
    done(
      Effect.flatMap(Results, (all) => all.junit(ResultId.make(id), query)),
      (one) => one
    ),
  "GET /test_framework/v1/results/:id/report/": (id, _, query) =>
    done(
      Effect.flatMap(Results, (all) => all.report(ResultId.make(id), query)),
      ({ text }) => text
    ),
  "GET /dashboards/dashboards/:id/data/": (id) =>
    done(
      Effect.flatMap(Dashboards, (all) => all.data(DashboardId.make(id))),
      (shown) => encodeDashboardData(shown)
    ),
  "GET /dashboards/widgets/:id/data/": (id) =>
    done(
      Effect.flatMap(Widgets, (all) => all.data(WidgetId.make(id))),
      (shown) => encodeWidgetData(shown)
    ),
  "POST /test_framework/v1/scenarios/adv_update/": (_, json, query) =>
    done(
      Effect.flatMap(Evaluators, (all) => all.bulkUpdate(json, query)),
      (changed) => (query.many === "true" ? changed.map(encodeEvaluator) : changed.map(encodeEvaluator)[0])
    ),
  "POST /test_framework/v2/scenarios/run_scenarios_json/": (_, json) =>
    done(
      Effect.flatMap(Suites, (all) => all.run(json)),
      (one) => encodeResult(one),
      "created"
    ),
  "GET /test_framework/v1/results/": (_, __, query) =>
    done(
      Effect.flatMap(Results, (all) => all.list(query)),
      page((one) => encodeResult(one))
    ),
  "GET /test_framework/v1/results/:id/": (id) =>
    done(
      Effect.flatMap(Results, (all) => all.read(ResultId.make(id))),
      (one) => encodeResult(one)
    ),
  "POST /test_framework/v1/results/bulk_delete/": (_, json) =>
    done(
      Effect.flatMap(Results, (all) => all.bulkDelete(json)),
      () => null
    ),
  "POST /test_framework/v1/results/:id/delete_runs/": (id, json) =>
    done(
      Effect.flatMap(Results, (all) => all.deleteRuns(ResultId.make(id), json)),
      () => null
    ),
  "POST /test_framework/v1/results/:id/cancel/": (id) =>
    done(
      Effect.flatMap(Results, (all) => all.cancel(ResultId.make(id))),
      (one) => encodeResult(one)
    ),
  "GET /test_framework/v1/runs/": (_, __, query) =>
    done(
      Effect.flatMap(Results, (all) => all.listRuns(query)),
      page((one) => encodeRun(one))
    ),
  "GET /test_framework/v1/runs/:id/": (id) =>
    done(
      Effect.flatMap(Results, (all) => all.readRun(RunId.make(id))),
      (one) => encodeRunDetail(one)
    ),
  "GET /test_framework/v1/runs/:id/recording/": (id) =>
    done(
      Effect.flatMap(CallRecordings, (all) => all.openRun(RunId.make(id))),
      ({ contentType }) => contentType
    ),
  "GET /test_framework/v1/runs/:id/live/": (id) =>
    done(
      Effect.flatMap(LiveRuns, (all) => all.listen(RunId.make(id))),
      () => "listening"
    ),
  "POST /test_framework/v1/runs/claim/": (_, json) =>
    done(
      Effect.flatMap(Results, (all) => all.claim(json)),
      (claimed) => ({
        results: claimed.map(({ lease, leaseExpiresAt, providerData, run, script }) => ({
          run: encodeRun(run),
          lease,
          lease_expires_at: new Date(leaseExpiresAt).toISOString(),
          scenario: script,
          provider_data: providerData
        }))
      })
    ),
  "POST /test_framework/v1/runs/:id/heartbeat/": (id, json) =>
    done(
      Effect.flatMap(Results, (all) => all.heartbeat(RunId.make(id), json)),
      () => null
    ),
  "POST /test_framework/v1/runs/:id/complete/": (id, json) =>
    done(
      Effect.flatMap(Results, (all) => all.complete(RunId.make(id), json)),
      (one) => encodeRun(one)
    ),
  "POST /test_framework/v1/runs/:id/fail/": (id, json) =>
    done(
      Effect.flatMap(Results, (all) => all.fail(RunId.make(id), json)),
      (one) => encodeRun(one)
    ),
  "POST /test_framework/v1/runs/:id/cancel/": (id) =>
    done(
      Effect.flatMap(Results, (all) => all.cancelRun(RunId.make(id))),
      (one) => encodeRun(one)
    ),
  "GET /test_framework/v1/capacity/": () =>
    done(
      Effect.flatMap(Results, (all) => all.capacity()),
      encodeCapacity
    ),
  "GET /credits/ledger/": (_, __, query) =>
    done(
      Effect.flatMap(Ledger, (all) => all.list(query)),
      page((entry) => encodeLedgerEntry(entry))
    ),
  "GET /credits/totals/": (_, __, query) =>
    done(
      Effect.flatMap(Ledger, (all) => all.totals(query)),
      encodeLedgerTotals
    )
}
