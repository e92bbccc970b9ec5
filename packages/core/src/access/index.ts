export * from "./AccessErrors.js"
export * from "./Actor.js"
export {
  ApiKey,
  type ApiKeyDraft,
  encodeApiKey,
  encodeIssuedApiKey,
  type IssuedApiKey,
  permissionsOf,
  Scope
} from "./ApiKey.js"
export { ApiKeys } from "./ApiKeys.js"
export { ApiKeyStore, type NewApiKey } from "./ApiKeyStore.js"
export * from "./Credential.js"
export * from "./Operation.js"
export * from "./Permission.js"
export { authorize, type Lineage, type Permit, reaches } from "./Permit.js"
export { SecretSource } from "./SecretSource.js"
export type { UseCase } from "./UseCase.js"
