/** The data of a widget as its chart, and as a table for those who do not see it. */
import { useMemo } from "react"
import type { Widget, WidgetData } from "../api/client.js"
import { callsOf, type GroupOf, groupCondition, periodEnd } from "../rules/charts.js"
import { type Condition, type FilterTree, readFilter } from "../rules/filter.js"
import { clock, fullTime, number, percent } from "../rules/format.js"
import { Stats } from "./Facts.js"
import { Empty } from "./Feedback.js"
import { SERIES_COLORS, TimeChart } from "./TimeChart.js"

interface Shown {
  readonly widget: Pick<Widget, "effective_filters" | "group_by" | "field" | "name">
  readonly onOpen: (filter: FilterTree) => void
}

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

const Pie = ({
  data,
  effective,
  widget,
  onOpen
}: Shown & { readonly data: Extract<WidgetData, { chart_type: "pie" }>; readonly effective: FilterTree }) => {
  const groupField = widget.group_by?.type === "field" ? widget.group_by.field : ""
  return (
    <div className="pies">
      {data.series.map((series) => {
        const group = groupCondition(groupField, series)
        let before = 0
        return (
          <div className="pie" key={`${series.kind} ${series.label}`}>
            <svg viewBox="0 0 42 42" role="img" aria-label={`${widget.name}: ${number(series.total)} calls`}>
              {series.points.map((slice, index) => {
                const start = before
                before += slice.share
                return (
                  <circle
                    key={`${slice.kind} ${slice.label}`}
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
                const condition = groupCondition(data.field, slice)
                const isOpenable = condition !== undefined && group !== undefined
                return (
                  <li key={`${slice.kind} ${slice.label}`}>
                    <button
                      type="button"
                      className="slice"
                      disabled={!isOpenable}
                      onClick={() => {
                        onOpen(callsOf(callsOf(effective, null, group ?? null), null, condition ?? null))
                      }}
                    >
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

const OverTime = ({
  data,
  effective,
  widget,
  onOpen
}: Shown & { readonly data: TimeData; readonly effective: FilterTree }) => {
  const { aggregation_function, field, interval, series, time_period } = data
  const unit = field === "duration" && aggregation_function !== "count" ? " s" : ""
  const groupField = widget.group_by?.type === "field" ? widget.group_by.field : ""
  const open = (start: string, group: Condition | null) => {
    onOpen(callsOf(effective, { start, end: periodEnd(start, time_period, interval) }, group))
  }
  return (
    <>
      <div className="chart-area">
        <TimeChart
          series={series}
          isBars={data.chart_type === "bar"}
          unit={unit}
          onPick={(start) => {
            open(start, null)
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
                    const group = groupCondition(groupField, one)
                    return (
                      <td key={`${one.kind} ${one.label}`} className="number">
                        {point === undefined || point.value === null ? (
                          "–"
                        ) : group === undefined ? (
                          `${number(point.value)}${unit}`
                        ) : (
                          <button
                            type="button"
                            className="value-link"
                            onClick={() => {
                              open(timestamp, group)
                            }}
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

export const WidgetChart = ({ data, widget, onOpen }: Shown & { readonly data: WidgetData }) => {
  const effective = useMemo(() => readFilter(widget.effective_filters) ?? null, [widget.effective_filters])
  if (data.chart_type === "stat") return <Stat data={data} />
  if (data.chart_type === "pie") {
    return data.total === 0 ? (
      <Empty title="No calls in scope" />
    ) : (
      <Pie data={data} effective={effective} widget={widget} onOpen={onOpen} />
    )
  }
  if (data.series.every(({ points }) => points.length === 0)) return <Empty title="No calls in scope" />
  return <OverTime data={data} effective={effective} widget={widget} onOpen={onOpen} />
}
