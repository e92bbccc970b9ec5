export * as ClickHouseColumnStore from "./ColumnStoreClickHouse.js"
export { type ClickHouseAddress, parseClickHouseUrl } from "./ClickHouseUrl.js"
export { isInstalled as isEmbeddedEngineInstalled } from "./EmbeddedEngine.js"
