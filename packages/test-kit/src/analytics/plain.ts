export { type MemoryColumnStore, memoryColumnStore } from "./MemoryColumnStore.js"
export * as ReferenceAnalytics from "./ReferenceAnalytics.js"
export { memorySource, widgetDataOf, widgetQuery } from "./WidgetQueries.js"
