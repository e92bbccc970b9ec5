import { truncate, sanitize, displayWidth } from "../Text.js"
import type { Wire } from "../Wire.js"
import { drawPie } from "./PieChart.js"
import { drawStat } from "./StatChart.js"
import { painted, type Style } from "./Style.js"
import { drawTime } from "./TimeChart.js"

/** The widest drawing; beyond it a chart only gets harder to read. */
const WIDEST = 120

/** The data of one widget. */
export const drawWidget = (data: Wire<"WidgetData">, style: Style): ReadonlyArray<string> => {
  switch (data.chart_type) {
    case "stat":
      return drawStat(data, style)
    case "pie":
      return drawPie(data, style)
    case "bar":
    case "line":
      return drawTime(data, style)
  }
}

/** What a chart shows, in words: `avg of duration by day`. */
const subject = (data: Wire<"WidgetData">): string => {
  switch (data.chart_type) {
    case "stat":
      return "all calls in scope"
    case "pie":
      return `calls by ${data.field}`
    case "bar":
    case "line": {
      const period = data.time_period ?? "period"
      return `${data.aggregation_function} of ${data.field} by ${period}`
    }
  }
}

/** A dashboard as lines of text, one widget below the other. */
export const drawDashboard = (
  dashboard: Wire<"Dashboard">,
  widgets: ReadonlyArray<{ readonly widget: Wire<"Widget">; readonly data: Wire<"WidgetData"> }>,
  given: Style
): ReadonlyArray<string> => {
  const style = { ...given, columns: Math.min(given.columns, WIDEST) }
  const title = truncate(sanitize(dashboard.name), style.columns)
  return [
    painted(style, "bold", title),
    painted(style, "dim", "═".repeat(Math.max(1, displayWidth(title)))),
    ...(widgets.length === 0 ? ["", "This dashboard has no widgets."] : []),
    ...widgets.flatMap(({ data, widget }) => {
      const name = sanitize(widget.name)
      const about = sanitize(subject(data))
      const heading = name === "" ? about : `${name} (${about})`
      return ["", painted(style, "bold", truncate(heading, style.columns)), ...drawWidget(data, style)]
    })
  ]
}
