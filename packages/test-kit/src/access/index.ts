export * from "./plain.js"
export {
  apiKeyStoreContract,
  revokedTokenStoreContract,
  shareableLinkStoreContract,
  signingKeyStoreContract
} from "./CredentialStoreContracts.js"
export { boundStoreContract } from "./BoundStoreContract.js"
export { userStoreContract } from "./UserStoreContract.js"
export { rateLimiterContract } from "./LimiterContract.js"
export { sealingContract, type SealingWorld } from "./SealingContract.js"
