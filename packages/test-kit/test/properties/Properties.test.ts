/** The engine's rules, held to the kit's laws alone. */
import {
  nextStatus,
  authorize,
  resourceScopeErrors,
  capacityChange,
  formulaContext,
  Credits,
  DashboardDraft,
  evaluateResult,
  expiryErrors,
  FieldErrors,
  faultsOfSimplified,
  Filters,
  firstRecord,
  holdingsOf,
  IngestBody,
  isInForce,
  validateWidget,
  measure,
  MetricPatch,
  onExpiredLease,
  operations,
  type Operation,
  OrganizationId,
  Pages,
  parseAction,
  parseConditionalActions,
  parseConditionalActionsText,
  permissionErrors,
  planBulkUpdate,
  planDeletion,
  planSuite,
  printAction,
  printConditionalActions,
  ProjectId,
  quantile,
  isInScope,
  parseBulkUpdate,
  parseEnableRequest,
  parseEvaluatorInput,
  parseSuite,
  parseSuiteRequest,
  mergeRedelivery,
  redactionPrice,
  type WidgetReferences,
  applyReview,
  ReviewPatch,
  simplifyPrompt,
  slugFor,
  standardPrices,
  TranscriptFormat
} from "@earshot/core"
import * as Redaction from "@earshot/redaction"
import {
  AccessKit,
  CallKit,
  CatalogKit,
  CreditKit,
  DashboardKit,
  EvaluatorKit,
  FilterKit,
  type Properties,
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

const hold = (subject: string, properties: ReadonlyArray<Properties.Property | Properties.AsyncProperty>): void => {
  describe(subject, () => {
    for (const { check, name } of properties) it(name, () => check(), 600_000)
  })
}

hold("filters", [
  ...FilterKit.meaningProperties(FilterKit.matches),
  ...FilterKit.mergeProperties(Filters.merge, FilterKit.matches),
  ...FilterKit.parseProperties(Filters.parse, Filters.encode),
  ...FilterKit.relativeTimeProperties(Filters.RelativeTime.resolve)
])

const referred: WidgetReferences = {
  dashboard: { projectId: ProjectId.make(1) },
  metric: { projectId: ProjectId.make(1), evalType: "numeric" }
}
hold("chart rules", DashboardKit.chartRuleProperties(validateWidget, referred))

hold("prices", [
  ...CreditKit.redactionPriceProperties(redactionPrice),
  ...CreditKit.creditProperties({
    sum: (all) => Credits.sum(all.map((one) => Credits.fromMicros(one))),
    times: (price, count) => Credits.multiply(Credits.fromMicros(price), count),
    print: (credits) => Credits.format(Credits.fromMicros(credits)),
    parse: (text) => Either.getOrUndefined(Credits.parse(text))
  })
])

hold("percentiles", MetricKit.quantileProperties(quantile))
hold(
  "formulas",
  MetricKit.formulaProperties((name, call, configuration) => measure(name, formulaContext(call), configuration))
)
hold("statuses", CallKit.statusProperties({ review: applyReview, statusOf: Filters.statusOf }))
hold("enabled personalities", CatalogKit.enableProperties(parseEnableRequest))
hold("decoders", TranscriptArbitraries.decoderProperties(TranscriptFormat.builtIn.decode))
hold("redaction", RedactionKit.redactionProperties(Redaction.redactTranscript, Redaction.redactJson))

const organization = OrganizationId.make(1)
const isOperation = (name: string): name is Operation => Object.hasOwn(operations, name)
hold("access", [
  ...AccessKit.accessTableProperties(operations),
  ...AccessKit.authorizationProperties(
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
  ...AccessKit.reachProperties((bounds, place) =>
    isInScope(CatalogKit.permit(organization, "projects.read", bounds), place)
  ),
  ...AccessKit.issuingProperties(
    { boundFaults: resourceScopeErrors, expiryFaults: expiryErrors, permissionFaults: permissionErrors },
    organization
  ),
  ...AccessKit.inForceProperties(isInForce)
])

hold("redelivery", CallKit.redeliveryProperties({ first: firstRecord, again: mergeRedelivery }))
hold("conditional actions", [
  ...EvaluatorKit.actionProperties({ parse: parseAction, print: printAction }),
  ...EvaluatorKit.conditionalActionsProperties({
    parse: parseConditionalActions,
    parseText: parseConditionalActionsText,
    print: printConditionalActions
  })
])
describe("credentials", () => {
  let engine: PlainEngine | undefined
  const fixture = async () => {
    engine ??= await startEngine()
    return AccessKit.engineCredentialFixture(engine)
  }
  afterAll(() => engine?.stop())
  for (const { check, name } of AccessKit.credentialProperties(fixture)) it(name, check, 600_000)
})

hold("bulk updates", [
  ...EvaluatorKit.bulkUpdateProperties((input, found, targets) => planBulkUpdate(parseBulkUpdate(input), found, targets))
])

hold("suites", [
  ...SuiteKit.suiteProperties((document, ...rest) => planSuite(parseSuite(document), ...rest), standardPrices),
  ...SuiteKit.specLimitProperties((body) => {
    const { errors: faults, suite } = parseSuiteRequest(body)
    return Object.keys({ ...faults, ...suite?.errors })
  }),
  ...SuiteKit.standardPriceProperties(standardPrices)
])

hold("results", [
  ...ResultKit.deletionProperties(planDeletion),
  ...ResultKit.evaluationProperties(evaluateResult),
  ...ResultKit.lifecycleProperties({ after: nextStatus, capacityChange, holdingsOf, onLostLease: onExpiredLease })
])

hold("simplification", [
  ...SimplificationKit.simplifierProperties(simplifyPrompt),
  ...SimplificationKit.checkProperties(faultsOfSimplified)
])

const faultsOf = (decoded: Either.Either<unknown, object>) =>
  Either.match(decoded, { onLeft: (all) => all, onRight: () => ({}) })

/** The faults of a subject with this text in this field, whatever else is missing. */
const judges: Readonly<Record<string, (fields: object) => object>> = {
  call: (fields) => faultsOf(FieldErrors.decode(IngestBody)(fields)),
  review: (fields) => faultsOf(FieldErrors.decode(ReviewPatch)(fields)),
  dashboard: (fields) => faultsOf(FieldErrors.decode(DashboardDraft)(fields)),
  widget: (fields) => faultsOf(validateWidget(null, fields, referred)),
  "suite request": (fields) => parseSuiteRequest(fields).errors,
  evaluator: (fields) => parseEvaluatorInput(null, fields).errors,
  scenario: (fields) => {
    const { errors: faults, suite } = parseSuiteRequest({ spec: { scenarios: [fields] } })
    return Object.fromEntries(
      Object.entries({ ...faults, ...suite?.errors }).map(([path, said]) => [path.replace("scenarios[0].", ""), said])
    )
  },
  metric: (fields) => faultsOf(FieldErrors.decode(MetricPatch)(fields))
}
hold("limits", [
  ...LimitKit.slugProperties(slugFor),
  ...LimitKit.textLimits.flatMap((limit) =>
    LimitKit.textLimitProperties(
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
hold("pages", PageKit.pageProperties(list))
