export * as AccessArbitraries from "./AccessArbitraries.js"
export { repeatableSecrets } from "./RepeatableSecrets.js"
export { accessTableLaws, authorizationLaws, type Decision, interfaceTable, type Rule } from "./AccessLaws.js"
export {
  apiKeyStoreContract,
  revokedTokenStoreContract,
  shareableLinkStoreContract,
  signingKeyStoreContract
} from "./CredentialStoreContracts.js"
export { userStoreContract } from "./UserStoreContract.js"
export { rateLimiterContract } from "./LimiterContract.js"
export { sealingContract, type SealingWorld } from "./SealingContract.js"
