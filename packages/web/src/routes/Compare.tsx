import { useQuery } from "@tanstack/react-query"
import { Link, useParams } from "@tanstack/react-router"
import { comparisonQuery } from "../api/results.js"
import { Loaded } from "../components/Feedback.js"
import { Icon } from "../components/Icon.js"
import { State } from "../components/Status.js"
import { direction, metricValue, percent } from "../rules/format.js"
import "../styles/results.css"

/** Regressions first. */
const ORDER = ["worse", "mixed", "changed", "removed", "unknown", "added", "better", "same"]

const rate = (value: number | null): string => (value === null ? "–" : percent(value))

const signed = (value: number | null, print: (value: number) => string): string =>
  value === null ? "–" : `${value > 0 ? "+" : ""}${print(value)}`

export const ComparePage = () => {
  const { base, id } = useParams({ from: "/app/results/$id/compare/$base" })
  const comparison = useQuery({ ...comparisonQuery(Number(id), Number(base)), placeholderData: undefined })
  return (
    <>
      <div className="page-head">
        <Link to="/results" className="button quiet icon" aria-label="Back to the results">
          <Icon name="left" />
        </Link>
        <h1>Comparison</h1>
        {comparison.data === undefined ? null : <State state={comparison.data.change} />}
      </div>
      <div className="page">
        <div className="content">
          <Loaded of={comparison}>
            {({ metrics, result, scenarios, success_rate, ...rest }) => (
              <>
                <section className="card table-scroll" aria-label="Results">
                  <table className="table">
                    <thead>
                      <tr>
                        <th />
                        <th className="number plain">
                          {rest.base.name} ({rest.base.id})
                        </th>
                        <th className="number plain">
                          {result.name} ({result.id})
                        </th>
                        <th className="number">Difference</th>
                        <th>Change</th>
                      </tr>
                    </thead>
                    <tbody>
                      <tr>
                        <td className="strong">Success rate</td>
                        <td className="number">{rate(success_rate.base)}</td>
                        <td className="number">{rate(success_rate.result)}</td>
                        <td className="number">{signed(success_rate.difference, percent)}</td>
                        <td>
                          <State state={success_rate.change} />
                        </td>
                      </tr>
                      {metrics.map((metric) => (
                        <tr key={metric.id}>
                          <td>
                            <span className="plain">{metric.name}</span>{" "}
                            <span className="muted">{direction(metric.better)}</span>
                          </td>
                          <td className="number">{metricValue(metric.base)}</td>
                          <td className="number">{metricValue(metric.result)}</td>
                          <td className="number">{signed(metric.difference, metricValue)}</td>
                          <td>
                            <State state={metric.change} />
                          </td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </section>
                <section className="card" aria-labelledby="scenarios-title">
                  <header>
                    <h2 id="scenarios-title">Scenarios, regressions first</h2>
                  </header>
                  <div className="table-scroll">
                    <table className="table">
                      <thead>
                        <tr>
                          <th>Scenario</th>
                          <th>Change</th>
                          <th className="number">Before</th>
                          <th className="number">After</th>
                          <th>Metrics that changed</th>
                        </tr>
                      </thead>
                      <tbody>
                        {scenarios
                          .toSorted((one, other) => ORDER.indexOf(one.change) - ORDER.indexOf(other.change))
                          .map((scenario) => (
                            <tr key={scenario.key}>
                              <td className="strong plain">{scenario.name}</td>
                              <td>
                                <State state={scenario.change} />
                              </td>
                              <td className="number">{rate(scenario.success_rate.base)}</td>
                              <td className="number">{rate(scenario.success_rate.result)}</td>
                              <td>
                                <div className="row wrap">
                                  {scenario.metrics
                                    .filter(({ change }) => change === "worse" || change === "better")
                                    .map((metric) => (
                                      <span
                                        key={metric.id}
                                        className={`pill ${metric.change === "worse" ? "bad" : "good"}`}
                                      >
                                        {metric.name} {signed(metric.difference, metricValue)}
                                      </span>
                                    ))}
                                </div>
                              </td>
                            </tr>
                          ))}
                      </tbody>
                    </table>
                  </div>
                </section>
              </>
            )}
          </Loaded>
        </div>
      </div>
    </>
  )
}
