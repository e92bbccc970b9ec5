export * from "./AccessErrors.js"
export { type Actor, ResourceScope, ResourceType, CurrentActor, hostActor } from "./Actor.js"
export {
  ApiKey,
  ApiKeyDraft,
  encodeApiKey,
  encodeIssuedApiKey,
  type IssuedApiKey,
  permissionsOf,
  ApiKeyScope
} from "./ApiKey.js"
export { ApiKeys } from "./ApiKeys.js"
export { ApiKeyStore, type NewApiKey } from "./ApiKeyStore.js"
export {
  CurrentSession,
  encodeCurrentSession,
  encodeIssuedSignInLink,
  type IssuedSignInLink,
  SignInDraft,
  SignInLink,
  SignInLinkDraft,
  signInPath,
  type StartedSession
} from "./BrowserSession.js"
export { BrowserSessions } from "./BrowserSessions.js"
export { ResourceScopeStore } from "./ResourceScopeStore.js"
export * from "./Credential.js"
export { Credentials, type Presented } from "./Credentials.js"
export { resourceScopeErrors, expiryErrors, isInForce, permissionErrors } from "./Grant.js"
export type { HashedCredential, IssuedCredential, NewSecretCredential, SecretCredential } from "./SecretCredential.js"
export type { SecretCredentialStore } from "./SecretCredentialStore.js"
export * from "./Operation.js"
export * from "./Permission.js"
export { authorize, hostPermit, mayRead, type ResourcePath, type Permit, isInScope } from "./Permit.js"
export { type Allowance, type Allowances, RateLimiter } from "./RateLimiter.js"
export { RevokedTokenStore } from "./RevokedTokenStore.js"
export * as SecretBox from "./SecretBox.js"
export { SecretSource } from "./SecretSource.js"
export {
  encodeIssuedShareableLink,
  encodeShareableLink,
  type IssuedShareableLink,
  ShareableLink,
  ShareableLinkDraft
} from "./ShareableLink.js"
export { ShareableLinks } from "./ShareableLinks.js"
export { type NewShareableLink, ShareableLinkStore } from "./ShareableLinkStore.js"
export type { SecretsReport } from "./Resealing.js"
export type { SigningKey, StoredSigningKey } from "./SigningKey.js"
export { SigningKeys } from "./SigningKeys.js"
export { SigningKeyStore } from "./SigningKeyStore.js"
export { encodeIssuedToken, type IssuedToken, LIFETIMES, TokenDraft, TokenKind, TokenRevocation } from "./Token.js"
export { Tokens } from "./Tokens.js"
export { resultOrReceipt, type UseCase, useCase, withReceipts } from "./UseCase.js"
export { encodeUser, User, UserDraft } from "./User.js"
export { Users } from "./Users.js"
export { UserStore } from "./UserStore.js"
