import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { callQuery, evaluationsQuery, neighborsQuery, peaksQuery, runQuery } from "../api/call.js"
import { evaluateCall, type Review, reviewCall } from "../api/calls.js"
import { basePath, type CallDetail, type RunDetail } from "../api/client.js"
import { CallView } from "../components/CallView.js"
import { Delivery } from "../components/Delivery.js"
import { Facts, JsonCard } from "../components/Facts.js"
import { DraftOffer, useDraft } from "../components/draft.js"
import { ErrorNotice, Loaded } from "../components/Feedback.js"
import { Icon } from "../components/Icon.js"
import { LiveRun } from "../components/LiveRun.js"
import { Popover } from "../components/Popover.js"
import { CallStatus, Outcome, State } from "../components/Status.js"
import { fullTime, seconds, words } from "../rules/format.js"

const SHORTCUTS: ReadonlyArray<readonly [keys: string, action: string]> = [
  ["space", "play or pause"],
  ["j k", "next or previous turn"],
  ["[ ]", "newer or older call"],
  ["s", "mark as success"],
  ["f", "mark as failure"]
]

const Shortcuts = () => (
  <Popover side="right" className="button quiet icon" title="Keyboard shortcuts" label={<Icon name="keyboard" />}>
    {() => (
      <dl className="shortcuts">
        {SHORTCUTS.map(([keys, action]) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
    )}
  </Popover>
)

const useReview = (id: number) => {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (review: Review) => reviewCall(id, review),
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ["call", id] })
      await queries.invalidateQueries({ queryKey: ["calls"] })
    }
  })
}

/** The feedback as it is typed; null before that. */
const NOTHING_TYPED: { readonly feedback: string | null } = { feedback: null }

const ReviewCard = ({ call, review }: { readonly call: CallDetail; readonly review: ReturnType<typeof useReview> }) => {
  const draft = useDraft(`feedback ${call.id}`, NOTHING_TYPED)
  const { feedback } = draft.value
  const isChanged = feedback !== null && feedback !== call.feedback
  return (
    <section className="card" aria-labelledby="review-title">
      <header>
        <h2 id="review-title">Review</h2>
        {call.is_reviewed ? <span className="pill good">Reviewed</span> : <span className="pill">Not reviewed</span>}
      </header>
      <div className="body stack">
        <div className="row">
          {([true, false] as const).map((success) => (
            <button
              key={String(success)}
              type="button"
              className="button grow"
              aria-pressed={call.is_reviewed && call.success === success}
              disabled={review.isPending}
              onClick={() => {
                review.mutate({ success, is_reviewed: true })
              }}
            >
              {success ? "Success" : "Failure"}
            </button>
          ))}
        </div>
        <label className="field">
          <span className="label">Feedback</span>
          <textarea
            className="input"
            rows={3}
            value={feedback ?? call.feedback}
            onChange={(event) => {
              const { value } = event.target
              draft.set(() => ({ feedback: value }))
            }}
          />
        </label>
        <DraftOffer draft={draft} />
        {isChanged ? (
          <div className="row">
            <button
              type="button"
              className="button primary small"
              disabled={review.isPending}
              onClick={() => {
                review.mutate(
                  { feedback },
                  {
                    onSuccess: () => {
                      // What is stored is shown, which can be redacted.
                      draft.set(() => NOTHING_TYPED)
                      draft.done()
                    }
                  }
                )
              }}
            >
              Save feedback
            </button>
          </div>
        ) : null}
        {review.error === null ? null : <ErrorNotice error={review.error} />}
      </div>
    </section>
  )
}

