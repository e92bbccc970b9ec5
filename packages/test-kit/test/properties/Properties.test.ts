/**
 * The engine's rules satisfy the kit's properties. Those that are verified beside a rule, in `packages/core/test`, are not
 * repeated here.
 */
import {
  applyReview,
  authorize,
  DashboardDraft,
  FieldErrors,
  Filters,
  IngestBody,
  MetricPatch,
  type Operation,
  operations,
  OrganizationId,
  parseBulkUpdate,
  parseEnableRequest,
  parseEvaluatorInput,
  parseSuiteRequest,
  planBulkUpdate,
  ProjectId,
  ReviewPatch,
  slugFor,
  TranscriptFormat,
  validateWidget,
  type WidgetReferences
} from "@earshot/core"
import * as Redaction from "@earshot/redaction"
import {
  AccessKit,
  CallKit,
  CatalogKit,
  EvaluatorKit,
  type Properties,
  LimitKit,
  SuiteKit,
  TranscriptArbitraries
} from "@earshot/test-kit"
import * as RedactionKit from "@earshot/test-kit/redaction"
import * as Either from "effect/Either"
import { describe, it } from "vitest"

const verify = (subject: string, properties: ReadonlyArray<Properties.Property | Properties.AsyncProperty>): void => {
  describe(subject, () => {
    for (const { check, name } of properties) it(name, () => check(), 600_000)
  })
}

const referred: WidgetReferences = {
  dashboard: { projectId: ProjectId.make(1) },
  metric: { projectId: ProjectId.make(1), evalType: "numeric" }
}
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
  )
])

verify("bulk updates", [
  ...EvaluatorKit.bulkUpdateProperties((input, found, targets) =>
    planBulkUpdate(parseBulkUpdate(input), found, targets)
  )
])

verify(
  "specs",
  SuiteKit.specLimitProperties((body) => {
    const { errors, suite } = parseSuiteRequest(body)
    return Object.keys({ ...errors, ...suite?.errors })
  })
)

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
    const { errors, suite } = parseSuiteRequest({ spec: { scenarios: [fields] } })
    return Object.fromEntries(
      Object.entries({ ...errors, ...suite?.errors }).map(([path, messages]) => [
        path.replace("scenarios[0].", ""),
        messages
      ])
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
