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
