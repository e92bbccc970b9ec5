import * as Either from "effect/Either"
import { type Faults, fault, NON_FIELD, Messages } from "../kernel/Faults.js"
import { MetricId } from "../kernel/Ids.js"

/** The most metrics that one delivery asks for. */
const MAX_METRICS = 200

/** `metric_ids` of E10: ids separated by commas, each once; null where the text names none. */
export const parseMetricIds = (text: string | null): Either.Either<ReadonlyArray<MetricId> | null, Faults> => {
  const parts = (text ?? "").split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]))
  if (parts.length === 0) return Either.right(null)
  if (parts.length > MAX_METRICS) return Either.left(fault(NON_FIELD, Messages.tooMany(MAX_METRICS)))
  const ids = parts.map((part) => (/^\d{1,16}$/.test(part) ? Number(part) : Number.NaN))
  return ids.every((id) => Number.isSafeInteger(id) && id > 0)
    ? Either.right([...new Set(ids)].map((id) => MetricId.make(id)))
    : Either.left(fault(NON_FIELD, "Enter metric ids separated by commas, such as 12,15."))
}
