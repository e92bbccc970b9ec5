/** What evaluations are charged. */
import type { Charge } from "../credits/LedgerEntry.js"
import type { CallId, RunId } from "../kernel/Ids.js"
import { costOf, isCharged } from "./Price.js"
import type { Evaluated } from "./Evaluation.js"

/** The reason of these charges; their keys name the metric and its call or run, so that each is charged once. */
export const CHARGE_REASON = "metric_evaluation"

/** The charges of a call's or a run's evaluations: nothing for what was skipped, not applicable or failed. */
export const chargesOf = (
  of: { readonly call: CallId } | { readonly run: RunId },
  evaluated: ReadonlyArray<Evaluated>
): ReadonlyArray<Charge> =>
  evaluated
    .filter(({ outcome }) => isCharged(outcome.status))
    .map(({ metric }) => ({
      reason: CHARGE_REASON,
      key: `${CHARGE_REASON}:${"call" in of ? `call:${of.call}` : `run:${of.run}`}:${metric.id}`,
      projectId: metric.projectId,
      agentId: metric.agentId,
      callId: "call" in of ? of.call : null,
      amount: costOf(metric)
    }))
