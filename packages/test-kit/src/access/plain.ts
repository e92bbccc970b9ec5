export * as AccessArbitraries from "./AccessArbitraries.js"
export { repeatableSecrets } from "./RepeatableSecrets.js"
export { accessTableLaws, authorizationLaws, type Decision, interfaceTable, type Rule } from "./AccessLaws.js"
export {
  credentialLaws,
  type CredentialOffice,
  type CredentialWorld,
  type IssueAnswer,
  type IssuedKind,
  type Wanted
} from "./CredentialLaws.js"
export { engineCredentialWorld } from "./EngineOffices.js"
export { inForceLaws, issuingLaws, type IssuingRules, type Place, reachLaws } from "./IssuingLaws.js"
