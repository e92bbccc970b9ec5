import { type BarData, type LineData, type PieData, type TimeSeries } from "@earshot/core"
import { AnalyticsKit, FilterKit } from "@earshot/test-kit"
import * as DateTime from "effect/DateTime"

const { widgetDataOf } = AnalyticsKit

/** A call at a time, with the given fields. */
export const call = (timestamp: string, rest: Partial<FilterKit.FilterableCall> = {}): FilterKit.FilterableCall =>
  FilterKit.blankCall(1, { callId: "c", agentName: "Desk", timestamp: DateTime.unsafeMake(timestamp), ...rest })

export const stat = (calls: ReadonlyArray<FilterKit.FilterableCall>, widget: object = {}) =>
  widgetDataOf({ dashboard: 1, chart_type: "stat", ...widget }, calls)
export const line = (widget: object, calls: ReadonlyArray<FilterKit.FilterableCall>) =>
  widgetDataOf({ dashboard: 1, chart_type: "line", ...widget }, calls) as LineData
export const bar = (widget: object, calls: ReadonlyArray<FilterKit.FilterableCall>) =>
  widgetDataOf({ dashboard: 1, chart_type: "bar", time_period: "day", ...widget }, calls) as BarData
export const pie = (widget: object, calls: ReadonlyArray<FilterKit.FilterableCall>) =>
  widgetDataOf({ dashboard: 1, chart_type: "pie", ...widget }, calls) as PieData

/** Hour, value and count of each point. */
export const points = (series: TimeSeries | undefined) =>
  series!.points.map(({ count, timestamp, value }) => [DateTime.formatIso(timestamp).slice(0, 13), value, count])

/** Label, value and share of each slice. */
export const slices = (data: PieData) => data.series[0]!.points.map(({ label, share, value }) => [label, value, share])
