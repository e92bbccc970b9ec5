/** The engine's rules, held to the kit's laws alone. */
import {
  after,
  authorize,
  boundFaults,
  capacityChange,
  contextOf,
  Credits,
  DashboardDraft,
  evaluateResult,
  expiryFaults,
  Faults,
  faultsOfSimplified,
  Filters,
  firstRecord,
  holdingsOf,
  IngestBody,
  isInForce,
  judgeWidget,
  measure,
  MetricPatch,
  onLostLease,
  operations,
  type Operation,
  OrganizationId,
  Pages,
  parseAction,
  parseConditionalActions,
  parseConditionalActionsText,
  permissionFaults,
  planBulkUpdate,
  planDeletion,
  planSuite,
  printAction,
  printConditionalActions,
  ProjectId,
  quantile,
  reaches,
  readBulkUpdate,
  readEnableRequest,
  readEvaluator,
  readSuite,
  readSuiteRequest,
  Redaction,
  redeliver,
  type Referred,
  reviewCall,
  ReviewPatch,
  simplifyPrompt,
  slugFor,
  standardPrices,
  TranscriptFormat
} from "@earshot/core"
import {
  AccessKit,
  CallKit,
  CatalogKit,
  CreditKit,
  DashboardKit,
  EvaluatorKit,
  FilterKit,
  type Laws,
  LimitKit,
  MetricKit,
  PageKit,
  ResultKit,
  SimplificationKit,
  SuiteKit,
  TranscriptArbitraries
} from "@earshot/test-kit"
import * as RedactionKit from "@earshot/test-kit/redaction"
import { type PlainEngine, startEngine } from "@earshot/test-kit/plain"
import * as Either from "effect/Either"
import { afterAll, describe, it } from "vitest"

const hold = (subject: string, laws: ReadonlyArray<Laws.Law | Laws.AsyncLaw>): void => {
  describe(subject, () => {
    for (const { check, says } of laws) it(says, () => check(), 600_000)
  })
}

hold("filters", [
  ...FilterKit.meaningLaws(Filters.matches),
  ...FilterKit.mergeLaws(Filters.merge, Filters.matches),
  ...FilterKit.parseLaws(Filters.parse, Filters.print),
  ...FilterKit.relativeTimeLaws(Filters.RelativeTime.resolve)
])

const referred: Referred = {
  dashboard: { projectId: ProjectId.make(1) },
  metric: { projectId: ProjectId.make(1), evalType: "numeric" }
}
hold("chart rules", DashboardKit.chartLaws(judgeWidget, referred))

hold("prices", [
  ...CreditKit.redactionPriceLaws(Redaction.redactionPrice),
  ...CreditKit.creditLaws({
    sum: (all) => Credits.sum(all.map((one) => Credits.ofMicros(one))),
    times: (price, count) => Credits.times(Credits.ofMicros(price), count),
    print: (credits) => Credits.print(Credits.ofMicros(credits)),
    parse: (text) => Either.getOrUndefined(Credits.parse(text))
  })
])

hold("percentiles", MetricKit.quantileLaws(quantile))
hold(
  "formulas",
  MetricKit.formulaLaws((name, call, configuration) => measure(name, contextOf(call), configuration))
)
hold("statuses", CallKit.statusLaws({ review: reviewCall, statusOf: Filters.statusOf }))
hold("enabled personalities", CatalogKit.enableLaws(readEnableRequest))
hold("decoders", TranscriptArbitraries.decoderLaws(TranscriptFormat.builtIn.decode))
hold("redaction", RedactionKit.lawsOfRedaction(Redaction.redactTranscript, Redaction.redactJson))

const organization = OrganizationId.make(1)
const isOperation = (name: string): name is Operation => Object.hasOwn(operations, name)
hold("access", [
  ...AccessKit.accessTableLaws(operations),
  ...AccessKit.authorizationLaws(
    operations,
    (actor, operation) =>
      !isOperation(operation)
        ? "forbidden"
        : Either.match(authorize(actor, operation), {
            onRight: () => "let in" as const,
            onLeft: ({ _tag }) => (_tag === "Forbidden" ? "forbidden" : "unauthenticated")
          }),
    organization
  ),
  ...AccessKit.reachLaws((bounds, place) => reaches(CatalogKit.permit(organization, "projects.read", bounds), place)),
  ...AccessKit.issuingLaws({ boundFaults, expiryFaults, permissionFaults }, organization),
  ...AccessKit.inForceLaws(isInForce)
])

