export { Dashboard, encodeDashboard } from "./Dashboard.js"
export { Dashboards } from "./Dashboards.js"
export { ChartType, encodeWidget, GroupBy, Widget } from "./Widget.js"
export { Widgets } from "./Widgets.js"
