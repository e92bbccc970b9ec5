/** How the explanation of a value is stored. */
import * as Schema from "effect/Schema"
import { JobId } from "../../kernel/Ids.js"
import type { EvaluationDetail } from "../../metrics/Evaluation.js"
import { jsonColumn } from "./Rows.js"

const nullIfLeftOut = Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null })

const Stored = Schema.Struct({
  reason: nullIfLeftOut,
  explanation: nullIfLeftOut,
  moments: Schema.optionalWith(Schema.Array(Schema.Tuple(Schema.Number, Schema.Number)), { default: () => [] }),
  statistics: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.Number }), { exact: true }),
  judgment: Schema.optionalWith(
    Schema.Struct({
      model: Schema.String,
      prompt_hash: Schema.String,
      seed: Schema.Number,
      turn: Schema.NullOr(Schema.Number),
      quote: Schema.NullOr(Schema.String)
    }),
    { exact: true }
  ),
  job: Schema.optionalWith(JobId, { exact: true })
})

/** How many bytes a stored explanation takes in a response, at most, for each byte: moments have names there. */
export const DETAIL_GROWTH = 4

const Detail: Schema.Schema<EvaluationDetail> = Schema.declare(
  (value): value is EvaluationDetail => typeof value === "object" && value !== null
)

/** A column with an explanation. */
export const StoredDetail: Schema.Schema<EvaluationDetail, string> = Schema.transform(jsonColumn(Stored), Detail, {
  strict: true,
  decode: ({ moments, ...detail }) => ({
    ...detail,
    moments: moments.map(([at, duration]) => ({ at_second: at, duration_ms: duration }))
  }),
  encode: ({ moments, ...detail }) => ({
    ...detail,
    moments: moments.map((one) => [one.at_second, one.duration_ms] as const)
  })
})

/**
 * The text of such a column. What is missing is left out and moments are pairs: several metrics of a call may each list as
 * many moments as it has turns, which took two thirds of a database.
 */
export const printDetail = ({ explanation, job, judgment, moments, reason, statistics }: EvaluationDetail): string =>
  // What is undefined is left out.
  JSON.stringify({
    reason: reason ?? undefined,
    explanation: explanation ?? undefined,
    moments: moments.length === 0 ? undefined : moments.map((one) => [one.at_second, one.duration_ms]),
    statistics,
    judgment,
    job
  } satisfies Record<keyof EvaluationDetail, unknown>)
