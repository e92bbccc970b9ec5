import * as Either from "effect/Either"
import { type FieldErrors, fieldError, NON_FIELD, Messages } from "../kernel/FieldErrors.js"
import { MetricId } from "../kernel/Ids.js"

/** The most metrics that one request may name. */
const MAX_METRICS = 200

/** Parses `metric_ids` of E10: comma-separated ids, without repetitions; null when the text has none. */
export const parseMetricIds = (text: string | null): Either.Either<ReadonlyArray<MetricId> | null, FieldErrors> => {
  const parts = (text ?? "").split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]))
  if (parts.length === 0) return Either.right(null)
  if (parts.length > MAX_METRICS) return Either.left(fieldError(NON_FIELD, Messages.tooMany(MAX_METRICS)))
  const ids = parts.map((part) => (/^\d{1,16}$/.test(part) ? Number(part) : Number.NaN))
  return ids.every((id) => Number.isSafeInteger(id) && id > 0)
    ? Either.right([...new Set(ids)].map((id) => MetricId.make(id)))
    : Either.left(fieldError(NON_FIELD, "Enter metric ids separated by commas, such as 12,15."))
}
