export { chartLaws, type Judge } from "./ChartLaws.js"
export { anyInput, type Breakage, breakages, severalBreakages } from "./InvalidWidgets.js"
export { groupBy, type WidgetJson, widgetJson } from "./WidgetArbitraries.js"
