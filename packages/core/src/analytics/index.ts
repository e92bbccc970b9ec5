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