const Redactions = ({ of: redactions }: { readonly of: CallDetail["redactions"] }) =>
  redactions.length === 0 ? null : (
    <section className="card" aria-labelledby="redaction-title">
      <header>
        <h2 id="redaction-title">
          <Icon name="shield" /> Redacted
        </h2>
      </header>
      <div className="table-scroll">
        <table className="table" aria-labelledby="redaction-title">
          <thead>
            <tr>
              <th>Field</th>
              <th>Place</th>
              <th>Recognizer</th>
              <th className="number">Count</th>
            </tr>
          </thead>
          <tbody>
            {redactions.map(({ count, field, recognizer, where }) => (
              <tr key={`${field} ${where} ${recognizer}`}>
                <td>{words(field)}</td>
                <td>{words(where)}</td>
                <td>{words(recognizer)}</td>
                <td className="number">{count}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )

const Details = ({ call }: { readonly call: CallDetail }) => (
  <>
    <section className="card" aria-labelledby="details-title">
      <header>
        <h2 id="details-title">Details</h2>
      </header>
      <div className="body">
        <Facts
          of={[
            ["Time", fullTime(call.timestamp)],
            ["Agent", call.agent_name],
            ["Duration", call.duration],
            ["Customer", call.customer_number],
            ["Ended by", call.call_ended_reason],
            ["Topic", call.topic],
            ["Drop-off point", call.dropoff_point],
            ["Error", call.error_message],
            ["Trace", call.trace_id]
          ]}
        />
      </div>
    </section>
    <Redactions of={call.redactions} />
    <JsonCard title="Metadata" value={call.metadata} />
    <JsonCard title="Dynamic variables" value={call.dynamic_variables} />
    <JsonCard title="Call record" value={call} />
    <Delivery id={call.id} />
  </>
)

/** Keyed by the id, so that what was typed or played belongs to one call. */
const CallOf = ({ id }: { readonly id: number }) => {
  const search = useSearch({ from: "/app/calls/$id" })
  const navigate = useNavigate()
  const queries = useQueryClient()
  const call = useQuery({ ...callQuery(id), placeholderData: undefined })
  const evaluations = useQuery({ ...evaluationsQuery(id), placeholderData: undefined })
  const peaks = useQuery({ ...peaksQuery(id), placeholderData: undefined })
  const neighbors = useQuery(neighborsQuery(id, search))
  const review = useReview(id)
  const evaluate = useMutation({
    mutationFn: () => evaluateCall(id),
    // The metrics run in a job.
    onSuccess: () => setTimeout(() => void queries.invalidateQueries({ queryKey: ["evaluations", id] }), 2_000)
  })
  const { newer, older } = neighbors.data ?? {}
  const go = (to: number | undefined) => {
    if (to !== undefined) void navigate({ to: "/calls/$id", params: { id: String(to) }, search })
  }
  return (
    <>
      <div className="page-head">
        <Link to="/calls" search={search} className="button quiet icon" aria-label="Back to the calls" preload={false}>
          <Icon name="left" />
        </Link>
        <h1 className="truncate plain">{call.data?.call_id ?? "Call"}</h1>
        {call.data === undefined ? null : <CallStatus status={call.data.status} />}
        <div className="end">
          <button
            type="button"
            className="button icon"
            aria-label="Newer call"
            disabled={newer === undefined}
            onClick={() => {
              go(newer)
            }}
          >
            <Icon name="up" />
          </button>
          <button
            type="button"
            className="button icon"
            aria-label="Older call"
            disabled={older === undefined}
            onClick={() => {
              go(older)
            }}
          >
            <Icon name="chevron" />
          </button>
          <button
            type="button"
            className="button"
            disabled={evaluate.isPending}
            onClick={() => {
              evaluate.mutate()
            }}
          >
            <Icon name="refresh" /> {evaluate.isSuccess ? "Evaluation requested" : "Evaluate"}
          </button>
          <Shortcuts />
        </div>
      </div>
      <div className="page">
        <Loaded of={call}>
          {(data) => (
            <CallView
              turns={data.transcript_object}
              tools={data.tool_calls}
              timings={data.timings}
              evaluations={evaluations.data ?? []}
              recording={
                peaks.data === undefined || peaks.data === null
                  ? undefined
                  : `${basePath}/observability/v1/call-logs/${id}/recording/`
              }
              peaks={peaks.data ?? undefined}
              onKey={(key) => {
                if (key === "[") go(newer)
                else if (key === "]") go(older)
                else if (key === "s" || key === "f") review.mutate({ success: key === "s", is_reviewed: true })
              }}
              aside={{ before: <ReviewCard call={data} review={review} />, after: <Details call={data} /> }}
            />
          )}
        </Loaded>
      </div>
    </>
  )
}

export const CallPage = () => {
  const { id } = useParams({ from: "/app/calls/$id" })
  return <CallOf key={id} id={Number(id)} />
}

const RunDetails = ({ run }: { readonly run: RunDetail }) => (
  <>
    <section className="card" aria-labelledby="criteria-title">
      <header>
        <h2 id="criteria-title">Success criteria</h2>
        <Outcome success={run.success} />
      </header>
      <ul className="criteria">
        {run.criteria.map(({ criterion, name, passed, reason }) => (
          <li key={`${criterion} ${name}`}>
            <div className="row spread">
              <span className="plain">{name}</span>
              <Outcome success={passed} />
            </div>
            {reason === null ? null : <p className="muted plain">{reason}</p>}
          </li>
        ))}
      </ul>
    </section>
    <section className="card" aria-labelledby="run-title">
      <header>
        <h2 id="run-title">Run</h2>
        <State state={run.status} />
      </header>
      <div className="body">
        <Facts
          of={[
            ["Scenario", run.scenario_name],
            ["Key", run.scenario_key],
            ["Channel", words(run.channel)],
            ["Duration", run.duration === null ? null : seconds(run.duration)],
            ["Attempts", run.attempts],
            ["Ended by", run.ended_reason],
            ["Started", run.started_at === null ? null : fullTime(run.started_at)],
            ["Error", run.error]
          ]}
        />
      </div>
    </section>
  </>
)

export const RunPage = () => {
  const { id } = useParams({ from: "/app/runs/$id" })
  const run = useQuery({ ...runQuery(Number(id)), placeholderData: undefined })
  return (
    <>
      <div className="page-head">
        {run.data === undefined ? null : (
          <Link
            to="/results/$id"
            params={{ id: String(run.data.result) }}
            className="button quiet icon"
            aria-label="Back to the result"
          >
            <Icon name="left" />
          </Link>
        )}
        <h1 className="truncate plain">{run.data?.scenario_name ?? "Run"}</h1>
        {run.data === undefined ? null : <State state={run.data.status} />}
      </div>
      <div className="page">
        <Loaded of={run}>
          {(data) =>
            data.status === "running" ? (
              <div className="stack">
                <LiveRun id={data.id} />
                <RunDetails run={data} />
              </div>
            ) : (
              <CallView
                turns={data.transcript_object}
                evaluations={data.metrics}
                {...(data.recording === null
                  ? {}
                  : { recording: `${basePath}/test_framework/v1/runs/${id}/recording/` })}
                aside={{ before: <RunDetails run={data} /> }}
              />
            )
          }
        </Loaded>
      </div>
    </>
  )
}
