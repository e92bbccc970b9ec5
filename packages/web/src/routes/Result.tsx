import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useParams } from "@tanstack/react-router"
import { client, dataOf, type Result } from "../api/client.js"
import { repeatsQuery, resultQuery, runsQuery } from "../api/results.js"
import { Stats } from "../components/Facts.js"
import { Empty, ErrorNotice, Loaded } from "../components/Feedback.js"
import { Icon } from "../components/Icon.js"
import { Progress } from "../components/Progress.js"
import { Outcome, State } from "../components/Status.js"
import { direction, metricValue, number, percent, seconds } from "../rules/format.js"
import "../styles/results.css"

const Summary = ({ result }: { readonly result: Result }) => (
  <section className="card" aria-label="Summary">
    <div className="body stack">
      <Stats
        of={[
          ["Success rate", result.success_rate === null ? "–" : percent(result.success_rate)],
          ["Runs", number(result.total_runs)],
          ["Completed", number(result.runs_by_status.completed)],
          ["Failed", number(result.runs_by_status.failed + result.runs_by_status.timeout)]
        ]}
      />
      <Progress result={result} />
    </div>
  </section>
)

const Scenarios = ({ id }: { readonly id: number }) => {
  const repeats = useQuery({ ...repeatsQuery(id), placeholderData: undefined })
  if (repeats.data === undefined || repeats.data.scenarios.every(({ runs }) => runs < 2)) return null
  return (
    <section className="card" aria-labelledby="repeats-title">
      <header>
        <h2 id="repeats-title">Repeated scenarios</h2>
      </header>
      <div className="table-scroll">
        <table className="table">
          <thead>
            <tr>
              <th>Scenario</th>
              <th className="number">Passed</th>
              <th className="number">Success rate</th>
              <th className="number" title="Probability that every one of so many repetitions passes">
                All pass
              </th>
            </tr>
          </thead>
          <tbody>
            {repeats.data.scenarios.map(({ decided, key, name, pass_all, passed, success_rate }) => (
              <tr key={key}>
                <td className="plain">{name}</td>
                <td className="number">
                  {passed} of {decided}
                </td>
                <td className="number">{success_rate === null ? "–" : percent(success_rate)}</td>
                <td className="number">{pass_all.length === 0 ? "–" : percent(pass_all.at(-1) ?? 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const Runs = ({ result }: { readonly result: Result }) => {
  const isLive = result.status === "queued" || result.status === "running"
  const runs = useQuery({ ...runsQuery(result.id, isLive), placeholderData: undefined })
  return (
    <section className="card" aria-labelledby="runs-title">
      <header>
        <h2 id="runs-title">Runs</h2>
        {isLive ? (
          <span className="row muted" role="status">
            <span className="live" /> Updates while it runs
          </span>
        ) : null}
      </header>
      <Loaded of={runs}>
        {({ next, results }) =>
          results.length === 0 ? (
            <Empty title="No runs" />
          ) : (
            <div className="table-scroll">
              <table className="table">
                <thead>
                  <tr>
                    <th>Scenario</th>
                    <th>State</th>
                    <th>Outcome</th>
                    <th className="number">Duration</th>
                    <th className="number">Attempts</th>
                    <th>Error</th>
                  </tr>
                </thead>
                <tbody>
                  {results.map((run) => (
                    <tr key={run.id}>
                      <td>
                        <Link to="/runs/$id" params={{ id: String(run.id) }} className="strong plain">
                          {run.scenario_name}
                        </Link>
                      </td>
                      <td>
                        <State state={run.status} />
                      </td>
                      <td>
                        <Outcome success={run.success} />
                      </td>
                      <td className="number">{run.duration === null ? "–" : seconds(run.duration)}</td>
                      <td className="number">{run.attempts}</td>
                      <td className="plain muted">{run.error}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
              {next === null ? null : <p className="muted pad-small">The first {results.length} runs are shown.</p>}
            </div>
          )
        }
      </Loaded>
    </section>
  )
}

const View = ({ result }: { readonly result: Result }) => {
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: () =>
      dataOf(client.POST("/test_framework/v1/results/{id}/cancel/", { params: { path: { id: result.id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["result", result.id] })
  })
  const isLive = result.status === "queued" || result.status === "running"
  return (
    <>
      <div className="page-head">
        <Link to="/results" className="button quiet icon" aria-label="Back to the results">
          <Icon name="left" />
        </Link>
        <h1 className="truncate plain">{result.name === "" ? `Result ${result.id}` : result.name}</h1>
        <State state={result.status} />
        <Outcome success={result.success} />
        <div className="end">
          {isLive ? (
            <button
              type="button"
              className="button danger"
              disabled={cancel.isPending}
              onClick={() => {
                cancel.mutate()
              }}
            >
              Cancel the queued runs
            </button>
          ) : null}
        </div>
      </div>
      <div className="page">
        <div className="content">
          {cancel.error === null ? null : <ErrorNotice error={cancel.error} />}
          <Summary result={result} />
          <Runs result={result} />
          <Scenarios id={result.id} />
          {result.metrics.length === 0 ? null : (
            <section className="card" aria-labelledby="result-metrics">
              <header>
                <h2 id="result-metrics">Metrics</h2>
              </header>
              <div className="table-scroll">
                <table className="table">
                  <thead>
                    <tr>
                      <th>Metric</th>
                      <th className="number">Runs</th>
                      <th className="number">Average</th>
                      <th>Direction</th>
                    </tr>
                  </thead>
                  <tbody>
                    {result.metrics.map(({ average, better, id, name, runs }) => (
                      <tr key={id}>
                        <td className="plain">{name}</td>
                        <td className="number">{runs}</td>
                        <td className="number">{metricValue(average)}</td>
                        <td>{direction(better)}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            </section>
          )}
        </div>
      </div>
    </>
  )
}

export const ResultPage = () => {
  const { id } = useParams({ from: "/app/results/$id" })
  const result = useQuery({ ...resultQuery(Number(id)), placeholderData: undefined })
  if (result.data !== undefined) return <View result={result.data} />
  return (
    <>
      <div className="page-head">
        <h1>Result</h1>
      </div>
      <div className="page">
        <Loaded of={result}>{() => null}</Loaded>
      </div>
    </>
  )
}
