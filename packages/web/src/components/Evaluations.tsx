/** What metrics say of a call or run, with the judge's reasons and the moments that were found. */
import { useState } from "react"
import type { Evaluation } from "../api/client.js"
import { clock, direction, metricValue, score, words } from "../rules/format.js"
import { Empty } from "./Feedback.js"
import type { Quote } from "./Transcript.js"

/** Whether an answer is good is known where one of true and false is better; a number is neither good nor bad by itself. */
const tone = ({ better, value }: Evaluation): string =>
  better === null || typeof value !== "boolean" ? "" : value === (better === "higher") ? "good" : "bad"

const Detail = ({
  evaluation,
  onQuote,
  onSeek
}: {
  readonly evaluation: Evaluation
  readonly onQuote: (quote: Quote) => void
  readonly onSeek: (seconds: number) => void
}) => {
  const { explanation, judgment, moments, reason, statistics } = evaluation
  const turn = judgment?.turn ?? null
  return (
    <div className="evaluation-detail">
      {explanation === null && reason === null ? null : <p className="plain">{explanation ?? reason}</p>}
      {judgment !== null && judgment.quote !== null ? (
        <blockquote className="plain">
          “{judgment.quote}”
          {turn === null ? null : (
            <button
              type="button"
              className="button quiet small"
              onClick={() => {
                onQuote({ turn, text: judgment.quote ?? "" })
              }}
            >
              Show turn {turn + 1}
            </button>
          )}
        </blockquote>
      ) : null}
      {statistics === null ? null : (
        <dl className="pairs">
          {Object.entries(statistics).map(([name, value]) => (
            <div key={name}>
              <dt>{words(name)}</dt>
              <dd>{metricValue(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      {moments.length === 0 ? null : (
        <div className="row wrap">
          {moments.slice(0, 40).map(({ at_second, duration_ms }, index) => (
            <button
              key={index}
              type="button"
              className="button small"
              onClick={() => {
                onSeek(at_second)
              }}
            >
              {clock(at_second)}
              <span className="muted">{metricValue(duration_ms / 1000)} s</span>
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

const hasDetail = ({ explanation, judgment, moments, reason, statistics }: Evaluation): boolean =>
  explanation !== null || reason !== null || judgment !== null || moments.length > 0 || statistics !== null

export const EvaluationList = ({
  evaluations,
  onQuote,
  onSeek
}: {
  readonly evaluations: ReadonlyArray<Evaluation>
  readonly onQuote: (quote: Quote) => void
  readonly onSeek: (seconds: number) => void
}) => {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const shown = evaluations.filter(({ status }) => status !== "not_applicable" && status !== "skipped")
  const rest = evaluations.length - shown.length
  if (evaluations.length === 0) {
    return (
      <Empty title="Not evaluated">
        <p>Metrics run after a call arrives. Evaluate it to run them now.</p>
      </Empty>
    )
  }
  return (
    <>
      <ul className="evaluations">
        {shown.map((evaluation) => {
          const { better, metric, metric_name, status, value } = evaluation
          const isOpen = opened.has(metric)
          return (
            <li key={metric}>
              <button
                type="button"
                className="evaluation"
                aria-expanded={isOpen}
                disabled={!hasDetail(evaluation)}
                onClick={() => {
                  const next = new Set(opened)
                  if (!next.delete(metric)) next.add(metric)
                  setOpened(next)
                }}
              >
                <span className="truncate">
                  <span className="plain">{metric_name}</span>
                  {typeof value === "number" && better !== null ? (
                    <span className="muted"> {direction(better)}</span>
                  ) : null}
                </span>
                {status === "scored" ? (
                  <span className={`value ${tone(evaluation)}`}>{score(evaluation)}</span>
                ) : (
                  <span className="pill warn">{words(status)}</span>
                )}
              </button>
              {isOpen ? <Detail evaluation={evaluation} onQuote={onQuote} onSeek={onSeek} /> : null}
            </li>
          )
        })}
      </ul>
      {rest > 0 ? <p className="muted pad-small">{rest} more do not apply to this call.</p> : null}
    </>
  )
}
