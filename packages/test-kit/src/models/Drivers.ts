/** Drivers of the systems that models are compared with: one or several servers over HTTP, or an in-process engine. */
import {
  type Actor,
  AgentId,
  Agents,
  ApiKeyId,
  ApiKeys,
  CallEvaluations,
  CallId,
  Calls,
  type CurrentActor,
  DashboardId,
  Dashboards,
  encodeAgent,
  encodeApiKey,
  encodeCallRecord,
  encodeCapacity,
  encodeDashboard,
  encodeEvaluation,
  encodeEvaluator,
  encodeFolder,
  encodeIssuedApiKey,
  encodeIssuedShareableLink,
  encodeLedgerEntry,
  encodeMetric,
  encodePersonality,
  encodePhoneNumber,
  encodeProject,
  encodeResult,
  encodeRun,
  encodeRunDetail,
  encodeShareableLink,
  encodeTestProfile,
  encodeTool,
  encodeUser,
  encodeWidget,
  encodeWidgetData,
  type Engine,
  EvaluatorId,
  Evaluators,
  FolderId,
  Folders,
  Ledger,
  MetricId,
  Metrics,
  NotFound,
  type Pages,
  Personalities,
  PersonalityId,
  PhoneNumberId,
  PhoneNumbers,
  ProjectId,
  Projects,
  ResultId,
  Results,
  RunId,
  RunIsOver,
  ShareableLinkId,
  ShareableLinks,
  Suites,
  TestProfileId,
  TestProfiles,
  ToolId,
  Tools,
  Users,
  ValidationFailed,
  WidgetId,
  Widgets
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as TestEngine from "../TestEngine.js"

/** The response of a driver. */
export interface DriverResponse {
  readonly outcome: "done" | "created" | "refused" | "missing"
  /** The wire form of the response. */
  readonly body: unknown
  /** The sorted paths of field errors; empty on success. */
  readonly errors: ReadonlyArray<string>
}

/** Sends a request with a path of the interface. */
export type Driver = (
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  json?: object
) => Promise<DriverResponse>

const response = (
  outcome: DriverResponse["outcome"],
  body: unknown = null,
  errors: ReadonlyArray<string> = []
): DriverResponse => ({
  outcome,
  body,
  errors: [...errors].sort()
})

/** A driver of one server, or of several on one database in turn. */
export const httpDriver = (urls: ReadonlyArray<string>, apiKey: string): Driver => {
  let turn = 0
  return async (method, path, json) => {
    const reply = await fetch(`${urls[turn++ % urls.length] ?? ""}${path}`, {
      method,
      headers: {
        "x-service-api-key": apiKey,
        ...(json === undefined ? {} : { "content-type": "application/json" })
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) })
    })
    const text = await reply.text()
    const body: unknown = text === "" ? null : JSON.parse(text)
    switch (reply.status) {
      case 200:
      case 204:
        return response("done", body)
      case 201:
        return response("created", body)
      case 409:
        return response("refused")
      case 400:
        return response("refused", null, typeof body === "object" && body !== null ? Object.keys(body) : [])
      case 404:
        return response("missing")
      default:
        throw new Error(`${method} ${path} answered ${reply.status} ${text}`)
    }
  }
}

type UseCase<A> = Effect.Effect<A, unknown, Engine.Services | CurrentActor>

type Route = (id: number, json: unknown, query: Readonly<Record<string, string>>) => UseCase<DriverResponse>

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
  readonly create: (input: unknown) => UseCase<A>
  readonly list: (query: unknown) => UseCase<Pages.Page<A>>
  readonly read: (id: Id) => UseCase<A>
  readonly update: (id: Id, input: unknown) => UseCase<A>
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
const routes: Readonly<Record<string, Route>> = {
  ...resource("/user/v1/projects/", Projects, ProjectId, (one) => encodeProject(one)),
  ...resource(`${tests}agents/`, Agents, AgentId, encodeAgent),
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
  "GET /observability/v1/call-logs/": (_, __, query) =>
    done(
      Effect.flatMap(Calls, (calls) => calls.list(query)),
      page(encodeCallRecord)
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
  "POST /test_framework/v1/runs/claim/": (_, json) =>
    done(
      Effect.flatMap(Results, (all) => all.claim(json)),
      (claimed) => ({ results: claimed.map(({ lease, run }) => ({ run: encodeRun(run), lease })) })
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
    )
}

/**
 * A driver of an in-process engine, as an actor. It supports only the requests that models send.
 *
 * @param run runs an effect on the engine, such as `runtime.runPromise`.
 */
export const engineDriver =
  (run: <A>(steps: Effect.Effect<A, unknown, Engine.Services>) => Promise<A>, actor: Actor): Driver =>
  (method, path, json) => {
    const [plain = "", query = ""] = path.split("?")
    const id = Number(/\/(\d+)\//.exec(plain)?.[1])
    const route = routes[`${method} ${plain.replace(/\/\d+\//, "/:id/")}`]
    if (route === undefined) return Promise.reject(new Error(`No route for ${method} ${path}`))
    return run(
      route(id, json, Object.fromEntries(new URLSearchParams(query))).pipe(
        Effect.catchAll((error) =>
          error instanceof RunIsOver
            ? Effect.succeed(response("refused"))
            : error instanceof ValidationFailed
              ? Effect.succeed(response("refused", null, Object.keys(error.errors)))
              : error instanceof NotFound
                ? Effect.succeed(response("missing"))
                : Effect.fail(error)
        ),
        // Responses are compared with the wire form: instants as texts, and only what JSON can represent.
        Effect.map((answer): DriverResponse => ({ ...answer, body: JSON.parse(JSON.stringify(answer.body)) })),
        TestEngine.as(actor)
      )
    )
  }

/** Creates an empty project with an agent. */
export const createEmptyProject = async (
  driver: Driver
): Promise<{ readonly project: number; readonly agent: number }> => {
  const make = async (path: string, json: object): Promise<number> => {
    const { body, outcome } = await driver("POST", path, json)
    const id: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "id") : undefined
    if (typeof id !== "number") throw new Error(`POST ${path} was ${outcome}`)
    return id
  }
  const project = await make("/user/v1/projects/", { name: "Model" })
  return { project, agent: await make("/test_framework/v1/agents/", { project, name: "Model" }) }
}
