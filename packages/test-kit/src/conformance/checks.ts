import type { Check } from "./Check.js"
import { bulkUpdates } from "./checks/BulkUpdates.js"
import { callEvaluations } from "./checks/CallEvaluations.js"
import { callIngest } from "./checks/CallIngest.js"
import { callLogs } from "./checks/CallLogs.js"
import { callRedaction } from "./checks/CallRedaction.js"
import { callTranscripts } from "./checks/CallTranscripts.js"
import { checkouts } from "./checks/Checkouts.js"
import { credentials } from "./checks/Credentials.js"
import { dashboards } from "./checks/Dashboards.js"
import { enabledPersonalities } from "./checks/EnabledPersonalities.js"
import { evaluators } from "./checks/Evaluators.js"
import { filters } from "./checks/Filters.js"
import { limits } from "./checks/Limits.js"
import { lists, pages } from "./checks/Lists.js"
import { httpMessages } from "./checks/Messages.js"
import { deletions } from "./checks/Deletions.js"
import { exports } from "./checks/Exports.js"
import { integrations } from "./checks/Integrations.js"
import { recordings } from "./checks/Recordings.js"
import { traces } from "./checks/Traces.js"
import { operations } from "./checks/Operations.js"
import { metrics, predefinedMetrics } from "./checks/Metrics.js"
import { resultDeletion } from "./checks/ResultDeletion.js"
import { results } from "./checks/Results.js"
import { runDeletion } from "./checks/RunDeletion.js"
import { simplification } from "./checks/Simplification.js"
import { suiteSpecs } from "./checks/SuiteSpecs.js"
import { suites } from "./checks/Suites.js"
import { testProfiles } from "./checks/TestProfiles.js"
import { widgetData } from "./checks/WidgetData.js"
import { widgets } from "./checks/Widgets.js"

/** Every check, by endpoint. A new endpoint adds its file here. */
export const checks: ReadonlyArray<Check> = [
  ...credentials,
  ...operations,
  ...checkouts,
  ...dashboards,
  ...widgets,
  ...filters,
  ...widgetData,
  ...bulkUpdates,
  ...evaluators,
  ...testProfiles,
  ...predefinedMetrics,
  ...metrics,
  ...enabledPersonalities,
  ...suites,
  ...suiteSpecs,
  ...simplification,
  ...resultDeletion,
  ...runDeletion,
  ...results,
  ...callIngest,
  ...callTranscripts,
  ...callRedaction,
  ...callEvaluations,
  ...callLogs,
  ...recordings,
  ...integrations,
  ...traces,
  ...exports,
  ...deletions,
  ...httpMessages,
  ...pages,
  ...lists,
  ...limits
]
