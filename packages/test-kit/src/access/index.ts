export * as AccessArbitraries from "./AccessArbitraries.js"
export { repeatableSecrets } from "./RepeatableSecrets.js"