hold("redelivery", CallKit.redeliveryLaws({ first: firstRecord, again: redeliver }))
hold("conditional actions", [
  ...EvaluatorKit.actionLaws({ parse: parseAction, print: printAction }),
  ...EvaluatorKit.conditionalActionsLaws({
    parse: parseConditionalActions,
    parseText: parseConditionalActionsText,
    print: printConditionalActions
  })
])
describe("credentials", () => {
  let engine: PlainEngine | undefined
  const world = async () => {
    engine ??= await startEngine()
    return AccessKit.engineCredentialWorld(engine)
  }
  afterAll(() => engine?.stop())
  for (const { check, says } of AccessKit.credentialLaws(world)) it(says, check, 600_000)
})

hold("bulk updates", [
  ...EvaluatorKit.bulkUpdateLaws((input, found, targets) => planBulkUpdate(readBulkUpdate(input), found, targets))
])

hold("suites", [
  ...SuiteKit.suiteLaws((document, ...rest) => planSuite(readSuite(document), ...rest), standardPrices),
  ...SuiteKit.specLimitLaws((body) => {
    const { faults, suite } = readSuiteRequest(body)
    return Object.keys({ ...faults, ...suite?.faults })
  }),
  ...SuiteKit.standardPriceLaws(standardPrices)
])

hold("results", [
  ...ResultKit.deletionLaws(planDeletion),
  ...ResultKit.evaluationLaws(evaluateResult),
  ...ResultKit.lifecycleLaws({ after, capacityChange, holdingsOf, onLostLease })
])

hold("simplification", [
  ...SimplificationKit.simplifierLaws(simplifyPrompt),
  ...SimplificationKit.checkLaws(faultsOfSimplified)
])

const faultsOf = (decoded: Either.Either<unknown, object>) =>
  Either.match(decoded, { onLeft: (all) => all, onRight: () => ({}) })

/** The faults of a subject with this text in this field, whatever else is missing. */
const judges: Readonly<Record<string, (fields: object) => object>> = {
  call: (fields) => faultsOf(Faults.decode(IngestBody)(fields)),
  review: (fields) => faultsOf(Faults.decode(ReviewPatch)(fields)),
  dashboard: (fields) => faultsOf(Faults.decode(DashboardDraft)(fields)),
  widget: (fields) => faultsOf(judgeWidget(null, fields, referred)),
  "suite request": (fields) => readSuiteRequest(fields).faults,
  evaluator: (fields) => readEvaluator(null, fields).faults,
  scenario: (fields) => {
    const { faults, suite } = readSuiteRequest({ spec: { scenarios: [fields] } })
    return Object.fromEntries(
      Object.entries({ ...faults, ...suite?.faults }).map(([path, said]) => [path.replace("scenarios[0].", ""), said])
    )
  },
  metric: (fields) => faultsOf(Faults.decode(MetricPatch)(fields))
}
hold("limits", [
  ...LimitKit.slugLaws(slugFor),
  ...LimitKit.textLimits.flatMap((limit) =>
    LimitKit.textLimitLaws(
      limit,
      (text) => !Object.hasOwn(judges[limit.subject]?.({ [limit.field]: text }) ?? {}, limit.field)
    )
  )
])

/** Rows in memory behind the engine's pages. */
const list = (): Promise<PageKit.PagedList> => {
  let rows: ReadonlyArray<number> = []
  let last = 0
  return Promise.resolve({
    insert: () => {
      last += 1
      rows = [last, ...rows]
      return Promise.resolve(last)
    },
    remove: (id) => {
      rows = rows.filter((row) => row !== id)
      return Promise.resolve()
    },
    page: (cursor, limit) => {
      const request = Either.getOrThrow(Pages.pageRequest(cursor === null ? { limit } : { cursor, limit }))
      const from = request.cursor
      const found =
        from.at === "start"
          ? rows
          : from.at === "before"
            ? rows.filter((row) => row < from.id)
            : rows.filter((row) => row > from.id).toReversed()
      const page = Pages.pageOf(request, found.slice(0, limit + 1), (row) => row)
      return Promise.resolve({ next: page.next, previous: page.previous, ids: page.results })
    }
  })
}
hold("pages", PageKit.pageLaws(list))
