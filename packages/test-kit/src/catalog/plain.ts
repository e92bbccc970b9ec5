export * as CatalogArbitraries from "./CatalogArbitraries.js"
export { everyPage } from "./Pages.js"
export { permit } from "./Permits.js"
export { enableFlaws, enableProperties, type ReadEnable } from "./EnableProperties.js"
