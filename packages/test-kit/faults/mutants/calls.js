// Mutants of the rules about calls, filters, plans and prices.
import { source, tests } from "./tests.js"

/** @type {import("./index.js").Mutants} */
export const callMutants = [
  {
    operator: "type",
    name: "a text of a deciding metric taken for success",
    file: source("calls/CallOutcomeRules"),
    find: 'one.status === "scored" && typeof one.value === "boolean"',
    replace: 'one.status === "scored"',
    test: tests.rules,
    killedBy: /a call is a success if all metrics that decide success are true/
  },
  {
    operator: "order",
    name: "one true metric that decides a call",
    file: source("calls/CallOutcomeRules"),
    find: "deciding.every((one) => one.value === true)",
    replace: "deciding.some((one) => one.value === true)",
    test: tests.rules,
    killedBy: /a call is a success if all metrics that decide success are true/
  },
  {
    operator: "scope",
    name: "metrics that do not decide success and decide it",
    file: source("calls/CallOutcomeRules"),
    find: "(one) => one.decidesSuccess && one.status",
    replace: "(one) => one.status",
    test: tests.rules,
    killedBy: /metrics that do not decide success do not change it/
  },
  {
    operator: "order",
    name: "an evaluation that overrides a person's review",
    file: source("calls/CallOutcomeRules"),
    find: "success: call.isReviewed ? call.success : (successOf",
    replace: "success: (successOf",
    test: tests.rules,
    killedBy: /a person's success takes precedence/
  },
  {
    operator: "order",
    name: "a topic that overrides a person's",
    file: source("calls/CallOutcomeRules"),
    find: 'call.topic ?? chosenValueOf(evaluations, "topic")?.slice(0, CallLimits.topic) ?? null',
    replace: 'chosenValueOf(evaluations, "topic")?.slice(0, CallLimits.topic) ?? call.topic',
    test: tests.rules,
    killedBy: /a topic and a drop-off point that are set stay/
  },
  {
    operator: "type",
    name: "the word none taken for a topic",
    file: source("calls/CallOutcomeRules"),
    find: 'typeof value === "string" && value !== "none" ? value : null',
    replace: 'typeof value === "string" ? value : null',
    test: tests.rules,
    killedBy: /a topic and a drop-off point that are set stay/
  },
  {
    operator: "scope",
    name: "voicemail reported as a failed metric",
    file: source("calls/CallOutcomeRules"),
    find: 'one.value === false && one.slug !== "voicemail_detection"',
    replace: "one.value === false",
    test: tests.rules,
    killedBy: /the summary names the metrics that are false/
  },
  {
    operator: "missing part",
    name: "feedback of a person that a redelivery replaces",
    file: source("calls/Review"),
    find: "feedbackByPerson: call.feedbackByPerson || patch.feedback !== undefined",
    replace: "feedbackByPerson: call.feedbackByPerson",
    test: tests.models,
    killedBy: /an engine on sqlite matches the model of calls and dashboards/
  },
  {
    operator: "case",
    name: "a reviewed status read as unreviewed",
    file: source("calls/Review"),
    find: 'status.startsWith("reviewed")',
    replace: 'status.startsWith("Reviewed")',
    test: tests.properties,
    killedBy: /a status in a review sets success and is_reviewed/
  },
  {
    operator: "order",
    name: "a redelivery that prefers the stored end reason",
    file: source("calls/RedeliveryRules"),
    find: "callEndedReason: delivery.callEndedReason ?? existing.callEndedReason,",
    replace: "callEndedReason: existing.callEndedReason ?? delivery.callEndedReason ?? null,",
    test: tests.redeliveries,
    killedBy: /stated values replace stored ones/
  },
  {
    operator: "missing part",
    name: "a redelivery that overwrites a person's feedback",
    file: source("calls/RedeliveryRules"),
    find: "feedback: existing.feedbackByPerson\n",
    replace: "feedback: false\n",
    test: tests.redeliveries,
    killedBy: /a person's review and feedback stay/
  },
  {
    operator: "missing part",
    name: "an identical redelivery that is evaluated again",
    file: source("calls/RedeliveryRules"),
    find: "(transcript.changed ||\n",
    replace: "(transcript.content !== null ||\n",
    test: tests.redeliveries,
    killedBy: /merging a delivery again changes nothing/
  },
  {
    operator: "missing cascade",
    name: "a replaced recording that is not released",
    file: source("calls/RedeliveryRules"),
    find: "if (existing.sha256 !== recording.sha256) return { recording, released: [existing.blobKey] }",
    replace: "if (existing.sha256 !== recording.sha256) return { recording, released: [] }",
    test: tests.redeliveries,
    killedBy: /a recording is replaced by a different one/
  },
  {
    operator: "rounding",
    name: "a redaction price that is rounded down",
    file: source("calls/RedactionPrice"),
    find: "(2n * numerator + denominator) / (2n * denominator)",
    replace: "numerator / denominator",
    test: tests.prices,
    killedBy: /the price is that of the seconds, exact and rounded half up/
  },
  {
    operator: "type",
    name: "conditions of different types with one print",
    file: source("filters/MergeFilters"),
    find: "JSON.stringify(encode(condition))",
    replace: "Object.values(encode(condition) ?? {}).join()",
    test: tests.merge,
    killedBy: /the merged filter matches if and only if both do/
  },
  {
    operator: "order",
    name: "a merged filter with a condition twice",
    file: source("filters/MergeFilters"),
    find: "const all = distinct([...own, ...conjuncts(second)])",
    replace: "const all = [...own, ...conjuncts(second)]",
    test: tests.merge,
    killedBy: /a merged filter has no condition twice/
  },
  {
    operator: "time zone",
    name: "a day that begins in another time zone",
    file: source("filters/RelativeTime"),
    find: "Math.floor(millis / DAY) * DAY + toEdge",
    replace: "Math.floor((millis + 3_600_000) / DAY) * DAY - 3_600_000 + toEdge",
    test: tests.relativeTimes,
    killedBy: /today is the day that contains now/
  },
  {
    operator: "time zone",
    name: "a month later in a year of its own",
    file: source("filters/RelativeTime"),
    find: "Math.min(date.getUTCDate(), lastDay.getUTCDate())",
    replace: "date.getUTCDate()",
    test: tests.relativeTimes,
    killedBy: /months keep the day of the month/
  },
  {
    operator: "boundary",
    name: "a day that ends with the first instant of the next",
    file: source("filters/RelativeTime"),
    find: 'edge === "end" ? DAY - 1 : 0',
    replace: 'edge === "end" ? DAY : 0',
    test: tests.relativeTimes,
    killedBy: /today is the day that contains now/
  },
  {
    operator: "rounding",
    name: "a week of six days",
    file: source("filters/RelativeTime"),
    find: "w: 7 * DAY",
    replace: "w: 6 * DAY",
    test: tests.relativeTimes,
    killedBy: /units are consistent/
  },
  {
    operator: "time zone",
    name: "months that start a day late",
    file: source("analytics/Bucket"),
    find: "date.getUTCMonth() + later, 1)",
    replace: "date.getUTCMonth() + later, 2)",
    test: tests.models,
    killedBy: /an engine on sqlite charts and charges a bar shows the calls of each month/
  },
  {
    operator: "missing part",
    name: "claimed work without its tools",
    file: source("suites/Suites"),
    find: "tool_ids: [...scenario.toolIds],",
    replace: "tool_ids: [],",
    test: tests.models,
    killedBy: /sqlite work and lists claimed work is what was planned/
  },
  {
    operator: "missing part",
    name: "claimed work without its test profile",
    file: source("suites/Suites"),
    find: "test_profile: scenario.testProfile === null ? null : { ...scenario.testProfile }",
    replace: "test_profile: null",
    test: tests.models,
    killedBy: /sqlite work and lists claimed work is what was planned/
  },
  {
    operator: "missing part",
    name: "claimed work without the platform's data",
    file: source("suites/Suites"),
    find: "providerData: plan.providerData,",
    replace: "providerData: null,",
    test: tests.models,
    killedBy: /sqlite work and lists claimed work is what was planned/
  },
  {
    operator: "missing part",
    name: "metrics of the defaults that a plan leaves out",
    file: source("suites/PlanSuite"),
    find: "distinctById([...common.metrics, ...own.metrics])",
    replace: "distinctById(own.metrics)",
    test: tests.plans,
    killedBy: /own values override the defaults, and its lists are joined/
  },
  {
    operator: "order",
    name: "a duration of the defaults that overrides a scenario's",
    file: source("suites/PlanSuite"),
    find: "scenario.maxDuration ?? defaults.maxDuration ?? DEFAULT_MAX_DURATION",
    replace: "defaults.maxDuration ?? scenario.maxDuration ?? DEFAULT_MAX_DURATION",
    test: tests.plans,
    killedBy: /own values override the defaults, and its lists are joined/
  },
  {
    operator: "type",
    name: "text appended to JSON instructions",
    file: source("evaluators/BulkUpdateRules"),
    find: 'scenarioType === "conditional_actions")',
    replace: "scenarioType === undefined)",
    test: tests.properties,
    killedBy: /bulk updates/
  },
  {
    operator: "scope",
    name: "an id that is added and removed at once",
    file: source("evaluators/BulkUpdateRules"),
    find: "removed.filter((id) => adding.has(id))",
    replace: "removed.filter((id) => adding.has(id) && id < 0)",
    test: tests.properties,
    killedBy: /bulk updates/
  },
  {
    operator: "type",
    name: "a personality that is enabled twice",
    file: source("catalog/EnableRules"),
    find: "personalities: [...new Set(ids.filter((id) => id !== undefined))]",
    replace: "personalities: ids.filter((id) => id !== undefined)",
    test: tests.properties,
    killedBy: /every form of naming personalities gives the same ids, once each/
  }
]
