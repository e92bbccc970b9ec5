/** The data of a widget for those who may not read calls: how many there are, and no value of any. */
import type { LineData, SliceSeries, TimeSeries, WidgetData } from "./WidgetData.js"

/** The label of a value that is not shown. */
const HIDDEN = "(hidden)"

const named = <Named extends Pick<TimeSeries, "kind" | "key" | "label">>(one: Named): Named =>
  one.kind === "value" ? { ...one, key: null, label: HIDDEN } : one

const timeSeries = (series: TimeSeries, aggregate: LineData["aggregationFunction"]): TimeSeries => ({
  ...named(series),
  points: aggregate === "count" ? series.points : series.points.map((point) => ({ ...point, value: null }))
})

const sliceSeries = (series: SliceSeries): SliceSeries => ({ ...named(series), points: series.points.map(named) })

/**
 * Counts stay: of calls, of values in a period, of each slice. Groups and slices lose their keys and labels, and every
 * number that is computed of values is null, since of one call it is the value.
 */
export const withoutValues = (data: WidgetData): WidgetData => {
  switch (data.chartType) {
    case "stat":
      return { ...data, successRate: null, avgDuration: null, p95Latency: null, p95CallLatency: null }
    case "line":
    case "bar":
      return { ...data, series: data.series.map((series) => timeSeries(series, data.aggregationFunction)) }
    case "pie":
      return { ...data, series: data.series.map(sliceSeries) }
  }
}
