import type { Check } from "./Check.js"
import { credentials } from "./checks/Access.js"
import { calls } from "./checks/Calls.js"
import { dashboards } from "./checks/Dashboards.js"
import { evaluators } from "./checks/Evaluators.js"
import { general } from "./checks/Messages.js"
import { limits } from "./checks/Limits.js"
import { metrics } from "./checks/Metrics.js"
import { results } from "./checks/Results.js"
import { simplification } from "./checks/Simplification.js"
import { suites } from "./checks/Suites.js"

/** Every rule that is tried, by endpoint. A new endpoint adds its file here. */
export const checks: ReadonlyArray<Check> = [
  ...credentials,
  ...dashboards,
  ...evaluators,
  ...metrics,
  ...suites,
  ...simplification,
  ...results,
  ...calls,
  ...general,
  ...limits
]
