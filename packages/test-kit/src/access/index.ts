export * from "./plain.js"
export {
  apiKeyStoreContract,
  revokedTokenStoreContract,
  shareableLinkStoreContract,
  signingKeyStoreContract
} from "./CredentialStoreContracts.js"
export { resourceScopeStoreContract } from "./ResourceScopeStoreContract.js"
export { userStoreContract } from "./UserStoreContract.js"
export { rateLimiterContract } from "./LimiterContract.js"
export { sealingContract, type SealingFixture } from "./SealingContract.js"
export { engineRequester } from "./EngineRequester.js"
export { type OperationRequest, operationRequests, type SeededIds } from "./OperationRequests.js"
export {
  readingCoverage,
  readingProperty,
  type Requester,
  type SeededOrganization,
  type SeenAnswer
} from "./ReadingProperty.js"
