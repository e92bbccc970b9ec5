export { chartRuleProperties, type WidgetValidator } from "./ChartRuleProperties.js"
export { anyInput, type InvalidWidgetField, invalidWidgetFields, severalInvalidFields } from "./InvalidWidgets.js"
export { groupBy, type WidgetJson, widgetJson } from "./WidgetArbitraries.js"
