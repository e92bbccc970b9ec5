export { type PagedList, pageProperties, type PageOfIds } from "./PageProperties.js"
export { pageRuleProperties, type PageRules } from "./PageRuleProperties.js"
