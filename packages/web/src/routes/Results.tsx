import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { resultsQuery } from "../api/results.js"
import { Empty, Loaded } from "../components/Feedback.js"
import { Progress } from "../components/Progress.js"
import { Outcome, State } from "../components/Status.js"
import { percent, shortTime, words } from "../rules/format.js"
import "../styles/results.css"

export const Results = () => {
  const results = useQuery(resultsQuery)
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<ReadonlyArray<number>>([])
  const now = new Date()
  const [one, other] = chosen.toSorted((a, b) => a - b)
  return (
    <>
      <div className="page-head">
        <h1>Results</h1>
        <div className="end">
          <button
            type="button"
            className="button"
            disabled={one === undefined || other === undefined}
            title="Choose two results to compare the later one with the earlier one"
            onClick={() => {
              void navigate({ to: "/results/$id/compare/$base", params: { id: String(other), base: String(one) } })
            }}
          >
            Compare{chosen.length > 0 ? ` (${chosen.length} of 2)` : ""}
          </button>
        </div>
      </div>
      <div className="page">
        <Loaded of={results}>
          {(all) =>
            all.length === 0 ? (
              <Empty title="No results yet">
                <p>
                  <Link to="/suites" className="link">
                    Run a suite
                  </Link>{" "}
                  to test an agent, here or as <code className="mono">earshot suites run suite.json</code>
                </p>
              </Empty>
            ) : (
              <div className="card table-scroll">
                <table className="table">
                  <thead>
                    <tr>
                      <th>
                        <span className="sr-only">Choose</span>
                      </th>
                      <th>Result</th>
                      <th>Agent</th>
                      <th>State</th>
                      <th>Runs</th>
                      <th className="number">Success rate</th>
                      <th>Outcome</th>
                      <th>Started (UTC)</th>
                    </tr>
                  </thead>
                  <tbody>
                    {all.map((result) => (
                      <tr key={result.id}>
                        <td>
                          <input
                            type="checkbox"
                            aria-label={`Compare ${result.name}, result ${result.id}`}
                            checked={chosen.includes(result.id)}
                            onChange={() => {
                              setChosen(
                                chosen.includes(result.id)
                                  ? chosen.filter((id) => id !== result.id)
                                  : [...chosen.slice(-1), result.id]
                              )
                            }}
                          />
                        </td>
                        <td>
                          <Link to="/results/$id" params={{ id: String(result.id) }} className="strong plain">
                            {result.name === "" ? `Result ${result.id}` : result.name}
                          </Link>
                          <div className="muted small">{words(result.channel)}</div>
                        </td>
                        <td className="plain">{result.agent_name}</td>
                        <td>
                          <State state={result.status} />
                        </td>
                        <td className="progress-cell">
                          <Progress result={result} />
                        </td>
                        <td className="number">{result.success_rate === null ? "–" : percent(result.success_rate)}</td>
                        <td>
                          <Outcome success={result.success} />
                        </td>
                        <td className="nowrap">{shortTime(result.created_at, now)}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )
          }
        </Loaded>
      </div>
    </>
  )
}
