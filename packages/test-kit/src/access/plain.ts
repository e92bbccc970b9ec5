export * as AccessArbitraries from "./AccessArbitraries.js"
export { repeatableSecrets } from "./RepeatableSecrets.js"
export { accessTableLaws, authorizationLaws, type Decision, interfaceTable, type Rule } from "./AccessLaws.js"
