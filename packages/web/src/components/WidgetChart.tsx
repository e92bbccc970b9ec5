/** The data of a widget as its chart, and as a table for those who do not see it. */
import { useMemo } from "react"
import type { Widget, WidgetData } from "../api/client.js"
import { callsBehind, type Charted, type ChartPart, type GroupOf, periodEnd } from "../rules/charts.js"
import { type FilterTree, readFilter } from "../rules/filter.js"
import { clock, fullTime, number, percent } from "../rules/format.js"
import { Stats } from "./Facts.js"
import { Empty } from "./Feedback.js"
import { SERIES_COLORS, TimeChart } from "./TimeChart.js"

interface Shown {
  readonly name: string
  /** Opens the calls of a part of the chart; undefined where they cannot be opened. */
  readonly opener: (part: ChartPart) => (() => void) | undefined
}

const ALL: GroupOf = { kind: "all", key: null }

const Stat = ({ data }: { readonly data: Extract<WidgetData, { chart_type: "stat" }> }) => (
  <Stats
    of={[
      ["Calls", number(data.total_calls)],
      ["Success rate", data.success_rate === null ? "–" : percent(data.success_rate)],
      ["Average duration", data.avg_duration === null ? "–" : clock(data.avg_duration)],
      ["p95 latency", data.p95_latency === null ? "–" : `${number(data.p95_latency, 0)} ms`],
      ["p95 call latency", data.p95_call_latency === null ? "–" : `${number(data.p95_call_latency, 0)} ms`]
    ]}
  />
)

const color = (index: number): string => `var(--${SERIES_COLORS[index % SERIES_COLORS.length] ?? "accent"})`

/** The arc of a share of a circle of radius 16, by the length of its dash. */
const CIRCUMFERENCE = 2 * Math.PI * 16

const Pie = ({ data, name, opener }: Shown & { readonly data: Extract<WidgetData, { chart_type: "pie" }> }) => {
  return (
    <div className="pies">
      {data.series.map((series) => {
        let before = 0
        return (
          <div className="pie" key={`${series.kind} ${series.label}`}>
            <svg viewBox="0 0 42 42" role="img" aria-label={`${name}: ${number(series.total)} calls`}>
              {series.points.map((slice, index) => {
                const start = before
                before += slice.share
                const open = opener({ group: series, slice })
                return (
                  <circle
                    key={`${slice.kind} ${slice.label}`}
                    className={open === undefined ? undefined : "openable"}
                    onClick={open}
                    cx="21"
                    cy="21"
                    r="16"
                    fill="none"
                    stroke={color(index)}
                    strokeOpacity={index < SERIES_COLORS.length ? 1 : 0.5}
                    strokeWidth="7"
                    strokeDasharray={`${Math.max(0, slice.share * CIRCUMFERENCE - 0.4)} ${CIRCUMFERENCE}`}
                    strokeDashoffset={-start * CIRCUMFERENCE}
                    transform="rotate(-90 21 21)"
                  />
                )
              })}
              <text x="21" y="22.6" textAnchor="middle" className="pie-total">
                {number(series.total)}
              </text>
            </svg>
            <ul className="slices">
              {data.series.length > 1 ? <li className="muted plain">{series.label}</li> : null}
              {series.points.map((slice, index) => {
                const open = opener({ group: series, slice })
                return (
                  <li key={`${slice.kind} ${slice.label}`}>
                    <button type="button" className="slice" disabled={open === undefined} onClick={open}>
                      <span className="swatch" style={{ background: color(index) }} />
                      <span className="truncate plain grow">{slice.label}</span>
                      <span className="number">{number(slice.value)}</span>
                      <span className="number muted share">{percent(slice.share)}</span>
                    </button>
                  </li>
                )
              })}
            </ul>
          </div>
        )
      })}
    </div>
  )
}

type TimeData = Extract<WidgetData, { chart_type: "line" | "bar" }>

const OverTime = ({ data, opener }: Shown & { readonly data: TimeData }) => {
  const { aggregation_function, field, interval, series, time_period } = data
  const unit = field === "duration" && aggregation_function !== "count" ? " s" : ""
  const partAt = (start: string, group: GroupOf): ChartPart => ({
    group,
    period: { start, end: periodEnd(start, time_period, interval) }
  })
  return (
    <>
      <div className="chart-area">
        <TimeChart
          series={series}
          isBars={data.chart_type === "bar"}
          isSum={aggregation_function === "count" || aggregation_function === "sum"}
          unit={unit}
          onPick={(start, picked) => {
            opener(partAt(start, (picked === undefined ? undefined : series[picked]) ?? ALL))?.()
          }}
        />
        <div className="chart-tip" aria-hidden="true" />
      </div>
      {series.length > 1 ? (
        <ul className="legend-list">
          {series.slice(0, 12).map(({ kind, label }, index) => (
            <li key={`${kind} ${label}`} className="plain">
              <span className="swatch" style={{ background: color(index) }} /> {label}
            </li>
          ))}
        </ul>
      ) : null}
      <details className="chart-data">
        <summary>Data</summary>
        <div className="table-scroll">
          <table className="table">
            <thead>
              <tr>
                <th>Period from</th>
                {series.map(({ kind, label }) => (
                  <th key={`${kind} ${label}`} className="number plain">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {(series[0]?.points ?? []).map(({ timestamp }, row) => (
                <tr key={timestamp}>
                  <td>{fullTime(timestamp)}</td>
                  {series.map((one: GroupOf & TimeData["series"][number]) => {
                    const point = one.points[row]
                    const open = opener(partAt(timestamp, one))
                    return (
                      <td key={`${one.kind} ${one.label}`} className="number">
                        {point === undefined || point.value === null ? (
                          "–"
                        ) : open === undefined ? (
                          `${number(point.value)}${unit}`
                        ) : (
                          <button
                            type="button"
                            className="value-link"
                            title={`Open ${number(point.count)} calls`}
                            onClick={open}
                          >
                            {`${number(point.value)}${unit}`}
                          </button>
                        )}
                      </td>
                    )
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  )
}

/** What a widget's group_by is; an empty one is none. */
const groupByOf = (given: Widget["group_by"]): Charted["groupBy"] =>
  given !== null && "field" in given
    ? { type: "field", field: given.field }
    : given !== null && "interval" in given
      ? { type: "bucket", interval: given.interval }
      : null

export const WidgetChart = ({
  data,
  widget,
  onOpen
}: {
  readonly data: WidgetData
  readonly widget: Pick<Widget, "effective_filters" | "group_by" | "metric" | "name">
  /** Opens the calls of a filter. Without it the chart is only looked at. */
  readonly onOpen?: (filter: FilterTree) => void
}) => {
  const effective = useMemo(() => readFilter(widget.effective_filters) ?? null, [widget.effective_filters])
  if (data.chart_type === "stat") return <Stat data={data} />
  const charted: Charted = {
    effective,
    field: data.field,
    dataType: data.data_type,
    metric: widget.metric,
    groupBy: groupByOf(widget.group_by)
  }
  const opener: Shown["opener"] = (part) => {
    const filter = onOpen === undefined ? undefined : callsBehind(charted, part)
    return onOpen === undefined || filter === undefined
      ? undefined
      : () => {
          onOpen(filter)
        }
  }
  if (data.chart_type === "pie") {
    return data.total === 0 ? (
      <Empty title="No calls in scope" />
    ) : (
      <Pie data={data} name={widget.name} opener={opener} />
    )
  }
  if (data.series.every(({ points }) => points.length === 0)) return <Empty title="No calls in scope" />
  return <OverTime data={data} name={widget.name} opener={opener} />
}
