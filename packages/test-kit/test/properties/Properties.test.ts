/** The engine's rules satisfy the kit's properties. */
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
  validateSimplified,
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

const verify = (subject: string, properties: ReadonlyArray<Properties.Property | Properties.AsyncProperty>): void => {
  describe(subject, () => {
    for (const { check, name } of properties) it(name, () => check(), 600_000)
  })
}

verify("filters", [
  ...FilterKit.meaningProperties(FilterKit.matches),
  ...FilterKit.mergeProperties(Filters.merge, FilterKit.matches),
  ...FilterKit.parseProperties(Filters.parse, Filters.encode),
  ...FilterKit.relativeTimeProperties(Filters.RelativeTime.resolve)
])

const referred: WidgetReferences = {
  dashboard: { projectId: ProjectId.make(1) },
  metric: { projectId: ProjectId.make(1), evalType: "numeric" }
}
verify("chart rules", DashboardKit.chartRuleProperties(validateWidget, referred))

verify("prices", [
  ...CreditKit.redactionPriceProperties(redactionPrice),
  ...CreditKit.creditProperties({
    sum: (all) => Credits.sum(all.map((one) => Credits.fromMicros(one))),
    times: (price, count) => Credits.multiply(Credits.fromMicros(price), count),
    print: (credits) => Credits.format(Credits.fromMicros(credits)),
    parse: (text) => Either.getOrUndefined(Credits.parse(text))
  })
])

verify("percentiles", MetricKit.quantileProperties(quantile))
verify(
  "formulas",
  MetricKit.formulaProperties((name, call, configuration) => measure(name, formulaContext(call), configuration))
)
verify("statuses", CallKit.statusProperties({ review: applyReview, statusOf: Filters.statusOf }))
verify("enabled personalities", CatalogKit.enableProperties(parseEnableRequest))
verify("decoders", TranscriptArbitraries.decoderProperties(TranscriptFormat.builtIn.decode))
verify("redaction", RedactionKit.redactionProperties(Redaction.redactTranscript, Redaction.redactJson))

const organization = OrganizationId.make(1)
const isOperation = (name: string): name is Operation => Object.hasOwn(operations, name)
verify("access", [
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
  ...AccessKit.scopeProperties((bounds, place) =>
    isInScope(CatalogKit.permit(organization, "projects.read", bounds), place)
  ),
  ...AccessKit.issuingProperties(
    { resourceScopeErrors: resourceScopeErrors, expiryErrors: expiryErrors, permissionErrors: permissionErrors },
    organization
  ),
  ...AccessKit.inForceProperties(isInForce)
])

verify("redelivery", CallKit.redeliveryProperties({ first: firstRecord, again: mergeRedelivery }))
verify("conditional actions", [
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

verify("bulk updates", [
  ...EvaluatorKit.bulkUpdateProperties((input, found, targets) =>
    planBulkUpdate(parseBulkUpdate(input), found, targets)
  )
])

verify("suites", [
  ...SuiteKit.suiteProperties((document, ...rest) => planSuite(parseSuite(document), ...rest), standardPrices),
  ...SuiteKit.specLimitProperties((body) => {
    const { errors: errors, suite } = parseSuiteRequest(body)
    return Object.keys({ ...errors, ...suite?.errors })
  }),
  ...SuiteKit.standardPriceProperties(standardPrices)
])

verify("results", [
  ...ResultKit.deletionProperties(planDeletion),
  ...ResultKit.evaluationProperties(evaluateResult),
  ...ResultKit.lifecycleProperties({ after: nextStatus, capacityChange, holdingsOf, onLostLease: onExpiredLease })
])

verify("simplification", [
  ...SimplificationKit.simplifierProperties(simplifyPrompt),
  ...SimplificationKit.checkProperties(validateSimplified)
])

const errorsOf = (decoded: Either.Either<unknown, object>) =>
  Either.match(decoded, { onLeft: (all) => all, onRight: () => ({}) })

/** The errors of a subject with this text in this field, whatever else is missing. */
const validators: Readonly<Record<string, (fields: object) => object>> = {
  call: (fields) => errorsOf(FieldErrors.decode(IngestBody)(fields)),
  review: (fields) => errorsOf(FieldErrors.decode(ReviewPatch)(fields)),
  dashboard: (fields) => errorsOf(FieldErrors.decode(DashboardDraft)(fields)),
  widget: (fields) => errorsOf(validateWidget(null, fields, referred)),
  "suite request": (fields) => parseSuiteRequest(fields).errors,
  evaluator: (fields) => parseEvaluatorInput(null, fields).errors,
  scenario: (fields) => {
    const { errors: errors, suite } = parseSuiteRequest({ spec: { scenarios: [fields] } })
    return Object.fromEntries(
      Object.entries({ ...errors, ...suite?.errors }).map(([path, said]) => [path.replace("scenarios[0].", ""), said])
    )
  },
  metric: (fields) => errorsOf(FieldErrors.decode(MetricPatch)(fields))
}
verify("limits", [
  ...LimitKit.slugProperties(slugFor),
  ...LimitKit.textLimits.flatMap((limit) =>
    LimitKit.textLimitProperties(
      limit,
      (text) => !Object.hasOwn(validators[limit.subject]?.({ [limit.field]: text }) ?? {}, limit.field)
    )
  )
])

/** In-memory rows behind the engine's pages. */
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
verify("pages", PageKit.pageProperties(list))
