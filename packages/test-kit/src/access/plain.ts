export * as AccessArbitraries from "./AccessArbitraries.js"
export { repeatableSecrets } from "./RepeatableSecrets.js"
export {
  accessTableProperties,
  authorizationProperties,
  type Decision,
  interfaceTable,
  type Rule
} from "./AccessProperties.js"
export {
  credentialProperties,
  type CredentialIssuer,
  type CredentialFixture,
  type IssueAnswer,
  type IssuedKind,
  type Wanted
} from "./CredentialProperties.js"
export { engineCredentialFixture } from "./EngineIssuers.js"
export {
  inForceProperties,
  issuingProperties,
  type IssuingRules,
  type Place,
  resourceScopeProperties
} from "./IssuingProperties.js"
