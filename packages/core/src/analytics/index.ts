export { Analytics } from "./Analytics.js"
export * as AnalyticsQuestion from "./AnalyticsQuestion.js"
export { AnalyticsStore } from "./AnalyticsStore.js"
export * as Answer from "./Answer.js"
export * as Buckets from "./Bucket.js"
export type { Chart, ChartQuestion } from "./Chart.js"
export { answer as answerChart, type Asked } from "./ChartAnswer.js"
export { Aggregate, DataType, TimePeriod } from "./Measure.js"
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
