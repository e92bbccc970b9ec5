export { Analytics } from "./Analytics.js"
export * as AnalyticsQuery from "./AnalyticsQuery.js"
export { AnalyticsStore } from "./AnalyticsStore.js"
export * as Buckets from "./Bucket.js"
export type { Chart, ChartQuery } from "./Chart.js"
export { type AnalyticsSource, chartData } from "./ChartData.js"
export { type AnalyticsAnswer, AnalyticsListener } from "./FreshAnalytics.js"
export { Aggregate, DataType, TimePeriod } from "./Measure.js"
export {
  type ColumnAnalytics,
  ColumnStore,
  ColumnStoreUnavailable,
  type ColumnStoreReason,
  digestOf,
  ERASURE_SECONDS,
  type ProjectedCall,
  type ProjectedChanges,
  type ProjectedDigest,
  type ProjectedEvaluation
} from "./Projection.js"
export { type ProjectionBatch, ProjectionFeed } from "./ProjectionFeed.js"
export { isComplete, pendingChanges } from "./ProjectionRules.js"
export type { ProjectionStatus } from "./ProjectionStatus.js"
export { type ProjectionTotals, projectionTotals } from "./ProjectionMetrics.js"
export { ColumnStoreMissing, type ProjectionOverview, Projections } from "./Projections.js"
export type { ProjectionReport } from "./VerifyProjection.js"
export { type NamesById, ResourceNames } from "./ResourceNames.js"
export {
  BarData,
  encodeWidgetData,
  LineData,
  PieData,
  Slice,
  SliceSeries,
  StatData,
  TimePoint,
  TimeSeries,
  WidgetData
} from "./WidgetData.js"
